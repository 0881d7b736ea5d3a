package executive

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Options of a run.
type Options struct {
	Cases   []string // names; nil: all, the design case first
	Workers int      // cases solved at a time; 0: the cores
	Zoomer  Zoomer   // nil: zoomed components keep the maps of their own

	Transients TransientOptions
}

// Session is an engine that was solved at its design point. Cases are solved
// from there, each on its own copy of the model, so that neither their order nor
// their number changes an answer.
type Session struct {
	Transients TransientOptions // to be set before the first Solve

	cfg    *config.Engine
	model  *Model // at the design point
	design *Result
	judge  *Judge
}

// NewSession wires an engine and solves its design point. The error is a
// *SolveError within if the design did not converge.
func NewSession(cfg *config.Engine) (*Session, error) {
	m, err := NewModel(cfg)
	if err != nil {
		return nil, err
	}
	s := &Session{cfg: cfg, model: m}
	if s.judge, err = NewJudge(m); err != nil {
		return nil, err
	}
	info, err := m.Design()
	s.design = m.result(cfg.DesignCase, "design")
	s.design.Solver, s.design.Converged = info, err == nil
	if err != nil {
		s.design.Message = advise(err)
		return s, err
	}
	passed, err := m.passedAtDesign()
	s.judge.Warn(passed...)
	return s, err
}

// Design is the result of the design case.
func (s *Session) Design() *Result { return s.design }

// maps returns the map of every component that has one, with its scalars.
func (m *Model) maps() map[string]ScaledMap {
	out := map[string]ScaledMap{}
	for _, p := range m.parts {
		if u, ok := p.comp.(components.MapUser); ok {
			if pm, sc, absolute := u.Map(); pm != nil {
				if absolute {
					sc = perfmap.Unscaled
				}
				out[p.name] = ScaledMap{pm, sc}
			}
		}
	}
	return out
}

