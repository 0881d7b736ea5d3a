package steady

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// follower follows the curve of solutions F(x, lambda) = 0 of a system by its arc length (H. B. Keller, Numerical
// solution of bifurcation and nonlinear eigenvalue problems, in Applications of Bifurcation Theory, Academic Press
// 1977): with y = (x, lambda), each in its own scale w,
//
//	F(y) = 0,   sum t_i (y_i - p_i)/w_i^2 = 0
//
// where t is the tangent of the curve and p the point predicted by it. So a fold, a point where lambda turns back, is
// regular and can be located: the requested quantity has an extreme value there.
type follower struct {
	s       *equations
	set     func(lambda float64)    // sets the parameters that change along the curve
	fold    func(y []float64) error // the error of a fold at y
	nw      newton.Solver
	w       []float64 // scales of y
	y, last []float64 // present and previous point
	t, tOld []float64 // their tangents
	h       float64   // length of the step between them
	p, r    []float64
	known   bool // t is the tangent at y
	info    result.SolveInfo
}

// FoldError reports an extreme value of the target quantity on the way to the target.
type FoldError struct {
	Quantity string
	Least    bool    // the extreme is a minimum
	Value    float64 // SI
	Vary     string
	At       float64   // value of Vary at the extreme
	unit     unit.Unit // of Quantity, for messages
	unitVary unit.Unit
}

func (e *FoldError) Error() string { return e.Quantity + " has " + e.extreme() }

// extreme is the second half of the message.
func (e *FoldError) extreme() string {
	word := "greatest"
	if e.Least {
		word = "least"
	}
	return fmt.Sprintf("its %s value, %s, at %s = %s", word, e.unit.Format(e.Value, 5), e.Vary,
		e.unitVary.Format(e.At, 5))
}

const (
	firstStep    = 0.1 // change of the unknown that changes most in a step, in its scale
	longestStep  = 0.25
	shortestStep = 1e-3
	beyondFold   = 0.03 // how far a curve is followed beyond a fold, since kinks of maps make small ones
	onCurve      = 1e-5 // largest residual of a point of the curve
)

// newFollower starts a curve where the model is, with lambda = 0.
func (m *Solver) newFollower(s *equations, set func(float64)) *follower {
	n := len(s.Unknowns)
	f := &follower{s: s, set: set}
	for _, v := range []*[]float64{&f.w, &f.y, &f.last, &f.t, &f.tOld, &f.p, &f.r} {
		*v = make([]float64, n+1)
	}
	copy(f.y, s.InitialX())
	s.scales(f.w)
	f.w[n] = 1
	f.t[n] = 1
	return f
}

// scales sets the magnitudes of the unknowns: their values, or a tenth of their range for unknowns that are zero.
func (s *equations) scales(w []float64) {
	for i, x := range s.InitialX() {
		w[i] = max(math.Abs(x), s.Problem.Typical[i])
		if hi := s.Problem.Upper[i]; x == 0 && !math.IsInf(hi, 1) {
			w[i] = max(w[i], hi/10)
		}
	}
}

// problem is the system with the condition on the arc length.
func (f *follower) problem() newton.Problem {
	n := len(f.s.Unknowns)
	p := newton.Problem{
		Lower:   append(slices.Clone(f.s.Problem.Lower), math.Inf(-1)),
		Upper:   append(slices.Clone(f.s.Problem.Upper), math.Inf(1)),
		Typical: append(slices.Clone(f.s.Problem.Typical), 1),
	}
	p.Eval = func(y, r []float64) error {
		f.set(y[n])
		if err := f.s.Eval(y[:n], r[:n]); err != nil {
			return err
		}
		sum := 0.0
		for i := range y {
			sum += f.t[i] * (y[i] - f.p[i]) / (f.w[i] * f.w[i])
		}
		r[n] = sum
		return nil
	}
	return p
}

// put takes the model to the present point.
func (f *follower) put() {
	n := len(f.s.Unknowns)
	f.set(f.y[n])
	_ = f.s.Eval(f.y[:n], f.r[:n]) // it was a point of the curve
}

// tangent sets the tangent at the present point, in the direction of the previous tangent.
func (f *follower) tangent(p newton.Problem) error {
	n := len(f.s.Unknowns)
	copy(f.p, f.y)
	if err := f.nw.Linearize(p, f.y, func(int, float64) { f.info.Evaluations++ }); err != nil {
		return err
	}
	clear(f.r)
	f.r[n] = -1
	t := f.nw.Respond(f.r)
	norm := 0.0
	for i := range t {
		norm = max(norm, math.Abs(t[i])/f.w[i])
	}
	copy(f.tOld, f.t)
	for i := range t {
		f.t[i] = t[i] / norm
	}
	f.known = true
	return nil
}

// step moves along the tangent by h and back to the curve. It reports whether the result is near the prediction. It
// cannot be interrupted: it is short, and other cases use the curve.
func (f *follower) step(p newton.Problem, h float64) (newton.Solution, bool) {
	for i := range f.p {
		f.p[i] = max(p.Lower[i], min(p.Upper[i], f.y[i]+h*f.t[i]))
	}
	f.nw.Settings = newton.Settings{Tolerance: onCurve, MaxIterations: 12, MaxEvaluations: 4 * len(f.p)}
	sol, err := f.nw.Solve(context.Background(), p, f.p)
	f.info.Evaluations += sol.Evaluations
	f.info.Iterations += sol.Iterations
	ok := err == nil
	for i := range f.p {
		ok = ok && math.Abs(sol.X[i]-f.p[i]) <= 0.5*h*f.w[i]+1e-9
	}
	if !ok {
		f.nw.Forget()
	}
	return sol, ok
}

