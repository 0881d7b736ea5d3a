package steady

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// designed is an engine at its design point, as the base of its operating points.
func designed(t *testing.T, cfg *config.Engine) *Solver {
	t.Helper()
	s := New(must.Value(graph.New(cfg))(t))
	must.Value(s.Design(t.Context()))(t)
	s.Rebase()
	return s
}

// thrustCase asks for a thrust, N.
func thrustCase(fn float64, least *float64) config.Case {
	return config.Case{
		Name:  "point",
		Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: fn, Min: least}},
	}
}

// Bounds of the throttle belong to the line: a case without them is not held to those of another.
func TestLineHasItsBounds(t *testing.T) {
	s := designed(t, enginetest.Parse(t, enginetest.Turbojet))
	m := must.Value(s.Clone())(t)
	least := 0.02
	bounded, free := thrustCase(8e3, &least), thrustCase(8e3, nil)
	if _, _, _, err := m.line(m.Resolve(&bounded)).reach(t.Context(), m, m.Resolve(&bounded)); err == nil {
		t.Error("a line goes beyond its bound")
	}
	if _, _, _, err := m.line(m.Resolve(&free)).reach(t.Context(), m, m.Resolve(&free)); err != nil {
		t.Errorf("a line without bounds: %v", err)
	}
}

// A line followed without interruption and a line resumed repeatedly have the same points, to the last bit; also if a
// context ended in between.
func TestLineTakenUpAgain(t *testing.T) {
	const cut = 0.11 // its context has ended
	reach := func(shares ...float64) [][]float64 {
		s := designed(t, enginetest.Parse(t, enginetest.Turbojet))
		m, err := s.Clone()
		must.OK(t, err)
		var l *operatingLine
		for _, share := range shares {
			c := thrustCase(share*52.489e3, nil)
			l = m.line(m.Resolve(&c))
			ctx, cancel := context.WithCancel(t.Context())
			if share == cut {
				cancel()
			}
			_, _, _, err := l.reach(ctx, m, m.Resolve(&c))
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

// If a governor holds a speed, all loads lie on one operating line, and the line gives the solution of the direct way.
func TestLineOfLoads(t *testing.T) {
	s := designed(t, enginetest.Edited(t, "turboshaft"))
	must.OK(t, s.Settle())
	lines := map[*operatingLine]bool{}
	for _, share := range []float64{0.9, 0.5, 0.1, 0.05} {
		r := graph.ResolvedCase{
			Set:   []config.Setting{{Path: "load.power", Value: config.Value{Num: share * 1210e3}}},
			Solve: []config.Balance{{Vary: "burner.FAR", Until: "power.N", Target: 20900}},
		}
		at := s.lineCase(r)
		l := s.line(at)
		lines[l] = true
		var info result.SolveInfo
		if err := l.land(t.Context(), s, &newton.Solver{}, r, at, &info); err != nil {
			t.Fatalf("%g: %v", share, err)
		}
		landed := s.Save()
		c := config.Case{Name: "point", Set: r.Set, Solve: r.Solve}
		if _, err := s.OffDesign(t.Context(), &newton.Solver{}, &c); err != nil {
			t.Fatalf("%g, directly: %v", share, err)
		}
		for i, x := range s.Save().Numbers {
			if !(math.Abs(x-landed.Numbers[i]) <= 1e-7*math.Abs(x)) {
				t.Errorf("%g: number %d is %g, by the line %g", share, i, x, landed.Numbers[i])
			}
		}
	}
	must.Equal(t, 1, len(lines))
	c := config.Case{Solve: []config.Balance{{Vary: "burner.FAR", Until: "power.N", Target: 20900}}}
	for _, power := range []float64{900e3, 300e3} { // as a case has it that is from another
		c.Set = append(c.Set, config.Setting{Path: "load.power", Value: config.Value{Num: power}})
	}
	if got := s.lineCase(s.Resolve(&c)); got.Solve[0].Target != 300e3 || len(got.Set) > 0 {
		t.Errorf("of two settings of the load the line has %g W, and sets %v", got.Solve[0].Target, got.Set)
	}
	if got := s.lineCase(graph.ResolvedCase{Solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt"}}}); len(
		got.Solve) != 1 {
		t.Error("a temperature is taken for a governor")
	}
	other := graph.ResolvedCase{Set: []config.Setting{{Path: "load.power", Value: config.Value{Num: 900e3}}},
		Solve: []config.Balance{{Vary: "burner.FAR", Until: "gas_generator.N", Target: 40000}}}
	if got := s.lineCase(other); len(got.Solve) != 1 {
		t.Error("the speed of a shaft without the load is taken for a governor's")
	}
}

// The sign at the base is of the maps that are in use: a clone with another map does not have that of
// the first.
func TestSignOfOtherMaps(t *testing.T) {
	s := designed(t, enginetest.Parse(t, enginetest.Turbojet))
	c := thrustCase(9e3, nil)
	sign := func(m *Solver) (found, evaluations int) {
		t.Helper()
		before := m.SharedEvaluations()
		sys, _, err := m.prepareCase(m.Resolve(&c))
		if err == nil {
			found, err = m.signAtBase(sys)
		}
		must.OK(t, err)
		return found, m.SharedEvaluations() - before
	}
	first, evaluations := sign(s)
	if first == 0 || evaluations == 0 {
		t.Fatalf("sign %d after %d evaluations", first, evaluations)
	}
	if known, more := sign(s); known != first || more != 0 {
		t.Errorf("sign %d, then %d after %d evaluations", first, known, more)
	}
	other := must.Value(s.Clone())(t)
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
	if known, more := sign(s); known != first || more != 0 {
		t.Errorf("the first: sign %d after %d evaluations", known, more)
	}
}
