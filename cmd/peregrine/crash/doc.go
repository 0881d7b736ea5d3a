// Package crash is the crash suite: studies that are killed, interrupted, stopped or run out of disk at random moments.
// It has tests only.
//
// Each trial makes a study by `peregrine run`, disturbs it, and runs the same command again, with the same study, work
// folder and cache. Then these must hold:
//
//   - the second command exits with 0, and gives the answer of an undisturbed study, to the last bit;
//   - the cache holds the same entries and the same map;
//   - no run was started more than twice;
//   - ten seconds later (half a minute but in soak tests) no process, socket, key, temporary file or control
//     group is left.
//
// A solver or a watchdog that dies does not end its study: there the first command must fulfil this, too.
//
// # The machine
//
// All processes of a study are stopped for longer than its runs may be silent, their clocks are set by an hour, the
// kernel kills some for lack of memory, or another build of the program meets the study and takes it up. The time of
// day is set in the memory of each process, not on the machine.
//
// # Nodes
//
// A study on nodes uses four machines that are simulated on this one, each with its lock, its blocks and its relay,
// over a network of the suite's own; leases are a second. Such a study continues after any failure of its nodes: the
// first command must fulfil all of it, unless it was killed itself. For each attempt that another followed, the study's
// log must record the node and the reason of the loss, and its folder must hold no answer. TestNineteenNinetyFour has
// all faults in one study on a Slurm cluster, TestExample1994 on simulated machines.
//
// # Steering
//
// In TestSteered several clients command a study's runs, and one of them, the executive or a solver is killed: no
// command is done twice, none is reported as done that was not, and no request is answered by a steered run.
// TestSceneSteered plays the example of thirty steered runs.
//
// The suite is a package of its own because it needs the real program, built as users have it, and minutes of machine
// time. A long test makes a few trials of each sort, always the same; PEREGRINE_TESTS=soak makes all of them, with the
// date as seed (`make soak`). Faults are drawn from PEREGRINE_SEED, each trial for itself, so that `-run
// TestCrash/kill-07` repeats one.
package crash
