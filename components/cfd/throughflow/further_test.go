package throughflow

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
)

// reloaded is a solution from the file that was made of it.
func reloaded(t testing.TB, s *Solver) *Solution {
	t.Helper()
	var file bytes.Buffer
	if err := s.SaveSolution(&file); err != nil {
		t.Fatal(err)
	}
	sol, err := LoadSolution(&file)
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// ended runs a solver to its end, which must be that of a flow.
func ended(t testing.TB, s *Solver) *Result {
	t.Helper()
	r, err := s.Run(context.Background(), nil)
	if err != nil || r.Status != march.Converged {
		t.Fatalf("%v %s %s", err, r.Status, r.Message)
	}
	return r
}

// A run that goes on beyond its end for more orders answers as one that had them from the beginning, to the last bit. One
// that has them already has no step to make.
func TestGoesOnBeyondItsEnd(t *testing.T) {
	c := e3Case(t)
	c.Settings = coarse
	c.Exit = march.Exit{K: 0.29}
	few, r := run(t, c)
	sol := reloaded(t, few)
	again, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if again.GoesOn(sol) {
		t.Error("a run goes on that has what it wants")
	}
	c.Settings.Tolerance = 6
	_, whole := run(t, c)
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !s.GoesOn(sol) {
		t.Fatal("a run of more orders does not go on")
	}
	if err := s.Resume(sol); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole, ended(t, s)); diff != "" {
		t.Errorf("gone on from %d iterations: differs:\n%s", r.Iterations, diff)
	}
}

// From a neighbour's flow, a few per cent away in speed or throttle, a run finds its own answer, within what both state, though the
// neighbour's answer is far off it. It takes no less than the window of iterations in which a flow must be steady.
func TestStartsFromNeighbours(t *testing.T) {
	at := e3Case(t)
	at.Settings = coarse
	at.Exit = march.Exit{K: 0.29}
	s, from := run(t, at)
	sol := reloaded(t, s)
	for _, to := range []struct{ speed, throttle float64 }{{1.03, 1}, {0.97, 1}, {1, 1.07}, {1, 1 / 1.07}, {0.95, 1.1}} {
		c := at
		c.N, c.Exit.K = to.speed*at.N, to.throttle*at.Exit.K
		c.Settings.Tolerance = 5
		_, cold := run(t, c)
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.StartFrom(sol); err != nil {
			t.Fatal(err)
		}
		warm := ended(t, s)
		t.Logf("%g N, %g K: %d iterations, %d cold", to.speed, to.throttle, warm.Iterations, cold.Iterations)
		if warm.Iterations < march.WindowLength {
			t.Errorf("it ends after %d iterations", warm.Iterations)
		}
		for _, v := range []struct {
			name              string
			warm, cold, start float64
			stated            float64
		}{
			{"W", warm.W, cold.W, from.W, warm.Unsettled.W + cold.Unsettled.W},
			{"PR", warm.PR, cold.PR, from.PR, warm.Unsettled.PR + cold.Unsettled.PR},
			{"eff", warm.Eff, cold.Eff, from.Eff, warm.Unsettled.Eff + cold.Unsettled.Eff},
		} {
			if e := math.Abs(v.warm/v.cold - 1); e > v.stated {
				t.Errorf("%g N, %g K: %s %.6f, cold %.6f: they differ by %.2g and state %.2g", to.speed, to.throttle, v.name, v.warm, v.cold, e, v.stated)
			}
		}
	}
}