// ScaledMap is a map with the scalars that bring it to a component.
type ScaledMap struct {
	Map   *perfmap.Map
	Scale perfmap.Scale
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
			return nil, fmt.Errorf("there is no case %q; there are %s", n, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(all, func(n string) bool { return !slices.Contains(names, n) }), nil
}

// Solve solves cases with the component maps that are set, in parallel, and
// returns their results in the order of the names. A case that does not converge
// is a result that says so. The error is that of ctx, with nil for the results that
// are not there by then and transients as far as they came, or of a file that cannot be
// made into equations.
func (s *Session) Solve(ctx context.Context, names []string, workers int) ([]*Result, error) {
	return s.solve(ctx, s.model, names, workers, false)
}

// solve solves cases from the state of a model. Again says that the design case
// is to be solved off design, because a map was exchanged.
func (s *Session) solve(ctx context.Context, from *Model, names []string, workers int, again bool) ([]*Result, error) {
	return s.each(ctx, names, workers, func(_ int, name string) (*Result, error) {
		if name != s.cfg.DesignCase {
			return s.one(ctx, from, s.cfg.Case(name))
		}
		if !again {
			return s.design, nil
		}
		return s.one(ctx, from, s.designAgain())
	})
}

// each does something for each case, in parallel, and returns the results in the order
// of the names.
func (s *Session) each(ctx context.Context, names []string, workers int, do func(i int, name string) (*Result, error)) ([]*Result, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results := make([]*Result, len(names))
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

// designAgain is the design point as an off-design case: what the design varied
// and an operating point can vary as well, until the same targets.
func (s *Session) designAgain() *config.Case {
	c := &config.Case{Name: s.cfg.DesignCase, Kind: "offdesign"}
	for _, b := range s.cfg.Design {
		if b.At != "" {
			continue
		}
		if _, _, designOnly, err := s.model.parameter(b.Vary); err == nil && !designOnly {
			c.Solve = append(c.Solve, b)
		}
	}
	return c
}

// one solves a case on a copy of the model.
func (s *Session) one(ctx context.Context, from *Model, c *config.Case) (*Result, error) {
	m, err := from.Clone()
	if err != nil {
		return nil, err
	}
	if err := m.settle(); err != nil {
		return nil, err
	}
	if c.Transient != nil {
		return s.transient(ctx, m, c, nil)
	}
	if c.From != "" {
		if err := s.ancestors(ctx, m, c.From); err != nil {
			var se *SolveError
			if !errors.As(err, &se) {
				return nil, err
			}
			// The case may be had from the design all the same.
			if m, err = from.Clone(); err != nil {
				return nil, err
			}
			if err := m.settle(); err != nil {
				return nil, err
			}
		}
	}
	var nw newton.Solver
	info, err := m.OffDesign(ctx, &nw, c)
	kind := "offdesign"
	if c.Name == s.cfg.DesignCase {
		kind = "design"
	}
	r := m.result(c.Name, kind)
	r.Solver, r.Converged, r.Limited = info, err == nil, m.limited
	if err != nil {
		var se *SolveError
		var ee *EvalError
		if !errors.As(err, &se) && !errors.As(err, &ee) {
			return nil, err
		}
		r.Message = advise(err)
	}
	return r, nil
}

// ancestors solves the cases that a case comes from, the oldest first.
func (s *Session) ancestors(ctx context.Context, m *Model, name string) error {
	c := s.cfg.Case(name)
	if c == nil {
		return nil
	}
	if c.From != "" {
		if err := s.ancestors(ctx, m, c.From); err != nil {
			return err
		}
	}
	var nw newton.Solver
	_, err := m.OffDesign(ctx, &nw, c)
	return err
}

// settle evaluates the model where it is, so that its stations are filled.
func (m *Model) settle() error {
	m.ctx.Mode, m.ctx.Stores = components.OffDesign, false
	if err := m.evaluate(); err != nil {
		return err
	}
	if err := m.statics(); err != nil {
		return err
	}
	m.margins()
	return nil
}

// advise puts a failed solve into one sentence.
func advise(err error) string {
	msg := err.Error()
	var se *SolveError
	if errors.As(err, &se) {
		msg = se.Error()
		switch {
		case len(se.Bounds) > 0:
			msg += "; the target lies beyond that bound: ask for less, or widen it"
		case len(se.Edges) > 0:
			msg += "; ask for a point nearer to the design, or extend the map"
		}
	}
	return msg
}

// Check reports what can be said against an engine beyond its file: maps that
// cannot be read or do not suit, equations and unknowns that do not match.
func Check(cfg *config.Engine) error {
	m, err := NewModel(cfg)
	if err != nil {
		return err
	}
	var errs []error
	if _, err := NewJudge(m); err != nil {
		errs = append(errs, err)
	}
	here, _ := m.designBalances()
	if _, err := m.assemble(components.Design, here); err != nil {
		errs = append(errs, err)
	}
	for i := range cfg.Cases {
		if c := &cfg.Cases[i]; c.Transient != nil {
			if _, err := m.newTransient(c, nil); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		if _, _, err := m.prepareCase(m.resolve(&cfg.Cases[i])); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, m.checkSweeps())...)
}

// Run solves cases of an engine. An engine whose design does not converge has
// one result, which says so. With a *NoZoomError, or when ctx ends during a
// zoom, the results are those without zoom. When it ends before, they are those that
// were finished, and transients as far as they came.
func Run(ctx context.Context, cfg *config.Engine, names []string, opt Options) (*Results, error) {
	out := &Results{Engine: cfg.Name, Warnings: []Warning{}}
	s, err := NewSession(cfg)
	if s != nil && s.judge != nil {
		defer func() { out.Warnings = s.judge.Warnings() }()
	}
	if err != nil {
		var se *SolveError
		var ee *EvalError
		if s != nil && (errors.As(err, &se) || errors.As(err, &ee)) {
			out.Cases = []*Result{s.design}
			s.judge.Result(s.design)
			return out, nil
		}
		return nil, err
	}
	zooms := len(cfg.Zooms) > 0 && opt.Zoomer != nil
	s.Transients = opt.Transients
	if zooms { // checkpoints are of transients on the zoomed maps
		s.Transients = TransientOptions{Progress: opt.Transients.Progress}
	}
	out.Cases, err = s.Solve(ctx, names, opt.Workers)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out.Cases = slices.DeleteFunc(out.Cases, func(r *Result) bool { return r == nil })
	out.Maps = s.model.maps()
	if err == nil && zooms {
		s.Transients = opt.Transients
		var z *Zoomed
		if z, err = s.Zoom(ctx, names, out.Cases, opt.Workers, opt.Zoomer); z != nil {
			out.Cases, out.ZoomedMaps = z.Cases, z.Maps
		}
	}
	for _, r := range out.Cases {
		s.judge.Result(r)
	}
	return out, err
}
