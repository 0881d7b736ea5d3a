package ode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// seed gives a multistep method of order k an exact past with spacing h.
func seed(s Stepper, e exact, k int, h float64) {
	past := make([][]float64, k+1)
	for j := range past {
		past[j] = make([]float64, e.N)
		e.at(e.t0-float64(j)*h, past[j])
	}
	switch m := s.(type) {
	case *Gear:
		m.k, m.kNext, m.haveHistory, m.hD, m.h = k, k, true, h, h
		backward(past)
		for j := range past {
			copy(m.d[j], past[j])
		}
	case *Adams:
		m.k, m.haveSlope, m.hPrev, m.h = k, true, h, h
		for j := range past {
			m.ts[j] = e.t0 - float64(j)*h
			f := make([]float64, e.N)
			if err := e.F(m.ts[j], past[j], f); err != nil {
				panic(err)
			}
			past[j] = f
		}
		backward(past)
		for j := range past {
			copy(m.phi[j], past[j])
		}
	}
}

// backward replaces values by their backward differences.
func backward(v [][]float64) {
	for j := 1; j < len(v); j++ {
		for l := len(v) - 1; l >= j; l-- {
			for i := range v[l] {
				v[l][i] = v[l-1][i] - v[l][i]
			}
		}
	}
}

// errorsOf integrates with n constant steps, and returns the largest error at the
// ends of the steps and that of dense output between them.
func errorsOf(t *testing.T, method string, k int, e exact, n int) (nodes, dense float64) {
	h := (e.t1 - e.t0) / float64(n)
	s := start(t, method, e.Problem, Settings{Step: h, MaxOrder: k, RTol: 1e-12, ATol: []float64{1e-12}}, e.t0,
		e.start())
	if k > 0 {
		seed(s, e, k, h)
	}
	y, want := make([]float64, e.N), make([]float64, e.N)
	diff := func() (d float64) {
		for i := range y {
			d = max(d, math.Abs(y[i]-want[i]))
		}
		return d
	}
	for s.T() < e.t1 {
		must.OK(t, s.Step(e.t1))
		from, to := s.Last()
		for _, c := range []float64{0.2, 0.6} {
			x := from + c*(to-from)
			s.At(x, y)
			e.at(x, want)
			dense = max(dense, diff())
		}
		copy(y, s.Y())
		e.at(to, want)
		nodes = max(nodes, diff())
	}
	return nodes, dense
}

// TestOrder measures the order of every method, and of its dense output, with
// constant steps on nonlinear problems with exact solutions.
func TestOrder(t *testing.T) {
	type row struct {
		method string
		k      int // fixed order of a multistep method
		order  float64
		dense  float64 // of dense output
		e      exact
		name   string
		n      int
	}
	rows := []row{
		{"modified-euler", 0, 2, 2, nonlinear(), "ode", 2560},
		{"rk4", 0, 4, 4, nonlinear(), "ode", 320},
		{"dormand-prince", 0, 5, 5, nonlinear(), "ode", 160},
		{"rosenbrock", 0, 4, 4, nonlinear(), "ode", 160},
	}
	for k := 1; k <= 8; k++ {
		rows = append(rows, row{"adams", k, float64(k + 1), float64(k + 1), nonlinear(), "ode", 1280 >> (k / 2)})
	}
	for k := 1; k <= 5; k++ {
		n := []int{0, 2560, 1280, 640, 320, 320}[k]
		rows = append(rows, row{"gear", k, float64(k), float64(k), nonlinear(), "ode", n})
	}
	for _, r := range rows {
		t.Run(fmt.Sprintf("%s/%d/%s", r.method, r.k, r.name), func(t *testing.T) {
			end1, dense1 := errorsOf(t, r.method, r.k, r.e, r.n)
			end2, dense2 := errorsOf(t, r.method, r.k, r.e, 2*r.n)
			got, den := math.Log2(end1/end2), math.Log2(dense1/dense2)
			t.Logf("order %.2f, dense %.2f (errors %.1e, %.1e)", got, den, end2, dense2)
			if math.Abs(got-r.order) > 0.3 {
				t.Errorf("order is %.2f, want %v (errors %.2e, %.2e)", got, r.order, end1, end2)
			}
			if den < r.dense-0.3 {
				t.Errorf("order of dense output is %.2f, want %v (errors %.2e, %.2e)", den, r.dense, dense1, dense2)
			}
		})
	}
}

// TestDenseMeetsSteps checks that dense output is continuous: it meets y at both ends of each step.
func TestDenseMeetsSteps(t *testing.T) {
	b := brusselator()
	for _, m := range Methods() {
		s := start(t, m.Name, b.Problem, Settings{}, b.t0, b.y0)
		y, old := make([]float64, 2), make([]float64, 2)
		for s.T() < b.t1 {
			copy(old, s.Y())
			must.OK(t, s.Step(b.t1))
			from, to := s.Last()
			for _, q := range []struct {
				at   float64
				want []float64
			}{{from, old}, {to, slices.Clone(s.Y())}, {to - (to-from)*1e-12, slices.Clone(s.Y())}} {
				if s.At(q.at, y); math.Abs(y[0]-q.want[0])+math.Abs(y[1]-q.want[1]) > 1e-10 {
					t.Fatalf("%s: dense output is %v at %v of the step from %v to %v; want %v", m.Name, y, q.at, from,
						to, q.want)
				}
			}
		}
	}
}

// TestTolerance checks that the error follows the tolerance in proportion.
func TestTolerance(t *testing.T) {
	b := brusselator()
	for _, m := range Methods() {
		tols := []float64{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}
		if m.Name == "modified-euler" {
			tols = tols[:4]
		}
		var first, last, steps float64
		for i, tol := range tols {
			s := start(t, m.Name, b.Problem, Settings{RTol: tol, ATol: []float64{tol}}, b.t0, b.y0)
			run(t, s, b.t1)
			e := math.Hypot(s.Y()[0]-b.y1[0], s.Y()[1]-b.y1[1])
			if e > 3000*tol {
				t.Errorf("%s: at tolerance %.0e the error is %.1e", m.Name, tol, e)
			}
			if i == 0 {
				first = e
			}
			if n := float64(s.Stats().Steps); n <= steps {
				t.Errorf("%s: a tighter tolerance, %v, took no more steps: %v", m.Name, tol, n)
			} else {
				steps = n
			}
			last = e
		}
		slope := math.Log10(first/last) / math.Log10(tols[0]/tols[len(tols)-1])
		t.Logf("%s: error ~ tolerance^%.2f, %.1e at %.0e in %v steps", m.Name, slope, last, tols[len(tols)-1], steps)
		if slope < 0.75 || slope > 1.3 {
			t.Errorf("%s: error goes with tolerance^%.2f", m.Name, slope)
		}
	}
}
