package transient

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// recorder writes a model's outputs into a history.
type recorder struct {
	h            *result.History
	readers      []func() float64 // by column of the history
	recordPlaces []func()         // each adds the place of a component on its map
	maps         []mapComponent
	edgesPassed  []perfmap.Edge // by map: all sides left so far
}

// mapComponent is a component that works on a map.
type mapComponent struct {
	name string
	user components.MapUser
}

// newRecorder makes the recorder of a case. Its columns are shaft speeds, thrust or power, fuel flow, burner exit
// temperatures, stall margins, scheduled quantities, and the saved and plotted quantities of the case.
func newRecorder(m *graph.Model, c *config.Case) (*recorder, error) {
	r := &recorder{
		h: &result.History{Panels: c.Transient.Plot, Places: map[string][]plot.Mark{},
			Outside: map[string]*result.Outside{}},
	}
	columns := slices.Concat(defaultColumns(m), scheduledQuantities(m, c.Transient), c.Transient.Save)
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
		r.h.Columns, r.readers = append(r.h.Columns, q), append(r.readers, at.Get)
	}
	r.h.Values = make([][]float64, len(r.readers))
	for _, p := range m.Parts {
		if u, ok := p.Component.(components.MapUser); ok {
			r.recordPlaces = append(r.recordPlaces, r.placeRecorder(p))
			r.maps = append(r.maps, mapComponent{p.Name, u})
		}
	}
	r.edgesPassed = make([]perfmap.Edge, len(r.maps))
	return r, nil
}

// defaultColumns lists the columns that every history has.
func defaultColumns(m *graph.Model) []config.Quantity {
	var list []config.Quantity
	for _, s := range m.Engine.Shafts {
		list = append(list, config.Quantity{Path: "shafts." + s.Name + ".N", Dim: unit.Speed})
	}
	if len(m.Perf.Thrust) > 0 {
		list = append(list, config.Quantity{Path: "performance.Fn", Dim: unit.Force})
	}
	if m.Perf.Power != 0 {
		list = append(list, config.Quantity{Path: "performance.power", Dim: unit.Power})
	}
	list = append(list, config.Quantity{Path: "performance.Wf", Dim: unit.MassFlow})
	for _, p := range m.Parts {
		if d := p.Declaration; d.Fuel != nil {
			list = append(list, config.Quantity{Path: p.Name + "." + d.Outlets[0].Port + ".Tt", Dim: unit.Temperature})
		}
	}
	for _, p := range m.Parts {
		if hasStallLine(p) {
			name := outputAt(p, p.Declaration.Margins[0])
			list = append(list, config.Quantity{Path: p.Name + "." + name, Dim: p.Type.Output(name).Dim})
		}
	}
	return list
}

// scheduledQuantities lists the quantities that a transient's schedules move. It leaves out the fuel fed to a single
// burner: the engine's fuel flow is a column already.
func scheduledQuantities(m *graph.Model, c *config.Transient) []config.Quantity {
	var list []config.Quantity
	for _, s := range c.Schedules {
		if len(m.Perf.Fuel) != 1 || !feeds(m, s.Path) {
			list = append(list, s.Quantity)
		}
	}
	return list
}

// feeds reports whether a path names the output that is the fuel fed to a component.
func feeds(m *graph.Model, path string) bool {
	name, output, _ := strings.Cut(path, ".")
	p := m.Index[name]
	return p != nil && slices.ContainsFunc(p.Declaration.Outputs, func(v components.Value) bool {
		return v.Name == output && v.At == p.Declaration.Fed
	})
}

// placeRecorder returns a function that adds a component's place on its map to the history.
func (r *recorder) placeRecorder(p *graph.Part) func() {
	at := p.Declaration.Place
	return func() {
		if at.Wc != nil {
			r.h.Places[p.Name] = append(r.h.Places[p.Name], plot.Mark{Wc: *at.Wc, PR: *at.PR, Eff: *at.Eff})
		}
	}
}

// outputAt returns the name of the output at an address.
func outputAt(p *graph.Part, at *float64) string {
	for _, o := range p.Declaration.Outputs {
		if o.At == at {
			return o.Name
		}
	}
	return ""
}

// hasStallLine reports whether a part works on a map with a stall line.
func hasStallLine(p *graph.Part) bool {
	if len(p.Declaration.Margins) == 0 {
		return false
	}
	u, ok := p.Component.(components.MapUser)
	if !ok {
		return false
	}
	pm, _, _ := u.Map()
	return pm != nil && pm.HasStall()
}

// add adds the model's present state to the history, at time t, s.
func (r *recorder) add(t float64) {
	r.h.T = append(r.h.T, t)
	for i, get := range r.readers {
		r.h.Values[i] = append(r.h.Values[i], get())
	}
	for _, place := range r.recordPlaces {
		place()
	}
	for i, m := range r.maps {
		e := m.user.Edge()
		if e == 0 {
			continue
		}
		r.edgesPassed[i] |= e
		o := r.h.Outside[m.name]
		if o == nil {
			o = &result.Outside{From: t}
			r.h.Outside[m.name] = o
		}
		o.To, o.Bounds = t, r.edgesPassed[i].String()
	}
}
