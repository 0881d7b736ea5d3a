package model

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// turbojetSession is a session of the test turbojet with cases.
func turbojetSession(t *testing.T, cases string) *Session {
	t.Helper()
	return must.Value(NewSession(t.Context(), enginetest.Parse(t, enginetest.Turbojet+cases)))(t)
}

// A case that keeps what an ancestor found has the operating line of that engine, and not of the
// design's, whatever was solved before.
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

// Bounds of the throttle belong to the line: a case without them is not held to those of another.
func TestLineHasItsBounds(t *testing.T) {
	s := turbojetSession(t, "")
	m := must.Value(s.Model.Clone())(t)
	least := 0.02
	bounded, free := fnCase(8e3, &least), fnCase(8e3, nil)
	if _, _, _, err := m.line(m.resolve(&bounded)).reach(t.Context(), m, m.resolve(&bounded)); err == nil {
		t.Error("a line goes beyond its bound")
	}
	if _, _, _, err := m.line(m.resolve(&free)).reach(t.Context(), m, m.resolve(&free)); err != nil {
		t.Errorf("a line without bounds: %v", err)
	}
}

// A line that is followed in one go and one that is taken up again and again have the same
// points, to the last bit; also where a context ended in between.
func TestLineTakenUpAgain(t *testing.T) {
	const cut = 0.11 // its context has ended
	reach := func(shares ...float64) [][]float64 {
		s := turbojetSession(t, "")
		m, err := s.Model.Clone()
		must.OK(t, err)
		var l *line
		for _, share := range shares {
			c := fnCase(share*52.489e3, nil)
			l = m.line(m.resolve(&c))
			ctx, cancel := context.WithCancel(t.Context())
			if share == cut {
				cancel()
			}
			_, _, _, err := l.reach(ctx, m, m.resolve(&c))
			cancel()
			if (err != nil) != (share == cut) {
				t.Fatalf("%g: %v", share, err)
			}
		}
		return l.arms[0].points
	}
	at := reach(0.1)
	if len(at) < 5 {
		t.Fatalf("%d points", len(at))
	}
	revisited := reach(0.8, cut, 0.5, 0.2, 0.1)
	if !slices.EqualFunc(at, revisited, slices.Equal[[]float64]) {
		t.Errorf("points %v, taken up again %v", at, revisited)
	}
}

// What an engine cannot have is named with the value that it comes nearest to.
func TestFoldIsNamed(t *testing.T) {
	s := turbojetSession(t, "")
	m := must.Value(s.Model.Clone())(t)
	must.OK(t, m.Settle())
	low := config.Case{Name: "low", Solve: []config.Balance{{Vary: "burner.FAR", Until: "burner.out.Tt", Target: 300}}}
	_, err := m.OffDesign(t.Context(), &newton.Solver{}, &low)
	var fold *FoldError
	if !errors.As(err, &fold) || !fold.Least || fold.Quantity != "burner.out.Tt" {
		t.Fatalf("300 K: %v", err)
	}
	// Just above it there is an answer, and just below none.
	for _, d := range []float64{1, -1} {
		near := low
		near.Solve = []config.Balance{{Vary: "burner.FAR", Until: "burner.out.Tt", Target: fold.Value + d}}
		if _, err := m.OffDesign(t.Context(), &newton.Solver{}, &near); (err == nil) != (d > 0) {
			t.Errorf("%g K from the least value: %v", d, err)
		}
	}
}

