// What the implicit methods share: the equations in the form F(t, y, y') = 0, their
// derivatives by the user or by differences, and consistent initial values.

package ode

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// implicit is the system as F(t, y, y') = 0, where M y' = f(t, y) is F = M y' - f.
type implicit struct {
	fy, fyp         []float64 // dF/dy and dF/dy' by rows
	fyMat, fypMat   *mat.Dense
	lin             linear
	yp              []float64 // y' at the start of a history
	z, r, r1, delta []float64
}

func newImplicit(n int) implicit {
	m := implicit{fy: make([]float64, n*n), fyp: make([]float64, n*n), lin: newLinear(n)}
	m.fyMat, m.fypMat = mat.NewDense(n, n, m.fy), mat.NewDense(n, n, m.fyp)
	for _, v := range []*[]float64{&m.yp, &m.z, &m.r, &m.r1, &m.delta} {
		*v = make([]float64, n)
	}
	return m
}

// residual sets r = F(t, y, yp).
func (c *core) residual(t float64, y, yp, r []float64) error {
	if c.p.Residual == nil {
		if err := c.eval(t, y, r); err != nil {
			return err
		}
		for i, f := range r {
			m := 1.0
			if c.p.Mass != nil {
				m = c.p.Mass[i]
			}
			r[i] = m*yp[i] - f
		}
		return nil
	}
	c.stats.Evaluations++
	if err := c.p.Residual(t, y, yp, r); err != nil {
		return &EvalError{c.name, t, err}
	}
	if i := notFinite(r); i >= 0 {
		return &EvalError{c.name, t, fmt.Errorf("residual %d is %v", i, r[i])}
	}
	return nil
}

// linearize sets fy and fyp at (t, y, yp). h is the step that is about to be tried.
func (m *implicit) linearize(c *core, t, h float64, y, yp []float64) error {
	c.stats.Jacobians++
	clear(m.fy)
	clear(m.fyp)
	if c.p.Residual == nil {
		for i := range c.n {
			m.fyp[i*c.n+i] = 1
			if c.p.Mass != nil {
				m.fyp[i*c.n+i] = c.p.Mass[i]
			}
		}
	}
	switch {
	case c.p.ResidualJacobian != nil && c.p.Residual != nil:
		if err := c.p.ResidualJacobian(t, y, yp, m.fyMat, m.fypMat); err != nil {
			return &EvalError{c.name, t, err}
		}
	case c.p.Jacobian != nil && c.p.Residual == nil:
		if err := c.p.Jacobian(t, y, m.fyMat); err != nil {
			return &EvalError{c.name, t, err}
		}
		for i := range m.fy {
			m.fy[i] = -m.fy[i]
		}
	default:
		return m.difference(c, t, h, y, yp)
	}
	if notFinite(m.fy) >= 0 || notFinite(m.fyp) >= 0 {
		return &EvalError{c.name, t, fmt.Errorf("the Jacobian has elements that are not finite")}
	}
	return nil
}

// difference sets fy, and for Residual fyp, by forward differences, or backward ones where the
// equations fail. The increments are those of DASSL (Brenan, Campbell and Petzold, chapter
// 5), sqrt(eps) max(|y|, |h y'|) with the sign of y', but at least floor.
func (m *implicit) difference(c *core, t, h float64, y, yp []float64) error {
	if err := c.residual(t, y, yp, m.r); err != nil {
		return err
	}
	for j := range c.n {
		low := m.floor(c, j)
		d := math.Copysign(max(rootEps*math.Abs(y[j]), rootEps*math.Abs(h*yp[j]), low), yp[j])
		if err := m.column(c, t, y, yp, y, j, d, m.fy); err != nil {
			return err
		}
		if c.p.Residual == nil || c.p.algebraic(j) {
			continue
		}
		if d = rootEps * max(math.Abs(yp[j]), 1); h > 0 {
			d = max(rootEps*math.Abs(yp[j]), low/h)
		}
		if err := m.column(c, t, y, yp, yp, j, d, m.fyp); err != nil {
			return err
		}
	}
	return nil
}

const rootEps = 0x1p-26

