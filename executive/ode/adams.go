// Adams-Bashforth-Moulton with variable order and step: the fewest evaluations for
// smooth problems at tight tolerances.

package ode

import "math"

// adamsMaxOrder is the highest order of the predictor.
const adamsMaxOrder = 12

// Adams is the Adams-Bashforth-Moulton method in modified divided differences, as PECE with local extrapolation
// (Shampine and Gordon; Krogh; in the notation of Hairer I, section III.5):
//
//	p     = y_n + h sum_{j<k} g_j(n) Phi*_j(n)
//	y_n+1 = p + h g_k(n) Phi_k(n+1),  Phi_k(n+1) = f(t_n+1, p) - sum_{j<k} Phi*_j(n)
//
// k is the order of the predictor; the result is of order k+1. The error estimate is h (g_k - g_k-1) Phi_k(n+1), the
// error of the corrector of order k. Order and step are chosen as in Shampine and Gordon's STEP. The order falls when a
// lower order has no larger error estimate, and rises only after k+1 equal steps. The step doubles, stays or falls.
//
// Dense output is the integral of the polynomial that the corrector integrates. So it equals y at both ends of a step
// and has the method's order.
type Adams struct {
	core
	k          int  // order
	haveSlope  bool // phi[0] is y' at (t, y)
	equalSteps int  // steps of the present size
	starting   bool // the first phase: every step doubles and raises the order
	hPrev      float64

	ts   [adamsMaxOrder + 2]float64 // ts[i] = t_n-i
	phi  [adamsMaxOrder + 2][]float64
	star [adamsMaxOrder + 2][]float64

	beta, g, sigma [adamsMaxOrder + 2]float64
	pred, f, est   []float64

	// dense output: order of the last step, and f(predicted) - f(corrected) at its end
	kLast     int
	miss, gap []float64
}

var _ Stepper = (*Adams)(nil)

// adamsGamma are |gamma*_k|, the error constants of the Adams-Moulton methods with equal
// steps: sum_{i<=m} gamma*_i / (m+1-i) = 0, gamma*_0 = 1 (Hairer I, section III.1).
var adamsGamma = func() (abs [adamsMaxOrder + 2]float64) {
	var g [adamsMaxOrder + 2]float64
	for m := range g {
		if m == 0 {
			g[m] = 1
		}
		for i := 0; i < m; i++ {
			g[m] -= g[i] / float64(m+1-i)
		}
		abs[m] = math.Abs(g[m])
	}
	return abs
}()

// NewAdams starts at t with y. It returns an *InputError for an unsuitable problem.
func NewAdams(p Problem, s Settings, t float64, y []float64) (*Adams, error) {
	m := &Adams{}
	if err := m.init("adams", p, s, t, y); err != nil {
		return nil, err
	}
	if m.s.MaxOrder == 0 {
		m.s.MaxOrder = adamsMaxOrder
		if m.s.Step > 0 {
			m.s.MaxOrder = 4
		}
	}
	if m.s.MaxOrder > adamsMaxOrder {
		return nil, inputf("adams has orders 1 to %d; MaxOrder is %d", adamsMaxOrder, m.s.MaxOrder)
	}
	for i := range m.phi {
		m.phi[i], m.star[i] = make([]float64, m.n), make([]float64, m.n)
	}
	for _, v := range []*[]float64{&m.pred, &m.f, &m.est, &m.miss, &m.gap} {
		*v = make([]float64, m.n)
	}
	return m, m.Restart()
}

// Restart implements Stepper.
func (m *Adams) Restart() error {
	m.haveSlope, m.k, m.equalSteps, m.starting, m.tried = false, 1, 0, true, 0
	m.h = m.s.FirstStep
	return nil
}

// Reset implements Stepper.
func (m *Adams) Reset(t float64, y []float64) error {
	if err := m.place(t, y); err != nil {
		return err
	}
	return m.Restart()
}

// Step implements Stepper.
func (m *Adams) Step(limit float64) error {
	if done, err := m.begin(limit); done || err != nil {
		return err
	}
	if err := m.start(limit); err != nil {
		return err
	}
	uncut := m.h
	for fails := 0; ; fails++ {
		if err := m.count(limit); err != nil {
			return err
		}
		h, tnew := m.reach(m.h, limit)
		m.coefficients(h, tnew)
		if err := m.predict(h, tnew); err != nil {
			if err := m.stepFailed(err, h); err != nil {
				return err
			}
			continue
		}
		e, errs := m.errors(h)
		if e > 1 && m.s.Step == 0 {
			if err := m.reject(h, e, errs, fails); err != nil {
				return err
			}
			continue
		}
		if err := m.correct(h, tnew); err != nil {
			if err := m.stepFailed(err, h); err != nil {
				return err
			}
			continue
		}
		m.adapt(h, errs)
		if fails == 0 && h < uncut {
			m.h = max(m.h, min(uncut, 2*h))
		}
		return nil
	}
}

