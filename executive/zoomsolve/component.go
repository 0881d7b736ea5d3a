package zoomsolve

// The zoom of one component: the runs that its map needs, the map, and its results.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// NoZoomError reports a component for which no map could be made from runs.
type NoZoomError struct {
	Component string
	Err       error
}

func (e *NoZoomError) Error() string {
	return fmt.Sprintf("%s could not be zoomed: %v", e.Component, e.Err)
}
func (e *NoZoomError) Unwrap() error { return e.Err }

// componentZoom is the zoom of one component: what stands in for its map, from runs.
type componentZoom interface {
	common() *zoomCommon

	// build makes the runs that are planned; the first call plans them for the results.
	build(ctx context.Context, results []*result.Result) error
	// install puts what the runs made into the component.
	install(p *graph.Part) error
	// extend plans the runs that are lacking for results of the engine with all zooms installed, and for
	// ends of transients. It reports whether there are any. Of zooms in rounds lack says before what is due.
	extend(ctx context.Context, results, ends []*result.Result) (bool, error)
	// errorAt estimates the relative error at a result, and whether the estimate holds.
	errorAt(r *result.Result) (e float64, holds bool)
	// result reports the zoom at a case's result.
	result(r *result.Result) *result.ZoomResult
	// scaledMap is the map that the runs made, for files and pictures. The error says why there is none.
	scaledMap(m *steady.Solver) (result.ScaledMap, error)
	// clone copies the zoom. The copy's runs do not change the original.
	clone() componentZoom
	// extender extends what is installed in a transient; nil: it is not extended.
	extender(m *steady.Solver, mu *sync.Mutex) *transient.MapExtender
}

// zoomCommon is what all zooms of components have.
type zoomCommon struct {
	cfg     *config.Zoom
	part    *graph.Part
	total   zoom.Built // sums of all rounds
	record  func(event.Event) event.Event
	made    *event.Ref   // the event that records the latest map; nil: none
	charted bool         // there is a map
	cause   *event.Ref   // of the next runs
	studies []*run.Study // its own, and those of its priors

	noFlow func(run string) bool // a run found no flow, as was to be found out; nil: none
}

func (z *zoomCommon) common() *zoomCommon { return z }

// found reports whether a run that gave no answer is no failure.
func (z *zoomCommon) found(run string) bool { return z.noFlow != nil && z.noFlow(run) }

// course is what may be changed of the study while it goes on; nil: nothing.
func (z *zoomCommon) course() *run.Course {
	if len(z.studies) == 0 {
		return nil
	}
	return z.studies[0].Course()
}

// targets returns the points at which the component works, case by case.
func (z *zoomCommon) targets(results []*result.Result) []zoom.Target {
	out := make([]zoom.Target, len(results))
	for i, r := range results {
		c := r.Components[z.cfg.Component]
		out[i] = zoom.Target{Nc: c.Value("Nc"), Wc: c.Value("Wc"), PR: c.Value("PR"), Alpha: c.Setting}
	}
	return out
}

// gridZoom makes a map from runs on a grid of speed lines and throttles.
type gridZoom struct {
	zoomCommon
	builder *zoom.Builder
	built   *zoom.Built
}

// clone implements componentZoom.
func (z *gridZoom) clone() componentZoom {
	c := *z
	c.builder = z.builder.Clone()
	return &c
}

// install implements componentZoom.
func (z *gridZoom) install(p *graph.Part) error {
	return p.Component.(components.MapUser).SetMap(z.built.Map, z.cfg.Scale == "absolute")
}

// scaledMap implements componentZoom.
func (z *gridZoom) scaledMap(m *steady.Solver) (result.ScaledMap, error) {
	return m.Maps()[z.cfg.Component], nil
}

// build makes the map, with the runs that it lacks. The first call chooses the runs.
func (z *gridZoom) build(ctx context.Context, results []*result.Result) error {
	if z.built == nil {
		targets := z.targets(results)
		if z.cfg.Span == "whole" {
			z.builder.Fixed = true
			z.builder.PlanLines(z.cfg.Speeds, targets)
		} else {
			z.builder.PlanNear(targets)
		}
	} else if !z.builder.Stale() {
		return nil
	}
	z.course().Offer(z.cfg.Component, z.builder.Adds())
	return z.run(ctx)
}

