package state

// Runs in which no work was done on an equation, or on all of the flow: their residuals are no evidence.

import (
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

const (
	unsolvedLevel = defaultLevel + softer // log10 of a residual; below it an equation may need no iteration
	unsolvedFall  = 1                     // orders; by less a linear solver has not worked on an equation in a step
	unsolvedShare = 0.05                  // of the steps, in which it was iterated
	// largest Courant number of a flow at rest: of round-off
	restCourant = 1e-9
)

// unsolved returns the equations that the linear solver hardly ever iterated, though their residuals are far from
// round-off and from any usual target. A linear solver makes no iteration on a residual below its tolerance.
func (m *Machine) unsolved(v *view) (why []string) {
	for _, e := range v.equations {
		_, name, _ := strings.Cut(e.name, "_")
		inner, final, first := m.names["inner_"+name], m.names["final_"+name], m.names[e.name]
		if inner == nil || inner.count < fewestSamples || float64(inner.works) > unsolvedShare*float64(inner.count) ||
			final == nil {
			continue
		}
		// the last of several solutions in a step: an earlier one may have iterated
		same := final.last > 0 && math.Log10(first.last/final.last) < unsolvedFall
		if same && e.now > unsolvedLevel {
			why = append(why, fmt.Sprintf("%s was iterated in %d of %d steps, with a residual of %.2g: the tolerance "+
				"of its linear solver is too coarse", e.title(), inner.works, inner.count, math.Pow(10, e.now)))
		}
	}
	return why
}

// flowEquation is the residual of momentum or pressure, also of a region or a phase.
var flowEquation = regex.Lazy(`^residual_(\w+\.)?(U[xyz]?|p|p_rgh|p_d)(\.\w+)?$`)

// motionless returns the reason if nothing moved in the whole run, of which the flow was solved: the Courant number, or
// else the balance of mass with the residuals of the flow, was 0 in each step.
func (m *Machine) motionless() string {
	flow, largest := false, 0.0
	for name, q := range m.names {
		if q.has && flowEquation().MatchString(name) {
			flow, largest = true, max(largest, q.most)
		}
	}
	courant, balance := m.names["courant_max"], m.names["continuity_local"]
	switch {
	case !flow:
	case courant != nil && courant.has:
		if courant.most <= restCourant && m.count >= fewestSamples {
			return "nothing moves: the Courant number was 0 in each step"
		}
	case balance != nil && balance.has && balance.most == 0 && largest == 0:
		return "nothing moves: the balance of mass and the residuals of the flow were 0 in each iteration"
	}
	return ""
}
