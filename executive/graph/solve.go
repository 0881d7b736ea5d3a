package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Advise describes a failed solve in one line, with the suggested change.
func Advise(err error) string {
	msg := err.Error()
	if se, ok := errors.AsType[*SolveError](err); ok {
		msg = se.Error()
		switch {
		case len(se.Bounds) > 0:
			msg += "; choose a target nearer to the last solution, or widen the bound"
		case len(se.Edges) > 0:
			msg += "; choose a point nearer to the design, or extend the map"
		}
	}
	return msg
}

// SolveError reports a solve that did not converge. It names the equation with the largest residual, its meaning, and
// the bounds and map edges that were reached.
type SolveError struct {
	Reason      string   // of the solver
	Worst       string   // equation with the largest residual: component.residual
	Value       float64  // its residual
	Doc         string   // meaning of a residual other than zero
	Explanation string   // the values behind the residual, for the message; may be empty
	Bounds      []string // unknowns that lie on a bound, with their values
	Edges       []string // components that work outside their maps, with the sides
	Target      string   // the target that no value of its unknown meets, if it is one alone
	Nearest     float64  // the value of it that was nearest
	Err         error
}

func (e *SolveError) Error() string {
	var b strings.Builder
	switch {
	case e.Explanation != "":
		fmt.Fprintf(&b, "%s is not met: %s; ", e.Worst, e.Explanation)
	case e.Worst != "":
		fmt.Fprintf(&b, "%s is off by %.3g (%s); ", e.Worst, e.Value, e.Doc)
	}
	b.WriteString(e.Reason)
	if len(e.Bounds) > 0 {
		fmt.Fprintf(&b, "; at its bound: %s", strings.Join(e.Bounds, ", "))
	}
	if len(e.Edges) > 0 {
		fmt.Fprintf(&b, "; beyond the map: %s", strings.Join(e.Edges, ", "))
	}
	return b.String()
}

func (e *SolveError) Unwrap() error { return e.Err }

// Solve runs Newton's method from x0. It leaves the model at the solution or, if it fails, at the best iterate. If ctx
// ends, the error is that of ctx, and the state of the model is undefined.
func (s *System) Solve(ctx context.Context, nw *newton.Solver,
	x0 []float64) (newton.Solution, result.SolveInfo, error) {
	sol, err := nw.Solve(ctx, s.Problem, x0)
	if err != nil && ctx.Err() != nil {
		return sol, result.SolveInfo{Iterations: sol.Iterations, Evaluations: sol.Evaluations, Unknown: true}, ctx.Err()
	}
	r := make([]float64, len(sol.X))
	atX := s.Eval(sol.X, r)
	info := result.SolveInfo{Iterations: sol.Iterations, Evaluations: sol.Evaluations, Residual: sol.Residual,
		Unknown: sol.Unknown}
	if len(s.Residuals) > 0 && !sol.Unknown {
		info.Worst = s.Residuals[sol.Worst].Name
	}
	if err == nil {
		return sol, info, atX
	}
	return sol, info, s.SolveError(sol, err, atX)
}

// SolveError describes the end of a failed solve. The model is at that point, unless atX, the error of its evaluation
// there, is not nil.
func (s *System) SolveError(sol newton.Solution, err, atX error) *SolveError {
	e := &SolveError{Reason: s.reason(err), Err: err}
	if atX == nil {
		w := s.Residuals[sol.Worst]
		e.Worst, e.Value, e.Doc = w.Name, sol.R[sol.Worst], w.Doc
		if w.Explain != nil {
			e.Explanation = w.Explain()
		}
		for _, p := range s.Model.Parts {
			if u, ok := p.Component.(components.MapUser); ok && u.Edge() != 0 {
				e.Edges = append(e.Edges, fmt.Sprintf("%s (%s)", p.Name, u.Edge()))
			}
		}
	}
	for _, i := range sol.AtBound {
		e.Bounds = append(e.Bounds, fmt.Sprintf("%s = %.5g", s.Unknowns[i].Name, sol.X[i]))
	}
	return e
}

// SingularError describes equations that are singular at the model's present state.
func (s *System) SingularError(err error) error {
	e := &SolveError{Reason: s.reason(err), Err: err}
	if singular, ok := errors.AsType[*newton.SingularError](err); ok && singular.Residual >= 0 {
		w := s.Residuals[singular.Residual]
		e.Worst, e.Doc = w.Name, w.Doc
		if w.Explain != nil {
			e.Explanation = w.Explain()
		}
	}
	return e
}

// reason writes the solver's error with the names of unknowns and residuals for their
// numbers.
func (s *System) reason(err error) string {
	if e, ok := errors.AsType[*newton.SingularError](err); ok {
		switch {
		case e.Residual >= 0:
			return fmt.Sprintf("no unknown changes %s", s.Residuals[e.Residual].Name)
		case e.Unknown >= 0:
			return fmt.Sprintf("%s has no effect on any equation", s.Unknowns[e.Unknown].Name)
		}
		return "two unknowns have the same effect on all equations"
	}
	return err.Error()
}
