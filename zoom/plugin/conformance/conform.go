// Package conformance holds a solver's plugin to the contract of package plugin: that it does what the host and its
// users rely on.
//
// The suite is for tests, by plugintest.Conform, and for the verb `plugin check`, by Run.
package conformance

// Check tests one requirement of the contract.
type Check struct {
	Name string
	Run  func(*Subject, T)
}

// Checks returns all of them:
//
//   - its description has no mistakes and is the same each time;
//   - it converges on Quick, twice to the same bits, with finite values as described;
//   - if it describes exit_W, it answers the flow of Quick, given in place of the throttle, with that flow and
//     throttle;
//   - it reports iterations that rise, with a residual, itself or in the files that it describes;
//   - it writes the files that it describes, and none outside its run folder;
//   - if it says that it is reusable, one process makes run after run, with the answers of fresh ones to the last
//     bit, and prints into the log of each;
//   - it refuses a request without values, and still answers after that;
//   - it stops on command, in time;
//   - it accepts the controls that it names and no others; paused it reports nothing, resumed
//     it continues, and on command it writes a checkpoint;
//   - it ends when its host is gone, and removes its socket;
//   - if it says that it steers, it lists its objects, and does with each what its operations say, at the iterations
//     that commands name (of one that is steered from outside: not before them): see steer.go. What else it may be
//     commanded it does or refuses, with a reason;
//   - its sensors, switched on, find what they declare; if it says that it judges rules, it does what those of a
//     request want: see sense.go.
//
// Those of Long are skipped where there is none.
func Checks() []Check {
	return []Check{
		{"description", (*Subject).describes},
		{"answer", (*Subject).answers},
		{"exit flow", (*Subject).holdsFlow},
		{"reuse", (*Subject).reuses},
		{"refusal", (*Subject).refuses},
		{"stop", (*Subject).stops},
		{"control", (*Subject).controls},
		{"host lost", (*Subject).endsAlone},
		{"objects", (*Subject).objects},
		{"actuate", (*Subject).actuates},
		{"arm", (*Subject).arms},
		{"hold", (*Subject).holds},
		{"function", (*Subject).functions},
		{"sensor", (*Subject).senses},
		{"rule", (*Subject).judges},
	}
}
