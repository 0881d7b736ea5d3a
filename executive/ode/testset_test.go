package ode

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// reference is a problem with an answer that others published or that is exact.
type reference struct {
	name string
	Problem
	t0, t1 float64
	y0, y1 []float64
	source string
}

// exact is a problem with its solution.
type exact struct {
	Problem
	t0, t1 float64
	at     func(t float64, y []float64)
}

func (e exact) start() []float64 {
	y := make([]float64, e.N)
	e.at(e.t0, y)
	return y
}

// nonlinear has y = (exp(sin t^2), exp(5 sin t^2), sin(t^2)+1, cos t^2).
func nonlinear() exact {
	return exact{
		Problem: Problem{N: 4, F: func(t float64, y, f []float64) error {
			if y[0] <= 0 || y[1] <= 0 {
				return errors.New("y[0] and y[1] must be positive")
			}
			f[0] = 2 * t * math.Pow(y[1], 0.2) * y[3]
			f[1] = 10 * t * math.Exp(5*(y[2]-1)) * y[3]
			f[2] = 2 * t * y[3]
			f[3] = -2 * t * math.Log(y[0])
			return nil
		}},
		t0: 0.3, t1: 1.5,
		at: func(t float64, y []float64) {
			s, c := math.Sincos(t * t)
			y[0], y[1], y[2], y[3] = math.Exp(s), math.Exp(5*s), s+1, c
		},
	}
}

const testSet = "Mazzia and Magherini, Test Set for Initial Value Problem Solvers, release 2.4, University of Bari 2008"

func robertson() reference {
	return reference{"Robertson", Problem{N: 3, F: func(_ float64, y, f []float64) error {
		f[0] = -0.04*y[0] + 1e4*y[1]*y[2]
		f[2] = 3e7 * y[1] * y[1]
		f[1] = -f[0] - f[2]
		return nil
	}, Jacobian: func(_ float64, y []float64, j *mat.Dense) error {
		j.SetRow(0, []float64{-0.04, 1e4 * y[2], 1e4 * y[1]})
		j.SetRow(1, []float64{0.04, -1e4*y[2] - 6e7*y[1], -1e4 * y[1]})
		j.SetRow(2, []float64{0, 6e7 * y[1], 0})
		return nil
	}, Autonomous: true}, 0, 1e11, []float64{1, 0, 0},
		[]float64{0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}, testSet}
}

func hires() reference {
	return reference{"HIRES", Problem{N: 8, F: func(_ float64, y, f []float64) error {
		f[0] = -1.71*y[0] + 0.43*y[1] + 8.32*y[2] + 0.0007
		f[1] = 1.71*y[0] - 8.75*y[1]
		f[2] = -10.03*y[2] + 0.43*y[3] + 0.035*y[4]
		f[3] = 8.32*y[1] + 1.71*y[2] - 1.12*y[3]
		f[4] = -1.745*y[4] + 0.43*y[5] + 0.43*y[6]
		f[5] = -280*y[5]*y[7] + 0.69*y[3] + 1.71*y[4] - 0.43*y[5] + 0.69*y[6]
		f[6] = 280*y[5]*y[7] - 1.81*y[6]
		f[7] = -f[6]
		return nil
	}}, 0, 321.8122, []float64{1, 0, 0, 0, 0, 0, 0, 0.0057}, []float64{
		0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
		0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2}, testSet}
}

func oregonator() reference {
	return reference{"Oregonator", Problem{N: 3, F: func(_ float64, y, f []float64) error {
		f[0] = 77.27 * (y[1] + y[0]*(1-8.375e-6*y[0]-y[1]))
		f[1] = (y[2] - (1+y[0])*y[1]) / 77.27
		f[2] = 0.161 * (y[0] - y[2])
		return nil
	}}, 0, 360, []float64{1, 2, 3}, []float64{0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3},
		testSet}
}

// vanDerPol is d2y/dt2 = mu (1-y^2) dy/dt - y with mu = 1000.
func vanDerPol() reference {
	return reference{"van der Pol, mu 1e3", Problem{N: 2, F: func(_ float64, y, f []float64) error {
		f[0], f[1] = y[1], 1000*(1-y[0]*y[0])*y[1]-y[0]
		return nil
	}}, 0, 2000, []float64{2, 0}, []float64{0.1706167732170469e1, -0.8928097010248125e-3}, testSet}
}

// vanDerPolScaled is eps d2y/dt2 = (1-y^2) dy/dt - y with eps = 1e-6.
func vanDerPolScaled() reference {
	return reference{"van der Pol, eps 1e-6", Problem{N: 2, F: func(_ float64, y, f []float64) error {
		f[0], f[1] = y[1], ((1-y[0]*y[0])*y[1]-y[0])/1e-6
		return nil
	}}, 0, 2, []float64{2, 0}, []float64{0.1706167732170483e1, -0.8928097010247975}, "Hairer II, section IV.10 (VDPOL)"}
}

func brusselator() reference {
	return reference{"Brusselator", Problem{N: 2, F: func(_ float64, y, f []float64) error {
		f[0] = 1 + y[0]*y[0]*y[1] - 4*y[0]
		f[1] = 3*y[0] - y[0]*y[0]*y[1]
		return nil
	}}, 0, 20, []float64{1.5, 3}, []float64{0.49863707126834783, 4.596780349452011},
		"problem: Hairer I, section II.4; value: Mathematica in 32 digits, published with the russell_ode crate"}
}

// pleiades are seven stars in the plane, star i of mass i.
func pleiades() reference {
	return reference{"Pleiades", Problem{N: 28, F: func(_ float64, y, f []float64) error {
		copy(f[:14], y[14:])
		clear(f[14:])
		for i := range 7 {
			for j := range 7 {
				if i != j {
					dx, dy := y[j]-y[i], y[j+7]-y[i+7]
					r := math.Pow(dx*dx+dy*dy, 1.5)
					f[14+i] += float64(j+1) * dx / r
					f[21+i] += float64(j+1) * dy / r
				}
			}
		}
		return nil
	}}, 0, 3, []float64{3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0,
		0},
		[]float64{0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310, 0.3425581707156584,
			1.562172101400631, -0.7003092922212495,
			-3.943437585517392, -3.271380973972550, 5.225081843456543, -2.590612434977470, 1.198213693392275,
			-0.2429682344935824, 1.091449240428980,
			3.417003806314313, 1.354584501625501, -2.590065597810775, 2.025053734714242, -1.155815100160448,
			-0.8072988170223021, 0.5952396354208710,
			-3.741244961234010, 0.3773459685750630, 0.9386858869551073, 0.3667922227200571, -0.3474046353808490,
			2.344915448180937, -1.947020434263292}, testSet}
}

// digits is the number of correct digits: -log10 of the largest relative error.
func digits(y, want []float64) float64 {
	worst := 0.0
	for i := range y {
		worst = max(worst, math.Abs(y[i]-want[i])/math.Abs(want[i]))
	}
	return -math.Log10(worst)
}

func run(t testing.TB, s Stepper, to float64) {
	t.Helper()
	for s.T() < to {
		must.OK(t, s.Step(to))
	}
	if s.T() != to {
		t.Fatalf("%s: ended at %v, not at %v", s.Name(), s.T(), to)
	}
}

func start(t testing.TB, method string, p Problem, s Settings, t0 float64, y0 []float64) Stepper {
	t.Helper()
	st := must.Value(New(method, p, s, t0, y0))(t)
	return st
}
