package rule

// The state of a run as package watchdog/state judges it, for rules that name it.

import (
	"github.com/peregrine-sim/peregrine/watchdog/event"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// judgement is the state of a run. Without a machine it is empty.
type judgement struct {
	machine *judge.Machine
	state   judge.State
	began   float64 // first iteration in this state
	stood   float64 // iterations since
}

// take judges the next event at an iteration, and reports whether the state has changed.
func (j *judgement) take(p *placed, at float64) (changed bool) {
	e := &p.Event
	switch {
	case j.machine == nil:
		return false
	case p.sample != nil:
		j.machine.Sample(p.by.origin.file, p.parser, p.sample)
	case e.Kind == event.Ended:
		if s := judge.Ended(e.Class); s != "" {
			changed = s != j.state
			j.state, j.began, j.stood = s, at, 0
		}
		return changed
	case e.Source == event.Host || e.Source == event.Executive:
		return false
	default:
		j.machine.Event(*e)
	}
	if now := j.machine.Judgement().State; now != j.state {
		j.state, j.began, changed = now, at, true
	}
	j.stood = at - j.began
	return changed
}