// start evaluates the slope at the start of a history, and chooses the first step.
func (m *Adams) start(limit float64) error {
	if m.haveSlope {
		return nil
	}
	if err := m.slope(m.t, m.y, m.phi[0]); err != nil {
		return err
	}
	m.haveSlope, m.ts[0], m.hPrev = true, m.t, 0
	clear(m.phi[1])
	clear(m.phi[2])
	if m.h == 0 {
		m.h = m.guess(1, m.phi[0], m.ynew, m.f, m.slope, limit)
	}
	return nil
}

// coefficients sets g, beta and sigma for a step of order k to tnew:
//
//	beta_0 = 1, beta_j = beta_j-1 (t_n+1 - t_n-j+1) / (t_n - t_n-j)
//	g_j = c_j1, c_0q = 1/q, c_1q = 1/(q(q+1)), c_jq = c_j-1,q - c_j-1,q+1 h / (t_n+1 - t_n-j+1)
//	sigma_j+1 = sigma_j j h / (t_n+1 - t_n+1-j)
//
// sigma is 1 for equal steps; for others it corrects the error constants.
func (m *Adams) coefficients(h, tnew float64) {
	if math.Abs(h-m.hPrev) > 1e-12*h {
		m.equalSteps = 0
	}
	m.beta[0], m.sigma[1] = 1, 1
	for j := 1; j <= m.k; j++ {
		if j < m.k {
			m.beta[j] = m.beta[j-1] * (tnew - m.ts[j-1]) / (m.ts[0] - m.ts[j])
		}
		m.sigma[j+1] = m.sigma[j] * float64(j) * h / (tnew - m.ts[j-1])
	}
	var c [adamsMaxOrder + 3]float64
	for q := 1; q <= m.k+1; q++ {
		c[q] = 1 / float64(q)
	}
	m.g[0] = c[1]
	for j := 1; j <= m.k; j++ {
		for q := 1; q <= m.k+1-j; q++ {
			if j == 1 {
				c[q] = 1 / float64(q*(q+1))
			} else {
				c[q] -= c[q+1] * h / (tnew - m.ts[j-1])
			}
		}
		m.g[j] = c[1]
	}
}

// predict sets star, pred, f = f(tnew, pred) and est = Phi_k of the predictor.
func (m *Adams) predict(h, tnew float64) error {
	copy(m.pred, m.y)
	for j := 0; j < m.k; j++ {
		b, g := m.beta[j], h*m.g[j]
		star, phi := m.star[j], m.phi[j]
		for i := range star {
			star[i] = b * phi[i]
			m.pred[i] += g * star[i]
		}
	}
	if err := m.slope(tnew, m.pred, m.f); err != nil {
		return err
	}
	copy(m.star[m.k], m.phi[m.k]) // for Phi_k+1, used after equal steps only
	copy(m.est, m.f)
	for j := 0; j < m.k; j++ {
		for i, s := range m.star[j] {
			m.est[i] -= s
		}
	}
	return nil
}

// orderErrors are the error estimates of orders k, k-1 and k-2, in tolerances.
type orderErrors struct{ k, k1, k2 float64 }

// errors returns the error of the step in tolerances, and those of the orders with equal steps.
func (m *Adams) errors(h float64) (float64, orderErrors) {
	k := m.k
	for i, e := range m.est {
		m.ynew[i] = m.pred[i] + h*m.g[k]*e
	}
	size := h * m.norm(m.est, m.y, m.ynew)
	o := orderErrors{k: size * m.sigma[k+1] * adamsGamma[k]}
	m.miss, m.est = m.est, m.miss
	if k > 1 {
		m.lower(k - 1)
		o.k1 = h * m.norm(m.est, m.y, m.ynew) * m.sigma[k] * adamsGamma[k-1]
	}
	if k > 2 {
		m.lower(k - 2)
		o.k2 = h * m.norm(m.est, m.y, m.ynew) * m.sigma[k-1] * adamsGamma[k-2]
	}
	m.miss, m.est = m.est, m.miss
	return size * math.Abs(m.g[k]-m.g[k-1]), o
}

// lower sets est = Phi_j of the predictor from Phi_k in miss, j < k.
func (m *Adams) lower(j int) {
	copy(m.est, m.miss)
	for l := j; l < m.k; l++ {
		for i, s := range m.star[l] {
			m.est[i] += s
		}
	}
}

