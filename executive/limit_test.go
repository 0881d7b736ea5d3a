package executive

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whichever limit comes first binds, and is reported; the target is met where no
// limit comes before it.
func TestLimits(t *testing.T) {
	cfg := engine(t, turbojet+`
limits:
  - {path: burner.out.Tt, max: 1250 K}
cases:
  easy: {solve: [{vary: burner.FAR, until: performance.Fn = 35 kN}]}
  hot: {solve: [{vary: burner.FAR, until: performance.Fn = 50 kN}]}
  fast: {solve: [{vary: burner.FAR, until: performance.Fn = 50 kN}], limits: [{path: spool.N, max: 7500 rpm}]}
  slow: {solve: [{vary: burner.FAR, until: performance.Fn = 10 kN}], limits: [{path: spool.N, min: 7000 rpm}]}
  beyond: {solve: [{vary: burner.FAR, until: performance.Fn = 500 kN}]}
`)
	r := runAll(t, cfg, 1)
	for i, want := range []struct {
		limited []string
		read    func(*Result) float64
		value   float64
	}{
		{nil, func(r *Result) float64 { return r.Performance["Fn"] }, 35e3},
		{[]string{"burner.out.Tt max 1250"}, func(r *Result) float64 { return r.Stations["burner.out"].Tt }, 1250},
		{[]string{"spool.N max 7500"}, func(r *Result) float64 { return r.Shafts["spool"]["N"] }, 7500},
		{[]string{"spool.N min 7000"}, func(r *Result) float64 { return r.Shafts["spool"]["N"] }, 7000},
		{[]string{"burner.out.Tt max 1250"}, func(r *Result) float64 { return r.Stations["burner.out"].Tt }, 1250},
	} {
		c := r.Cases[i+1]
		if !c.Converged {
			t.Errorf("%s: %s", c.Name, c.Message)
			continue
		}
		if diff := cmp.Diff(want.limited, c.Limited); diff != "" {
			t.Errorf("%s: limited by %s", c.Name, diff)
		}
		if got := want.read(c); math.Abs(got/want.value-1) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.Name, got, want.value)
		}
	}
}

// One geometry meets targets at the design point and at two other cases.
func TestMultiPointDesign(t *testing.T) {
	cfg := engine(t, `
engine: two points
components:
  ambient: {type: ambient}
  inlet: {type: inlet}
  compressor: {type: compressor, PR: 10, eff: 83 %}
  burner: {type: burner, dPqP: 3 %}
  turbine: {type: turbine, eff: 86 %}
  nozzle: {type: nozzle}
flow:
  - ambient -> inlet -> compressor -> burner -> turbine -> nozzle
shafts:
  spool: {N: 8070 rpm, drives: [compressor], driven_by: [turbine]}
design:
  - {vary: burner.FAR, until: burner.out.Tt = 1400 K}
  - {vary: ambient.W, until: performance.Fn = 12 kN, at: cruise}
  - {vary: compressor.PR, until: performance.OPR = 12, at: cruise}
cases:
  cruise: {set: {ambient.altitude: 10 km, ambient.mach: 0.8}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1300 K}]}
`)
	r := runAll(t, cfg, 1)
	if !r.Cases[0].Converged || !r.Cases[1].Converged {
		t.Fatalf("%s %s", r.Cases[0].Message, r.Cases[1].Message)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-7 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("T4 at design", r.Cases[0].Stations["burner.out"].Tt, 1400)
	near("Fn at cruise", r.Cases[1].Performance["Fn"], 12e3)
	near("OPR at cruise", r.Cases[1].Performance["OPR"], 12)
}
