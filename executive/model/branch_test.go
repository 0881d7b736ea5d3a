package model

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// turbojetSession is a session of the test turbojet with cases.
func turbojetSession(t *testing.T, cases string) *Session {
	t.Helper()
	s, err := NewSession(t.Context(), enginetest.Parse(t, enginetest.Turbojet+cases))
	if err != nil {
		t.Fatal(err)
	}
	return s
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
	r, err := s.SolveCase(t.Context(), s.Model, s.Engine.Case("b"))
	if err != nil || !r.Converged {
		t.Fatalf("alone: %v, %s", err, r.Message)
	}
	again, err := s.SolveCase(t.Context(), s.Model, s.Engine.Case("b"))
	if err != nil || !again.Converged || math.Abs(again.Performance.TSFC/r.Performance.TSFC-1) > 1e-9 {
		t.Errorf("after itself: %v, %s, TSFC %g and %g", err, again.Message, r.Performance.TSFC, again.Performance.TSFC)
	}
}

// fnCase asks for a thrust, N.
func fnCase(fn float64, least *float64) config.Case {
	return config.Case{Name: "point", Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: fn, Min: least}}}
}

// Bounds of the throttle belong to the line: a case without them is not held to those of another.
func TestLineHasItsBounds(t *testing.T) {
	s := turbojetSession(t, "")
	m, err := s.Model.Clone()
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
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
	again := reach(0.8, cut, 0.5, 0.2, 0.1)
	if !slices.EqualFunc(at, again, slices.Equal[[]float64]) {
		t.Errorf("points %v, taken up again %v", at, again)
	}
}

// What an engine cannot have is named with the value that it comes nearest to.
func TestFoldIsNamed(t *testing.T) {
	s := turbojetSession(t, "")
	m, err := s.Model.Clone()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Settle(); err != nil {
		t.Fatal(err)
	}
	low := config.Case{Name: "low", Solve: []config.Balance{{Vary: "burner.FAR", Until: "burner.out.Tt", Target: 300}}}
	_, err = m.OffDesign(t.Context(), &newton.Solver{}, &low)
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
