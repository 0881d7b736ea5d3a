package bladerow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// closing67 is Rotor 67 on half the default mesh's lines each way.
func closing67(t *testing.T) *Solver {
	c := tiny67(t)
	c.Settings.Mesh, c.Settings.Levels = mesh.Mesh{}.Refined(0.5)
	c.Exit.Ps = 118e3
	return solver(t, c)
}

// The dead water behind Rotor 67's round trailing edge begins as thick as the blade ends and comes to nothing.
func TestDeadWaterComesToNothing(t *testing.T) {
	s := closing67(t)
	g := s.levels[len(s.levels)-1].grid
	if g.Closed <= g.TE {
		t.Fatalf("the dead water ends on node line %d, the blade on %d", g.Closed, g.TE)
	}
	sin, cos := math.Sincos(-g.Pitch)
	for k := range g.NK {
		was := math.Inf(1)
		for i := g.TE; i <= g.Closed; i++ {
			gap := g.Vertex(i, 0, k).Turned(cos, sin).Sub(g.Vertex(i, g.NJ, k)).Norm()
			if !(gap < was) || (i == g.Closed) != (gap < 1e-12) {
				t.Fatalf("node line (%d, %d): the dead water is %g m thick, %g m before", i, k, gap, was)
			}
			was = gap
		}
	}
}

// The dead water carries the same pressure on both sides; on the blade's last cells the pressure side still bears the
// higher pressure, by less than half of what it does half way along the chord.
func TestDeadWaterCarriesNoLoad(t *testing.T) {
	testenv.Long(t, "a rotor")
	s := closing67(t)
	balances(t, run(t, s))
	l := s.levels[s.at]
	g := l.grid
	face := func(i, j, k int) float64 { // pressure on the side at j = 0 or NJ
		o := l.at(i, j, k)
		return 0.5 * (l.q[4][o] + l.q[4][o-l.stride[1]])
	}
	load := func(i, k int) float64 { return (face(i, g.NJ, k) - face(i, 0, k)) / float64(g.NK) }
	end, middle := 0.0, 0.0
	for k := range g.NK {
		for i := g.TE; i < g.Closed; i++ {
			near(t, "pressure", face(i, 0, k), face(i, g.NJ, k), 1e-12)
		}
		end += load(g.TE-1, k)
		middle += load((g.LE+g.TE)/2, k)
	}
	if end < 0 || end > 0.5*middle {
		t.Errorf("load at the blade's end %.4f, half way %.4f", end, middle)
	}
}
