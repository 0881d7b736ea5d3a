package bladerow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
)

// The dead water behind Rotor 67's round trailing edge begins as thick as the blade ends,
// comes to nothing, and carries the same pressure on both sides; on the blade's last cells
// the pressure side still bears the higher pressure, by less than half of what it does half
// way along the chord.
func TestClosing(t *testing.T) {
	c := tiny67(t)
	c.Settings.Mesh, c.Settings.Levels = Mesh{}.Refined(0.5)
	c.Exit.Ps = 118e3
	s := solver(t, c)
	if r := run(t, s); r.Status != march.Converged {
		t.Fatal(r.Message)
	}
	l := s.levels[s.at]
	g := l.grid
	if g.closed <= g.te {
		t.Fatalf("the dead water ends on node line %d, the blade on %d", g.closed, g.te)
	}
	face := func(i, j, k int) float64 { // pressure on the side at j = 0 or NJ
		o := l.at(i, j, k)
		return 0.5 * (l.q[4][o] + l.q[4][o-l.stride[1]])
	}
	end, middle := 0.0, 0.0
	sin, cos := math.Sincos(-g.pitch)
	for k := range g.NK {
		was := math.Inf(1)
		for i := g.te; i <= g.closed; i++ {
			gap := g.node(i, 0, k).turned(cos, sin).sub(g.node(i, g.NJ, k)).norm()
			if !(gap < was) || (i == g.closed) != (gap < 1e-12) {
				t.Fatalf("node line (%d, %d): the dead water is %g m thick, %g m before", i, k, gap, was)
			}
			was = gap
			if i < g.closed {
				near(t, "pressure", face(i, 0, k), face(i, g.NJ, k), 1e-12)
			}
		}
		end += face(g.te-1, g.NJ, k) - face(g.te-1, 0, k)
		middle += face((g.le+g.te)/2, g.NJ, k) - face((g.le+g.te)/2, 0, k)
	}
	if t.Logf("load at the end %.4f, half way %.4f", end/float64(g.NK), middle/float64(g.NK)); end < 0 || end > 0.5*middle {
		t.Error("the blade's end bears a load of its own")
	}
}