// Where a governor holds a speed, all loads lie on one operating line, and the line finds what the
// direct way finds.
func TestLineOfLoads(t *testing.T) {
	s := must.Value(NewSession(t.Context(), enginetest.Edited(t, "turboshaft")))(t)
	must.OK(t, s.Model.Settle())
	lines := map[*line]bool{}
	for _, share := range []float64{0.9, 0.5, 0.1, 0.05} {
		r := resolved{
			set:   []config.Setting{{Path: "load.power", Value: config.Value{Num: share * 1210e3}}},
			solve: []config.Balance{{Vary: "burner.FAR", Until: "power.N", Target: 20900}},
		}
		at := s.Model.lineCase(r)
		l := s.Model.line(at)
		lines[l] = true
		var info result.SolveInfo
		if err := l.land(t.Context(), s.Model, &newton.Solver{}, r, at, &info); err != nil {
			t.Fatalf("%g: %v", share, err)
		}
		landed := s.Model.save()
		c := config.Case{Name: "point", Set: r.set, Solve: r.solve}
		if _, err := s.Model.OffDesign(t.Context(), &newton.Solver{}, &c); err != nil {
			t.Fatalf("%g, directly: %v", share, err)
		}
		for i, x := range s.Model.save().Numbers {
			if !(math.Abs(x-landed.Numbers[i]) <= 1e-7*math.Abs(x)) {
				t.Errorf("%g: number %d is %g, by the line %g", share, i, x, landed.Numbers[i])
			}
		}
	}
	if len(lines) != 1 {
		t.Errorf("%d lines", len(lines))
	}
	c := config.Case{Solve: []config.Balance{{Vary: "burner.FAR", Until: "power.N", Target: 20900}}}
	for _, power := range []float64{900e3, 300e3} { // as a case has it that is from another
		c.Set = append(c.Set, config.Setting{Path: "load.power", Value: config.Value{Num: power}})
	}
	if got := s.Model.lineCase(s.Model.resolve(&c)); got.solve[0].Target != 300e3 || len(got.set) > 0 {
		t.Errorf("of two settings of the load the line has %g W, and sets %v", got.solve[0].Target, got.set)
	}
	if got := s.Model.lineCase(resolved{solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt"}}}); len(
		got.solve) != 1 {
		t.Error("a temperature is taken for a governor")
	}
	other := resolved{set: []config.Setting{{Path: "load.power", Value: config.Value{Num: 900e3}}},
		solve: []config.Balance{{Vary: "burner.FAR", Until: "gas_generator.N", Target: 40000}}}
	if got := s.Model.lineCase(other); len(got.solve) != 1 {
		t.Error("the speed of a shaft without the load is taken for a governor's")
	}
}

// The sign at the base is of the maps that are in use: a clone with another map does not have that of
// the first.
func TestSignOfOtherMaps(t *testing.T) {
	s := turbojetSession(t, "")
	c := fnCase(9e3, nil)
	sign := func(m *Model) (found, evaluations int) {
		t.Helper()
		before := m.SharedEvaluations()
		sys, _, err := m.prepareCase(m.resolve(&c))
		if err == nil {
			found, err = m.signAtBase(sys)
		}
		must.OK(t, err)
		return found, m.SharedEvaluations() - before
	}
	first, evaluations := sign(s.Model)
	if first == 0 || evaluations == 0 {
		t.Fatalf("sign %d after %d evaluations", first, evaluations)
	}
	if known, more := sign(s.Model); known != first || more != 0 {
		t.Errorf("sign %d, then %d after %d evaluations", first, known, more)
	}
	other := must.Value(s.Model.Clone())(t)
	if known, more := sign(other); known != first || more != 0 {
		t.Errorf("a clone with the same maps: sign %d after %d evaluations", known, more)
	}
	user := other.Index["compressor"].Component.(components.MapUser)
	pm, _, absolute := user.Map()
	exchanged := *pm
	must.OK(t, user.SetMap(&exchanged, absolute))
	if _, more := sign(other); more == 0 {
		t.Error("with another map it takes the sign of the first")
	}
	if known, more := sign(s.Model); known != first || more != 0 {
		t.Errorf("the first: sign %d after %d evaluations", known, more)
	}
}

// A power turbine whose load does not depend on its speed has solutions at many times that speed, far beyond
// its map. They are no answers where no operating line leads there, whatever was solved before; and that there is
// none takes no more than other failures do.
func TestOverspeed(t *testing.T) {
	s := must.Value(NewSession(t.Context(), enginetest.Edited(t, "recuperated")))(t)
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

// A case that sets its fuel has the answer of the branch that joins the design, also after one that turns so slowly
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
	s := must.Value(NewSession(t.Context(), cfg))(t)
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
