package throughflow

import (
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// A flow that is asked for leaves, by a throttle or a pressure that finds the same flow.
func TestHoldsAFlow(t *testing.T) {
	flows := []float64{655}
	if testenv.IsLong(t) {
		flows = []float64{600, 655, 675} // kg/s
	}
	for _, w := range flows {
		c := coarseE3(t)
		c.Settings.Tolerance = 6
		c.Exit = march.Exit{W: w}
		_, r := run(t, c)
		if math.Abs(r.Exit.W/w-1) > 1e-5 {
			t.Errorf("%g kg/s: %.3f left after %d iterations", w, r.Exit.W, r.Iterations)
		}
		exits := []march.Exit{{K: r.Ps / (r.Exit.W * r.Exit.W)}, {Ps: r.Ps}}
		if w < 640 {
			exits = exits[:1] // towards stall the line has each pressure twice
		}
		for _, c.Exit = range exits {
			_, k := run(t, c)
			t.Logf("%g kg/s: %d iterations, PR %.5f, eff %.5f; by %+v %d, %.3f kg/s, PR %.5f, eff %.5f",
				w, r.Iterations, r.PR, r.Eff, c.Exit, k.Iterations, k.W, k.PR, k.Eff)
			if math.Abs(k.W/w-1) > 3e-5 || math.Abs(k.PR/r.PR-1) > 3e-5 || math.Abs(k.Eff/r.Eff-1) > 1e-4 {
				t.Errorf("%g kg/s: PR %.6f, eff %.6f; by %+v %.4f kg/s, PR %.6f, eff %.6f", w, r.PR, r.Eff, c.Exit,
					k.W, k.PR, k.Eff)
			}
		}
	}
}

// A flow that no throttle gives is noticed soon: the rows choke, or stall.
func TestFlowThatCannotBe(t *testing.T) {
	for n, tc := range []struct {
		w, n float64 // kg/s, rpm
		want march.Status
		says string
	}{
		{684, 3727.7, march.NotConverged, "choked: no throttle passes 684 kg/s; after"},
		{700, 3727.7, march.NotConverged, "choked: no throttle passes 700 kg/s"},
		{800, 3727.7, march.NotConverged, "choked: no throttle passes 800 kg/s"},
		{600, 2600, march.NotConverged, "choked: no throttle passes 600 kg/s"},
		{480, 3727.7, march.Stalled, "no steady flow"},
		{400, 3727.7, march.Stalled, "no steady flow"},
	} {
		c := e3Case(t)
		if !testenv.IsLong(t) {
			if n%3 == 1 { // of each kind of flow one more is for long tests, as is the finer mesh
				continue
			}
			c.Settings = coarse
		}
		c.N, c.Exit = tc.n, march.Exit{W: tc.w}
		r := result(t, newSolver(t, c))
		t.Logf("%g kg/s at %g rpm: %s after %d iterations: %s", tc.w, tc.n, r.Status, r.Iterations, r.Message)
		if r.Status != tc.want || !strings.Contains(r.Message, tc.says) {
			t.Errorf("%g kg/s at %g rpm: %s, want %s: %s", tc.w, tc.n, r.Status, tc.want, tc.says)
		}
		if r.Iterations > 2000 { // those of a flow that can be, near choke
			t.Errorf("%g kg/s at %g rpm: %d iterations", tc.w, tc.n, r.Iterations)
		}
		finiteResult(t, r)
	}
}
