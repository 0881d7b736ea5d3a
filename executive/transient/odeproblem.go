package transient

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/executive/ode"
)

// odeProblem adapts dynamics to an integrator. Rosenbrock methods need df/dt as well as df/dy. A
// difference over a step as short as theirs would mostly be the error of solving the
// algebraic equations. For them time is a state,
//
//	y' = f(y, tau), tau' = 1
//
// and its column of the Jacobian is a difference over a longer step.
type odeProblem struct {
	*dynamics
	timeIsState bool
	span        float64 // of the interval without kinks, s
}

func newODEProblem(d *dynamics, method string) *odeProblem {
	return &odeProblem{dynamics: d, timeIsState: method == "rosenbrock"}
}

// start returns the integrator's state at t, s, of the states and integrals y.
func (m *odeProblem) start(t float64, y []float64) []float64 {
	if m.timeIsState {
		return append(append([]float64(nil), y...), t)
	}
	return y
}

// values returns the states in the integrator's y, without the integrals and time behind them.
func (m *odeProblem) values(y []float64) []float64 { return y[:len(m.states)] }

// integrals returns the integrals of the powers over the boundary in the integrator's y, J.
func (m *odeProblem) integrals(y []float64) []float64 { return y[len(m.states):len(m.f)] }

// newStepper starts a method of package ode. The single absolute tolerance in set applies to speeds, rpm.
func (m *odeProblem) newStepper(method string, set ode.Settings, y []float64) (ode.Stepper, error) {
	p := ode.Problem{N: len(m.f), F: m.derivatives, Jacobian: m.jacobian}
	if m.timeIsState {
		p.N, p.Autonomous = p.N+1, true
	}
	set.ATol = m.tolerances(set)
	// The error norm is a mean over all entries. Integrals and time must not count: their tolerance is infinite, and
	// the others are reduced so that the mean stays that of the states.
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

// timeOf is the time at the integrator's t and y, s.
func (m *odeProblem) timeOf(t float64, y []float64) float64 {
	if m.timeIsState {
		return y[len(m.f)]
	}
	return t
}

// derivatives sets dydt, per second, at t, s, and states y.
func (m *odeProblem) derivatives(t float64, y, dydt []float64) error {
	if err := m.moveTo(m.timeOf(t, y), m.values(y)); err != nil {
		return err
	}
	copy(dydt, m.f)
	if m.timeIsState {
		dydt[len(m.f)] = 1
	}
	return nil
}

// jacobian sets df/dy at (t, y).
func (m *odeProblem) jacobian(t float64, y []float64, j *mat.Dense) error {
	t = m.timeOf(t, y)
	if err := m.moveTo(t, m.values(y)); err != nil {
		return err
	}
	over := 0.0
	if m.timeIsState && m.inputsMove() {
		over = m.span
	}
	return m.linearize(t, over, j)
}
