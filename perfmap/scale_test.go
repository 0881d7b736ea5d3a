package perfmap_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

func TestScaleShowsTheComponentsDesignPoint(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		fan := compressor(t, perfmap.CompressorShape{Name: "fan", PR: 1.6, Eff: 0.88})
		nc, wc := rapid.Float64Range(100, 20000).Draw(t, "Nc"), rapid.Float64Range(1, 1000).Draw(t, "Wc")
		pr, eff := rapid.Float64Range(1.1, 3).Draw(t, "PR"), rapid.Float64Range(0.7, 0.95).Draw(t, "eff")
		s := must.Value(fan.ScaleTo(nc, wc, pr, eff))(t)
		for name, v := range map[string]float64{"Wc": wc, "PR": pr, "eff": eff} {
			at, _ := fan.Value(name, fan.Design)
			must.Near(t, name, s.FromMap(name, at).V, v, 1e-12)
		}

		turbine := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "hpt", PR: 5, Eff: 0.92}))(t)
		s = must.Value(turbine.ScaleTo(nc, wc, pr, eff))(t)
		out := make([]perfmap.Value, 2)
		if edge := turbine.AtScaled(s, 0, nc, pr, out); edge != 0 || math.Abs(out[0].V-wc) > 1e-12*wc ||
			math.Abs(out[1].V-eff) > 1e-12 {
			t.Fatalf("%v %v, want %g %g", edge, out, wc, eff)
		}
		x, n := pr*rapid.Float64Range(0.9, 1.1).Draw(t, "x"), nc*rapid.Float64Range(0.8, 1.1).Draw(t, "n")
		lo, hi := make([]perfmap.Value, 2), make([]perfmap.Value, 2)
		turbine.AtScaled(s, 0, n, x, out)
		turbine.AtScaled(s, 0, n, x*(1-1e-6), lo)
		turbine.AtScaled(s, 0, n, x*(1+1e-6), hi)
		for i := range out {
			if d := (hi[i].V - lo[i].V) / (2e-6 * x); math.Abs(out[i].DX-d) > 1e-4*(math.Abs(d)+out[i].V) {
				t.Fatalf("%g by PR, difference %g", out[i].DX, d)
			}
		}
		turbine.AtScaled(s, 0, n*(1-1e-6), x, lo)
		turbine.AtScaled(s, 0, n*(1+1e-6), x, hi)
		for i := range out {
			if d := (hi[i].V - lo[i].V) / (2e-6 * n); math.Abs(out[i].DNc-d) > 1e-4*(math.Abs(d)+out[i].V/n) {
				t.Fatalf("%g by Nc, difference %g", out[i].DNc, d)
			}
		}
	})
	fan := compressor(t, perfmap.CompressorShape{Name: "fan", PR: 1.6, Eff: 0.88})
	if _, err := fan.ScaleTo(1, 1, 0.9, 0.8); err == nil ||
		err.Error() != `map "fan" cannot be scaled: PR is 1.6 at the map's design point and 0.9 wanted` {
		t.Error(err)
	}
}

// On a map whose lines are straight, Wc = 100 N + 10 and PR = 1 + N^2 - (X-1)/2
// at its nodes, the margins follow by hand.
func TestStallMarginsByHand(t *testing.T) {
	stall := 1.0
	m := perfmap.Map{Name: "straight", Kind: perfmap.Compressor, Interp: perfmap.Linear, Alpha: []float64{0},
		Nc: []float64{1, 1.1}, X: []float64{1, 2}, XName: "Rline",
		Design: perfmap.Point{Nc: 1, X: 2}, Stall: &stall,
		Tables: []perfmap.Table{
			{Name: "Wc", V: []float64{100, 110, 110, 120}}, {Name: "PR", V: []float64{2, 1.5, 2.21, 1.71}},
			{Name: "eff", V: []float64{0.8, 0.9, 0.8, 0.9}},
		}}
	p := must.Value(perfmap.New(m))(t)
	smn, smw, ok := p.StallMargins(0, 1, 2)
	// Same speed: stall at (100, 2). Same flow 110: stall at Nc 1.1, PR 2.21.
	if wantN, wantW := 100*((110.0/100)/(1.5/2)-1), 100*(2.21-1.5)/1.5; !ok || math.Abs(smn-wantN) > 1e-10 ||
		math.Abs(smw-wantW) > 1e-9 {
		t.Errorf("%g %g %v, want %g %g", smn, smw, ok, wantN, wantW)
	}
	// Faster, the same flow has no stall point: half a span beyond the map it is at 115.
	smn, smw, ok = p.StallMargins(0, 1.1, 2)
	if want := 100 * ((120.0/110)/(1.71/2.21) - 1); ok || math.Abs(smn-want) > 1e-10 || !math.IsNaN(smw) {
		t.Errorf("%g %g %v, want %g NaN false", smn, smw, ok, want)
	}
	m.Stall = nil
	p = must.Value(perfmap.New(m))(t)
	if _, _, ok := p.StallMargins(0, 1, 2); ok {
		t.Error("margins without a stall line")
	}
}

// On the stall line there is no margin, from a hundredth of the map's lowest speed to its highest, and beside the
// line it grows through the place where the pressure begins to fall. At standstill there is none.
func TestStallMarginsOutsideOfTheMap(t *testing.T) {
	m := compressor(t, perfmap.CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888})
	for _, r := range []float64{0.01, 0.1, 0.3, 0.5, 0.9, 1, 2, 3.6} {
		nc := r * m.Nc[0]
		smn, smw, ok := m.StallMargins(0, nc, m.StallX(nc))
		if !ok || !(math.Abs(smn) < 1e-9) || !(math.Abs(smw) < 1e-6) {
			t.Errorf("at Nc %g on the stall line: SMN %g, SMW %g", nc, smn, smw)
		}
		fell, before := false, 0.0
		for x := m.StallX(nc) + 0.05; x < 8; x += 0.05 {
			_, s, _ := m.State(0, nc, x, make([]perfmap.Value, len(m.Tables)))
			fell = fell || s.PR < 1
			if smn, _, _ := m.StallMargins(0, nc, x); !(smn > before) {
				t.Fatalf("at Nc %g, X %g, PR %g: SMN %g after %g", nc, x, s.PR, smn, before)
			} else {
				before = smn
			}
		}
		if !fell {
			t.Errorf("at Nc %g the pressure never falls", nc)
		}
	}
	if smn, smw, ok := m.StallMargins(0, 0, 2); ok || !math.IsNaN(smn) || !math.IsNaN(smw) {
		t.Errorf("at standstill: %g %g %v", smn, smw, ok)
	}
}

func TestSolveFindsThePlaceOfAPressureRatio(t *testing.T) {
	m := compressor(t, perfmap.CompressorShape{Name: "hpc", PR: 23, Eff: 0.861})
	testenv.Check(t, func(t *rapid.T) {
		nc := perfmaptest.In(t, "nc", m.Nc)
		x := rapid.Float64Range(0.9, 3.05).Draw(t, "x")
		v, edge := m.Value("PR", perfmap.Point{Nc: nc, X: x})
		got, gotEdge, err := m.Solve("PR", 0, nc, v.V)
		if err != nil || math.Abs(got-x) > 1e-9 || gotEdge != edge {
			t.Fatalf("%g %v %v, want %g %v", got, gotEdge, err, x, edge)
		}
	})
	if _, _, err := m.Solve("PR", 0, 1, 200); err == nil {
		t.Error("found a pressure ratio of 200")
	}
	if _, _, err := m.Solve("Wp", 0, 1, 1); err == nil {
		t.Error("found a table that is not there")
	}
}
