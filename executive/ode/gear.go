// Gear's method: backward differentiation with variable order and step, the
// standard for stiff problems.

package ode

import "math"

// gearMaxOrder is the highest order. From order 7 on the formulas are unstable, and order 6 has
// little advantage.
const gearMaxOrder = 5

// Gear solves y' = f(t, y) by backward differentiation of order k = 1 to 5 (Gear, Numerical Initial Value Problems in
// Ordinary Differential Equations, Prentice-Hall 1971) in backward differences with
// quasi-constant step (Shampine and Reichelt, section 2):
//
//	y' h = sum_{m=1..k} 1/m nabla^m y_n+1
//
// With the predictor y_p = sum_{m<=k} nabla^m y_n and d = y_n+1 - y_p that is
//
//	(gamma_k d + sum_{m=1..k} gamma_m nabla^m y_n) / h = f(t_n+1, y_p + d),  gamma_k = sum_{j<=k} 1/j
//
// A modified Newton iteration with gamma_k/h - df/dy solves this for d. The Jacobian
// is kept until the iteration converges badly. The error is d/(k+1). Order and step
// change at most every k+1 steps, to the order that allows the longest step.
//
// Orders 1 and 2 are A-stable, the others stable in a wedge of 86, 73 and 52 degrees.
// Dense output is the polynomial through the differences; it is continuous.
type Gear struct {
	core
	implicit
	k, kNext    int // order of the last step and of the next
	haveHistory bool
	equalSteps  int // steps since order or step changed

	hD        float64 // spacing of the differences, s
	d         [gearMaxOrder + 3][]float64
	dy        []float64
	pred      []float64
	psi       []float64 // sum of gamma_m nabla^m y
	ypIterate []float64 // y' at the iterate

	freshJacobian bool    // the Jacobian is that at this step's predictor
	haveJacobian  bool    // the Jacobian is set
	factored      float64 // gamma/h of the factors; 0: none
	kDense        int     // order of the last step, and
	hDense        float64 // its spacing
	dense         [gearMaxOrder + 1][]float64
	est           []float64
}

var _ Stepper = (*Gear)(nil)

// gearGamma[k] = sum_{j=1..k} 1/j
var gearGamma = func() (g [gearMaxOrder + 2]float64) {
	for k := 1; k < len(g); k++ {
		g[k] = g[k-1] + 1/float64(k)
	}
	return g
}()

// NewGear starts at t with y. It returns an *InputError for an unsuitable problem.
func NewGear(p Problem, s Settings, t float64, y []float64) (*Gear, error) {
	m := &Gear{}
	if err := m.init("gear", p, s, t, y); err != nil {
		return nil, err
	}
	if m.s.MaxOrder == 0 {
		m.s.MaxOrder = gearMaxOrder
	}
	if m.s.MaxOrder > gearMaxOrder {
		return nil, inputf("gear has orders 1 to %d; MaxOrder is %d", gearMaxOrder, m.s.MaxOrder)
	}
	m.implicit = newImplicit(m.n)
	for i := range m.d {
		m.d[i] = make([]float64, m.n)
	}
	for i := range m.dense {
		m.dense[i] = make([]float64, m.n)
	}
	for _, v := range []*[]float64{&m.dy, &m.pred, &m.psi, &m.ypIterate, &m.est} {
		*v = make([]float64, m.n)
	}
	return m, m.Restart()
}

// Restart implements Stepper. It keeps the Jacobian until the iteration converges badly.
func (m *Gear) Restart() error {
	m.haveHistory, m.factored, m.tried = false, 0, 0
	m.k, m.kNext, m.equalSteps = 1, 1, 0
	m.h = m.s.FirstStep
	return nil
}

// Reset implements Stepper.
func (m *Gear) Reset(t float64, y []float64) error {
	if err := m.place(t, y); err != nil {
		return err
	}
	clear(m.yp)
	m.haveJacobian = false
	return m.Restart()
}

// Step implements Stepper.
func (m *Gear) Step(limit float64) error {
	if done, err := m.begin(limit); done || err != nil {
		return err
	}
	if err := m.start(limit); err != nil {
		return err
	}
	if m.k != m.kNext {
		m.k, m.equalSteps = m.kNext, 0
	}
	m.freshJacobian = false
	for fails := 0; ; fails++ {
		if err := m.count(limit); err != nil {
			return err
		}
		h, tnew := m.reach(m.h, limit)
		m.respace(h)
		iterations, err := m.solve(h, tnew)
		if err != nil {
			if err := m.stepFailed(err, h); err != nil {
				return err
			}
			continue
		}
		for i, d := range m.dy {
			m.est[i] = d / float64(m.k+1)
		}
		e := m.norm(m.est, m.y, m.ynew)
		if e <= 1 || m.s.Step > 0 {
			m.accept(h, tnew)
			m.adapt(h, e, iterations)
			return nil
		}
		m.stats.Rejected++
		m.h = h * max(minShrink, caution(iterations)*math.Pow(e, -1/float64(m.k+1)))
		if fails >= 3 {
			m.k, m.equalSteps = 1, 0
		}
		if !(m.h > m.smallest()) {
			return &StepSizeError{m.name, m.t, h, e, m.worst(m.est), nil}
		}
	}
}

