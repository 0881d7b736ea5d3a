package model

import (
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
)

// lineCase is a case as a point of its operating line, on which the throttle brings the first target to its
// value. A governor's case is turned around for that: its load is given, and the throttle holds a shaft's
// speed. What changes along the operating line of such an engine is the load, at the speed held:
//
//	given P, throttle until N = N_0   becomes   throttle until P = P_given, P until N = N_0
//
// The solution is the same, but one line serves all loads. A case without targets holds the throttle; it is where the
// throttle comes to that value.
func (m *Model) lineCase(r resolved) resolved {
	if len(r.solve) == 0 {
		return m.heldThrottle(r)
	}
	throttle := r.solve[0]
	if !m.isSpeed(throttle.Until) {
		return r
	}
	i := slices.IndexFunc(r.set, func(s config.Setting) bool { return m.isLoad(s.Path, throttle.Until) })
	if i < 0 {
		return r
	}
	load := r.set[i]
	held := config.Balance{Vary: load.Path, Until: throttle.Until, Target: throttle.Target, Pos: throttle.Pos}
	throttle.Until, throttle.Target = load.Path, load.Value.Num
	r.set = slices.Delete(slices.Clone(r.set), i, i+1)
	r.solve = append([]config.Balance{throttle, held}, r.solve[1:]...)
	return r
}

// heldThrottle is a case without targets as a point of the line along which the fuel-air ratio of its first burner
// changes. Where no burner has one that can change, it is the case as it is.
func (m *Model) heldThrottle(r resolved) resolved {
	for _, s := range m.steps {
		far := s.part.number("FAR")
		if far == nil || far.DesignOnly || s.part.Declaration.Fuel == nil {
			continue
		}
		path := s.part.Name + ".FAR"
		r.set = slices.DeleteFunc(slices.Clone(r.set), func(s config.Setting) bool { return s.Path == path })
		r.solve = []config.Balance{{Vary: path, Until: path, Target: *far.At}}
		break
	}
	return r
}

// isSpeed reports whether a path is a shaft's speed that a solve finds.
func (m *Model) isSpeed(path string) bool {
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
func (m *Model) isLoad(path, speed string) bool {
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
	return u.At == at && m.turns(m.Index[shaft], p)
}
