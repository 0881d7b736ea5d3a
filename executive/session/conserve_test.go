package session

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Mass and energy close over the whole engine: the outflow of the streams, with the power given away and lost by the
// shaft, equals the inflow of air and fuel.
func TestEngineConserves(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Turbojet+`
cases:
  part: {set: {ambient.altitude: 5000 m, ambient.mach: 0.5}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1200 K}]}
`)
	for _, r := range solveAll(t, cfg).Cases {
		converged(t, r)
		in, out := r.Stations["ambient.out"], r.Stations["nozzle.throat"]
		wf := r.Performance.Wf
		near(t, r.Name+": mass", out.W-wf, in.W, 1e-9)
		fuel := must.Value(graph.New(cfg))(t).Context.Gas.Fuel().Enthalpy
		lost := 0.01*r.Shafts["spool"]["power"] + 100e3
		balance := in.W*in.Ht + wf*fuel - out.W*out.Ht - lost
		if math.Abs(balance) > 1e-9*wf*42.8e6 {
			t.Errorf("%s: energy is off by %g W", r.Name, balance)
		}
	}
}
