package session

// The cases of an engine, each solved on a copy of the model at the design point: single cases, several in parallel, or
// the ancestors of a case; and transients.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Session is an engine that was solved at its design point. Cases are solved from there, each
// on a copy of the model, so that their order and number do not change a result.
type Session struct {
	Transients transient.Options // to be set before the first Solve
	// Iterations, if set, returns the present limit of Newton iterations for a case; 0: the default. Several goroutines
	// call it.
	Iterations func() int

	Engine *config.Engine
	Model  *steady.Solver // at the design point
	design *result.Result
	// DesignWarnings are the warnings of values that may lack a unit and of limits that the design point exceeds.
	DesignWarnings []result.Warning
}

// Open wires an engine and solves its design point. Errors are as of New.
func Open(ctx context.Context, cfg *config.Engine) (*Session, error) {
	m, err := graph.New(cfg)
	if err != nil {
		return nil, err
	}
	return New(ctx, m)
}

// New solves the design point of a model. The error wraps a *SolveError if the design did not converge; it is that of
// ctx if ctx ends before.
func New(ctx context.Context, model *graph.Model) (*Session, error) {
	m, cfg := steady.New(model), model.Engine
	s := &Session{Engine: cfg, Model: m, DesignWarnings: model.Doubts()}
	info, err := m.Design(ctx)
	s.design = m.Result(cfg.DesignCase, "design")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.design.Solver, s.design.Converged = info, err == nil
	if err != nil {
		s.design.Message = graph.Advise(err)
		return s, err
	}
	m.Rebase()
	passed, err := m.LimitsPassedAtDesign()
	s.DesignWarnings = append(s.DesignWarnings, passed...)
	return s, err
}

// Design returns the result of the design case.
func (s *Session) Design() *result.Result { return s.design }

// FailedDesign returns the result of a design without a solution, which New failed with. Its message begins with the
// target that is out of reach if there is only one, else with all targets. Values that may lack a unit come first.
func (s *Session) FailedDesign(ctx context.Context, failed error) *result.Result {
	const apart = " is out of reach: "
	if reach := s.Model.Reach(ctx, failed); reach != "" {
		_, reason, known := strings.Cut(s.design.Message, apart)
		if !known {
			reason = s.design.Message
		}
		s.design.Message = reach + "; " + reason
	} else if targets := s.designTargets(); targets != "" && !strings.Contains(s.design.Message, apart) {
		s.design.Message = "no design was found with " + targets + "; the last attempt: " + s.design.Message
	}
	for _, w := range slices.Backward(s.DesignWarnings) {
		s.design.Message = strings.Join(w.Evidence, "; ") + ": " + w.Message + "; " + s.design.Message
	}
	return s.design
}

// designTargets lists the targets of the design for a message, as the file has them.
func (s *Session) designTargets() string {
	var list []string
	for _, b := range s.Engine.Design {
		u := unit.As(b.Unit, s.Model.Dimension(b.Until))
		list = append(list, b.Until+" = "+u.Format(b.Target, 6))
	}
	return spell.List(list, "and")
}

// CaseNames lists all cases, the design first.
func CaseNames(cfg *config.Engine) []string {
	names := []string{cfg.DesignCase}
	for _, c := range cfg.Cases {
		names = append(names, c.Name)
	}
	return names
}

