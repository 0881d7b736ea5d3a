// The common parts of the implicit methods: the Jacobian by the user or by differences, and the matrix of a step.

package ode

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// implicit is the Jacobian J = df/dy of the system and the factors of s - J.
type implicit struct {
	jac      []float64 // J by rows
	jacMat   *mat.Dense
	lin      linear
	yp       []float64 // y' at the start of a history
	f, delta []float64
}

func newImplicit(n int) implicit {
	m := implicit{jac: make([]float64, n*n), lin: newLinear(n)}
	m.jacMat = mat.NewDense(n, n, m.jac)
	for _, v := range []*[]float64{&m.yp, &m.f, &m.delta} {
		*v = make([]float64, n)
	}
	return m
}

// linearize sets J at (t, y), where y' is about yp. h is the step that is about to be tried.
func (m *implicit) linearize(c *core, t, h float64, y, yp []float64) error {
	c.stats.Jacobians++
	clear(m.jac)
	if c.p.Jacobian == nil {
		return m.difference(c, t, h, y, yp)
	}
	if err := c.p.Jacobian(t, y, m.jacMat); err != nil {
		return &EvalError{c.name, t, err}
	}
	if notFinite(m.jac) >= 0 {
		return &EvalError{c.name, t, fmt.Errorf("the Jacobian has elements that are not finite")}
	}
	return nil
}

// difference sets J by forward differences, or backward differences if the equations fail. The increments are those of
// DASSL (Brenan, Campbell and Petzold, chapter 5), sqrt(eps) max(|y|, |h y'|) with the sign of y', but at least the
// absolute tolerance. The size of an unknown that is zero is not known; an increment far below that size would be lost
// in the rounding of the equations. Changes below the tolerance do not matter to the user, nor does the error by
// curvature over such an increment.
func (m *implicit) difference(c *core, t, h float64, y, yp []float64) error {
	if err := c.slope(t, y, m.f); err != nil {
		return err
	}
	const rootEps = 0x1p-26
	for j := range c.n {
		low := c.atol[j]
		if low == 0 {
			low = rootEps * 3e-3 // as in Hairer's codes
		}
		d := math.Copysign(max(rootEps*math.Abs(y[j]), rootEps*math.Abs(h*yp[j]), low), yp[j])
		keep := y[j]
		y[j] = keep + d
		err := c.slope(t, y, m.delta)
		if err != nil && !fatal(err) {
			y[j] = keep - d
			err = c.slope(t, y, m.delta)
		}
		d = y[j] - keep // as it was rounded
		y[j] = keep
		if err != nil {
			return err
		}
		for i, f := range m.delta {
			m.jac[i*c.n+j] = (f - m.f[i]) / d
		}
	}
	return nil
}

// matrix factors s - J.
func (m *implicit) matrix(c *core, s, h float64) error {
	for i, x := range m.jac {
		m.lin.a[i] = 0 - x // not -0
	}
	for i := range c.n {
		m.lin.a[i*c.n+i] += s
	}
	c.stats.Factorizations++
	if !m.lin.factor() {
		return &SingularError{c.name, c.t, h}
	}
	return nil
}
