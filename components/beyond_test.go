package components

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// A compressor makes entropy at every point that a solver may try, worn or in thin air, and reports that it windmills
// if it gives power.
func TestCompressorBeyondItsMap(t *testing.T) {
	x := design(t)
	testenv.Check(t, func(t *rapid.T) {
		pr, eff := rapid.Float64Range(1.1, 20).Draw(t, "PR"), rapid.Float64Range(0.75, 0.9).Draw(t, "eff")
		n := 10000.0
		in := inflow(t, x, 50, 288.15, 101325, 0)
		c, d := turning(t, "compressor", map[string]any{"PR": pr, "eff": eff, "Re_eff": 0.1, "wear_PR": 0.02,
			"wear_eff": rapid.Float64Range(-0.05, 0.1).Draw(t, "wear_eff")}, in, &n)
		designed(t, c, d, x, made(t, perfmap.CompressorShape{PR: 1.5, Eff: 0.85}))
		*in = *inflow(t, x, rapid.Float64Range(1, 60).Draw(t, "W"), 250, rapid.Float64Range(2e4, 2e5).Draw(t, "Pt"), 0)
		n = rapid.Float64Range(10, 14000).Draw(t, "N")
		*d.Unknowns[0].At = rapid.Float64Range(-1, 15).Draw(t, "x")
		eval(t, c, off(x))
		out := outlet(t, d, "out")
		if d.Maps[0].User.Edge() != 0 && out.S < in.S-1e-6 {
			t.Fatalf("entropy falls by %g J/(kg K) at PR %g", in.S-out.S, out.P/in.P)
		}
		power := value(t, d, "power")
		if windmills := value(t, d, "windmilling"); (windmills == 1) != (power < 0) || windmills == 1 && out.P >= in.P {
			t.Fatalf("it takes %g W at PR %g, windmilling %g", power, out.P/in.P, windmills)
		}
		if e := value(t, d, "eff"); power < 0 && !math.IsNaN(e) {
			t.Fatalf("it gives %g W with the efficiency %g", -power, e)
		}
		near(t, "power in the stream", out.W*(out.H-in.H), power, 1e-9)
	})
}

// Through PR = 1 neither temperature nor pressure jumps.
func TestCompressionThroughNoRise(t *testing.T) {
	x := design(t)
	in := inflow(t, x, 1, 250, 4e4, 0)
	var last float64
	for i := -400; i <= 400; i++ {
		s := stream{PR: math.Exp(1e-5 * float64(i)), Work: 0.01, byWork: true}
		ideal, out := *in, *in
		must.OK(t, s.compress(x.Gas, in, &ideal, &out))
		if i > -400 && math.Abs(out.H-last) > 0.02 {
			t.Errorf("enthalpy goes from %g to %g J/kg at PR %g", last, out.H, s.PR)
		}
		last = out.H
	}
	near(t, "work", last-in.H, 0.01*in.R*in.T*3.5, 0.01)
}

// A turbine driven by its shaft heats its gas, and reports it.
func TestDrivenTurbine(t *testing.T) {
	x := design(t)
	n := 10000.0
	in := inflow(t, x, 50, 1400, 2e6, 0.02)
	c, d := turning(t, "turbine", map[string]any{"PR": 4.0, "eff": 0.9}, in, &n)
	m := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{PR: 4, Eff: 0.9}))(t)
	designed(t, c, d, x, m)
	if value(t, d, "driven") != 0 {
		t.Error("at design it is driven")
	}
	*d.Unknowns[0].At = 1.005
	eval(t, c, off(x))
	out := outlet(t, d, "out")
	if power := value(t, d, "power"); !(power < 0) || !(out.T > in.T) || !(out.S > in.S) ||
		value(t, d, "driven") != 1 || !(value(t, d, "eff") < 0) {
		t.Errorf("power %g W, Tt %g to %g K", power, in.T, out.T)
	}
	n = 0
	eval(t, c, off(x))
	must.Within(t, "power of a rotor that stands still", value(t, d, "power"), 0, 1e-6)
}
