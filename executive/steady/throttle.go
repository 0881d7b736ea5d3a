package steady

import (
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
)

// lineCase converts a case to a point of its operating line, on which the throttle brings the first target to its
// value. A governor's case is inverted for that: its load is given, and the throttle holds a shaft's speed. Along the
// operating line of such an engine the load changes, at the held speed:
//
//	given P, throttle until N = N_0   becomes   throttle until P = P_given, P until N = N_0
//
// The solution is the same, but one line serves all loads. A case without targets holds the throttle; it is the point
// of the line with that throttle value.
func (m *Solver) lineCase(r graph.ResolvedCase) graph.ResolvedCase {
	if len(r.Solve) == 0 {
		return m.heldThrottle(r)
	}
	throttle := r.Solve[0]
	if !m.isSpeed(throttle.Until) {
		return r
	}
	i := slices.IndexFunc(r.Set, func(s config.Setting) bool { return m.isLoad(s.Path, throttle.Until) })
	if i < 0 {
		return r
	}
	load := r.Set[i]
	held := config.Balance{Vary: load.Path, Until: throttle.Until, Target: throttle.Target, Pos: throttle.Pos}
	throttle.Until, throttle.Target = load.Path, load.Value.Num
	r.Set = slices.Delete(slices.Clone(r.Set), i, i+1)
	r.Solve = append([]config.Balance{throttle, held}, r.Solve[1:]...)
	return r
}

// heldThrottle converts a case without targets to a point of the line along which the fuel-air ratio of its first
// burner changes. Without a burner whose ratio can change, it returns the case unchanged.
func (m *Solver) heldThrottle(r graph.ResolvedCase) graph.ResolvedCase {
	for _, p := range m.Parts {
		far := p.Number("FAR")
		if far == nil || far.DesignOnly || p.Declaration.Fuel == nil {
			continue
		}
		path := p.Name + ".FAR"
		r.Set = slices.DeleteFunc(slices.Clone(r.Set), func(s config.Setting) bool { return s.Path == path })
		r.Solve = []config.Balance{{Vary: path, Until: path, Target: *far.At}}
		break
	}
	return r
}

// isSpeed reports whether a path is a shaft's speed that a solve finds.
func (m *Solver) isSpeed(path string) bool {
	_, at, _, err := m.Parameter(path)
	if err != nil {
		return false
	}
	for _, p := range m.Parts {
		for _, u := range p.Declaration.Unknowns {
			if u.At == at && u.Scaling == components.AsSpeed {
				return true
			}
		}
	}
	return false
}

// isLoad reports whether a path is the power by which a component balances the shaft of a speed.
func (m *Solver) isLoad(path, speed string) bool {
	p, at, _, err := m.Parameter(path)
	if err != nil || p == nil {
		return false
	}
	b, ok := p.Component.(components.ShaftBalancer)
	if !ok {
		return false
	}
	u, _ := b.BalancedByShaft()
	shaft, _, _ := strings.Cut(strings.TrimPrefix(speed, "shafts."), ".")
	return u.At == at && m.OnShaft(m.Index[shaft], p)
}
