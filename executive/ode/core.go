// The common parts of all methods: the state, the equations with counts and checks, the error norm, and the shortening
// of a step at a limit.

package ode

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// eps is the distance from 1 to the next number.
const eps = 0x1p-52

type core struct {
	p     Problem
	s     Settings
	name  string
	n     int
	atol  []float64
	stats Stats

	t, tPrev float64
	y, ynew  []float64
	h        float64 // the step to try next; 0: not known
	hLast    float64 // the step of dense output; 0: no step yet
	tried    int     // steps tried since the last start
}

func (c *core) init(name string, p Problem, s Settings, t float64, y []float64) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := s.check(p.N); err != nil {
		return err
	}
	*c = core{p: p, s: s, name: name, n: p.N, atol: make([]float64, p.N)}
	for i := range c.atol {
		c.atol[i] = s.ATol[min(i, len(s.ATol)-1)]
	}
	c.y, c.ynew = make([]float64, c.n), make([]float64, c.n)
	return c.place(t, y)
}

// place sets the state without evaluating the equations.
func (c *core) place(t float64, y []float64) error {
	if len(y) != c.n {
		return inputf("y has %d values; the problem has %d", len(y), c.n)
	}
	if i := notFinite(y); i >= 0 {
		return inputf("y[%d] is %v at t = %v s", i, y[i], t)
	}
	if !numeric.Finite(t) {
		return inputf("t is %v", t)
	}
	copy(c.y, y)
	c.t, c.tPrev, c.h, c.hLast, c.tried = t, t, c.s.FirstStep, 0, 0
	return nil
}

func (c *core) Name() string             { return c.name }
func (c *core) T() float64               { return c.t }
func (c *core) Y() []float64             { return c.y }
func (c *core) Last() (from, to float64) { return c.tPrev, c.t }
func (c *core) Stats() Stats             { return c.stats }

// slope sets yp = y' = f(t, y).
func (c *core) slope(t float64, y, yp []float64) error {
	c.stats.Evaluations++
	if err := c.p.F(t, y, yp); err != nil {
		return &EvalError{c.name, t, err}
	}
	if i := notFinite(yp); i >= 0 {
		return &EvalError{c.name, t, fmt.Errorf("f[%d] is %v", i, yp[i])}
	}
	return nil
}

// norm is the root mean square of e in units of the tolerance at ya and yb.
func (c *core) norm(e, ya, yb []float64) float64 {
	sum, rtol := 0.0, c.s.RTol
	for i, x := range e {
		q := x / (c.atol[i] + rtol*max(math.Abs(ya[i]), math.Abs(yb[i])))
		sum += q * q
	}
	if math.IsNaN(sum) { // 0/0: an unknown that stays zero, with an absolute tolerance of zero
		sum = 0
		for i, x := range e {
			if x != 0 {
				q := x / (c.atol[i] + rtol*max(math.Abs(ya[i]), math.Abs(yb[i])))
				sum += q * q
			}
		}
	}
	return math.Sqrt(sum / float64(c.n))
}

// worst is the unknown with the largest part in the norm of e.
func (c *core) worst(e []float64) int {
	at, most := -1, 0.0
	for i, x := range e {
		if q := math.Abs(x) / (c.atol[i] + c.s.RTol*math.Abs(c.y[i])); q > most {
			at, most = i, q
		}
	}
	return at
}

// begin checks that a step towards limit can be tried. If limit is so close that t cannot
// resolve a step, it sets t to limit and returns done.
func (c *core) begin(limit float64) (done bool, err error) {
	if !(limit >= c.t) || math.IsInf(limit, 0) {
		return false, inputf("%s: a step to %v s was asked for at t = %v s", c.name, limit, c.t)
	}
	if limit-c.t <= 4*eps*math.Abs(c.t) {
		c.tPrev, c.t, c.hLast = c.t, limit, 0
		return true, nil
	}
	if c.s.Step == 0 {
		if c.norm(c.y, c.y, c.y)*4*eps > 1 {
			return false, &StepSizeError{c.name, c.t, c.h, math.Inf(1), c.worst(c.y), ErrPrecision}
		}
	}
	return false, nil
}

// count counts a step that is about to be tried.
func (c *core) count(limit float64) error {
	if c.tried >= c.s.MaxSteps {
		return &StepsError{c.name, c.t, c.h, c.tried, limit}
	}
	c.tried++
	return nil
}

// reach shortens the step h so that a step ends exactly at limit. It makes the last two steps before the limit equal,
// so that neither is tiny.
func (c *core) reach(h, limit float64) (hh, tnew float64) {
	rest := limit - c.t
	if c.s.Step > 0 {
		if h = c.s.Step; rest <= h*(1+1e-9) {
			return rest, limit
		}
		return h, c.t + h
	}
	h = min(h, c.s.MaxStep)
	if rest <= 1.01*h {
		return rest, limit
	}
	if rest < 2*h {
		h = rest / 2
	}
	return h, c.t + h
}

// smallest is the smallest step to try at t.
func (c *core) smallest() float64 {
	return max(16*eps*math.Abs(c.t), c.s.MinStep, 1e-250)
}

// guess estimates a first step for a method of order q from y' at t
// (Hairer I, section II.4, "Starting step size"). probe sets yp at another point; if it fails, the
// estimate comes from the slope alone. y1 and yp1 are scratch.
func (c *core) guess(q int, yp, y1, yp1 []float64, probe func(t float64, y, yp []float64) error,
	limit float64) float64 {
	d0, d1 := c.norm(c.y, c.y, c.y), c.norm(yp, c.y, c.y)
	h0 := 1e-6
	if d0 > 1e-5 && d1 > 1e-5 {
		h0 = 0.01 * d0 / d1
	}
	h0 = min(h0, c.s.MaxStep, limit-c.t)
	for i := range y1 {
		y1[i] = c.y[i] + h0*yp[i]
	}
	if err := probe(c.t+h0, y1, yp1); err != nil {
		return h0 / 100
	}
	for i := range yp1 {
		yp1[i] -= yp[i]
	}
	d2 := c.norm(yp1, c.y, c.y) / h0
	h1 := max(1e-6, h0*1e-3)
	if m := max(d1, d2); m > 1e-15 {
		h1 = math.Pow(0.01/m, 1/float64(q+1))
	}
	return min(100*h0, h1, c.s.MaxStep, limit-c.t)
}

// commit makes ynew at tnew the state.
func (c *core) commit(tnew float64) {
	c.tPrev, c.t = c.t, tnew
	c.y, c.ynew = c.ynew, c.y
	c.stats.Steps++
}
