package executive

import (
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// What a model says of its present state.

// result reads the model's present state.
func (m *Model) result(name, kind string) *Result {
	r := &Result{
		Name: name, Kind: kind, Stations: map[string]Station{}, Components: map[string]map[string]any{},
		Shafts: map[string]map[string]float64{}, Performance: map[string]float64{}, edges: map[string]perfmap.Edge{}, inlets: map[string]string{},
		maps: map[string]ScaledMap{},
	}
	for _, l := range m.cfg.Links {
		r.inlets[l.To.String()] = l.From.String()
	}
	for _, p := range m.parts {
		for _, o := range p.decl.Outlets {
			at := p.name + "." + o.Port
			if p.typ == components.BleedType() {
				at = p.name
			}
			r.Stations[at] = station(o.At, p.stations[o.Port])
			r.order.stations = append(r.order.stations, at)
		}
		switch p.comp.(type) {
		case *components.Shaft:
			r.Shafts[p.name] = p.outputs()
			r.order.shafts = append(r.order.shafts, p.name)
			continue
		case *components.Bleed:
			continue
		}
		r.Components[p.name] = component(p)
		if u, ok := p.comp.(components.MapUser); ok {
			r.edges[p.name] = u.Edge()
		}
		r.order.components = append(r.order.components, p.name)
	}
	for _, f := range performanceFields {
		if v := *m.perf.field(f); numeric.Finite(v) && v != 0 || f == "Fn" {
			r.Performance[f] = v
		}
	}
	return r
}

func (p *part) outputs() map[string]float64 {
	out := map[string]float64{}
	for _, o := range p.decl.Outputs {
		if numeric.Finite(*o.At) {
			out[o.Name] = *o.At
		}
	}
	return out
}

func component(p *part) map[string]any {
	out := map[string]any{"type": p.typ.Name}
	u, charted := p.comp.(components.MapUser)
	for name, v := range p.outputs() {
		switch name {
		case "NcMap", "xMap":
		default:
			out[name] = v
		}
	}
	if charted {
		if pm, _, _ := u.Map(); pm != nil {
			o := p.outputs()
			out["map"] = map[string]any{"name": pm.Name, "Nc": o["NcMap"], pm.XName: o["xMap"], "extrapolated": u.Edge() != 0}
		}
	}
	return out
}

func station(s *flow.Station, number string) Station {
	out := Station{Number: number, W: s.W, Pt: s.P, Tt: s.T, Ht: s.H, FAR: s.Comp.FAR, WAR: s.Comp.WAR}
	if s.A > 0 {
		out.Ps, out.Ts, out.MN, out.A, out.V = s.Ps, s.Ts, s.MN, s.A, s.V
	}
	for _, v := range []*float64{&out.W, &out.Pt, &out.Tt, &out.Ht, &out.FAR, &out.Ps, &out.Ts, &out.MN, &out.A, &out.V} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = 0
		}
	}
	return out
}
