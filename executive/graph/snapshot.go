package graph

import (
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// The results of a model at its present state.

// Result returns the results of the model's present state.
func (m *Model) Result(name, kind string) *result.Result {
	r := &result.Result{
		Name: name, Kind: kind, Stations: map[string]result.Station{}, Components: map[string]result.Component{},
		Shafts: map[string]result.Outputs{}, Performance: m.Perf.Performance, MapEdges: map[string]perfmap.Edge{},
		Inlets: map[string]string{},
		Maps:   map[string]result.ScaledMap{},
	}
	for _, l := range m.Engine.Links {
		r.Inlets[l.To.String()] = l.From.String()
	}
	for _, p := range m.Parts {
		for _, o := range p.Declaration.Outlets {
			at := p.Name + "." + o.Port
			if p.Section == OfBleeds {
				at = p.Name
			}
			r.Stations[at] = result.NewStation(o.At, p.stations[o.Port])
			r.Order.Stations = append(r.Order.Stations, at)
		}
		switch p.Section {
		case OfShafts:
			r.Shafts[p.Name] = p.Outputs()
			r.Order.Shafts = append(r.Order.Shafts, p.Name)
			continue
		case OfBleeds:
			continue
		}
		r.Components[p.Name] = componentResult(p)
		if a, ok := p.Component.(*components.Ambient); ok {
			r.Flight = &result.Flight{}
			r.Flight.Altitude, r.Flight.Mach, r.Flight.DTs = a.Flight()
		}
		if u, ok := p.Component.(components.MapUser); ok {
			r.MapEdges[p.Name] = u.Edge()
		} else if l, _ := p.law(); l != nil {
			r.MapEdges[p.Name] = p.Declaration.LawUse.Edge()
		}
		r.Order.Components = append(r.Order.Components, p.Name)
	}
	return r
}

// Outputs returns a part's outputs by name, NaN where an output has no value.
func (p *Part) Outputs() result.Outputs {
	out := result.Outputs{}
	for _, o := range p.Declaration.Outputs {
		out[o.Name] = numeric.OrNaN(*o.At)
	}
	return out
}

// Setting is by how much a part's vanes or blades are turned from its design point, deg.
func (p *Part) Setting() float64 {
	if s, ok := p.Component.(components.Settable); ok {
		return s.Setting()
	}
	return 0
}

// componentResult returns a component's results. Its place on its map is a field of its own,
// apart from the outputs.
func componentResult(p *Part) result.Component {
	out := result.Component{Type: p.Type.Name, Outputs: p.Outputs()}
	nc, x := out.Outputs["NcMap"], out.Outputs["xMap"]
	delete(out.Outputs, "NcMap")
	delete(out.Outputs, "xMap")
	out.Setting = p.Setting()
	if u, usesMap := p.Component.(components.MapUser); usesMap {
		if r, _ := p.response(); r != nil {
			out.Map = &result.MapPlace{
				Name: r.Name(), Nc: nc, XName: p.Component.(components.Responder).ResponseAxis(), X: x,
				Alpha: out.Setting, Extrapolated: u.Edge() != 0,
			}
		} else if pm, _, _ := u.Map(); pm != nil {
			out.Map = &result.MapPlace{Name: pm.Name, Nc: nc, XName: pm.XName, X: x, Extrapolated: u.Edge() != 0}
		}
	}
	if use := p.Declaration.LawUse; use != nil {
		out.Place = use.At()
		if l, _ := use.Law(); l != nil {
			out.Map = &result.MapPlace{Name: l.Name(), Nc: math.NaN(), XName: use.Place[0], X: out.Place[0],
				Extrapolated: use.Edge() != 0}
			if len(use.Place) > 1 {
				out.Map.YName, out.Map.Y = use.Place[1], out.Place[1]
			}
		}
	}
	return out
}
