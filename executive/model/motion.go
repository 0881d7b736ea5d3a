package model

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

// values are those of the states, in their order, without the integrals behind them and time.
func (m *motion) values(y []float64) []float64 { return y[:len(m.states)] }

// integrals are those of the powers over the boundary, J.
func (m *motion) integrals(y []float64) []float64 { return y[len(m.states):len(m.f)] }

// new starts a method of package ode; set has one absolute tolerance, that of speeds, rpm.
func (m *motion) new(method string, set ode.Settings, y []float64) (ode.Stepper, error) {
	p := ode.Problem{N: len(m.f), F: m.derivatives, Jacobian: m.jacobian}
	if m.timed {
		p.N, p.Autonomous = p.N+1, true
	}
	set.ATol = m.tolerances(set)
	// The norm is a mean over all, of which integrals and time shall have no say.
	share := math.Sqrt(float64(len(m.states)) / float64(p.N))
	set.RTol *= share
	for i := range set.ATol {
		set.ATol[i] *= share
	}
	for len(set.ATol) < p.N {
		set.ATol = append(set.ATol, math.MaxFloat64)
	}
	return ode.New(method, p, set, 0, m.start(0, y))
}

// now is the time of a state, s.
func (m *motion) now(t float64, y []float64) float64 {
	if m.timed {
		return y[len(m.f)]
	}
	return t
}

// derivatives sets dydt, per second, at t, s, and states y.
func (m *motion) derivatives(t float64, y, dydt []float64) error {
	if err := m.to(m.now(t, y), m.values(y)); err != nil {
		return err
	}
	copy(dydt, m.f)
	if m.timed {
		dydt[len(m.f)] = 1
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