// Select checks case names against the engine's and returns them in its order.
func Select(cfg *config.Engine, names []string) ([]string, error) {
	all := CaseNames(cfg)
	if len(names) == 0 {
		return all, nil
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			return nil, fmt.Errorf("no case %q; the cases are %s", n, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(all, func(n string) bool { return !slices.Contains(names, n) }), nil
}

// Solve solves cases in parallel and returns their results in the order of the names. A case that does not converge has
// a result with Converged false. The error is that of ctx, or of a file that cannot be turned into equations. When ctx
// ends, results of unsolved cases are nil, and transients have the integrated part.
func (s *Session) Solve(ctx context.Context, names []string, workers int) ([]*result.Result, error) {
	return s.SolveFrom(ctx, s.Model, names, workers, false)
}

// SolveFrom is Solve from the state of a model. If solveDesign is set, it solves the design case too, as an off-design
// case; a replaced map requires that.
func (s *Session) SolveFrom(ctx context.Context, from *steady.Solver, names []string, workers int,
	solveDesign bool) ([]*result.Result, error) {
	return s.ForEach(ctx, names, workers, func(_ int, name string) (*result.Result, error) {
		if name != s.Engine.DesignCase {
			return s.SolveCase(ctx, from, s.Engine.Case(name))
		}
		if !solveDesign {
			return s.design, nil
		}
		return s.SolveCase(ctx, from, s.DesignAsCase())
	})
}

// ForEach calls do for each case, in parallel on so many workers (0: the cores), and returns
// the results in the order of the names.
func (s *Session) ForEach(ctx context.Context, names []string, workers int,
	do func(i int, name string) (*result.Result, error)) ([]*result.Result, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results := make([]*result.Result, len(names))
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	slots := make(chan struct{}, workers)
	for i, name := range names {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if errs[i] = ctx.Err(); errs[i] == nil {
				results[i], errs[i] = do(i, name)
			}
		})
	}
	wg.Wait()
	return results, errors.Join(errs...)
}

// DesignAsCase returns the design point as an off-design case. It varies the parameters that
// the design varies, as far as they have an effect off design, to meet the same targets.
func (s *Session) DesignAsCase() *config.Case {
	c := &config.Case{Name: s.Engine.DesignCase, Kind: "offdesign"}
	for _, b := range s.Engine.Design {
		if b.At != "" {
			continue
		}
		if _, _, designOnly, err := s.Model.Parameter(b.Vary); err == nil && !designOnly {
			c.Solve = append(c.Solve, b)
		}
	}
	c.Solve = slices.DeleteFunc(c.Solve, func(b config.Balance) bool { // the design found the parameter
		return s.Model.CheckTargets(components.OffDesign, []config.Balance{b}, c.Solve) != nil
	})
	return c
}

// SolveCase solves a case on a copy of the model.
func (s *Session) SolveCase(ctx context.Context, from *steady.Solver, c *config.Case) (*result.Result, error) {
	m, err := from.Clone()
	if err != nil {
		return nil, err
	}
	if err := m.Settle(); err != nil {
		return nil, err
	}
	if c.Transient != nil {
		return s.RunTransient(ctx, m, c, nil)
	}
	if c.From != "" {
		if err := s.SolveAncestors(ctx, m, c.From); err != nil {
			if _, ok := errors.AsType[*graph.SolveError](err); !ok {
				return nil, err
			}
			// Try the case from the design point.
			if m, err = from.Clone(); err != nil {
				return nil, err
			}
			if err := m.Settle(); err != nil {
				return nil, err
			}
		} else if s.KeepsFound(c) {
			m.Rebase()
		}
	}
	nw := newton.Solver{Settings: s.newton()}
	info, err := m.OffDesign(ctx, &nw, c)
	kind := "offdesign"
	if c.Name == s.Engine.DesignCase {
		kind = "design"
	}
	r := m.Result(c.Name, kind)
	r.Solver, r.Converged, r.Limited, r.Missed = info, err == nil, m.Limited, m.Missed
	if err != nil {
		if !graph.Unsolved(err) {
			return nil, err
		}
		r.Message = graph.Advise(err)
	}
	return r, nil
}

// newton is the settings of a solve that begins now.
func (s *Session) newton() (set newton.Settings) {
	s.Limit(&set)
	return set
}

// Limit sets how many iterations a solve may take that begins now.
func (s *Session) Limit(set *newton.Settings) {
	if s.Iterations != nil {
		set.MaxIterations = s.Iterations()
	}
}

// KeepsFound reports whether an ancestor of a case varies a parameter that the case neither varies nor sets: the case
// keeps the ancestor's value.
func (s *Session) KeepsFound(c *config.Case) bool {
	r := s.Model.Resolve(c)
	for a := s.Engine.Case(c.From); a != nil; a = s.Engine.Case(a.From) {
		for _, b := range a.Solve {
			varied := slices.ContainsFunc(r.Solve, func(balance config.Balance) bool { return balance.Vary == b.Vary })
			set := slices.ContainsFunc(r.Set, func(setting config.Setting) bool { return setting.Path == b.Vary })
			if !varied && !set {
				return true
			}
		}
	}
	return false
}

