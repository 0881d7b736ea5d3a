package steady

// A design that has no solution often asks for one value too far: a temperature at which the turbines cannot drive
// their shafts. The nearest value of each target with which the design has a solution is found by solving it.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
)

const (
	reachEffort = 8000 // evaluations of the engine after which no other value is tried
	reachSteps  = 7    // bisections between a target that fails and one that does not
)

// Reach names the design target that is out of reach, in words, with the nearest value at which the design could be
// solved with the other targets as they are. It is empty if no single target is at fault. Call it with the error of
// Design.
func (m *Solver) Reach(ctx context.Context, failed error) string {
	if _, atCases := designBalances(m.Model); len(atCases) > 0 {
		return ""
	}
	spent := 0
	solved := func(i int, target float64) bool {
		cfg := *m.Engine
		cfg.Design = slices.Clone(cfg.Design)
		cfg.Design[i].Target = target
		v, err := m.Variant(&cfg)
		if err != nil || ctx.Err() != nil {
			return false
		}
		info, err := v.Design(ctx)
		spent += info.Evaluations
		return err == nil
	}
	var known graph.SolveError // its target and the nearest value of that, if the solver found them
	if se := (*graph.SolveError)(nil); errors.As(failed, &se) {
		known = *se
	}
	order := make([]int, len(m.Engine.Design)) // temperatures first: thrust and flow only scale most engines
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return m.rank(i) - m.rank(j) })
	for _, i := range order {
		b := m.Engine.Design[i]
		for _, factor := range []float64{1.02, 1.1, 1.25, 1.6, 2.2, 4} {
			for _, f := range [...]float64{factor, 1 / factor} {
				bad := b.Target
				if b.Until == known.Target {
					bad = known.Nearest
				}
				wrong := known.Target != "" && (b.Until != known.Target || f > 1 != (bad > b.Target))
				if wrong || spent > reachEffort || bad == 0 || !solved(i, bad*f) {
					continue
				}
				good := bad * f
				for range reachSteps {
					if mid := math.Sqrt(good/bad) * bad; solved(i, mid) {
						good = mid
					} else {
						bad = mid
					}
				}
				side := "least"
				if math.Abs(good) < math.Abs(b.Target) {
					side = "greatest"
				}
				u := unit.As(b.Unit, m.Dimension(b.Until))
				return fmt.Sprintf("%s = %s is out of reach: with the other targets as they are, the %s value with a"+
					" solution is %s", b.Until, u.Format(b.Target, 6), side, u.Format(good, 4))
			}
		}
	}
	return ""
}

// rank is the order in which targets of the design are tried.
func (m *Solver) rank(i int) int {
	if m.Dimension(m.Engine.Design[i].Until) == unit.Temperature {
		return 0
	}
	return 1
}
