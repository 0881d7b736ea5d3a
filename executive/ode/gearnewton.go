// The modified Newton iteration of Gear's method.

package ode

import "math"

// maxNewton is the largest number of iterations; more would cost more than a shorter step.
const maxNewton = 4

// solve sets dy and ynew for a step to tnew. If the iteration does not converge with an old Jacobian, it is repeated
// with a new one. It returns the number of iterations, or ErrNewton, a *SingularError or an *EvalError.
func (m *Gear) solve(h, tnew float64) (int, error) {
	for i := range m.pred {
		sum, psi := m.d[0][i], 0.0
		for j := 1; j <= m.k; j++ {
			sum += m.d[j][i]
			psi += gearGamma[j] * m.d[j][i]
		}
		m.pred[i], m.psi[i] = sum, psi
	}
	for {
		if err := m.prepare(h, tnew); err != nil {
			return 0, err
		}
		it, err := m.iterate(h, tnew)
		if err == nil || m.freshJacobian || fatal(err) {
			return it, err
		}
		m.haveJacobian = false
	}
}

// prepare makes the Jacobian, and the factors for this order and step, if necessary.
func (m *Gear) prepare(h, tnew float64) error {
	if !m.haveJacobian {
		for i, p := range m.psi {
			m.ypIterate[i] = p / h
		}
		if err := m.linearize(&m.core, tnew, h, m.pred, m.ypIterate); err != nil {
			return err
		}
		m.haveJacobian, m.freshJacobian, m.factored = true, true, 0
	}
	s := gearGamma[m.k] / h
	if s == m.factored {
		return nil
	}
	m.factored = 0
	if err := m.matrix(&m.core, s, h); err != nil {
		return err
	}
	m.factored = s
	return nil
}

// iterate is Newton's iteration for d. It ends when the remaining error, estimated with the observed rate of
// convergence q, is small against the tolerance (Hairer II, section IV.8):
//
//	q/(1-q) |delta| <= 0.03
//
// A correction of a hundredth of that also ends it, because at the level of rounding the second of two corrections can
// be the larger.
//
// It does not use the rate of earlier steps: on van der Pol's oscillator that saved 5 % of the evaluations and lost
// more than one digit.
func (m *Gear) iterate(h, tnew float64) (int, error) {
	clear(m.dy)
	copy(m.ynew, m.pred)
	small := max(10*eps/m.s.RTol, 0.03)
	enough := max(0.01*small, 4*eps/m.s.RTol)
	last := 0.0
	for it := 1; it <= maxNewton; it++ {
		for i, d := range m.dy {
			m.ypIterate[i] = (gearGamma[m.k]*d + m.psi[i]) / h
		}
		if err := m.slope(tnew, m.ynew, m.delta); err != nil {
			return it, err
		}
		for i, f := range m.delta {
			m.delta[i] = m.ypIterate[i] - f
		}
		m.lin.solve(m.delta)
		size := m.norm(m.delta, m.y, m.pred)
		if !(size < math.MaxFloat64) {
			return it, ErrNewton
		}
		q := 0.0
		if size > enough && it > 1 {
			q = size / last
			if q >= 1 || math.Pow(q, float64(maxNewton-it))*size*q/(1-q) > small {
				return it, ErrNewton
			}
		}
		for i, d := range m.delta {
			m.dy[i] -= d
			m.ynew[i] = m.pred[i] + m.dy[i]
		}
		if size <= enough || it > 1 && q/(1-q)*size <= small {
			return it, nil
		}
		last = size
	}
	return maxNewton, ErrNewton
}

// stepFailed shortens the step after the equations or the iteration failed in it, or returns
// the error.
func (m *Gear) stepFailed(err error, h float64) error {
	m.stats.Failed++
	m.haveJacobian = false
	m.h = h * failedShrink
	if fatal(err) || m.s.Step > 0 || !(m.h > m.smallest()) {
		if err == ErrNewton {
			return &StepSizeError{m.name, m.t, h, 0, -1, err}
		}
		return err
	}
	return nil
}
