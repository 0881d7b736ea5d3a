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
	at    []float64 // for the Jacobian
	span  float64   // of the interval without kinks, s
}

func newMotion(d *dynamics, method string) *motion {
	return &motion{dynamics: d, timed: method == "rosenbrock", at: make([]float64, len(d.states))}
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

// jacobian sets df/dy by central differences over steps in which the errors of
// solving the algebraic equations do not show.
func (m *motion) jacobian(t float64, y []float64, j *mat.Dense) error {
	const step = 1e-4
	t = m.now(t, y)
	copy(m.at, m.values(y))
	for k, n := range m.at {
		h := step * max(math.Abs(n), m.states[k].typical)
		m.at[k] = n + h
		if err := m.slope(t, t, n-h, k, j, k, 2*h); err != nil {
			return err
		}
		m.at[k] = n
	}
	if !m.timed || !m.moved() {
		return nil
	}
	// Inputs are linear in time here, and go on beyond the interval's ends.
	h := 1e-2 * m.span
	return m.slope(t+h, t-h, m.at[0], 0, j, len(m.states), 2*h)
}

// slope sets a column of the Jacobian to the difference of f between two places
// over their distance: at now at t1, and with state k at n at t0.
func (m *motion) slope(t1, t0, n float64, k int, j *mat.Dense, column int, over float64) error {
	if err := m.to(t1, m.at); err != nil {
		return err
	}
	for i, f := range m.f {
		j.Set(i, column, f)
	}
	m.at[k] = n
	if err := m.to(t0, m.at); err != nil {
		return err
	}
	for i, f := range m.f {
		j.Set(i, column, (j.At(i, column)-f)/over)
	}
	return nil
}
