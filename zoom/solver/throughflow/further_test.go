package throughflow

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// newSolver is New of a case that must be good.
func newSolver(t testing.TB, c Case) *Solver {
	t.Helper()
	return must.Value(New(c))(t)
}

// resumed is a solver that goes on from a solution.
func resumed(t testing.TB, c Case, sol *Solution) *Solver {
	t.Helper()
	s := newSolver(t, c)
	must.OK(t, s.Resume(sol))
	return s
}

// started is a solver that begins with the flow of a neighbour.
func started(t testing.TB, c Case, sol *Solution) *Solver {
	t.Helper()
	s := newSolver(t, c)
	must.OK(t, s.StartFrom(sol))
	return s
}

// result runs a solver, however it ends.
func result(t testing.TB, s *Solver) *Result {
	t.Helper()
	return must.Value(s.Run(context.Background(), nil))(t)
}

// stopped runs a solver up to its first report from an iteration on.
func stopped(t testing.TB, s *Solver, iteration int) {
	t.Helper()
	r, err := s.Run(context.Background(), func(p march.Progress) march.Reply {
		if p.Iteration >= iteration {
			return march.Stop
		}
		return march.Continue
	})
	if err != nil || r.Status != march.Stopped {
		t.Fatalf("%v %s", err, r.Status)
	}
}

// reloaded is a solution from the file that was made of it.
func reloaded(t testing.TB, save func(io.Writer) error) *Solution {
	t.Helper()
	var file bytes.Buffer
	must.OK(t, save(&file))
	return must.Value(LoadSolution(&file))(t)
}

// ended runs a solver to its end, which must be that of a flow.
func ended(t testing.TB, s *Solver) *Result {
	t.Helper()
	r := result(t, s)
	if r.Status != march.Converged {
		t.Fatalf("%s: %s", r.Status, r.Message)
	}
	return r
}

// A run that goes on beyond its end for more orders answers as one that had them from the beginning, to the last bit.
// One that has them already has no step to make.
func TestGoesOnBeyondItsEnd(t *testing.T) {
	c := coarseE3(t)
	c.Exit = march.Exit{K: 0.29}
	few, r := run(t, c)
	sol := reloaded(t, few.SaveSolution)
	if newSolver(t, c).GoesOn(sol) {
		t.Error("a run goes on that has what it wants")
	}
	c.Settings.Tolerance = 6
	_, whole := run(t, c)
	if !newSolver(t, c).GoesOn(sol) {
		t.Fatal("a run of more orders does not go on")
	}
	if diff := cmp.Diff(whole, ended(t, resumed(t, c, sol))); diff != "" {
		t.Errorf("gone on from %d iterations: differs:\n%s", r.Iterations, diff)
	}
}

// A run from a neighbour's flow that is killed goes on to the answer of one that is not.
func TestKilledRunFromANeighbour(t *testing.T) {
	c := coarseE3(t)
	c.Exit = march.Exit{K: 0.27}
	s, _ := run(t, c)
	sol := reloaded(t, s.SaveSolution)
	c.N *= 1.03
	whole, cut := ended(t, started(t, c, sol)), started(t, c, sol)
	stopped(t, cut, 60)
	must.Equal(t, whole, ended(t, resumed(t, c, reloaded(t, cut.SaveSolution))))
}

// From a neighbour's flow, up to a few per cent away in speed or throttle, a run finds its answer, where rows choke
// as well: 95 in 100 within what both state, as they say of themselves. It takes no less than the window of
// iterations in which a flow must be steady, however near the neighbour is.
func TestStartsFromNeighbours(t *testing.T) {
	type point struct{ speed, throttle float64 }
	bases, steps := []point{{0.95, 0.9}}, []point{{1.03, 1}, {1, 1.002}}
	if testenv.IsLong(t) {
		bases = append(bases, point{1, 1}, point{0.9, 1.15})
		steps = append(steps, point{0.97, 1}, point{1, 1 / 1.07}, point{1, 1.07}, point{0.95, 1.1}, point{1.0002, 1})
	}
	compared, within := 0, 0
	for _, base := range bases {
		at := e3Throttle(t)
		at.Settings = coarse
		at.N, at.Exit.K = base.speed*at.N, base.throttle*at.Exit.K
		s, _ := run(t, at)
		sol := reloaded(t, s.SaveSolution)
		for _, by := range steps {
			c := at
			c.N, c.Exit.K = by.speed*at.N, by.throttle*at.Exit.K
			_, cold := run(t, c)
			warm := ended(t, started(t, c, sol))
			t.Logf("N %.0f, K %.4g: %d iterations, %d cold", c.N, c.Exit.K, warm.Iterations, cold.Iterations)
			if warm.Iterations < march.WindowLength {
				t.Errorf("it ends after %d iterations", warm.Iterations)
			}
			for _, v := range []struct {
				name               string
				warm, cold, stated float64
			}{
				{"W", warm.W, cold.W, warm.Unsettled.W + cold.Unsettled.W},
				{"PR", warm.PR, cold.PR, warm.Unsettled.PR + cold.Unsettled.PR},
				{"eff", warm.Eff, cold.Eff, warm.Unsettled.Eff + cold.Unsettled.Eff},
			} {
				compared++
				switch e := math.Abs(v.warm/v.cold - 1); {
				case e <= v.stated:
					within++
				case e > 2*v.stated:
					t.Errorf("N %.0f, K %.4g: %s %.6f, cold %.6f: they differ by %.2g and state %.2g", c.N, c.Exit.K,
						v.name, v.warm, v.cold, e, v.stated)
				}
			}
		}
	}
	if t.Logf("%d of %d within", within, compared); within < compared*95/100 {
		t.Errorf("%d of %d within", within, compared)
	}
}
