package perfmap

import (
	"fmt"
	"math"
)

// Scale joins a map to a component: factors between the map's values and the engine's, fixed at the design point.
//
//	Nc   = s_Nc Nc_map
//	Wc   = s_Wc Wc_map                  (the same for Wp of a turbine)
//	PR-1 = s_PR (PR_map - 1)
//	eff  = s_eff eff_map
//
// as in NPSS and pyCycle. A fan has one Scale for each stream: they share Nc and Wc.
type Scale struct{ Nc, Wc, PR, Eff float64 }

// Unscaled leaves every value as it is on the map.
var Unscaled = Scale{Nc: 1, Wc: 1, PR: 1, Eff: 1}

// ScaleTo returns the scale that turns the map's design point into the given
// speed, flow, pressure ratio and efficiency.
func (m *Map) ScaleTo(nc, flow, pr, eff float64) (Scale, error) {
	d := m.Design
	w, _ := m.Value(m.FlowTable(), d)
	e, _ := m.Value("eff", d)
	ratio := Value{V: d.X}
	if m.Index("PR") >= 0 {
		ratio, _ = m.Value("PR", d)
	}
	s := Scale{Nc: nc / d.Nc, Wc: flow / w.V, PR: (pr - 1) / (ratio.V - 1), Eff: eff / e.V}
	for _, f := range []struct {
		name      string
		v, at, to float64
	}{{"Nc", s.Nc, d.Nc, nc}, {m.FlowTable(), s.Wc, w.V, flow}, {"PR", s.PR, ratio.V, pr}, {"eff", s.Eff, e.V, eff}} {
		if !(f.v > 0) || math.IsInf(f.v, 0) {
			return Scale{}, fmt.Errorf("map %q cannot be scaled: %s is %g at the map's design point and %g wanted",
				m.Name, f.name, f.at, f.to)
		}
	}
	return s, nil
}

// FromMap converts a table's value and derivatives from the map to the engine. The derivative DNc becomes that by the
// engine's Nc; DX stays that by the map's X (see [Map.AtScaled] for a turbine's PR).
func (s Scale) FromMap(table string, v Value) Value {
	f := s.factor(table)
	o := Value{V: f * v.V, DAlpha: f * v.DAlpha, DNc: f / s.Nc * v.DNc, DX: f * v.DX}
	if isRatio(table) {
		o.V += 1 - f
	}
	return o
}

func (s Scale) factor(table string) float64 {
	switch {
	case isFlow(table):
		return s.Wc
	case isRatio(table):
		return s.PR
	case isEfficiency(table):
		return s.Eff
	}
	return 1
}

// AtScaled is [Map.At] in the engine's terms: nc is the engine's, x too if the
// map's third axis is PR, and the values and derivatives are the engine's.
func (m *Map) AtScaled(s Scale, alpha, nc, x float64, out []Value) Edge {
	dx := 1.0
	if m.XName == "PR" {
		x, dx = 1+(x-1)/s.PR, 1/s.PR
	}
	edge := m.At(alpha, nc/s.Nc, x, out)
	for i := range m.Tables {
		out[i] = s.FromMap(m.Tables[i].Name, out[i])
		out[i].DX *= dx
	}
	return edge
}