// run makes the runs that the builder needs, and the map.
func (z *gridZoom) run(ctx context.Context) error {
	z.builder.Cause = z.cause
	built, err := z.builder.Build(ctx)
	z.total.Unlike = z.builder.Study.Unlike()
	if built != nil {
		z.total.Runs += built.Runs
		z.total.Cached += built.Cached
		z.total.Failed = built.Failed
		z.total.Outcomes = built.Outcomes
		z.total.Planned, z.total.Missing = built.Planned, built.Missing
		z.total.Dropped, z.total.Cut, z.total.Anchor = built.Dropped, built.Cut, built.Anchor
	}
	if err != nil {
		var none *zoom.NoMapError
		if errors.As(err, &none) {
			return &NoZoomError{z.cfg.Component, err}
		}
		return err
	}
	z.built, z.charted = built, true
	made := z.record(event.Event{
		Source: event.Executive, Kind: event.Map, Cause: lastEnd(built.Outcomes), Name: built.Map.Name,
		Component: z.cfg.Component,
		Values: map[string]float64{"runs": float64(built.Runs), "cached": float64(built.Cached),
			"failed": float64(built.Failed)},
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

// extend implements componentZoom.
func (z *gridZoom) extend(_ context.Context, results, ends []*result.Result) (bool, error) {
	for _, a := range z.course().TakeAdded(z.cfg.Component) {
		z.builder.Add(a)
	}
	edges := make([]perfmap.Edge, len(results)+len(ends))
	for i, r := range results {
		edges[i] = r.MapEdges[z.cfg.Component]
	}
	return z.builder.Extend(z.targets(slices.Concat(results, ends)), edges), nil
}

// errorAt implements componentZoom.
func (z *gridZoom) errorAt(r *result.Result) (float64, bool) {
	at := z.at(r)
	return z.builder.CausesAt(at).Largest(), z.builder.ErrorHolds(at.Nc)
}

// at is where on its map the component works in a result.
func (z *gridZoom) at(r *result.Result) perfmap.Point {
	at := r.Components[z.cfg.Component].Map
	return perfmap.Point{Alpha: z.built.Map.Alpha[0], Nc: at.Nc, X: at.X}
}

// gaps returns what the map lacks.
func (z *zoomCommon) gaps() *mapGaps {
	return &mapGaps{z.cfg.Component, z.total, z.charted && z.cfg.Scale != "absolute", z.branched()}
}

// last returns the event that led to the zoom's warnings: its latest map, or the end of its
// last run.
func (z *zoomCommon) last() *event.Ref {
	if z.made != nil {
		return z.made
	}
	return lastEnd(z.total.Outcomes)
}

// result implements componentZoom.
func (z *gridZoom) result(r *result.Result) *result.ZoomResult {
	out := z.counts(z.built.Map.Name)
	at := z.at(r)
	by := z.builder.CausesAt(at)
	out.Error, out.ErrorHolds = by.Largest(), z.builder.ErrorHolds(at.Nc)
	causes := result.ErrorCauses(by)
	out.Causes = &causes
	var notes []string
	if by.Gain() > 0 {
		if inputs, err := z.builder.NextAt(at); err == nil {
			out.Next = &result.NextRun{Inputs: inputs, Gain: by.Gain()}
		}
	}
	if out.Short = r.Converged && out.ErrorHolds && by.Interpolation > config.DefaultError; out.Short {
		notes = append(notes,
			fmt.Sprintf("runs: %d are too few for %g %%, which is reached by to: %[2]g %% in place of runs",
				z.cfg.Runs, 100*config.DefaultError))
	}
	for _, l := range z.total.Dropped {
		notes = append(notes, l.String())
	}
	if z.built.Map.Stall == nil && z.built.Map.StallLine == nil {
		why := "on some speed line no run reached stall"
		if len(z.total.Cut) > 0 {
			why += ", or that end is cut where lines cross"
		}
		notes = append(notes, why+", so that the map gives no surge margin")
	}
	out.Message = strings.Join(notes, "; ")
	return out
}

// counts are the part of a result that does not depend on the case.
func (z *zoomCommon) counts(name string) *result.ZoomResult {
	out := &result.ZoomResult{Method: z.cfg.Method, Runs: z.total.Runs, Cached: z.total.Cached, Failed: z.total.Failed,
		Map: name, Branches: branchResults(z.branched())}
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
	return out
}