// caution is the safety factor, smaller where Newton's iteration was slow.
func caution(iterations int) float64 {
	return safety * (2*maxNewton + 1) / float64(2*maxNewton+iterations)
}

// start makes a history of order 1 from y and y' at the start.
func (m *Gear) start(limit float64) error {
	if m.haveHistory {
		return nil
	}
	if err := m.slope(m.t, m.y, m.yp); err != nil {
		return err
	}
	switch {
	case m.s.Step > 0:
		m.h = m.s.Step
	case m.h == 0:
		m.h = m.guess(1, m.yp, m.pred, m.ypIterate, m.slope, limit)
	}
	for i := range m.d {
		clear(m.d[i])
	}
	copy(m.d[0], m.y)
	for i, v := range m.yp {
		m.d[1][i] = m.h * v
	}
	m.hD, m.haveHistory = m.h, true
	return nil
}

// accept adds the corrected point to the differences:
//
//	nabla^{k+1} y_n+1 = d, nabla^j y_n+1 = nabla^j y_n + nabla^{j+1} y_n+1
func (m *Gear) accept(h, tnew float64) {
	k := m.k
	for i, d := range m.dy {
		m.d[k+2][i] = d - m.d[k+1][i]
		m.d[k+1][i] = d
		for j := k; j >= 0; j-- {
			m.d[j][i] += m.d[j+1][i]
		}
		m.ynew[i] = m.d[0][i]
	}
	m.equalSteps++
	m.hLast, m.kDense, m.hDense = h, k, h
	for j := 0; j <= k; j++ {
		copy(m.dense[j], m.d[j])
	}
	m.commit(tnew)
}

// adapt sets order and step for the next step.
func (m *Gear) adapt(h, e float64, iterations int) {
	m.h = h
	if m.s.Step > 0 {
		m.kNext = min(m.k+1, m.s.MaxOrder)
		return
	}
	k := m.k
	if m.equalSteps < k+1 {
		return
	}
	fac, to := math.Pow(max(e, 1e-12), -1/float64(k+1)), k
	if k > 1 {
		low := m.norm(m.d[k], m.y, m.y) / float64(k)
		if f := math.Pow(max(low, 1e-12), -1/float64(k)); f > fac {
			fac, to = f, k-1
		}
	}
	if k < m.s.MaxOrder {
		high := m.norm(m.d[k+2], m.y, m.y) / float64(k+2)
		if f := math.Pow(max(high, 1e-12), -1/float64(k+2)); f > fac {
			fac, to = f, k+1
		}
	}
	fac = min(maxGrowth, caution(iterations)*fac)
	m.kNext = to
	if fac >= 1.2 || fac < 0.9 { // a change costs a factorisation
		m.h = min(h*max(fac, minShrink), m.s.MaxStep)
	}
}

// respace changes the spacing of the differences to h.
func (m *Gear) respace(h float64) {
	if h == m.hD {
		return
	}
	ratio := h / m.hD
	m.hD = h
	if math.Abs(ratio-1) < 1e-13 {
		return
	}
	m.equalSteps = 0
	var ru [gearMaxOrder + 1][gearMaxOrder + 1]float64
	respacing(m.k, ratio, &ru)
	var old [gearMaxOrder + 1]float64
	for i := range m.n {
		for j := 1; j <= m.k; j++ {
			old[j] = m.d[j][i]
		}
		for j := 1; j <= m.k; j++ {
			sum := 0.0
			for l := 1; l <= m.k; l++ {
				sum += ru[l][j] * old[l]
			}
			m.d[j][i] = sum
		}
	}
}

// respacing sets ru to R(ratio) U. This matrix turns the differences of spacing h into those of
// spacing ratio h of the same polynomial (Shampine and Reichelt, section 2):
//
//	R_ij = prod_{l=1..i} (l-1 - j ratio)/l,  U = R(1)
func respacing(k int, ratio float64, ru *[gearMaxOrder + 1][gearMaxOrder + 1]float64) {
	var r, u [gearMaxOrder + 1][gearMaxOrder + 1]float64
	for j := 1; j <= k; j++ {
		a, b := 1.0, 1.0
		for i := 1; i <= k; i++ {
			a *= (float64(i-1) - ratio*float64(j)) / float64(i)
			b *= float64(i-1-j) / float64(i)
			r[i][j], u[i][j] = a, b
		}
	}
	for i := 1; i <= k; i++ {
		for j := 1; j <= k; j++ {
			ru[i][j] = 0
			for l := 1; l <= k; l++ {
				ru[i][j] += r[i][l] * u[l][j]
			}
		}
	}
}

// At implements Stepper:
//
//	y(t) = sum_{j<=k} nabla^j y_n prod_{i<j} (t - t_n + i h) / ((i+1) h)
func (m *Gear) At(t float64, y []float64) {
	copy(y, m.y)
	if t == m.t || m.hLast == 0 {
		return
	}
	prod := 1.0
	for j := 1; j <= m.kDense; j++ {
		prod *= (t - m.t + float64(j-1)*m.hDense) / (float64(j) * m.hDense)
		for i, d := range m.dense[j] {
			y[i] += prod * d
		}
	}
}
