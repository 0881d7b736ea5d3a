// Package crash is the crash suite: studies that are killed, interrupted, stopped or run out of disk at random
// moments. It has tests only.
//
// Each trial makes a study by `peregrine run`, disturbs it, and runs the same command once more, with the same study,
// work folder and cache. What must hold then:
//
//   - the second command exits with 0, and answers like a study that nothing disturbed, to the last bit;
//   - the cache holds the same entries and the same map;
//   - no run was started more than twice;
//   - ten seconds later (half a minute but in soak tests) nothing is left: no process, socket, key, temporary file or
//     control group.
//
// A solver or a watchdog that dies does not end its study: there the first command must hold this, too.
//
// # Nodes
//
// A study on nodes goes to four machines that this one plays, each with its lock, its blocks and its relay, over a
// network of the suite's own; leases are a second. There a study goes on whatever befalls its nodes: the first
// command must hold all of it, unless it was killed itself. Of each attempt that another followed the study's log
// must say on which node it was lost, and why, and its folder may hold no answer. TestNineteenNinetyFour has all
// faults in one study on a cluster of Slurm, TestExample1994 on machines like these.
//
// # Steering
//
// TestSteered has several clients command a study's runs, and kills one of them, the executive or a solver: no
// command is done twice, none is said to be done that was not, and no request is ever answered by what was steered.
// TestSceneSteered plays the example of thirty steered runs.
//
// It is a package of its own because it needs the real program, built as users have it, and minutes of a machine.
// A long test makes a few trials of each sort, always the same; PEREGRINE_TESTS=soak makes all of them, with the date
// as seed (`make soak`). Faults are drawn from PEREGRINE_SEED, each trial for itself, so that `-run
// TestCrash/kill-07` repeats one.
package crash
