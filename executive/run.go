package executive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/executive/zoomsolve"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// The types of a run's inputs and errors are from other packages.
type (
	Zoomer      = zoomsolve.Zoomer      // makes the studies of zoomed components; Studies implements it
	Judge       = rules.Judge           // watches the runs of a study by the engine's rules
	NoZoomError = zoomsolve.NoZoomError // a component's zoom could not be had
)

// Options of a run.
type Options struct {
	Cases   []string // names; nil: all, the design case first
	Workers int      // cases solved at a time; 0: the number of cores
	Zoomer  Zoomer   // nil: no zoom

	// Record, if set, gets every event of the executive before the executive acts on it, and returns it with its
	// number. Several goroutines call it. Default: the log of Zoomer, if that is Studies.
	Record func(event.Event) event.Event

	Transients transient.Options // Observe is passed to Record

	settled func(*session.Session) // gets the engine on the zoomed maps, before transients; may be nil
}

// recorder returns Record or its default.
func (o Options) recorder() func(event.Event) event.Event {
	if o.Record != nil {
		return o.Record
	}
	if s := o.studies(); s != nil {
		s.defaults()
		return s.Log.Record
	}
	return func(e event.Event) event.Event { return e }
}

// studies returns the Studies of the zoomer.
func (o Options) studies() *Studies {
	s, _ := o.Zoomer.(*Studies)
	return s
}

// CheckDesign solves the design of an engine that Check passed, and returns its warnings. A design without a solution
// is an error that names the target out of reach, if it is one alone.
func CheckDesign(ctx context.Context, cfg *config.Engine) ([]result.Warning, error) {
	s, err := session.Open(ctx, cfg)
	if err == nil {
		return s.DesignWarnings, nil
	}
	if s == nil || ctx.Err() != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s: case %s does not converge: %s", cfg.File, cfg.DesignCase,
		s.FailedDesign(ctx, err).Message)
}

// Check reports errors of an engine that reading its file does not find: maps that cannot be read or do not fit, faulty
// rules, numbers of equations and unknowns that do not match.
func Check(cfg *config.Engine) error {
	m, err := graph.New(cfg)
	if err != nil {
		return err
	}
	var errs []error
	if _, err := rules.NewJudge(m); err != nil {
		errs = append(errs, err)
	}
	for i := range cfg.Zooms {
		errs = append(errs, zoomsolve.CheckGoals(m, &cfg.Zooms[i]))
	}
	return errors.Join(append(errs, session.Check(m), sweep.Check(m))...)
}

// Run solves cases of an engine. If the design does not converge, its result is the only one. With a *NoZoomError, or
// if ctx ends during a zoom, the results are without zoom. If ctx ends before, they are of the finished cases, and
// transients have the integrated part.
func Run(ctx context.Context, cfg *config.Engine, names []string, opt Options) (*result.Results, error) {
	out := &result.Results{Engine: cfg.Name, Warnings: []result.Warning{}}
	m, err := graph.New(cfg)
	if err != nil {
		return nil, err
	}
	judge, err := rules.NewJudge(m)
	if err != nil {
		return nil, err
	}
	defer func() { out.Warnings = judge.Warnings() }()
	s, err := session.New(ctx, m)
	if err != nil {
		if s != nil && graph.Unsolved(err) {
			out.Cases = []*result.Result{s.FailedDesign(ctx, err)}
			judge.Result(s.Design())
			return out, nil
		}
		return nil, err
	}
	record := opt.recorder()
	judge.Record = record
	opt.Transients.Observe = func(e event.Event) { record(e) }
	st := opt.studies()
	steered := st != nil && opt.Transients.Steer == nil
	if steered {
		opt.Transients.Steer, s.Iterations = st.transient, st.iterations
	}
	judge.Warn(nil, s.DesignWarnings...)
	zooms := len(cfg.Zooms) > 0 && opt.Zoomer != nil
	s.Transients = opt.Transients
	if zooms { // checkpoints are of transients on the zoomed maps
		// a replay cannot be steered
		s.Transients = transient.Options{Observe: opt.Transients.Observe, Clock: opt.Transients.Clock}
	}
	out.Cases, err = s.Solve(ctx, names, opt.Workers)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out.Cases = slices.DeleteFunc(out.Cases, func(r *result.Result) bool { return r == nil })
	out.Maps = s.Model.Maps()
	if err == nil && zooms {
		s.Transients = opt.Transients
		var z *zoomsolve.Zoomed
		if z, err = zoomsolve.Solve(ctx, s, judge, names, out.Cases, opt.Workers, opt.Zoomer, record,
			opt.settled, st.keepMap); z != nil {
			out.Cases, out.ZoomedMaps = z.Cases, z.Maps
		}
	}
	if err != nil && ctx.Err() != nil {
		judge.Warn(nil, interruptions(names, out.Cases, zooms)...)
	}
	for _, r := range out.Cases {
		judge.Result(r)
	}
	judge.Unoffered()
	if steered {
		if failed := st.keepTransients(cfg, names, zooms, &opt, out.Cases); failed != nil {
			record(event.Event{
				Kind: event.Warning,
				Text: fmt.Sprintf("the commands to transients could not be stored, and cannot be replayed: %v", failed),
			})
		}
	}
	return out, err
}

// interruptions warns of the cases that an interrupted run did not finish. It marks converged cases that were not
// zoomed any more.
func interruptions(names []string, cases []*result.Result, zooms bool) []result.Warning {
	var out []result.Warning
	warn := func(name, message string) {
		out = append(out, result.Warning{Severity: rule.Warning, Rule: "interrupted", Case: name, Message: message,
			Evidence: []string{}})
	}
	for _, name := range names {
		i := slices.IndexFunc(cases, func(r *result.Result) bool { return r.Name == name })
		switch {
		case i < 0:
			warn(name, "the run was interrupted before the case was solved")
		case cases[i].Interrupted():
			cases[i].Cut = true
			warn(name, "the transient was interrupted")
		case zooms && cases[i].Zoom == nil:
			cases[i].Cut = true
			warn(name, "the run was interrupted before the case was zoomed; its results are those without zoom")
		}
	}
	return out
}
