package machine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

// What a solver is given at the inlet is the engine's state, with and without
// boundary layers.
func TestRequestKeepsTheState(t *testing.T) {
	m := Machine{Name: "fan", Gamma: 1.4, R: 287.05, Split: 0.25, Nc: 4000, Wc: 600, PR: 1.6, RHub: 0.36, RTip: 1.06}
	for _, layer := range []float64{0, 0.08} {
		m.Boundary.HubLayer, m.Boundary.CasingLayer = layer, layer/2
		r := must.Value(m.RequestAt(3800, 0.3))(t)
		in := Inlet{
			W: 570, Pt: 101325, Tt: 288.15, RHub: 0.36, RTip: 1.06, Gas: average.Perfect{Gamma: 1.4, Rgas: 287.05},
			Hub: Layer{Thickness: layer}, Tip: Layer{Thickness: layer / 2},
		}
		p := must.Value(in.Profiles())(t)
		var w, pt float64
		for i, dw := range p.DW {
			w += dw
			pt += dw * r.Arrays[InPt][i]
		}
		if math.Abs(pt/w/101325-1) > 1e-10 || math.Abs(w/570-1) > 1e-10 {
			t.Errorf("layer %g: Pt %.12g, W %.12g", layer, pt/w, w)
		}
		if uneven := slices.Max(r.Arrays[InPt]) - slices.Min(r.Arrays[InPt]); (uneven > 1) != (layer > 0) {
			t.Errorf("layer %g: total pressure varies by %g Pa", layer, uneven)
		}
	}
	m.RTip = 0.7
	if _, err := m.RequestAt(3800, 0.3); err == nil {
		t.Error("570 kg/s through an annulus that chokes below it")
	}
}

// What an engine file says of the inlet reaches the solver's request; averaged, the profiles
// are the engine's state all the same.
func TestBoundarySettingsReachTheRequest(t *testing.T) {
	m := Machine{Name: "fan", Gamma: 1.4, R: 287.05, Nc: 3700, Wc: 600, PR: 1.6, RHub: 0.4, RTip: 1.05}
	plain := must.Value(m.RequestAt(3700, 0.3))(t)
	for name, text := range map[string]string{"hub_layer": "0.2", "casing_layer": "10 %", "layer_power": "6",
		"swirl":       "10 deg",
		"swirl_shape": "forced-twist", "inlet_average": "area", "inlet_rings": "12"} {
		must.OK(t, m.Boundary.Set(name, text))
	}
	r := must.Value(m.RequestAt(3700, 0.3))(t)
	if n := len(r.Arrays[InSpan]); n != 12 || len(plain.Arrays[InSpan]) != 24 {
		t.Errorf("%d rings", n)
	}
	alpha, pt := r.Arrays[InAlpha], r.Arrays[InPt]
	mean, total := 0.0, 0.0
	for i := range alpha {
		mean += alpha[i] / float64(len(alpha))
		total += pt[i] / float64(len(pt))
	}
	if math.Abs(mean-10*math.Pi/180) > 1e-10 || math.Abs(total/101325-1) > 1e-10 {
		t.Errorf("mean swirl %g rad, mean Pt %g Pa", mean, total)
	}
	if !(alpha[11] > alpha[0]) || !(pt[0] < pt[6]) || !(pt[11] < pt[6]) {
		t.Errorf("alpha %v, Pt %v: the shape is not the requested one", alpha, pt)
	}
}

func TestBadBoundarySettings(t *testing.T) {
	for _, c := range [][3]string{
		{
			"hub_layer", "0.7",
			"hub_layer is 0.7; it must be 0 to 0.5 (thickness of the hub's boundary layer, a fraction of the annulus " +
				"height)",
		},
		{
			"swirl", "200 deg",
			"swirl is 200 deg; it must be -1.3 to 1.3 rad (the mean swirl angle of the absolute flow at the inlet)",
		},
		{"swirl", "3 kg", "swirl is 3 kg"},
		{"swirl_shape", "spiral", "one of free-vortex, forced-twist, even-angle"},
		{"inlet_average", "work", "one of mass, area"},
		{"colour", "red", "no setting of the inlet"},
	} {
		if err := new(Boundary).Set(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}
