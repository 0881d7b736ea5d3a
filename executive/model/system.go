package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// system is the square system of equations of one mode. It has the unknowns and residuals
// of all components and those of the balances that a case adds.
type system struct {
	m         *Model
	mode      components.Mode // Design, OffDesign, or OffDesign|Transient
	unknowns  []unknown
	residuals []residual
	balances  []*balance
	held      bool // a speed is held; see hold
	problem   newton.Problem
	statics   bool   // a residual reads a static quantity
	margins   bool   // a residual reads a stall margin
	afterEval func() // called after the engine is evaluated, before residuals are read; may be nil
}

type unknown struct {
	name    string
	at      *float64
	lo, hi  *float64
	typical float64
	scaling components.Similarity
}

type residual struct {
	name    string
	get     func() float64
	doc     string
	explain func() string // the values behind it, for people; may be nil
	of      *Part         // whose it is; nil: a target's
	// Of a target:
	until string         // what is to have it
	vary  *float64       // what is varied for it
	now   func() float64 // what it is now
}

// balance is a config.Balance with its present target, which moves on the way to a case
// and in a transient.
type balance struct {
	config.Balance
	target float64
}

// assemble builds the system of a mode, with extra balances.
func (m *Model) assemble(mode components.Mode, balances []*balance) (*system, error) {
	return m.assembleWithout(mode, balances, nil)
}

// assembleWithout is assemble without the unknowns and residuals that states replace. The
// keys of replaced are the addresses of their values.
func (m *Model) assembleWithout(mode components.Mode, balances []*balance,
	replaced map[*float64]bool) (*system, error) {
	s := &system{m: m, mode: mode}
	for _, p := range m.Parts {
		for _, u := range p.Declaration.Unknowns {
			if u.In(mode) && !replaced[u.At] {
				s.unknowns = append(s.unknowns,
					unknown{p.Name + "." + u.Name, u.At, u.Min, u.Max, u.Typical, u.Scaling})
			}
		}
		if t, ok := p.Component.(components.ShaftBalancer); ok && mode == components.Design {
			if u, free := t.BalancedByShaft(); free && !isVaried(balances, p.Name+"."+u.Name) {
				s.unknowns = append(s.unknowns,
					unknown{p.Name + "." + u.Name, u.At, u.Min, u.Max, u.Typical, u.Scaling})
			}
		}
		for _, r := range p.Declaration.Residuals {
			if r.In(mode) && !replaced[r.At] {
				s.residuals = append(s.residuals,
					residual{name: p.Name + "." + r.Name, get: func() float64 { return *r.At }, doc: r.Doc,
						explain: explainerOf(p), of: p})
			}
		}
	}
	s.balances = balances
	for _, b := range balances {
		if err := s.balance(b); err != nil {
			return nil, err
		}
	}
	if len(s.unknowns) != len(s.residuals) {
		return nil, s.notSquare()
	}
	s.prepare()
	return s, nil
}

func isVaried(balances []*balance, path string) bool {
	for _, b := range balances {
		if b.Vary == path {
			return true
		}
	}
	return false
}

// varied is the unknown that a balance adds.
func (s *system) varied(b config.Balance) (unknown, error) {
	p, at, designOnly, err := s.m.Parameter(b.Vary)
	if err != nil {
		return unknown{}, fmt.Errorf("%s:%v: %w", s.m.Engine.File, b.Pos, err)
	}
	for _, u := range s.unknowns {
		if u.at == at {
			return unknown{}, fmt.Errorf("%s:%v: %s is found by the engine itself here; vary something else",
				s.m.Engine.File, b.Pos, b.Vary)
		}
	}
	if designOnly && s.mode != components.Design {
		return unknown{}, fmt.Errorf("%s:%v: %s fixes the design and has no effect off design; vary it in the design",
			s.m.Engine.File, b.Pos, b.Vary)
	}
	lo, hi := b.Min, b.Max
	if spec := p.param(b.Vary[strings.LastIndex(b.Vary, ".")+1:]); spec != nil && (spec.Min != 0 || spec.Max != 0) {
		if lo == nil {
			lo = &spec.Min
		}
		if hi == nil {
			hi = &spec.Max
		}
	}
	typical := math.Abs(*at)
	if typical == 0 {
		typical = 1e-3
		if hi != nil {
			typical = 1e-3 * math.Abs(*hi)
		}
	}
	return unknown{name: b.Vary, at: at, lo: lo, hi: hi, typical: typical}, nil
}

