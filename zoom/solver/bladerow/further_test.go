package bladerow

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// A run that goes on beyond its end for more orders answers as one that had them from the beginning, to the last bit.
// One that has them already, or would have ended as its residual hangs, has no iteration to make. A run from a
// neighbour's flow finds the answer of one without, within what both state.
func TestGoesOnAndStartsFromNeighbours(t *testing.T) {
	testenv.Long(t, "five runs of six orders")
	c := crude67(t)
	c.N, c.Exit, c.Settings.Tolerance = 11230, march.Exit{K: 150}, 1.5
	few := solver(t, c)
	first := run(t, few)
	if first.Status != march.Converged {
		t.Fatal(first.Message)
	}
	sol := reloaded(t, few.SaveSolution)
	for orders, want := range map[float64]bool{1.5: false, 5: false, 6.5: true} {
		c.Settings.Tolerance = orders
		if on := solver(t, c).GoesOn(sol); on != want {
			t.Errorf("to %g orders it goes on: %t", orders, on)
		}
	}
	c.Settings.Tolerance = 6.5
	if diff := cmp.Diff(run(t, solver(t, c)), run(t, resumed(t, c, sol))); diff != "" {
		t.Errorf("gone on from %d iterations: differs:\n%s", first.Iterations, diff)
	}

	c.N *= 1.02
	cold, s := run(t, solver(t, c)), started(t, c, sol)
	warm := run(t, s)
	t.Logf("%d iterations, %d cold; W %.5f and %.5f, PR %.5f and %.5f, eff %.5f and %.5f; stated %.2g and %.2g",
		warm.Iterations, cold.Iterations,
		warm.W, cold.W, warm.PR, cold.PR, warm.Eff, cold.Eff, warm.Unsettled, cold.Unsettled)
	if warm.Status != march.Converged || warm.Iterations < march.WindowLength || !s.Jumped() {
		t.Errorf("%s after %d iterations", warm.Status, warm.Iterations)
	}
	for _, v := range [][3]float64{
		{warm.W, cold.W, warm.Unsettled.W + cold.Unsettled.W},
		{warm.PR, cold.PR, warm.Unsettled.PR + cold.Unsettled.PR},
		{warm.Eff, cold.Eff, warm.Unsettled.Eff + cold.Unsettled.Eff},
	} {
		if e := math.Abs(v[0]/v[1] - 1); e > v[2] {
			t.Errorf("%.6f, cold %.6f: they differ by %.2g and state %.2g", v[0], v[1], e, v[2])
		}
	}
}
