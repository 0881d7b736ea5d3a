package steady

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/graph"
)

// caseRamp is the way from a model's present state to a case. Parameters and targets change together, linearly, from
// their present values to the case's.
type caseRamp struct {
	at         []*float64
	from, to   []float64
	balances   []*graph.Balance
	targetFrom []float64
}

// set sets parameters and targets to the fraction lambda of the way.
func (p *caseRamp) set(lambda float64) {
	for i, at := range p.at {
		*at = p.from[i] + lambda*(p.to[i]-p.from[i])
	}
	for i, b := range p.balances {
		b.Current = p.targetFrom[i] + lambda*(b.Target-p.targetFrom[i])
	}
}

// aimsAt reports whether a limit is a target of the way. Such a way may come from beyond the limit.
func (p *caseRamp) aimsAt(l *graph.Limit) bool {
	return slices.ContainsFunc(p.balances,
		func(b *graph.Balance) bool { return b.Until == l.Spec.Path && b.Target == l.Bound })
}

// prepareCase makes a case's system, and the way to it from the model's present state.
func (m *Solver) prepareCase(r graph.ResolvedCase) (*equations, *caseRamp, error) {
	ramp := &caseRamp{}
	for i := range r.Solve {
		read, err := m.Read(r.Solve[i].Until)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%v: %w", m.Engine.File, r.Solve[i].Pos, err)
		}
		ramp.balances = append(ramp.balances, graph.NewBalance(r.Solve[i]))
		ramp.targetFrom = append(ramp.targetFrom, read.Get())
	}
	for _, st := range r.Set {
		_, at, designOnly, err := m.Parameter(st.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%v: %w", m.Engine.File, st.Pos, err)
		}
		if designOnly {
			return nil, nil, fmt.Errorf(
				"%s:%v: case %s: %s fixes the design and has no effect off design; set it in the component",
				m.Engine.File, st.Pos, r.Name, st.Path)
		}
		ramp.at, ramp.from, ramp.to = append(ramp.at, at), append(ramp.from, *at), append(ramp.to, st.Value.Num)
	}
	s, err := m.equations(components.OffDesign, ramp.balances)
	return s, ramp, err
}