// balance adds a vary/until pair.
func (s *system) balance(b *balance) error {
	u, err := s.varied(b.Balance)
	if err != nil {
		return err
	}
	read, err := s.m.Read(b.Until)
	if err != nil {
		return fmt.Errorf("%s:%v: %w", s.m.Engine.File, b.Pos, err)
	}
	if b.Until == b.Vary { // a parameter is to be what a control says, not an output of its name
		read = Reading{Get: func() float64 { return *u.at }}
	}
	s.statics = s.statics || read.statics
	s.margins = s.margins || read.margins
	s.unknowns = append(s.unknowns, u)
	scale := math.Abs(b.Target)
	if scale == 0 {
		scale = 1
	}
	s.residuals = append(s.residuals, residual{name: b.Until, until: b.Until, vary: u.at, now: read.Get,
		get: func() float64 { return (read.Get() - b.target) / scale }, doc: "the target is not met",
		explain: func() string {
			return fmt.Sprintf("it is %.5g where the target is %.5g, with %s at %.5g%s", read.Get(), b.Target, b.Vary,
				*u.at, boundsText(u.lo, u.hi))
		}})
	return nil
}

// boundsText writes bounds for a message, in brackets; it is empty if there are none.
func boundsText(lo, hi *float64) string {
	switch {
	case lo != nil && hi != nil:
		return fmt.Sprintf(" (allowed: %.5g to %.5g)", *lo, *hi)
	case lo != nil:
		return fmt.Sprintf(" (at least %.5g)", *lo)
	case hi != nil:
		return fmt.Sprintf(" (at most %.5g)", *hi)
	}
	return ""
}

// explainerOf returns the function by which a component explains its residuals; nil if it
// has none.
func explainerOf(p *Part) func() string {
	if t, ok := p.Component.(components.Explainer); ok {
		return t.Explain
	}
	return nil
}

func (s *system) notSquare() error {
	var us, rs []string
	for _, u := range s.unknowns {
		us = append(us, u.name)
	}
	for _, r := range s.residuals {
		rs = append(rs, r.name)
	}
	what := "off design"
	if s.mode == components.Design {
		what = "at design"
	}
	advice := "too few unknowns: add a {vary, until} pair or remove an equation"
	if len(us) > len(rs) {
		advice = "too many unknowns: add a target, or give the value of an unknown"
	}
	return fmt.Errorf("%s: %s there are %d unknowns (%s) and %d equations (%s); %s",
		s.m.Engine.File, what, len(us), strings.Join(us, ", "), len(rs), strings.Join(rs, ", "), advice)
}

// prepare sets the problem for the solver: bounds, magnitudes and the function.
func (s *system) prepare() {
	n := len(s.unknowns)
	p := newton.Problem{Lower: make([]float64, n), Upper: make([]float64, n), Typical: make([]float64, n)}
	for i, u := range s.unknowns {
		p.Lower[i], p.Upper[i], p.Typical[i] = math.Inf(-1), math.Inf(1), u.typical
		if u.lo != nil {
			p.Lower[i] = *u.lo
		}
		if u.hi != nil {
			p.Upper[i] = *u.hi
		}
	}
	p.Eval = s.eval
	s.problem = p
}

// eval writes the unknowns, runs the engine and reads the residuals.
func (s *system) eval(x, r []float64) error { return s.evalSome(x, r, nil) }

// evalSome is eval that runs only the marked steps of the engine, or all if marked is nil.
func (s *system) evalSome(x, r []float64, marked []bool) error {
	s.put(x)
	s.m.ctx.Mode, s.m.ctx.Stores = s.mode&^components.Transient, s.mode&components.Transient != 0
	if err := s.m.evaluateSome(marked); err != nil {
		return err
	}
	if s.statics {
		if err := s.m.statics(); err != nil {
			return err
		}
	}
	if s.margins {
		s.m.margins()
	}
	if s.afterEval != nil {
		s.afterEval()
	}
	for i := range s.residuals {
		r[i] = s.residuals[i].get()
	}
	return nil
}

