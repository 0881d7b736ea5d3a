package rule

import (
	"github.com/peregrine-sim/peregrine/watchdog/event"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// Class returns the class of a run by its events and rules; empty for a run that continues or is unknown. The first
// sign that holds decides.
func (m *Monitor) Class(name string) event.Class {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil {
		return ""
	}
	reported := func(by bool) event.Class {
		if r.ended == nil || (r.ended.Source == event.Plugin) != by {
			return ""
		}
		return r.ended.Class
	}
	converged, open := r.hasFired("converged"), r.result == nil
	unfinished := event.NotConverged
	if r.hasFired("residual_oscillates") {
		unfinished = event.Stalled
	}
	for _, sign := range []struct {
		holds bool
		class event.Class
	}{
		{r.facts.badResult, event.Diverged}, // values of its result are not finite
		{r.rejected != "", event.Unphysical},
		{true, reported(true)}, // by the solver
		{r.hasFired("non_finite"), event.Diverged},
		{r.hasFired("residual_grows") && !converged && open, event.Diverged},
		{r.hasFired("hung") && open, event.Hung},
		{reported(false) != event.Crashed, reported(false)}, // by the host
		{!open && converged, event.Converged},
		{!open || r.ended != nil && r.hasFired("not_converged"), unfinished},
		{r.ended != nil, event.Crashed}, // without a result
	} {
		if sign.holds && sign.class != "" {
			return sign.class
		}
	}
	return ""
}

// State returns the state of a run, if rules name it; else, and for an unknown run, it is empty.
func (m *Monitor) State(name string) judge.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		return r.judgement.state
	}
	return ""
}

// Rejected returns the reason why the answer of a run must not be used: the message of the rule that rejects it. Empty:
// the answer may be used.
func (m *Monitor) Rejected(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		return r.rejected
	}
	return ""
}
