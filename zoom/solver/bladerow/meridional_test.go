package bladerow_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/throughflow"
)

// The E3's fan on a very coarse mesh without viscosity, started from an axisymmetric
// solution, settles at the flow that it finds from rest, in fewer iterations.
func TestStartFromThroughflow(t *testing.T) {
	g := must.Value(blade.Parse(must.Value(os.ReadFile("../../../config/examples/geometry/e3-fan.yaml"))(t)))(t)
	gas, inlet, exit := march.Gas{Gamma: 1.4, R: 287.05}, march.Inlet{Pt: []float64{101325},
		Tt: []float64{288.15}}, march.Exit{K: 0.27}
	tf := must.Value(throughflow.New(throughflow.Case{Geometry: g, Gas: gas, Inlet: inlet, Exit: exit, N: 3727.7,
		Settings: throughflow.Settings{NZ: 64, NR: 16}}))(t)
	if r, err := tf.Run(context.Background(), nil); err != nil || r.Status != march.Converged {
		t.Fatal(err, r.Message)
	}
	body := must.Value(g.Solid(g.Rows[0], 21, 81))(t)
	mesh, levels := mesh.Mesh{}.Refined(0.25)
	var rs [2]*march.Result
	for n := range rs {
		s := must.Value(bladerow.New(bladerow.Case{
			Body: body, Gas: gas, Inlet: inlet, Exit: exit, N: 3727.7,
			Settings: bladerow.Settings{Mesh: mesh, Levels: levels, Model: bladerow.Euler},
		}))(t)
		if n == 1 {
			must.OK(t, s.StartFromMeridional(tf.Field()))
		}
		if rs[n] = must.Value(s.Run(context.Background(), nil))(t); rs[n].Status != march.Converged {
			t.Fatal(rs[n].Message)
		}
		t.Logf("%d iterations: W %.3f kg/s, PR %.4f, eff %.4f", rs[n].Iterations, rs[n].W, rs[n].PR, rs[n].Eff)
	}
	if math.Abs(rs[1].W/rs[0].W-1) > 2e-3 || math.Abs(rs[1].PR/rs[0].PR-1) > 5e-3 {
		t.Errorf("from rest W %.3f kg/s, PR %.4f; from throughflow %.3f and %.4f", rs[0].W, rs[0].PR, rs[1].W, rs[1].PR)
	}
	if rs[1].Iterations >= rs[0].Iterations {
		t.Errorf("%d iterations from throughflow, %d from rest", rs[1].Iterations, rs[0].Iterations)
	}
}
