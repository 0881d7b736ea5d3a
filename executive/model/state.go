package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/ode"
)

// state is a value that moves by itself in a transient: a shaft's speed, what a
// volume holds, a metal's temperature, or what stands outside the components.
type state struct {
	name    string         // as in messages: component.state
	at      *float64       // where the model, or whoever reads it, has it
	rate    func() float64 // its change per second, once the equations are solved at that state
	typical float64        // its magnitude, for tolerances and differences; positive
	dim     unit.Dimension
	part    *Part // nil: of no component
}

// findStates takes the states of the components that move: in a system that stores,
// all; otherwise those alone that are unknowns at rest, the shafts' speeds. It returns
// the unknowns and residuals that they take the place of.
func (d *dynamics) findStates(c *config.Case, mode components.Mode) (map[*float64]bool, error) {
	held := d.m.held()
	if err := d.m.checkInertia(c, held); err != nil {
		return nil, err
	}
	instead := map[*float64]bool{}
	for _, p := range d.m.Parts {
		if held[p.Name] {
			continue
		}
		for _, s := range p.Declaration.States {
			if s.On != nil && !s.On() || s.Unknown == "" && mode&components.Transient == 0 || !d.m.reaches(s.Of, p, c) {
				continue
			}
			d.states = append(d.states, state{p.Name + "." + s.Name, s.At, func() float64 { return *s.Rate }, magnitude(s.Typical), s.Dim, p})
			for _, u := range p.Declaration.Unknowns {
				if u.Name == s.Unknown {
					instead[u.At] = true
				}
			}
			for _, r := range p.Declaration.Residuals {
				if r.Name == s.Residual {
					instead[r.At] = true
				}
			}
		}
	}
	if len(d.states) == 0 {
		return nil, fmt.Errorf("%s:%v: case %s: the engine has no shaft, so nothing moves in time", d.m.Engine.File, c.Pos, c.Name)
	}
	return instead, nil
}

// reaches tells whether there can ever be any of a species in a part in a case.
func (m *Model) reaches(what components.Species, p *Part, c *config.Case) bool {
	switch what {
	case components.Fuel:
		return m.upstream(p, map[*Part]bool{}, func(q *Part) bool { return q.Declaration.Fuel != nil })
	case components.Water:
		return m.upstream(p, map[*Part]bool{}, func(q *Part) bool { return m.humid(q, c) })
	}
	return true
}

// upstream tells whether a part, or one whose stream comes to it, is one of those.
func (m *Model) upstream(p *Part, seen map[*Part]bool, is func(*Part) bool) bool {
	if p == nil || seen[p] {
		return false
	}
	seen[p] = true
	if is(p) {
		return true
	}
	for _, in := range p.Declaration.Inlets {
		if m.upstream(m.owner(*in.At), seen, is) {
			return true
		}
	}
	for _, b := range m.Engine.Bleeds {
		if b.To == p.Name && m.upstream(m.Index[b.From], seen, is) {
			return true
		}
	}
	return false
}

// humid reports whether a part's stream begins with water in its air, or a case may bring some.
func (m *Model) humid(p *Part, c *config.Case) bool {
	n := p.numberAt(p.Declaration.WAR)
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
	for i := range m.controls.cfg {
		if at := m.controls.cfg[i].Moves; at.Path == path || at.Vary == path {
			return true
		}
	}
	return false
}

func magnitude(typical *float64) float64 {
	if typical == nil || !(*typical > 0) {
		return 1
	}
	return *typical
}

// checkInertia tells of shafts whose speeds cannot be states. Of shafts that
// gearboxes join one has the inertia, because their speeds are one state; it stands for
// all of them, each inertia times the square of its ratio. Those that are held need none.
func (m *Model) checkInertia(c *config.Case, held map[string]bool) error {
	group := m.geared()
	heavy := map[int]string{}
	for i, s := range m.Engine.Shafts {
		if m.Index[s.Name].Component.(components.Rotor).Inertia() == 0 {
			continue
		}
		if other, twice := heavy[group[i]]; twice {
			return fmt.Errorf("%s:%v: shafts %s and %s turn together through a gearbox: give one of them the inertia of both, the other's times its speed ratio squared", m.Engine.File, s.Pos, other, s.Name)
		}
		heavy[group[i]] = s.Name
	}
	for i, s := range m.Engine.Shafts {
		if _, ok := heavy[group[i]]; !ok && !held[s.Name] {
			return fmt.Errorf("%s:%v: case %s: shaft %s has no inertia; a transient needs one above 0, such as inertia: 10 kg m2", m.Engine.File, s.Pos, c.Name, s.Name)
		}
	}
	return nil
}

// held are the shafts, by name, whose speed a governor keeps, theirs or that of one that
// a gearbox joins them to: it is given at every instant, whatever turns with it.
func (m *Model) held() map[string]bool {
	group := m.geared()
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

// geared numbers shafts so that those that gearboxes join have the same number.
func (m *Model) geared() []int {
	group := make([]int, len(m.Engine.Shafts))
	for i := range group {
		group[i] = i
	}
	on := map[string]int{} // by gearbox: a shaft that it is on
	for i, s := range m.Engine.Shafts {
		for _, ends := range [][]config.Endpoint{s.Drives, s.DrivenBy} {
			for _, e := range ends {
				if !m.Index[e.Component].Declaration.Geared {
					continue
				}
				first, joined := on[e.Component]
				if !joined {
					on[e.Component] = i
					continue
				}
				from, to := group[i], group[first]
				for k := range group {
					if group[k] == from {
						group[k] = to
					}
				}
			}
		}
	}
	return group
}

// moves is the state that a path of a parameter or output names, nil if none.
func (d *dynamics) moves(path string) *state {
	path = strings.TrimPrefix(path, "shafts.")
	for i := range d.states {
		if d.states[i].name == path {
			return &d.states[i]
		}
	}
	return nil
}

// tolerances are the absolute ones of the states: for speeds the first of set's, rpm;
// for others the relative tolerance of their magnitude.
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
