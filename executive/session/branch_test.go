package session

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// turbojetSession is a session of the test turbojet with cases.
func turbojetSession(t *testing.T, cases string) *Session {
	t.Helper()
	return must.Value(Open(t.Context(), enginetest.Parse(t, enginetest.Turbojet+cases)))(t)
}

// A case that keeps an ancestor's value has the operating line of that engine, and not of the design's, whatever was
// solved before.
func TestLineOfAncestor(t *testing.T) {
	const cases = `
cases:
  a:
    solve:
      - {vary: burner.FAR, until: compressor.NcMap = 0.99}
      - {vary: inlet.ram_recovery, until: inlet.out.Pt = 0.55 atm}
  b: {from: a, solve: [{vary: burner.FAR, until: performance.Fn = 2.6 kN}]}
`
	s := turbojetSession(t, cases)
	r := must.Value(s.SolveCase(t.Context(), s.Model, s.Engine.Case("b")))(t)
	converged(t, r)
	second, err := s.SolveCase(t.Context(), s.Model, s.Engine.Case("b"))
	if err != nil || !second.Converged || math.Abs(second.Performance.TSFC/r.Performance.TSFC-1) > 1e-9 {
		t.Errorf("after itself: %v, %s, TSFC %g and %g", err, second.Message, r.Performance.TSFC,
			second.Performance.TSFC)
	}
}

// fnCase asks for a thrust, N.
func fnCase(fn float64, least *float64) config.Case {
	return config.Case{
		Name: "point", Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: fn, Min: least}},
	}
}

// An impossible target is named with the nearest value.
func TestFoldIsNamed(t *testing.T) {
	s := turbojetSession(t, "")
	m := must.Value(s.Model.Clone())(t)
	must.OK(t, m.Settle())
	low := config.Case{Name: "low", Solve: []config.Balance{{Vary: "burner.FAR", Until: "burner.out.Tt", Target: 300}}}
	_, err := m.OffDesign(t.Context(), &newton.Solver{}, &low)
	var fold *steady.FoldError
	if !errors.As(err, &fold) || !fold.Least || fold.Quantity != "burner.out.Tt" {
		t.Fatalf("300 K: %v", err)
	}
	// Just above it an answer exists, and just below none.
	for _, d := range []float64{1, -1} {
		near := low
		near.Solve = []config.Balance{{Vary: "burner.FAR", Until: "burner.out.Tt", Target: fold.Value + d}}
		if _, err := m.OffDesign(t.Context(), &newton.Solver{}, &near); (err == nil) != (d > 0) {
			t.Errorf("%g K from the least value: %v", d, err)
		}
	}
}

// A power turbine whose load does not depend on its speed has solutions at many times that speed, far beyond its map.
// They are no answers if no operating line leads to them, whatever was solved before; to find that costs no more than
// other failures.
func TestOverspeed(t *testing.T) {
	s := must.Value(Open(t.Context(), enginetest.Edited(t, "recuperated")))(t)
	p := must.Value(s.Point())(t)
	failed := 0
	for _, altitude := range []float64{4000, 8000, 12000} {
		for n := 28000.0; n <= 35000; n += float64(enginetest.Trials(t, 3500, 1000, 1000)) {
			c := config.Case{
				Name: "point", Set: []config.Setting{{Path: "ambient.altitude", Value: config.Value{Num: altitude}}},
				Solve: []config.Balance{{Vary: "burner.FAR", Until: "gas_generator.N", Target: n}}}
			info, err := p.Solve(t.Context(), &c)
			r, cold := s.SolveCase(t.Context(), s.Model, &c)
			if cold != nil || r.Converged != (err == nil) {
				t.Errorf("%g m, %g rpm: after its neighbour %v with the power turbine at %g rpm, from the design "+
					"%v %s", altitude, n, err, p.Value("power.N"), cold, r.Message)
			}
			if err != nil {
				failed++
			}
			if info.Evaluations > 4000 {
				t.Errorf("%g m, %g rpm: %d evaluations, %v", altitude, n, info.Evaluations, err)
			}
		}
	}
	if failed == 0 {
		t.Error("all converge")
	}
}

// A case that sets its fuel has the answer of the branch that joins the design, also after a case that turns so slowly
// that the next solution with that fuel is below idle.
func TestSetFuelAfterASlowPoint(t *testing.T) {
	text := must.Value(os.ReadFile(enginetest.Example("turbojet.yaml")))(t)
	const points = `
  slow: {set: {ambient.altitude: 6000.32, ambient.mach: 0.108721, ambient.dTs: 33.9519}, solve: [{vary: burner.FAR, until: performance.Fn = 180.944}]}
  fuel: {set: {ambient.altitude: 10093.8, ambient.mach: 0.809227, ambient.dTs: 0, burner.FAR: 0.0122573}, solve: []}
`
	cfg := must.Value(config.Parse("turbojet.yaml",
		[]byte(strings.Replace(string(text), "= 2370 degR", "= 2392.39 degR", 1)+points), components.Catalogue(),
		[]string{"spool.N=9757.1", "nozzle.Cv=0.9349045", "inlet.MN=0.4648390"}))(t)
	s := must.Value(Open(t.Context(), cfg))(t)
	cold := must.Value(s.SolveCase(t.Context(), s.Model, cfg.Case("fuel")))(t)
	converged(t, cold)
	p := must.Value(s.Point())(t)
	for _, name := range []string{"slow", "fuel"} {
		if _, err := p.Solve(t.Context(), cfg.Case(name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "slow" && p.Value("compressor.NcMap") > 0.6 {
			t.Fatalf("the slow point turns at %g", p.Value("compressor.NcMap"))
		}
	}
	near(t, "fuel after a slow point", p.Value("performance.Wf"), cold.Performance.Wf, 1e-6)
}