// lowerIsBetter reports whether a lower order has no larger error estimate.
func (m *Adams) lowerIsBetter(o orderErrors) bool {
	return m.k == 2 && o.k1 <= 0.5*o.k || m.k > 2 && max(o.k1, o.k2) <= o.k
}

// reject halves the step. After three rejections it restarts at order 1.
func (m *Adams) reject(h, e float64, o orderErrors, fails int) error {
	m.stats.Rejected++
	m.starting, m.equalSteps = false, 0
	if m.lowerIsBetter(o) {
		m.k--
	}
	m.h = h / 2
	if fails >= 2 {
		m.k = 1
		m.h = min(m.h, h*math.Sqrt(0.5/max(o.k, o.k1, 0.5)))
	}
	if !(m.h > m.smallest()) {
		return &StepSizeError{m.name, m.t, h, e, m.worst(m.est), nil}
	}
	return nil
}

// stepFailed shortens the step after the equations failed in it, or returns the error.
func (m *Adams) stepFailed(err error, h float64) error {
	m.stats.Failed++
	m.starting, m.equalSteps = false, 0
	m.h = h * failedShrink
	if fatal(err) || m.s.Step > 0 || !(m.h > m.smallest()) {
		return err
	}
	return nil
}

// correct evaluates the slope at the new point and accepts the point.
func (m *Adams) correct(h, tnew float64) error {
	if err := m.slope(tnew, m.ynew, m.miss); err != nil {
		return err
	}
	// The corrected slope changes all differences of the new polynomial:
	// Phi_j+1(n+1) = Phi_j(n+1) - Phi*_j(n).
	k := m.k
	last := m.phi[k+1]
	copy(last, m.miss)
	for i, f := range m.miss {
		m.gap[i] = m.f[i] - f
	}
	for j := 0; j <= k; j++ {
		copy(m.phi[j], last)
		for i, s := range m.star[j] {
			last[i] -= s
		}
	}
	copy(m.ts[1:], m.ts[:len(m.ts)-1])
	m.ts[0] = tnew
	if math.Abs(h-m.hPrev) > 1e-12*h {
		m.equalSteps = 0
	}
	m.equalSteps = min(m.equalSteps+1, k+1)
	m.hLast, m.hPrev, m.kLast = h, h, k
	m.commit(tnew)
	return nil
}

// adapt sets the order and the step to try next (Shampine and Gordon, chapter 10).
func (m *Adams) adapt(h float64, o orderErrors) {
	if m.s.Step > 0 {
		m.k = min(m.k+1, m.s.MaxOrder)
		return
	}
	fall := m.lowerIsBetter(o)
	if fall || m.k >= m.s.MaxOrder {
		m.starting = false
	}
	e := o.k
	switch {
	case m.starting:
		m.k, e = m.k+1, 0
	case fall:
		m.k, e = m.k-1, o.k1
	case m.equalSteps > m.k:
		up := h * m.norm(m.phi[m.k+1], m.y, m.y) * adamsGamma[m.k+1]
		switch {
		case m.k > 1 && o.k1 <= min(e, up):
			m.k, e = m.k-1, o.k1
		case m.k < m.s.MaxOrder && (m.k == 1 && up < 0.5*e || m.k > 1 && up < e):
			m.k, e = m.k+1, up
		}
	}
	switch {
	case m.starting || e*math.Pow(2, float64(m.k+1)) <= 0.5:
		m.h = 2 * h
	case e <= 0.5:
		m.h = h
	default:
		m.h = h * max(0.5, min(0.9, math.Pow(0.5/e, 1/float64(m.k+1))))
	}
	m.h = min(m.h, m.s.MaxStep)
}

// At implements Stepper:
//
//	y(t) = y_n+1 + integral from t_n+1 to t of sum_{j<=k} Phi_j prod_{i<j} (s - t_n+1-i) / (t_n+1 - t_n-i) ds
//
// with the differences that the corrector used. The integrals follow the recursion
// of Shampine and Gordon's INTRP.
func (m *Adams) At(t float64, y []float64) {
	copy(y, m.y)
	if t == m.t || m.hLast == 0 {
		return
	}
	var w [adamsMaxOrder + 3]float64
	k, x := m.kLast, t-m.ts[0]
	for q := range w {
		w[q] = 1 / float64(q+1)
	}
	before := 0.0
	for j := 0; j <= k; j++ {
		if j > 0 {
			psi := m.ts[0] - m.ts[j]
			a, b := (x+before)/psi, x/psi
			for q := 0; q <= k-j; q++ {
				w[q] = a*w[q] - b*w[q+1]
			}
			before = psi
		}
		for i, p := range m.phi[j] {
			y[i] += x * w[0] * (p + m.gap[i])
		}
	}
}
