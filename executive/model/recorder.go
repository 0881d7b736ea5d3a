package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/perfmap/plot"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// recorder writes a model's outputs into a history.
type recorder struct {
	h      *result.History
	get    []func() float64
	places []func()
	maps   []mapped
	passed []perfmap.Edge // by map, all bounds so far
}

// mapped is a component that works on a map.
type mapped struct {
	name string
	user components.MapUser
}

// newRecorder lists the columns: shaft speeds, thrust or power, fuel flow, burner
// exit temperatures, stall margins, what the schedules move, what the case saves and
// draws.
func (m *Model) newRecorder(c *config.Case) (*recorder, error) {
	r := &recorder{h: &result.History{Panels: c.Transient.Plot, Places: map[string][]plot.Point{}, Outside: map[string]*result.Outside{}}}
	columns := slices.Concat(m.usual(), m.scheduled(c.Transient), c.Transient.Save)
	for _, panel := range c.Transient.Plot {
		columns = append(columns, panel...)
	}
	for _, q := range columns {
		if r.h.Index(q.Path) >= 0 {
			continue
		}
		at, err := m.Read(q.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: case %s: %w", m.Engine.File, c.Pos, c.Name, err)
		}
		r.h.Columns, r.get = append(r.h.Columns, q), append(r.get, at.Get)
	}
	r.h.Values = make([][]float64, len(r.get))
	for _, p := range m.Parts {
		if u, ok := p.Component.(components.MapUser); ok {
			r.places = append(r.places, r.place(p))
			r.maps = append(r.maps, mapped{p.Name, u})
		}
	}
	r.passed = make([]perfmap.Edge, len(r.maps))
	return r, nil
}

// usual are the columns that every history has.
func (m *Model) usual() []config.Quantity {
	var list []config.Quantity
	for _, s := range m.Engine.Shafts {
		list = append(list, config.Quantity{Path: "shafts." + s.Name + ".N", Dim: unit.Speed})
	}
	if len(m.perf.thrust) > 0 {
		list = append(list, config.Quantity{Path: "performance.Fn", Dim: unit.Force})
	}
	if m.perf.Power != 0 {
		list = append(list, config.Quantity{Path: "performance.power", Dim: unit.Power})
	}
	list = append(list, config.Quantity{Path: "performance.Wf", Dim: unit.MassFlow})
	for _, p := range m.Parts {
		if d := p.Declaration; d.Fuel != nil {
			list = append(list, config.Quantity{Path: p.Name + "." + d.Outlets[0].Port + ".Tt", Dim: unit.Temperature})
		}
	}
	for _, p := range m.Parts {
		if m.stalls(p) {
			list = append(list, config.Quantity{Path: p.Name + ".SMN", Dim: p.typ.Output("SMN").Dim})
		}
	}
	return list
}

// scheduled are the quantities that a transient's schedules move. The fuel fed to a single
// burner is the engine's, which is there already.
func (m *Model) scheduled(c *config.Transient) []config.Quantity {
	var list []config.Quantity
	for _, s := range c.Schedules {
		if len(m.perf.fuel) != 1 || !m.feeds(s.Path) {
			list = append(list, s.Quantity)
		}
	}
	return list
}

// feeds reports whether a path names the output that is the fuel fed to a component.
func (m *Model) feeds(path string) bool {
	name, output, _ := strings.Cut(path, ".")
	p := m.Index[name]
	return p != nil && slices.ContainsFunc(p.Declaration.Outputs, func(v components.Value) bool {
		return v.Name == output && v.At == p.Declaration.Fed
	})
}

// place notes where a component works on its map.
func (r *recorder) place(p *Part) func() {
	var wc, pr, eff *float64
	for _, o := range p.Declaration.Outputs {
		switch o.Name {
		case "Wc":
			wc = o.At
		case "PR":
			pr = o.At
		case "eff":
			eff = o.At
		}
	}
	return func() {
		if wc != nil && pr != nil && eff != nil {
			r.h.Places[p.Name] = append(r.h.Places[p.Name], plot.Point{Wc: *wc, PR: *pr, Eff: *eff})
		}
	}
}

// stalls tells whether a part has a stall line to be passed.
func (m *Model) stalls(p *Part) bool {
	if _, ok := p.Component.(components.Stalling); !ok {
		return false
	}
	u, ok := p.Component.(components.MapUser)
	if !ok {
		return false
	}
	pm, _, _ := u.Map()
	return pm != nil && pm.HasStall()
}

// Add notes the model's present state as that at t, s.
func (r *recorder) add(t float64) {
	r.h.T = append(r.h.T, t)
	for i, get := range r.get {
		r.h.Values[i] = append(r.h.Values[i], get())
	}
	for _, place := range r.places {
		place()
	}
	for i, m := range r.maps {
		e := m.user.Edge()
		if e == 0 {
			continue
		}
		r.passed[i] |= e
		o := r.h.Outside[m.name]
		if o == nil {
			o = &result.Outside{From: t}
			r.h.Outside[m.name] = o
		}
		o.To, o.Bounds = t, r.passed[i].String()
	}
}
