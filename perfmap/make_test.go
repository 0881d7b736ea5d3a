package perfmap_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// drawShape draws a compressor of any size within the usual ranges of shape.
func drawShape(t *rapid.T) perfmap.CompressorShape {
	in := func(name string, a, b float64) float64 {
		if rapid.Bool().Draw(t, name+" by default") {
			return 0
		}
		return rapid.Float64Range(a, b).Draw(t, name)
	}
	s := perfmap.CompressorShape{
		Name: "random", PR: math.Exp(rapid.Float64Range(math.Log(1.05), math.Log(40)).Draw(t, "ln PR")),
		Eff: rapid.Float64Range(0.75, 0.92).Draw(t, "eff"),
		Wc:  rapid.Float64Range(1, 1000).Draw(t, "Wc"), Nc: rapid.SampledFrom([]float64{0, 1, 12303}).Draw(t, "Nc"),
		StallMargin: in("StallMargin", 8, 30), ChokeMargin: in("ChokeMargin", 0.008, 0.04),
		FlowLimit: in("FlowLimit", 1.06, 1.2),
		FlowFall:  in("FlowFall", 0.5, 1.6), PeakSpeed: in("PeakSpeed", 0.85, 0.96),
		PeakGain:     in("PeakGain", 0.002, 0.012),
		LowSpeedLoss: in("LowSpeedLoss", 0.02, 0.15), StallLoss: in("StallLoss", 0.1, 0.4),
		ChokeLoss: in("ChokeLoss", 0.2, 0.5),
	}
	if s.PR < 2 && rapid.Bool().Draw(t, "core") {
		s.Core = &perfmap.CoreShape{PR: 1 + (s.PR-1)*rapid.Float64Range(0.7, 1.1).Draw(t, "core PR"),
			Eff: rapid.Float64Range(0.8, 0.92).Draw(t, "core eff")}
	}
	return s
}

func compressor(t must.T, s perfmap.CompressorShape) *perfmap.Map {
	t.Helper()
	return must.Value(perfmap.MakeCompressor(s))(t)
}

func TestMadeCompressor(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		m, err := perfmap.MakeCompressor(s)
		if err != nil {
			t.Fatalf("%v\n%+v", err, s)
		}
		at := func(name string, p perfmap.Point) float64 {
			v, edge := m.Value(name, p)
			if edge != 0 {
				t.Fatalf("%v at %v", edge, p)
			}
			return v.V
		}
		design := map[string]float64{"Wc": s.Wc, "PR": s.PR, "eff": s.Eff}
		if s.Core != nil {
			design["PR_core"], design["eff_core"] = s.Core.PR, s.Core.Eff
		}
		for name, want := range design {
			must.Near(t, "design "+name, at(name, m.Design), want, 1e-12)
		}
		if smn, smw, ok := m.StallMargins(0, m.Design.Nc, m.Design.X); s.StallMargin > 0 &&
			math.Abs(smn-s.StallMargin) > 1e-9 || ok && smw <= 0 {
			t.Fatalf("stall margins %g (want %g), %g", smn, s.StallMargin, smw)
		}

		// Between the points of the grid too: pressure ratio falls and flow rises
		// from stall to choke, both rise with speed, efficiency is best on the backbone.
		nc := perfmaptest.In(t, "nc", m.Nc)
		x := rapid.Float64Range(1, 2.95).Draw(t, "x")
		p, next := perfmap.Point{Nc: nc, X: x}, perfmap.Point{Nc: nc, X: x + 0.05}
		if at("PR", next) >= at("PR", p) || at("Wc", next) < at("Wc", p) {
			t.Fatalf("from %v: PR %g to %g, Wc %g to %g", p, at("PR", p), at("PR", next), at("Wc", p), at("Wc", next))
		}
		if nc < m.Nc[len(m.Nc)-1]*0.99 {
			if up := (perfmap.Point{Nc: nc * 1.01, X: x}); at("PR", up) <= at("PR", p) || at("Wc", up) <= at("Wc", p) {
				t.Fatalf("%v: flow or pressure ratio do not rise with speed", p)
			}
		}
		if e := at("eff", p); e <= 0.1 || e >= 1 || e > at("eff", perfmap.Point{Nc: nc, X: m.Design.X})*1.02 {
			t.Fatalf("eff %g at %v", e, p)
		}
	})
}