// put writes the unknowns.
func (s *system) put(x []float64) {
	for i, u := range s.unknowns {
		*u.at = x[i]
	}
}

// initialX returns the unknowns as they are in the model.
func (s *system) initialX() []float64 {
	x := make([]float64, len(s.unknowns))
	for i, u := range s.unknowns {
		x[i] = *u.at
	}
	return x
}

// SolveError reports a solve that did not converge. It names the equation with the largest
// residual, what that equation means, and the bounds and map edges that were reached.
type SolveError struct {
	Reason      string   // of the solver
	Worst       string   // equation with the largest residual: component.residual
	Value       float64  // its residual
	Doc         string   // what a residual other than zero means
	Explanation string   // the values behind the residual, for the message; may be empty
	Bounds      []string // unknowns that lie on a bound, with their values
	Edges       []string // components that work outside their maps, with the sides
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

// solve runs Newton's method from x0. It leaves the model at the solution or, if it fails,
// at the best iterate. If ctx ends, the error is that of ctx, and the model is anywhere.
func (s *system) solve(ctx context.Context, nw *newton.Solver,
	x0 []float64) (newton.Solution, result.SolveInfo, error) {
	sol, err := nw.Solve(ctx, s.problem, x0)
	if err != nil && ctx.Err() != nil {
		return sol, result.SolveInfo{Iterations: sol.Iterations, Evaluations: sol.Evaluations, Unknown: true}, ctx.Err()
	}
	r := make([]float64, len(sol.X))
	atX := s.eval(sol.X, r)
	info := result.SolveInfo{Iterations: sol.Iterations, Evaluations: sol.Evaluations, Residual: sol.Residual,
		Unknown: sol.Unknown}
	if len(s.residuals) > 0 && !sol.Unknown {
		info.Worst = s.residuals[sol.Worst].name
	}
	if err == nil {
		return sol, info, atX
	}
	return sol, info, s.solveError(sol, err, atX)
}

// solveError describes where a failed solve ended. The model is at that point, unless atX,
// the error of its evaluation there, is not nil.
func (s *system) solveError(sol newton.Solution, err, atX error) *SolveError {
	e := &SolveError{Reason: s.reason(err), Err: err}
	if atX == nil {
		w := s.residuals[sol.Worst]
		e.Worst, e.Value, e.Doc = w.name, sol.R[sol.Worst], w.doc
		if w.explain != nil {
			e.Explanation = w.explain()
		}
		for _, p := range s.m.Parts {
			if u, ok := p.Component.(components.MapUser); ok && u.Edge() != 0 {
				e.Edges = append(e.Edges, fmt.Sprintf("%s (%s)", p.Name, u.Edge()))
			}
		}
	}
	for _, i := range sol.AtBound {
		e.Bounds = append(e.Bounds, fmt.Sprintf("%s = %.5g", s.unknowns[i].name, sol.X[i]))
	}
	return e
}

// singularError describes equations that are singular at the model's present state.
func (s *system) singularError(err error) error {
	e := &SolveError{Reason: s.reason(err), Err: err}
	var singular *newton.SingularError
	if errors.As(err, &singular) && singular.Residual >= 0 {
		w := s.residuals[singular.Residual]
		e.Worst, e.Doc = w.name, w.doc
		if w.explain != nil {
			e.Explanation = w.explain()
		}
	}
	return e
}

// reason writes the solver's error with the names of unknowns and residuals for their
// numbers.
func (s *system) reason(err error) string {
	var e *newton.SingularError
	if errors.As(err, &e) {
		switch {
		case e.Residual >= 0:
			return fmt.Sprintf("no unknown changes %s", s.residuals[e.Residual].name)
		case e.Unknown >= 0:
			return fmt.Sprintf("%s has no effect on any equation", s.unknowns[e.Unknown].name)
		}
		return "two unknowns have the same effect on all equations"
	}
	return err.Error()
}
