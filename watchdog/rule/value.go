package rule

// One value of a run, and the one that is made of the residuals of all equations.

import (
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// value is one value of a run.
type value struct {
	series *series
	input  int       // its number among the inputs of conditions; -1: no rule names it
	list   []float64 // of a profile
	last   float64
	has    bool
	hidden bool     // it has the name of something else
	object *float64 // value of the object of its name; nil: there is none, as far as is known
}

// ResidualPrefix begins the names of the residuals of equations.
const ResidualPrefix = "residual_"

// WorstResidual is the largest of the residuals that a solver reports of several equations; 0 if it reports one that
// is just called residual, or none. Odd says that one of them is not finite: the rest says nothing then.
func WorstResidual(e *event.Event) (x float64, odd bool) {
	if _, ok := e.Values["residual"]; ok || slices.Contains(e.NonFinite, "residual") {
		return 0, false
	}
	for name, y := range e.Values {
		if strings.HasPrefix(name, ResidualPrefix) {
			x = max(x, math.Abs(y))
		}
	}
	odd = slices.ContainsFunc(e.NonFinite, func(name string) bool { return strings.HasPrefix(name, ResidualPrefix) })
	if odd {
		return 0, true
	}
	return x, false
}
