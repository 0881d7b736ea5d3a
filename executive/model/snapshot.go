package model

import (
	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// What a model says of its present state.

// result reads the model's present state.
func (m *Model) result(name, kind string) *result.Result {
	r := &result.Result{
		Name: name, Kind: kind, Stations: map[string]result.Station{}, Components: map[string]map[string]any{},
		Shafts: map[string]map[string]float64{}, Performance: map[string]float64{}, Edges: map[string]perfmap.Edge{}, Inlets: map[string]string{},
		Maps: map[string]result.ScaledMap{},
	}
	for _, l := range m.Engine.Links {
		r.Inlets[l.To.String()] = l.From.String()
	}
	for _, p := range m.Parts {
		for _, o := range p.Declaration.Outlets {
			at := p.Name + "." + o.Port
			if p.typ == components.BleedType() {
				at = p.Name
			}
			r.Stations[at] = station(o.At, p.stations[o.Port])
			r.Order.Stations = append(r.Order.Stations, at)
		}
		switch p.Component.(type) {
		case *components.Shaft:
			r.Shafts[p.Name] = p.Outputs()
			r.Order.Shafts = append(r.Order.Shafts, p.Name)
			continue
		case *components.Bleed:
			continue
		}
		r.Components[p.Name] = component(p)
		if u, ok := p.Component.(components.MapUser); ok {
			r.Edges[p.Name] = u.Edge()
		}
		r.Order.Components = append(r.Order.Components, p.Name)
	}
	for _, f := range performanceFields {
		if v := *m.perf.field(f); numeric.Finite(v) && v != 0 || f == "Fn" {
			r.Performance[f] = v
		}
	}
	return r
}

func (p *Part) Outputs() map[string]float64 {
	out := map[string]float64{}
	for _, o := range p.Declaration.Outputs {
		if numeric.Finite(*o.At) {
			out[o.Name] = *o.At
		}
	}
	return out
}

func component(p *Part) map[string]any {
	out := map[string]any{"type": p.typ.Name}
	u, charted := p.Component.(components.MapUser)
	for name, v := range p.Outputs() {
		switch name {
		case "NcMap", "xMap":
		default:
			out[name] = v
		}
	}
	if charted {
		if pm, _, _ := u.Map(); pm != nil {
			o := p.Outputs()
			out["map"] = map[string]any{"name": pm.Name, "Nc": o["NcMap"], pm.XName: o["xMap"], "extrapolated": u.Edge() != 0}
		}
	}
	return out
}

func station(s *flow.Station, number string) result.Station {
	out := result.Station{Number: number, W: s.W, Pt: s.P, Tt: s.T, Ht: s.H, FAR: s.Comp.FAR, WAR: s.Comp.WAR}
	if s.A > 0 {
		out.Ps, out.Ts, out.MN, out.A, out.V = s.Ps, s.Ts, s.MN, s.A, s.V
	}
	for _, v := range []*float64{&out.W, &out.Pt, &out.Tt, &out.Ht, &out.FAR, &out.Ps, &out.Ts, &out.MN, &out.A, &out.V} {
		if !numeric.Finite(*v) {
			*v = 0
		}
	}
	return out
}