// SolveAncestors solves a case and its ancestors (`from`), the first ancestor first.
func (s *Session) SolveAncestors(ctx context.Context, m *steady.Solver, name string) error {
	c := s.Engine.Case(name)
	if c == nil {
		return nil
	}
	if c.From != "" {
		if err := s.SolveAncestors(ctx, m, c.From); err != nil {
			return err
		}
	}
	nw := newton.Solver{Settings: s.newton()}
	_, err := m.OffDesign(ctx, &nw, c)
	return err
}

// RunTransient runs a transient on a model at the design point. The extenders extend the maps
// of zoomed components; nil if no component is zoomed.
func (s *Session) RunTransient(ctx context.Context, m *steady.Solver, c *config.Case,
	extenders []*transient.MapExtender) (*result.Result, error) {
	var err error
	if c.From == "" && extenders != nil {
		// the zoomed maps move the design point
		_, err = m.OffDesign(ctx, &newton.Solver{Settings: s.newton()}, s.DesignAsCase())
	} else {
		err = s.start(ctx, m, c)
	}
	switch {
	case err == nil:
		r, err := transient.Solve(ctx, m.Model, c, s.Transients, extenders)
		if err == nil && r.Interrupted() {
			err = ctx.Err()
		}
		return r, err
	case graph.Unsolved(err):
		r := m.Result(c.Name, c.Kind)
		r.Message = fmt.Sprintf("case %s, from which it starts, does not converge: %s",
			cmp.Or(c.From, s.Engine.DesignCase), graph.Advise(err))
		return r, nil
	}
	return nil, err
}

// start brings a model from the design point to the start of a transient.
func (s *Session) start(ctx context.Context, m *steady.Solver, c *config.Case) error {
	if c.From == "" {
		return nil
	}
	if c.Transient.Steady == "rk4" {
		return transient.RunTo(ctx, m.Model, s.Engine.Case(c.From))
	}
	design := m.Save()
	err := s.SolveAncestors(ctx, m, c.From)
	var se *graph.SolveError
	if c.Transient.Steady == "newton" || !errors.As(err, &se) {
		return err
	}
	m.Restore(design)
	if err := m.Settle(); err != nil {
		return err
	}
	if runErr := transient.RunTo(ctx, m.Model, s.Engine.Case(c.From)); runErr != nil {
		return &graph.SolveError{
			Reason: fmt.Sprintf("by Newton's method: %v; by letting the engine run there: %v", err, runErr),
			Err:    errors.Join(err, runErr),
		}
	}
	return nil
}

// Point returns an engine at the design point.
func (s *Session) Point() (*steady.OperatingPoint, error) { return steady.NewPoint(s.Model) }

// Sensitivities returns the derivatives of outputs with respect to inputs at a case.
func (s *Session) Sensitivities(ctx context.Context, name string, inputs,
	outputs []string) ([]steady.Sensitivity, error) {
	design, err := s.Model.Clone()
	if err != nil {
		return nil, err
	}
	if name == s.Engine.DesignCase {
		return steady.Sensitivities(ctx, design, nil, nil, inputs, outputs)
	}
	c := s.Engine.Case(name)
	if c == nil {
		return nil, fmt.Errorf("there is no case %q", name)
	}
	if c.Transient != nil {
		return nil, fmt.Errorf("case %q is a transient; derivatives are those of operating points", name)
	}
	m, err := s.Model.Clone()
	if err != nil {
		return nil, err
	}
	if err := m.Settle(); err != nil {
		return nil, err
	}
	if c.From != "" {
		if err := s.SolveAncestors(ctx, m, c.From); err != nil {
			return nil, err
		}
	}
	if _, err := m.OffDesign(ctx, &newton.Solver{}, c); err != nil {
		return nil, err
	}
	return steady.Sensitivities(ctx, design, m, c, inputs, outputs)
}

// Check reports the errors of an engine that can be found before it is solved: numbers of equations and unknowns that
// do not match, cases that cannot be turned into equations.
func Check(m *graph.Model) error {
	errs := []error{steady.CheckDesign(m)}
	for i := range m.Engine.Cases {
		if c := &m.Engine.Cases[i]; c.Transient != nil {
			errs = append(errs, transient.Check(m, c))
		} else {
			errs = append(errs, steady.CheckCase(m, c))
		}
	}
	return errors.Join(errs...)
}
