// The classical Runge-Kutta method, with an error estimate that needs no further evaluation.

package ode

// RK4 is the classical Runge-Kutta method of order 4 (Kutta, Z. Math. Phys. 46, 1901):
//
//	k1 = f(t, y)                  k2 = f(t+h/2, y + h/2 k1)
//	k3 = f(t+h/2, y + h/2 k2)     k4 = f(t+h, y + h k3)
//	y_new = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
//
// The slope at the end, k5 = f(t+h, y_new), is the next step's k1. With weights
// 1/6, 1/3, 1/3, 1/6-b, b the five slopes meet all conditions of order 3 for any b;
// b = 1/10 (Dormand and Prince, J. Comput. Appl. Math. 6, 1980, the pair RK4(3)T)
// gives the error h/10 (k4 - k5). Dense output is cubic, so of the method's order.
type RK4 struct {
	explicit
	k2, k3, k4, z []float64
}

var _ Stepper = (*RK4)(nil)

// NewRK4 starts at t with y. It returns an *InputError for an unsuitable problem.
func NewRK4(p Problem, s Settings, t float64, y []float64) (*RK4, error) {
	m := &RK4{}
	if err := m.init("rk4", 4, p, s, t, y); err != nil {
		return nil, err
	}
	for _, v := range []*[]float64{&m.k2, &m.k3, &m.k4, &m.z} {
		*v = make([]float64, m.n)
	}
	return m, nil
}

// Step implements Stepper.
func (m *RK4) Step(limit float64) error { return m.step(m, limit) }

func (m *RK4) attempt(h, tnew float64) (float64, error) {
	for i, k := range m.f0 {
		m.z[i] = m.y[i] + h/2*k
	}
	if err := m.slope(m.t+h/2, m.z, m.k2); err != nil {
		return 0, err
	}
	for i, k := range m.k2 {
		m.z[i] = m.y[i] + h/2*k
	}
	if err := m.slope(m.t+h/2, m.z, m.k3); err != nil {
		return 0, err
	}
	for i, k := range m.k3 {
		m.z[i] = m.y[i] + h*k
	}
	if err := m.slope(tnew, m.z, m.k4); err != nil {
		return 0, err
	}
	for i := range m.z {
		m.ynew[i] = m.y[i] + h/6*(m.f0[i]+2*(m.k2[i]+m.k3[i])+m.k4[i])
	}
	if err := m.slope(tnew, m.ynew, m.f1); err != nil {
		return 0, err
	}
	for i := range m.est {
		m.est[i] = h / 10 * (m.k4[i] - m.f1[i])
	}
	return m.norm(m.est, m.y, m.ynew), nil
}