// next moves to the next point of the curve, by a step of h or less, and sets h to the length of the following step.
// The error, a *SolveError, gives the reason if no point follows: a *FoldError in it means that lambda is greatest at
// the present point.
func (f *follower) next(p newton.Problem, h *float64) error {
	if !f.known {
		if err := f.tangent(p); err != nil {
			return f.lost(err)
		}
	}
	if err := f.advance(p, h); err != nil {
		return err
	}
	if err := f.tangent(p); err != nil {
		return f.lost(err)
	}
	if f.t[len(f.t)-1] < 0 {
		return f.beyond(p)
	}
	return nil
}

// advance makes a step of h or less and sets h to the length of the next step.
func (f *follower) advance(p newton.Problem, h *float64) error {
	for {
		sol, ok := f.step(p, *h)
		if ok {
			copy(f.last, f.y)
			copy(f.y, sol.X)
			f.h, f.known = *h, false
			*h = min(longestStep, 1.5**h)
			f.info.Steps++
			return nil
		}
		if *h /= 2; *h < shortestStep {
			return f.lost(errors.New("the way cannot be followed further"))
		}
	}
}

// beyond looks behind a fold: maps with kinks make small folds, behind which lambda continues. For a true fold it
// returns an error, with the fold as the present point.
func (f *follower) beyond(p newton.Problem) error {
	n := len(f.s.Unknowns)
	if err := f.turn(p); err != nil {
		return err
	}
	peak, t := slices.Clone(f.y), slices.Clone(f.t)
	sol, ok := f.step(p, beyondFold)
	if ok && sol.X[n] > peak[n] {
		copy(f.y, sol.X)
		f.h, f.known = beyondFold, false
		if err := f.tangent(p); err != nil {
			return f.lost(err)
		}
		if f.t[n] > 0 {
			return nil
		}
	}
	copy(f.y, peak)
	copy(f.t, t)
	return f.fold(f.y)
}

// turn returns to the fold between the last two points, where lambda is greatest. It finds the zero of lambda's slope
// along the curve by false position with the Illinois rule.
func (f *follower) turn(p newton.Problem) error {
	n := len(f.s.Unknowns)
	y, t := slices.Clone(f.last), slices.Clone(f.tOld)
	lo, hi, up, down := 0.0, f.h, f.tOld[n], f.t[n]
	side := 0
	for range 8 {
		h := lo + (hi-lo)*up/(up-down)
		copy(f.y, y)
		copy(f.t, t)
		sol, ok := f.step(p, h)
		if !ok {
			return nil
		}
		copy(f.y, sol.X)
		if err := f.tangent(p); err != nil {
			return f.lost(err)
		}
		slope := f.t[n]
		switch {
		case math.Abs(slope) < 1e-2*t[n], hi-lo < 1e-4:
			return nil
		case slope > 0:
			lo, up = h, slope
			if side > 0 {
				down /= 2
			}
			side = 1
		default:
			hi, down = h, slope
			if side < 0 {
				up /= 2
			}
			side = -1
		}
	}
	return nil
}

// foldError reports that the quantity of a balance is extreme at y.
func foldError(s *equations, b *graph.Balance, y []float64, least bool) error {
	at := math.NaN()
	for i, u := range s.Unknowns {
		if u.Name == b.Vary {
			at = y[i]
		}
	}
	e := &FoldError{Quantity: b.Until, Least: least, Value: b.Current, Vary: b.Vary, At: at,
		unit: unit.As(b.Unit, s.Model.Dimension(b.Until)), unitVary: unit.SI.Of(s.Model.Dimension(b.Vary))}
	return &graph.SolveError{Reason: e.Error(), Err: e}
}

// foldErrorOf reports that a way folds back at y. If only one target changes along it, the error names the target as
// extreme.
func foldErrorOf(s *equations, way *caseRamp, y []float64) error {
	lambda := y[len(y)-1]
	var moved []int
	for i, b := range way.balances {
		if b.Target != way.targetFrom[i] {
			moved = append(moved, i)
		}
	}
	fixed := slices.Equal(way.from, way.to)
	if fixed && len(moved) == 1 {
		b := way.balances[moved[0]]
		way.set(lambda)
		return foldError(s, b, y, b.Target < way.targetFrom[moved[0]])
	}
	return &graph.SolveError{Reason: fmt.Sprintf("the way from the last solution folds back at %.1f %%", 100*lambda)}
}

// lost puts into words where the curve was lost.
func (f *follower) lost(err error) error {
	n := len(f.s.Unknowns)
	e := &graph.SolveError{Reason: err.Error(), Err: err}
	f.set(f.y[n])
	if f.s.Eval(f.y[:n], f.r[:n]) != nil {
		return e
	}
	x := newton.Solution{X: f.y[:n], R: f.r[:n]}
	for i, v := range x.X {
		if v <= f.s.Problem.Lower[i] || v >= f.s.Problem.Upper[i] {
			x.AtBound = append(x.AtBound, i)
		}
	}
	found := f.s.SolveError(x, err, nil)
	found.Worst, found.Explanation = "", ""
	return found
}

const mostPoints = 80 // of an arm
