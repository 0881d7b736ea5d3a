package transient

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/ode"
)

// findStates lists the states of the components: with Transient in the mode all; otherwise only states that replace an
// unknown, the shafts' speeds. It returns the addresses of the replaced unknowns and residuals.
func (d *dynamics) findStates(c *config.Case, mode components.Mode) (map[*float64]bool, error) {
	governed := governedShafts(d.m)
	if err := checkInertia(d.m, c, governed); err != nil {
		return nil, err
	}
	replaced := map[*float64]bool{}
	for _, p := range d.m.Parts {
		if governed[p.Name] {
			continue
		}
		for _, s := range p.Declaration.States {
			if s.On != nil && !s.On() || s.Unknown == "" && mode&components.Transient == 0 ||
				!mayContain(d.m, s.Of, p, c) {
				continue
			}
			d.states = append(d.states, state{p.Name + "." + s.Name, s.At, func() float64 { return *s.Rate },
				magnitude(s.Typical), s.Dim, p})
			for _, u := range p.Declaration.Unknowns {
				if u.Name == s.Unknown {
					replaced[u.At] = true
				}
			}
			for _, r := range p.Declaration.Residuals {
				if r.Name == s.Residual {
					replaced[r.At] = true
				}
			}
		}
	}
	if len(d.states) == 0 {
		return nil, fmt.Errorf("%s:%v: case %s: the engine has no shaft, so nothing moves in time", d.m.Engine.File,
			c.Pos, c.Name)
	}
	return replaced, nil
}

// mayContain reports whether a species can be in a part at any time of a case.
func mayContain(m *graph.Model, what components.Species, p *graph.Part, c *config.Case) bool {
	switch what {
	case components.Fuel:
		return m.AnyUpstream(p, map[*graph.Part]bool{}, func(q *graph.Part) bool { return q.Declaration.Fuel != nil })
	case components.Water:
		return m.AnyUpstream(p, map[*graph.Part]bool{}, func(q *graph.Part) bool { return mayBeHumid(m, q, c) })
	}
	return true
}

// mayBeHumid reports whether a part's stream begins with water in its air, or can get some in a case.
func mayBeHumid(m *graph.Model, p *graph.Part, c *config.Case) bool {
	n := p.NumberAt(p.Declaration.WAR)
	if n == nil {
		return false
	}
	if *n.At != 0 {
		return true
	}
	path := p.Name + "." + n.Name
	for _, s := range c.Set {
		if s.Path == path {
			return true
		}
	}
	for _, b := range c.Solve {
		if b.Vary == path {
			return true
		}
	}
	for _, s := range c.Transient.Schedules {
		if s.Path == path || s.Vary == path {
			return true
		}
	}
	for i := range m.Controls.Config {
		if at := m.Controls.Config[i].Moves; at.Path == path || at.Vary == path {
			return true
		}
	}
	return false
}

// magnitude returns a typical value if that is positive, else 1.
func magnitude(typical *float64) float64 {
	if typical == nil || !(*typical > 0) {
		return 1
	}
	return *typical
}

// checkInertia reports shafts whose speed cannot be a state. Shafts joined by gearboxes have a common state. Exactly
// one of them must have an inertia: the sum over all, each times its speed ratio squared. Shafts with a governor need
// none.
func checkInertia(m *graph.Model, c *config.Case, governed map[string]bool) error {
	group := m.ShaftGroups()
	heavy := map[int]string{}
	for i, s := range m.Engine.Shafts {
		if m.Index[s.Name].Component.(components.Rotor).Inertia() == 0 {
			continue
		}
		if other, twice := heavy[group[i]]; twice {
			return fmt.Errorf("%s:%v: shafts %s and %s turn together through a gearbox: give one of them the inertia "+
				"of both, the other's times its speed ratio squared", m.Engine.File, s.Pos, other, s.Name)
		}
		heavy[group[i]] = s.Name
	}
	for i, s := range m.Engine.Shafts {
		if _, ok := heavy[group[i]]; !ok && !governed[s.Name] {
			return fmt.Errorf(
				"%s:%v: case %s: shaft %s has no inertia; a transient needs one above 0, such as inertia: 10 kg m2",
				m.Engine.File, s.Pos, c.Name, s.Name)
		}
	}
	return nil
}

// governedShafts returns, by name, the shafts whose speed a governor keeps, on that shaft or on a geared shaft. Their
// speed is given at every instant.
func governedShafts(m *graph.Model) map[string]bool {
	group := m.ShaftGroups()
	governed := map[int]bool{}
	for i, s := range m.Engine.Shafts {
		for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
			if g, ok := m.Index[e.Component].Component.(components.Governor); ok && g.Governs() {
				governed[group[i]] = true
			}
		}
	}
	held := map[string]bool{}
	for i, s := range m.Engine.Shafts {
		held[s.Name] = governed[group[i]]
	}
	return held
}

// stateNamed returns the state of a parameter's or output's path, or nil.
func (d *dynamics) stateNamed(path string) *state {
	path = strings.TrimPrefix(path, "shafts.")
	for i := range d.states {
		if d.states[i].name == path {
			return &d.states[i]
		}
	}
	return nil
}

// tolerances returns the absolute tolerances of the states: for speeds the first of set.ATol,
// rpm; for others the relative tolerance times their magnitude.
func (d *dynamics) tolerances(set ode.Settings) []float64 {
	list := make([]float64, len(d.states))
	for i, s := range d.states {
		if s.dim == unit.Speed {
			list[i] = set.ATol[0]
		} else {
			list[i] = set.RTol * max(s.typical, math.Abs(*s.at))
		}
	}
	return list
}
