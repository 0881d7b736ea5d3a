package steady

// This file finds a start for a design: a cycle that closes. It solves for fuel, pressure ratios and powers one after
// another in the order of flow, each by the equation that it closes, so that downstream components are evaluated for a
// possible cycle. Newton's method on the whole system then needs few steps.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

const (
	closingEffort = 2000  // most evaluations of the engine for a start
	closedTight   = 1e-11 // largest residual of a closed equation
	closedLoose   = 1e-4  // largest residual that is left to Newton's method
)

// closing is a design on its way to a cycle that closes.
type closing struct {
	*closingOrder
	s     *equations
	dirty []bool       // by step: it is to be done
	lost  []bool       // by unknown: not found, so it keeps its value
	work  int          // steps done
	stop  func() error // the reason to stop; nil: continue
}

// newClosing starts from where the model is.
func newClosing(ctx context.Context, s *equations) *closing {
	c := &closing{stop: ctx.Err, closingOrder: s.order(), s: s, dirty: make([]bool, s.Model.StepCount()),
		lost: make([]bool, len(s.Unknowns))}
	for i := range c.dirty {
		c.dirty[i] = true
	}
	return c
}

// evaluations is the work done, in evaluations of the whole engine.
func (c *closing) evaluations() int { return (c.work + len(c.dirty) - 1) / len(c.dirty) }

// put sets an unknown.
func (c *closing) put(i int, x float64) {
	*c.s.Unknowns[i].At = x
	for k, reached := range c.reach[i] {
		c.dirty[k] = c.dirty[k] || reached
	}
}

// read runs the steps that a residual needs and returns it.
func (c *closing) read(r int) (float64, error) {
	if err := c.do(c.need[r]); err != nil {
		return 0, err
	}
	of := &c.s.Residuals[r]
	v := of.Get()
	if !numeric.Finite(v) {
		return 0, fmt.Errorf("%s is not a number", cmp.Or(of.Until, of.Name))
	}
	return v, nil
}

// do runs the marked steps that are pending, all pending steps if marked is nil.
func (c *closing) do(marked []bool) error {
	m := c.s.Model
	for i := range m.StepCount() {
		if !c.dirty[i] || marked != nil && !marked[i] {
			continue
		}
		if c.work++; c.work > closingEffort*m.StepCount() {
			return fmt.Errorf("no solution within %d evaluations: %w", closingEffort, numeric.ErrStop)
		}
		if err := c.stop(); err != nil {
			return fmt.Errorf("%w: %w", err, numeric.ErrStop)
		}
		if err := m.EvaluateStep(i); err != nil {
			return err
		}
		c.dirty[i] = false
	}
	m.SumUp()
	if marked != nil { // readers of statics or margins need the whole engine
		return nil
	}
	if c.s.Margins {
		m.Margins()
	}
	if c.s.Statics {
		return m.Statics()
	}
	return nil
}

// find solves for an unknown by the equation that it closes; ahead runs before that equation is read.
func (c *closing) find(i int, ahead func() error) error {
	u, r := &c.s.Unknowns[i], c.residual[i]
	open := &openError{residual: r, unknown: i}
	least, most, seen := math.Inf(1), math.Inf(-1), 0
	line := numeric.Line{Lo: c.s.Problem.Lower[i], Hi: c.s.Problem.Upper[i], Typical: u.Typical, Tolerance: closedTight}
	line.F = func(x float64) (float64, error) {
		c.put(i, x)
		if err := ahead(); err != nil {
			return 0, err
		}
		v, err := c.read(r)
		if err == nil && math.Abs(v) < least {
			least, open.value, open.explanation = math.Abs(v), c.value(r), c.explanation(r)
		}
		if err == nil {
			most = max(most, math.Abs(v))
			seen++
		}
		return v, err
	}
	var err error
	open.at, err = line.Root(*u.At)
	c.put(i, open.at)
	if errors.As(err, &open.no) {
		open.same = seen > 2 && most-least <= closedTight
		return open
	}
	return err
}

