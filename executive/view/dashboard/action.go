package dashboard

// What keys have done to the run that is pointed to, and to the study: whoever shows the dashboard does it.

import "fmt"

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

// act takes a key that has something done, and reports whether it is one.
func (m *Model) act(key string) bool {
	was := m.toStop
	m.toStop = ""
	a, study := ofStudy[key]
	v, run := ofRun[key]
	switch {
	case !study && !run:
		return false
	case m.Act == nil:
		m.said = "these runs can be watched, not steered"
		return true
	case study:
		m.do(a, fmt.Sprintf("%s of the study ...", a.Verb))
		return true
	}
	if a, ok := m.onPointed(v, was); ok {
		m.do(a, fmt.Sprintf("%s %s ...", clean(a.Run), a.Verb))
	}
	return true
}

// onPointed is what is to be done to the run that is pointed to; false: nothing, and why is said. A stop is asked for
// twice; was is the run of which the key before has asked it.
func (m *Model) onPointed(v Verb, was string) (a Action, ok bool) {
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	runs := m.list()
	i := m.index(runs)
	if i < 0 {
		return a, false
	}
	r := runs[i]
	m.pointed = r.name // also when the order changes meanwhile
	a = Action{Verb: v, Run: r.name}
	switch name := clean(r.name); {
	case r.phase == planned:
		m.said = name + " has not begun"
		return a, false
	case r.phase == over:
		m.said = name + " has ended: " + r.state()
		return a, false
	case v == Stop && was != r.name:
		m.toStop = r.name
		m.said = "x once more ends " + name + " with what is there; any other key leaves it"
		return a, false
	case v == Pause && r.held:
		a.Verb = Release
	case v == Checkpoint:
		a.Name = fmt.Sprintf("at-%.0f", r.iteration)
	}
	return a, true
}

// do has something done. Until it is known what became of it the line of help says what was asked for.
func (m *Model) do(a Action, text string) {
	m.said = text
	m.Act(a)
}
