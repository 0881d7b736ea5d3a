package bladerow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// crude67 is Rotor 67 without viscosity in 1792 cells, for what any flow will show.
func crude67(t testing.TB) Case {
	c := tiny67(t)
	c.Settings.Model = Euler
	c.Settings.Mesh = mesh.Mesh{Upstream: 8, Blade: 12, Downstream: 8, Pitch: 8, Span: 8, Wall: 0.05, Edge: 0.04}
	return c
}

// viscous67 is crude67 with viscosity and turbulence.
func viscous67(t testing.TB) Case {
	c := crude67(t)
	c.Settings.Model = ""
	return c
}

// A throttle finds a flow on its line, and that flow, asked for, is found at the same
// pressure.
func TestThrottleAndMassFlow(t *testing.T) {
	c := crude67(t)
	c.Settings.Mesh = mesh.Mesh{Upstream: 6, Blade: 10, Downstream: 6, Pitch: 6, Span: 8, Wall: 0.08, Edge: 0.05}
	c.N, c.Exit = 11230, march.Exit{K: 150}
	byK := run(t, solver(t, c))
	t.Logf("K: %s after %d iterations, W %.4f kg/s, PR %.4f, Ps %.0f Pa", byK.Status, byK.Iterations, byK.W, byK.PR,
		byK.Ps)
	out := byK.W * (1 - byK.MassError)
	if byK.Status != march.Converged || math.Abs(byK.Ps/(c.Exit.K*out*out)-1) > 1e-4 {
		t.Fatal(byK.Message)
	}
	c.Exit = march.Exit{W: out, Ps: 0.97 * byK.Ps}
	byW := run(t, solver(t, c))
	t.Logf("W: %s after %d iterations, W %.4f kg/s, PR %.4f, Ps %.0f Pa", byW.Status, byW.Iterations, byW.W, byW.PR,
		byW.Ps)
	if byW.Status != march.Converged || math.Abs(byW.W*(1-byW.MassError)/out-1) > 1e-4 {
		t.Fatal(byW.Message)
	}
	if math.Abs(byW.PR/byK.PR-1) > 1e-3 || math.Abs(byW.Ps/byK.Ps-1) > 1e-3 {
		t.Errorf("PR %.4f at %.0f Pa by flow; %.4f at %.0f Pa by throttle", byW.PR, byW.Ps, byK.PR, byK.Ps)
	}
}