// upstream solves for the unknowns that determine another: the torn unknowns ahead of it in their list.
func (c *closing) upstream(j int) error {
	for _, i := range c.torn {
		if i == j {
			break
		}
		if c.affects[i][j] && !c.lost[i] {
			if err := c.settle(i); err != nil {
				return err
			}
		}
	}
	for _, i := range c.inner {
		if c.affects[i][j] {
			if err := c.settle(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle finds an unknown, unless its equation is closed.
func (c *closing) settle(i int) error {
	if slices.Contains(c.torn, i) {
		return c.find(i, func() error { return c.upstream(i) })
	}
	if c.isClosed(c.residual[i]) {
		return nil
	}
	return c.find(i, func() error { return nil })
}

// isClosed reports whether an equation held at the last evaluation, and its inputs have not changed since.
func (c *closing) isClosed(r int) bool {
	return !overlap(c.dirty, c.need[r]) && math.Abs(c.s.Residuals[r].Get()) <= closedTight
}

// close looks for a cycle that closes. It solves each torn unknown by the equation that it closes, those of least reach
// first; since they disturb each other, it then solves all of them together. Without an error the model is as near to a
// closed cycle as possible. An error names an equation that cannot be closed at the start.
func (c *closing) close() error {
	const sweeps = 4
	_, here := c.rest()
	var open error
	for range sweeps {
		before := open
		open = nil
		clear(c.lost)
		for _, i := range c.torn {
			err := c.settle(i)
			if c.lost[i] = err != nil; errors.Is(err, numeric.ErrStop) {
				return cmp.Or(here, err)
			}
			if open == nil {
				open = err
			}
		}
		worst, err := c.rest()
		switch {
		case err == nil && worst < closedLoose:
			return nil
		case open == nil && err == nil && c.together() == nil:
			return nil
		case open == nil:
			open = err
		}
		if len(c.torn) < 2 || before != nil && open != nil && before.Error() == open.Error() {
			break
		}
	}
	if len(c.torn) > 1 && c.together() == nil {
		return nil
	}
	if open != nil && here != nil {
		return here
	}
	return open
}

// rest closes all that is not torn, evaluates the whole engine and returns the largest residual.
func (c *closing) rest() (float64, error) {
	for _, i := range c.inner {
		if err := c.settle(i); err != nil {
			return 0, err
		}
	}
	if err := c.do(nil); err != nil {
		return 0, err
	}
	worst := 0.0
	for i := range c.s.Residuals {
		worst = max(worst, math.Abs(c.s.Residuals[i].Get()))
	}
	return worst, nil
}

// together solves for all torn unknowns at once, the others being closed for each of
// their values.
func (c *closing) together() error {
	n := len(c.torn)
	p := newton.Problem{Lower: make([]float64, n), Upper: make([]float64, n), Typical: make([]float64, n)}
	x0 := make([]float64, n)
	for k, i := range c.torn {
		p.Lower[k], p.Upper[k], p.Typical[k], x0[k] = c.s.Problem.Lower[i], c.s.Problem.Upper[i],
			c.s.Problem.Typical[i], *c.s.Unknowns[i].At
	}
	p.Eval = func(x, r []float64) error {
		for k, i := range c.torn {
			c.put(i, x[k])
		}
		for k, i := range c.torn {
			if err := c.upstream(i); err != nil {
				return err
			}
			var err error
			if r[k], err = c.read(c.residual[i]); err != nil {
				return err
			}
		}
		return nil
	}
	nw := newton.Solver{Settings: newton.Settings{Tolerance: closedLoose}}
	sol, err := nw.Solve(context.Background(), p, x0) // its evaluations look at stop
	for k, i := range c.torn {
		c.put(i, sol.X[k])
	}
	if _, e := c.rest(); e != nil && err == nil {
		return e
	}
	return err
}

// value is the present output of a target; NaN for other residuals.
func (c *closing) value(r int) float64 {
	if now := c.s.Residuals[r].Now; now != nil {
		return now()
	}
	return math.NaN()
}

func (c *closing) explanation(r int) string {
	if explain := c.s.Residuals[r].Explain; explain != nil {
		return explain()
	}
	return ""
}

// openError is an equation that no value of its unknown closes.
type openError struct {
	residual, unknown int
	at, value         float64 // the unknown and the target's output at the nearest point
	explanation       string  // the values behind that
	same              bool    // the unknown does not change the residual
	no                *numeric.NoRootError
}

func (e *openError) Error() string { return e.no.Error() }

func (e *openError) Unwrap() error { return e.no }

// closed moves the system to a cycle that closes, and solves it from there.
func (s *equations) closed(ctx context.Context, nw *newton.Solver) (result.SolveInfo, error) {
	s.Model.Context.Mode, s.Model.Context.Stores = s.Mode, false
	c := newClosing(ctx, s)
	if err := c.close(); err != nil {
		return result.SolveInfo{Evaluations: c.evaluations()}, c.explain(err)
	}
	nw.Forget()
	_, info, err := s.Solve(ctx, nw, s.InitialX())
	info.Evaluations += c.evaluations()
	return info, err
}

// explain puts into words why no cycle closes.
func (c *closing) explain(err error) error {
	var open *openError
	if !errors.As(err, &open) {
		return &graph.SolveError{Reason: err.Error(), Err: err}
	}
	for errors.As(open.no.Beyond, &open) { // the evaluation failed at another equation
	}
	u, r := &c.s.Unknowns[open.unknown], &c.s.Residuals[open.residual]
	e := &graph.SolveError{Err: err}
	beyond := open.no.Beyond
	at := fmt.Sprintf("%s = %.5g", u.Name, open.at)
	switch {
	case math.IsNaN(open.no.X):
		e.Reason = beyond.Error()
		return e
	case open.same:
		e.Worst, e.Value, e.Doc, e.Explanation = r.Name, open.no.F, r.Doc, open.explanation
		e.Reason = fmt.Sprintf("no varied parameter changes %s", r.Name)
		return e
	case r.Now != nil && open.no.Across:
		e.Reason = fmt.Sprintf("%s is out of reach: it jumps across the target from %s at %s",
			r.Name, r.Unit.Format(open.value, 4), at)
	case r.Now != nil:
		side := "greatest"
		if open.no.F > 0 {
			side = "least"
		}
		e.Reason = fmt.Sprintf("%s is out of reach: by %s alone, its %s value is %s, at %s", r.Name, u.Name, side,
			r.Unit.Format(open.value, 4), at)
	default:
		e.Worst, e.Value, e.Doc, e.Explanation = r.Name, open.no.F, r.Doc, open.explanation
		e.Reason = "it comes nearest at " + at
	}
	if r.Now != nil && !open.no.Across {
		e.Target, e.Nearest = r.Until, open.value
	}
	switch {
	case open.no.Bound:
		e.Reason += ", its bound"
	case beyond != nil:
		e.Reason += fmt.Sprintf("; beyond, %v", beyond)
	}
	return e
}

// begin solves the design point from x0.
func (s *equations) begin(ctx context.Context, nw *newton.Solver, x0 []float64, cold bool) (result.SolveInfo, error) {
	_, info, err := s.Solve(ctx, nw, x0)
	if err == nil || !cold || ctx.Err() != nil {
		return info, err
	}
	s.Put(x0)
	closed, errClosed := s.closed(ctx, nw)
	closed.Evaluations += info.Evaluations
	if !errors.Is(errClosed, numeric.ErrStop) {
		err = errClosed
	}
	return closed, err
}
