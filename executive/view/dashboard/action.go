package dashboard

// Actions that keys request for the selected run and for the study. The program that shows the dashboard carries them
// out.

// Verb is the kind of an [Action].
type Verb string

// The verbs.
const (
	Pause      Verb = "pause"
	Release    Verb = "release" // from all that holds the run
	Step       Verb = "step"    // a single iteration
	Stop       Verb = "stop"
	Checkpoint Verb = "checkpoint" // under Name
	Hold       Verb = "hold"       // of the study: no run starts, or runs start again
	Workers    Verb = "workers"    // of the study: By more
)

// Action is something that a key has done.
type Action struct {
	Verb Verb
	Run  string // empty: the study as a whole
	Name string
	By   int
}

// ofStudy are the keys that act on the study as a whole.
var ofStudy = map[string]Action{"H": {Verb: Hold}, "+": {Verb: Workers, By: 1}, "-": {Verb: Workers, By: -1}}

// ofRun has the actions on the selected run, by key.
var ofRun = map[string]Verb{"p": Pause, ".": Step, "x": Stop, "c": Checkpoint}
