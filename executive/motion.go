package executive

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/executive/ode"
)

// motion hands dynamics to an integrator. Rosenbrock methods need df/dt as well as
// df/dy, and differences taken over steps as short as theirs would show the errors of
// solving the algebraic equations; for them time becomes a state of its own,
//
//	y' = f(y, tau), tau' = 1
//
// whose column of the Jacobian is taken over a longer step.
type motion struct {
	*dynamics
	timed bool
	span  float64 // of the interval without kinks, s
}

func newMotion(d *dynamics, method string) *motion {
	return &motion{dynamics: d, timed: method == "rosenbrock"}
}

// start is the state of the integrator.
func (m *motion) start(t float64, y []float64) []float64 {
	if m.timed {
		return append(append([]float64(nil), y...), t)
	}
	return y
}

// values are those of the states, in their order, without time.
func (m *motion) values(y []float64) []float64 { return y[:len(m.states)] }

// new starts a method of package ode; set has one absolute tolerance, that of speeds, rpm.
func (m *motion) new(method string, set ode.Settings, y []float64) (ode.Stepper, error) {
	p := ode.Problem{N: len(m.states), F: m.rates, Jacobian: m.jacobian}
	set.ATol = m.tolerances(set)
	if m.timed {
		// The norm is a mean over all states, of which time has no error.
		share := math.Sqrt(float64(p.N) / float64(p.N+1))
		set.RTol, set.ATol = set.RTol*share, append(set.ATol, set.ATol[0])
		for i := range set.ATol {
			set.ATol[i] *= share
		}
		p.N, p.Autonomous = p.N+1, true
	}
	return ode.New(method, p, set, 0, m.start(0, y))
}

// now is the time of a state, s.
func (m *motion) now(t float64, y []float64) float64 {
	if m.timed {
		return y[len(m.states)]
	}
	return t
}

// rates sets dydt, per second, at t, s, and states y.
func (m *motion) rates(t float64, y, dydt []float64) error {
	if err := m.to(m.now(t, y), m.values(y)); err != nil {
		return err
	}
	copy(dydt, m.f)
	if m.timed {
		dydt[len(m.states)] = 1
	}
	return nil
}

// jacobian sets df/dy at (t, y).
func (m *motion) jacobian(t float64, y []float64, j *mat.Dense) error {
	t = m.now(t, y)
	if err := m.to(t, m.values(y)); err != nil {
		return err
	}
	over := 0.0
	if m.timed && m.moved() {
		over = m.span
	}
	return m.linearize(t, over, j)
}