// floor is the smallest increment of unknown j. The size of an unknown that is zero is not
// known, and an increment far below that size would be lost in the rounding of the
// equations. The absolute tolerance is the best guess: smaller changes do not matter to the
// user, and so does not the error by curvature over such an increment.
func (m *implicit) floor(c *core, j int) float64 {
	switch {
	case c.p.Typical != nil:
		return rootEps * c.p.Typical[j]
	case c.atol[j] > 0:
		return c.atol[j]
	}
	return rootEps * 3e-3 // as in Hairer's codes
}

// column sets column j of a to the differences of the residual when v[j], v being y or yp, changes by d.
func (m *implicit) column(c *core, t float64, y, yp, v []float64, j int, d float64, a []float64) error {
	keep := v[j]
	v[j] = keep + d
	err := c.residual(t, y, yp, m.r1)
	if err != nil && !fatal(err) {
		v[j] = keep - d
		err = c.residual(t, y, yp, m.r1)
	}
	d = v[j] - keep // as it was rounded
	v[j] = keep
	if err != nil {
		return err
	}
	for i := range m.r1 {
		a[i*c.n+j] = (m.r1[i] - m.r[i]) / d
	}
	return nil
}

// matrix factors fy + s fyp.
func (m *implicit) matrix(c *core, s, h float64) error {
	for i, x := range m.fyp {
		m.lin.a[i] = m.fy[i] + s*x
	}
	c.stats.Factorizations++
	if !m.lin.factor() {
		return &SingularError{c.name, c.t, h}
	}
	return nil
}

// consistent sets yp and the algebraic unknowns of y, whose present values are guesses, so that
// F(t, y, yp) = 0. The differential unknowns do not change. This is Newton's iteration on z,
// with z_i = y_i for algebraic unknowns and y'_i for others. Its matrix is regular if and
// only if the index is at most 1 (Brenan, Campbell and Petzold, chapter 5).
func (m *implicit) consistent(c *core, t float64, y, yp []float64) error {
	if c.p.Residual == nil && !c.p.dae() {
		return c.slope(t, y, yp)
	}
	last := math.Inf(1)
	for it := range 50 {
		if err := m.linearize(c, t, 0, y, yp); err != nil {
			return err
		}
		if err := m.factorInitial(c, t); err != nil {
			return err
		}
		if err := c.residual(t, y, yp, m.delta); err != nil {
			return err
		}
		m.lin.solve(m.delta)
		size := m.takeNewtonStep(c, y, yp)
		if math.IsNaN(size) {
			return &SingularError{c.name, t, 0}
		}
		if size < 1e-3 || it > 3 && size < 1 && size >= last {
			return nil
		}
		last = size
	}
	return &StepSizeError{
		c.name, t, 0, last, -1, fmt.Errorf("%w to consistent initial values; give a better guess", ErrNewton),
	}
}

// factorInitial factors the matrix of the consistent-value iteration.
func (m *implicit) factorInitial(c *core, t float64) error {
	for j := range c.n {
		from := m.fyp
		if c.p.algebraic(j) {
			from = m.fy
		}
		for i := range c.n {
			m.lin.a[i*c.n+j] = from[i*c.n+j]
		}
	}
	c.stats.Factorizations++
	if !m.lin.factor() {
		return &SingularError{c.name, t, 0}
	}
	return nil
}

// takeNewtonStep takes the Newton step from y and yp. It returns the largest change of the
// iterated unknowns, in tolerances.
func (m *implicit) takeNewtonStep(c *core, y, yp []float64) float64 {
	most, size := 0.0, 0.0
	for _, v := range yp {
		most = max(most, math.Abs(v))
	}
	for i, d := range m.delta {
		v := yp
		if c.p.algebraic(i) {
			v = y
		}
		v[i] -= d
		w := c.atol[i] + c.s.RTol*math.Abs(v[i])
		switch {
		case d == 0:
			continue
		case !c.p.algebraic(i) && c.p.Residual == nil: // linear, exact as soon as the others are
			continue
		case !c.p.algebraic(i):
			w += 100 * eps * most
		}
		if q := math.Abs(d) / w; q > size || math.IsNaN(q) {
			size = q
		}
	}
	return size
}
