package dashboard

// What keys have done to the run that is pointed to, and to the study: whoever shows the dashboard does it.

// Verb is what an [Action] does.
type Verb string

// The verbs.
const (
	Pause      Verb = "pause"
	Release    Verb = "release" // from all that holds the run
	Step       Verb = "step"    // one iteration
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

// ofRun are those that act on the run that is pointed to.
var ofRun = map[string]Verb{"p": Pause, ".": Step, "x": Stop, "c": Checkpoint}
