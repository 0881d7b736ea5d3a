// Modified Euler: Heun's method, the cheapest method here.

package ode

// Heun is the modified Euler method:
//
//	k1 = f(t, y)
//	k2 = f(t+h, y + h k1)
//	y_new = y + h/2 (k1 + k2)
//
// of order 2 (Heun, Z. Math. Phys. 45, 1900; Hairer I, section II.1). The error is
// the difference from Euler's step, h/2 (k2 - k1), of order 1. The slope at the
// end is the next step's k1. Dense output is cubic, so of the method's order.
type Heun struct {
	explicit
	k2 []float64
}

var _ Stepper = (*Heun)(nil)

// NewHeun starts at t with y. It returns an *InputError for an unsuitable problem.
func NewHeun(p Problem, s Settings, t float64, y []float64) (*Heun, error) {
	m := &Heun{k2: make([]float64, max(p.N, 0))}
	if err := m.init("modified-euler", 2, p, s, t, y); err != nil {
		return nil, err
	}
	return m, nil
}

// Step implements Stepper.
func (m *Heun) Step(limit float64) error { return m.step(m, limit) }

func (m *Heun) attempt(h, tnew float64) (float64, error) {
	for i, f := range m.f0 {
		m.ynew[i] = m.y[i] + h*f
	}
	if err := m.slope(tnew, m.ynew, m.k2); err != nil {
		return 0, err
	}
	for i, f := range m.f0 {
		m.est[i] = h / 2 * (m.k2[i] - f)
		m.ynew[i] = m.y[i] + h/2*(f+m.k2[i])
	}
	e := m.norm(m.est, m.y, m.ynew)
	if e > 1 && m.s.Step == 0 {
		return e, nil
	}
	return e, m.slope(tnew, m.ynew, m.f1)
}