// On the backbone, efficiency is best below design speed and falls either way.
func TestMadeCompressorPeaksBelowDesignSpeed(t *testing.T) {
	m := compressor(t, perfmap.CompressorShape{Name: "hpc", PR: 23, Eff: 0.861, Wc: 54.4, StallMargin: 25})
	best, at := 0.0, 0.0
	for nc := 0.3; nc <= 1.1; nc += 0.005 {
		if v, _ := m.Value("eff", perfmap.Point{Nc: nc, X: m.Design.X}); v.V > best {
			best, at = v.V, nc
		}
	}
	top, _ := m.Value("eff", perfmap.Point{Nc: 1.1, X: m.Design.X})
	if at < 0.85 || at > 0.97 || best < 0.861 || best > 0.9 || top.V > 0.861 {
		t.Errorf("best efficiency %.4f at Nc %.3f; %.4f at 1.1", best, at, top.V)
	}
}

func TestMadeCompressorFromPolytropicEfficiency(t *testing.T) {
	m := compressor(t, perfmap.CompressorShape{Name: "hpc", PR: 23, EffPoly: 0.906})
	// e = ln(PR^k)/ln(tau), with the map's eff = (PR^k - 1)/(tau - 1).
	eff, _ := m.Value("eff", m.Design)
	ideal := math.Pow(23, 0.4/1.4)
	must.Within(t, "polytropic efficiency", math.Log(ideal)/math.Log(1+(ideal-1)/eff.V), 0.906, 1e-12)
}

func TestMadeTurbine(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := perfmap.TurbineShape{
			Name: "random", PR: rapid.Float64Range(1.3, 9).Draw(t, "PR"),
			Eff: rapid.Float64Range(0.8, 0.93).Draw(t, "eff"),
			Wp:  rapid.Float64Range(0.1, 100).Draw(t, "Wp"), Stages: float64(rapid.IntRange(1, 8).Draw(t, "stages")),
			SpeedRatio:  rapid.Float64Range(0.8, 1.1).Draw(t, "U/C0"),
			SpeedEffect: rapid.Float64Range(0.01, 0.2).Draw(t, "b"),
		}
		m := must.Value(perfmap.MakeTurbine(s))(t)
		at := func(name string, nc, pr float64) perfmap.Value {
			v, edge := m.Value(name, perfmap.Point{Nc: nc, X: pr})
			if edge != 0 {
				t.Fatalf("%v at %g %g", edge, nc, pr)
			}
			return v
		}
		if wp, eff := at("Wp", 1, s.PR).V, at("eff", 1, s.PR).V; math.Abs(wp-s.Wp) > 1e-12*s.Wp ||
			math.Abs(eff-s.Eff) > 1e-12 {
			t.Fatalf("design Wp %g (%g), eff %g (%g)", wp, s.Wp, eff, s.Eff)
		}
		nc := perfmaptest.In(t, "nc", m.Nc)
		pr := rapid.Float64Range(m.X[0], numeric.Last(m.X)*0.999).Draw(t, "pr")
		w, e := at("Wp", nc, pr), at("eff", nc, pr).V
		if w.DX < 0 || w.DNc > 0 {
			t.Fatalf("Wp moves by %g with PR and %g with Nc", w.DX, w.DNc)
		}
		// The best efficiency of the model is at x = 1.
		if best := s.Eff / (s.SpeedRatio * (2 - s.SpeedRatio)); e <= 0 || e > best*(1+1e-12) {
			t.Fatalf("eff %g, best %g", e, best)
		}
	})
}

func TestMakersRefuse(t *testing.T) {
	pump := func(s perfmap.CompressorShape) error { _, err := perfmap.MakeCompressor(s); return err }
	turbine := func(s perfmap.TurbineShape) error { _, err := perfmap.MakeTurbine(s); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{
			pump(perfmap.CompressorShape{Name: "c", PR: 0.9, Eff: 0.8}),
			`make compressor "c": PR is 0.9, must be 1.02 to 60`,
		},
		{pump(perfmap.CompressorShape{Name: "c", PR: 5}), `give one of Eff (0) and EffPoly (0)`},
		{pump(perfmap.CompressorShape{Name: "c", PR: 5, Eff: math.NaN()}), `Eff is NaN`},
		{pump(perfmap.CompressorShape{Name: "c", PR: 23, Eff: 0.8, StallMargin: 30, StallLoss: 2, WorkSlope: 0.1}),
			`a stall margin of 30 % needs more`},
		{pump(perfmap.CompressorShape{Name: "c", PR: 1.5, Eff: 0.88, StallLoss: 1.8}),
			`does not fall from stall to choke; lower StallLoss`},
		{turbine(perfmap.TurbineShape{Name: "t", PR: 5, Eff: 0.97, SpeedRatio: 0.7}),
			`the best efficiency would be 1.066`},
		{turbine(perfmap.TurbineShape{Name: "t", PR: 5, Eff: 9, Stages: -1}),
			`Eff is 9, must be 0.3 to 0.98; Stages is -1, must be 1 to 20`},
	} {
		must.Fail(t, c.err, c.want)
	}
}
