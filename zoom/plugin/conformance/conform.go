// Package conformance checks a solver's plugin against the contract of package plugin, on which the host and its users
// rely.
//
// The suite is for tests, by plugintest.Conform, and for the verb `plugin check`, by Run.
package conformance

// Check tests one requirement of the contract.
type Check struct {
	Name string
	Run  func(*Subject, T)
}

// Checks returns all checks:
//
//   - its description has no mistakes and is the same each time;
//   - it converges on Quick, twice to the same bits, with finite values as described;
//   - if it describes exit_W, it answers the flow of Quick, given in place of the throttle, with that flow and
//     throttle;
//   - it reports rising iterations, with a residual, itself or in the files that it describes;
//   - it writes the files that it describes, and no others outside its run folder;
//   - if it is reusable, one process makes run after run, with the answers of fresh processes to the last bit, and
//     prints into the log of each;
//   - it refuses a request without values, and still answers afterwards;
//   - it stops on command, in time;
//   - it accepts the controls that it names and no others; paused it makes no reports, resumed
//     it continues, and on command it writes a checkpoint;
//   - it ends after its host, and removes its socket;
//   - if it steers, it lists its objects. Each operation of an object works as declared, at the iteration in
//     the command (for a solver steered from outside: not before it): see steer.go. Other commands it obeys or
//     refuses, with a reason;
//   - its sensors, switched on, find the fields that they declare; if it judges rules, it does so for those of a
//     request: see sense.go.
//
// The checks of Long are skipped if it has no values.
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
