// Package zoomsolve replaces components' maps by maps of flow solvers' runs, and solves the engine on them.
//
// [Solve] has the order of work: prepare (prepare.go), iterate the maps and the engine on the steady cases
// (iterate.go), seek the ends of speed lines (ends.go), run the transients (transient.go). Studies come from a
// [Zoomer]. [Check] finds components that cannot be zoomed before any case is solved.
//
// The zoom of a component (component.go) has one of two plans, which choose its runs with the planners of package zoom:
//
//	runs: 6, speeds:   a fixed grid (grid.go), which is extended until the engine works within its map
//	to: 0.1 %          rounds (rounds.go) until the error of the engine's results is small enough
//
// component.go, iterate.go and transient.go have the common parts of both plans: changes by users, the making of a map,
// the account of its runs and its record, transients that extend it, and warnings of gaps (warn.go). The requested
// error of a result is one budget of all components with a plan in rounds (budget.go), by the engine's gains
// (error.go). Each due part is lowered by a new run or by continuing a run (approach.go). A fixed grid has no part in
// the budget: its error is only reported.
package zoomsolve

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// Zoomed is the results of a zoom.
type Zoomed struct {
	Cases []*result.Result
	Maps  map[string]result.ScaledMap // of the zoomed components
}

// Solve solves the cases with zoomed maps in place of the maps of the file. Plain has the results of the same cases
// without zoom; they go into the results as Unzoomed.
//
// Engine and maps are iterated in turn. The engine gives the operating points of its components, the maps are extended
// until these points lie inside, and the engine is solved on the new maps. A zoomed component has the corrected speed
// of the component that it replaces; the engine's equations match its flow.
//
// Transients come last. The maps then contain their starting points, and their end points without zoom. InTime of the
// zoom sets the reaction when a transient leaves a map. Before the transients, Solve calls use with the engine on the
// settled maps, unless use is nil. While it solves, it calls keep with the latest maps, and the event that records
// each, unless keep is nil.
func Solve(ctx context.Context, session *session.Session, judge *rules.Judge, names []string, plain []*result.Result,
	workers int, zr Zoomer, record func(event.Event) event.Event, use func(*session.Session),
	keep func(component string, m result.ScaledMap, made *event.Ref)) (*Zoomed, error) {
	s := &zooming{session, judge, record, keep}
	all, err := prepare{session, judge, record, zr}.components(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, z := range all {
			z.charts.end()
		}
	}()
	steady, ends, err := s.steadyCases(ctx, names, plain, workers)
	if err != nil {
		return nil, err
	}
	engine, settled, err := s.settleMaps(ctx, all, steady, ends, workers)
	if err != nil {
		s.judgeRuns(ctx, all)
		return nil, err
	}
	if use != nil {
		zoomed := *session
		zoomed.Model = engine
		use(&zoomed)
	}
	results, zooms, err := s.runTransients(ctx, engine, names, settled, all, workers)
	if err == nil {
		err = finish(ctx, all)
	}
	if err != nil && ctx.Err() == nil {
		s.judgeRuns(ctx, all)
		return nil, err
	}
	out := &Zoomed{Maps: map[string]result.ScaledMap{}}
	for _, z := range all {
		s.replay(ctx, z, nil)
		s.warn(z, z.warnings())
		m, err := z.charts.last()
		if errors.Is(err, zoom.ErrNoMap) || errors.Is(err, context.Canceled) && ctx.Err() != nil {
			continue
		}
		if err != nil {
			s.warn(z, []result.Warning{z.warning("zoom_no_map", err.Error())})
			continue
		}
		out.Maps[z.cfg.Component] = m
	}
	for i, r := range results {
		if r == nil { // interrupted before this case was solved
			continue
		}
		out.Cases = append(out.Cases, r)
		r.Zoom = map[string]*result.ZoomResult{}
		for k, z := range all {
			s.report(ctx, r, z, k, zooms[i], i == 0)
		}
		if slices.ContainsFunc(r.TransientWarnings,
			func(w result.Warning) bool { return w.Rule == transient.SteeredRule }) {
			continue // steering made it a different manoeuvre from the one without zoom
		}
		r.Unzoomed = &result.Unzoomed{Stations: plain[i].Stations, Components: plain[i].Components,
			Shafts: plain[i].Shafts, Performance: plain[i].Performance}
	}
	return out, cmp.Or(err, ctx.Err())
}

// report adds the k-th zoom to a case's result. At is its copy in a transient; nil: the case is not a transient. If
// first is set, the result also gets the notes for all cases.
func (s *zooming) report(ctx context.Context, r *result.Result, z *componentZoom, k int, at *transientZoom,
	first bool) {
	name := z.cfg.Component
	if at != nil {
		base := z
		z = at.zooms[k]
		s.replay(ctx, z, base)
		s.warn(z, z.warningsIn(r.Name, base))
		if m, ok := at.maps[name]; ok {
			r.Maps[name] = m
		}
	}
	r.Zoom[name] = z.result(r, first)
	s.warn(z, z.estimateWarning(r))
	if at != nil {
		r.Zoom[name].InTime = at.inTime(name)
	}
}

// judgeRuns judges the cached runs of zooms that end without maps, and warns of gaps.
func (s *zooming) judgeRuns(ctx context.Context, all []*componentZoom) {
	for _, z := range all {
		s.replay(ctx, z, nil)
		s.warn(z, z.warnings())
	}
}

// replay judges the runs of a zoom that came from the cache, without the runs of base, its original.
func (s *zooming) replay(ctx context.Context, z, base *componentZoom) {
	known := map[string]bool{}
	if base != nil {
		for _, o := range slices.Concat(base.total.Outcomes, base.total.Earlier) {
			known[o.Run] = true
		}
	}
	for _, o := range slices.Concat(z.total.Outcomes, z.total.Earlier) {
		if o.Cached && !known[o.Run] && !z.found(o.Run) {
			s.judge.Replay(ctx, o)
		}
	}
}

// warn records warnings of a zoom.
func (s *zooming) warn(z *componentZoom, list []result.Warning) { s.judge.Warn(z.last(), list...) }

// zooming is a zoom of a session: the judge of its runs, and the log.
type zooming struct {
	*session.Session
	judge  *rules.Judge
	record func(event.Event) event.Event
	keep   func(component string, m result.ScaledMap, made *event.Ref)
}

// finish makes the branches of runs that are left.
func finish(ctx context.Context, all []*componentZoom) error {
	var studies []*study.Study
	for _, z := range all {
		studies = append(studies, z.studies...)
	}
	return study.Finish(ctx, studies)
}
