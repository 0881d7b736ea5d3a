package rule

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// Verdict is the class of a run, and the reason.
type Verdict struct {
	Class  event.Class
	Reason string
}

var classes = []event.Class{
	event.Converged, event.NotConverged, event.Diverged, event.Unphysical, event.Stalled, event.Hung,
	event.Crashed, event.Killed, event.Timeout, event.OutOfMemory, event.OverLimit, event.BadOutput, event.Lost,
}

// Judge classifies a run. The first condition that holds decides:
//
//   - its result has values that are not finite: diverged;
//   - a rule of severity error rejects its result, or one whose action is unusable: unphysical;
//   - the solver reported a class: that one;
//   - its iterations have values that are not finite, or its residual grew: diverged;
//   - it was silent for too long: hung;
//   - the host reported a class other than crashed: that one;
//   - it gave a result: converged if the rules found so, stalled if its residual
//     oscillated, otherwise not converged;
//   - it reached its iteration limit: not converged, or stalled;
//   - it ended without a result: crashed.
//
// A run that goes on and meets none of these has the empty class.
func (m *Monitor) Judge(name string) Verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil {
		return Verdict{Reason: "nothing is known of the run"}
	}
	for _, by := range []func(*run) Verdict{rejected, classBySolver, diverged, silent, classByHost, answered, limited} {
		if v := by(r); v.Class != "" {
			return v
		}
	}
	if r.ended != nil {
		return Verdict{event.Crashed, "it ended without a result " + r.where()}
	}
	return Verdict{Reason: "it goes on"}
}

// State is the state of a run, where rules name it; else, and of a run that is not known, it is empty.
func (m *Monitor) State(name string) judge.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		return r.judgement.state
	}
	return ""
}

// Rejected returns why the answer of a run is not to be used: the message of the rule that says so; empty: it may be.
func (m *Monitor) Rejected(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		return r.rejected
	}
	return ""
}

func rejected(r *run) Verdict {
	switch {
	case r.facts.badResult:
		return Verdict{event.Diverged, "its result is not finite: " + r.facts.names}
	case r.rejected != "":
		return Verdict{event.Unphysical, r.rejected}
	}
	return Verdict{}
}

// classFrom returns the class of the run's Ended event if it is the plugin's, or else the
// host's.
func (r *run) classFrom(plugin bool) event.Class {
	if r.ended == nil || (r.ended.Source == event.Plugin) != plugin {
		return ""
	}
	if c := r.ended.Class; slices.Contains(classes, c) {
		return c
	}
	return ""
}

func classBySolver(r *run) Verdict { return Verdict{r.classFrom(true), "reported by the solver"} }

func diverged(r *run) Verdict {
	switch {
	case r.hasFired("non_finite"):
		return Verdict{event.Diverged, fmt.Sprintf("not a finite number: %v %s", r.facts.names, r.where())}
	case r.hasFired("residual_grows") && !r.hasFired("converged") && r.result == nil:
		return Verdict{event.Diverged, "its residual grew " + r.where()}
	}
	return Verdict{}
}

func silent(r *run) Verdict {
	if r.hasFired("hung") && r.result == nil {
		return Verdict{event.Hung, "no output " + r.where()}
	}
	return Verdict{}
}

func classByHost(r *run) Verdict {
	if c := r.classFrom(false); c != event.Crashed {
		return Verdict{c, "reported by the host " + r.where()}
	}
	return Verdict{}
}

func answered(r *run) Verdict {
	switch {
	case r.result == nil:
		return Verdict{}
	case r.hasFired("converged"):
		return Verdict{event.Converged, "residual down and flow steady " + r.where()}
	}
	return unfinished(r)
}

func limited(r *run) Verdict {
	if r.ended == nil || !r.hasFired("not_converged") {
		return Verdict{}
	}
	return unfinished(r)
}

// unfinished classifies a run that ended without convergence.
func unfinished(r *run) Verdict {
	if r.hasFired("residual_oscillates") {
		return Verdict{event.Stalled, "its residual oscillates without falling " + r.where()}
	}
	return Verdict{event.NotConverged, "it was not seen to converge " + r.where()}
}

// where returns the progress of the run as text.
func (r *run) where() string {
	residual := r.values["residual"]
	if residual == nil || !residual.has {
		return fmt.Sprintf("after %.0f reported iterations", r.facts.iterations)
	}
	return fmt.Sprintf("after %.0f reported iterations, at residual %s", r.facts.iterations, show(residual.last))
}
