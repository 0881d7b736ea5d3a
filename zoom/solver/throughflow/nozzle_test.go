package throughflow

import (
	"fmt"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

// nozzle is a converging-diverging channel, so thin and so far from the axis that
// one-dimensional theory holds in it to the fourth digit.
type nozzle struct{ radius, height float64 }

func (n nozzle) area(z float64) float64 { return 1 + 0.4*(2*z-1)*(2*z-1) } // over the throat's

func (n nozzle) half(z float64) float64 { return n.height / 2 * n.area(z) }

// machAt returns the Mach number at an area over the critical one.
func machAt(ratio float64, supersonic bool) float64 {
	lo, hi := 1e-6, 1.0
	if supersonic {
		lo, hi = 1, 10
	}
	for range 200 {
		m := (lo + hi) / 2
		a := math.Pow((1+0.2*m*m)/1.2, 3) / m
		if (a > ratio) == supersonic {
			hi = m
		} else {
			lo = m
		}
	}
	return (lo + hi) / 2
}

// solve returns the mean error of p/Pt along the channel against the exact
// solution exact(z), for n cells.
func (n nozzle) solve(t *testing.T, ps float64, cells int, exact func(z float64) float64) (float64, *Result) {
	t.Helper()
	c := Case{
		Geometry: duct(t, 0, 1,
			func(z float64) float64 { return n.radius - n.half(z) },
			func(z float64) float64 { return n.radius + n.half(z) }),
		Gas: air, Inlet: march.Inlet{Pt: []float64{1e5}, Tt: []float64{300}}, Exit: march.Exit{Ps: ps * 1e5},
		Settings: Settings{NZ: cells, NR: 4, Levels: 1, Tolerance: 4, CFL: 10, MaxIterations: 20000},
	}
	s, r := run(t, c)
	l := s.levels[0]
	sum := 0.0
	for i := range l.m.nz {
		p := 0.0
		for j := range l.m.nr {
			p += l.u.p[l.u.at(i, j)] / 1e5 / float64(l.m.nr)
		}
		sum += math.Abs(p-exact(l.m.zc[i*l.m.nr])) / float64(cells)
	}
	return sum, r
}

func TestSubsonicNozzle(t *testing.T) {
	n := nozzle{50, 0.02}
	exit := 0.4
	ps, _ := isentropic(exit)
	critical := n.area(1) / (math.Pow((1+0.2*exit*exit)/1.2, 3) / exit)
	exact := func(z float64) float64 {
		p, _ := isentropic(machAt(n.area(z)/critical, false))
		return p
	}
	var errs []float64
	for _, cells := range marchtest.Meshes(t, 16, 32, 64) {
		e, _ := n.solve(t, ps, cells, exact)
		errs = append(errs, e)
	}
	t.Logf("L1 error of p/Pt: %.3g", errs)
	marchtest.Ordered(t, errs, 1.7)
}

// With a shock in the diverging part the error falls with the first power.
func TestNozzleWithShock(t *testing.T) {
	n := nozzle{50, 0.02}
	const at = 0.8
	m1 := machAt(n.area(at), true)
	loss := normalShock(m1, 1.4)
	after := machAt(n.area(1)*loss, false)
	p, _ := isentropic(after)
	exact := func(z float64) float64 {
		switch {
		case z < 0.5:
			p, _ := isentropic(machAt(n.area(z), false))
			return p
		case z < at:
			p, _ := isentropic(machAt(n.area(z), true))
			return p
		default:
			p, _ := isentropic(machAt(n.area(z)*loss, false))
			return p * loss
		}
	}
	var errs []float64
	for _, cells := range marchtest.Meshes(t, 32, 64, 128) {
		e, r := n.solve(t, p*loss, cells, exact)
		errs = append(errs, e)
		if !r.Choked {
			t.Error("not choked")
		}
		must.Within(t, fmt.Sprintf("total pressure ratio on %d cells", cells), r.PR, loss, 0.02)
	}
	t.Logf("L1 error of p/Pt: %.3g", errs)
	last := len(errs) - 1
	if order := math.Log2(errs[0]/errs[last]) / float64(last); order < 0.8 {
		t.Errorf("order %.2f", order)
	}
}
