package zoomsolve

// The zoom of one component: a plan chooses its runs, and their map replaces the map of the component.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// NoZoomError reports a component whose runs gave no map.
type NoZoomError struct {
	Component string
	Err       error
}

func (e *NoZoomError) Error() string {
	return fmt.Sprintf("%s could not be zoomed: %v", e.Component, e.Err)
}
func (e *NoZoomError) Unwrap() error { return e.Err }

// componentZoom is the zoom of one component.
type componentZoom struct {
	plan
	cfg     *config.Zoom
	part    *graph.Part  // of the session's engine, or of a transient's
	runs    *sync.Mutex  // a transient makes runs; nil: in no transient
	total   zoom.Account // of all runs so far
	record  func(event.Event) event.Event
	made    *event.Ref // the event that records the latest map; nil: none
	charts  *charts
	drawn   bool           // charts draw the latest map, or have drawn it
	charted bool           // a map exists
	cause   *event.Ref     // of the next runs
	studies []*study.Study // its own study, and those of its priors
}

// plan chooses the runs of a zoom, and makes a map or a model of their answers: of a fixed grid (grid.go), or to an
// error (rounds.go).
type plan interface {
	// begin plans the first runs, for the results without zoom.
	begin(results []*result.Result)
	// Adds returns a function that checks a run added by a user; its error gives the reason for a refusal.
	Adds() func(live.Added) error
	add(live.Added)
	// appraise estimates the errors of the results of the engine with all zooms installed, relative to the requested
	// error; nil: a fixed grid has no requested error.
	appraise(ctx context.Context, s *session.Session, m *steady.Solver, results []*result.Result) (*budget, error)
	// extend plans the runs that are lacking for such results, and for ends of transients.
	extend(ctx context.Context, results, ends []*result.Result) error
	// due reports whether another map is to be made: runs are planned, or other answers are to count.
	due() bool
	// make makes the planned runs and the map, and accounts for them.
	make(ctx context.Context) error
	// Account reports all runs so far.
	Account() zoom.Account
	// seekEnds seeks the ends of speed lines, if the engine wants them, and reports whether it did.
	seekEnds(ctx context.Context, e *config.Engine, j *rules.Judge, results, transients []*result.Result) (bool, error)
	// found reports whether a run that gave no answer is no failure.
	found(run string) bool

	// install puts the response of the runs into the component.
	install(p *graph.Part) error
	// errorAt estimates the relative error at a result, and whether the estimate holds.
	errorAt(r *result.Result) (e float64, holds bool)
	// report adds the estimate and the notes of the plan to a case's result. If first is set, the result also gets the
	// notes for all cases.
	report(r *result.Result, out *result.ZoomResult, first bool)
	// scaledMap returns what draws the map from the runs so far, for files and pictures, whatever the zoom does next.
	// The error gives the reason for a missing map.
	scaledMap(m *steady.Solver) func(context.Context) (result.ScaledMap, error)

	// Margin and Place implement transient.Extendable.
	Margin(at transient.Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge)
	Place(nc, wc float64) (x float64, other bool)
	// prefetch plans the missing runs beyond some sides, and names the side. It reports whether any run is missing.
	prefetch(at transient.Working, sides perfmap.Edge) (side string, any bool)
	// Requests returns the runs of the map; redo makes it from them.
	Requests() zoom.Requests
	redo(ctx context.Context, requests zoom.Requests) error

	// clone copies the plan for a copy of its zoom. The copy's runs do not change the original.
	clone(of *componentZoom) plan
}

// clone copies the zoom. The copy's runs do not change the original.
func (z *componentZoom) clone() *componentZoom {
	c := *z
	c.plan = z.plan.clone(&c)
	return &c
}

// live returns the settings of the study that may change while it runs, or nil.
func (z *componentZoom) live() *live.Settings { return z.studies[0].Live() }

// overBudget returns why the study's budget allows no further run of the component; empty: it does.
func (z *componentZoom) overBudget() string { return z.studies[0].Pool.Refuses(z.cfg.Component) }

// targets returns the operating points of the component, case by case.
func (z *componentZoom) targets(results []*result.Result) []machine.Target {
	out := make([]machine.Target, len(results))
	for i, r := range results {
		c := r.Components[z.cfg.Component]
		out[i] = machine.Target{Nc: c.Value("Nc"), Wc: c.Value("Wc"), PR: c.Value("PR"), Alpha: c.Setting}
	}
	return out
}

// scaled reports whether the map is scaled to the engine's design point.
func (z *componentZoom) scaled() bool { return z.cfg.Scale != "absolute" }

// build makes the runs that are planned, and the map; the first call plans them for the results.
func (z *componentZoom) build(ctx context.Context, results []*result.Result) error {
	if !z.charted {
		z.begin(results)
	} else if !z.due() || z.overBudget() != "" {
		return nil
	}
	z.live().Offer(z.cfg.Component, z.Adds())
	return z.make(ctx)
}

// mapped accounts for a round of runs, and returns its error. Without an error it records the resulting map, with the
// counts of its own runs by outcome.
func (z *componentZoom) mapped(err error, own zoom.Account) error {
	z.total = z.Account()
	z.total.Unlike = z.studies[0].Unlike()
	if _, ok := errors.AsType[*zoom.NoMapError](err); ok {
		return &NoZoomError{z.cfg.Component, err}
	}
	if err != nil {
		return err
	}
	z.charted, z.drawn = true, false
	made := z.record(event.Event{
		Source: event.Executive, Kind: event.Map, Cause: lastEnd(own.Outcomes), Name: z.cfg.Component,
		Component: z.cfg.Component,
		Values: map[string]float64{"runs": float64(own.Runs), "cached": float64(own.Cached),
			"failed": float64(own.Failed)},
	})
	z.made = made.Ref()
	return nil
}

// lastEnd returns the event that recorded the end of the last of the runs, or nil.
func lastEnd(outcomes []run.Outcome) *event.Ref {
	for _, o := range slices.Backward(outcomes) {
		if o.Ended != nil {
			return o.Ended
		}
	}
	return nil
}

// last returns the event that led to the zoom's warnings: its latest map, or the end of its
// last run.
func (z *componentZoom) last() *event.Ref {
	if z.made != nil {
		return z.made
	}
	return lastEnd(z.total.Outcomes)
}

// result reports the zoom at a case's result. If first is set, the result also gets the notes for all cases.
func (z *componentZoom) result(r *result.Result, first bool) *result.ZoomResult {
	out := &result.ZoomResult{
		Method: z.cfg.Method, Runs: z.total.Runs, Cached: z.total.Cached, Failed: z.total.Failed,
		RunsBefore: len(z.total.Earlier), Map: z.cfg.Component, Branches: branchResults(z.branched()),
	}
	for _, o := range z.total.Outcomes {
		if len(o.Steered) > 0 {
			out.Steered = append(out.Steered, o.Run)
		}
	}
	for _, o := range slices.Concat(z.total.Outcomes, z.total.Earlier) {
		if o.OK() {
			out.Fidelity = o.Solver + ", " + o.Fidelity
			break
		}
	}
	out.Error, out.ErrorHolds = z.errorAt(r)
	z.report(r, out, first)
	return out
}

// message joins the notes of a result.
func message(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), "; ")
}

// branched lists the branches of the zoom's runs.
func (z *componentZoom) branched() (list []pool.Branched) {
	for _, s := range z.studies {
		list = append(list, s.Pool.Branched()...)
	}
	return list
}
