package executive

// The zoom of one component: the runs that its map needs, the map, and its results.

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// componentZoom is the zoom of one component.
type componentZoom struct {
	cfg     *config.Zoom
	part    *model.Part
	builder *zoom.Builder
	built   *zoom.Built
	total   zoom.Built // sums of all rounds
	record  func(event.Event) event.Event
	made    *event.Ref // the event that records the latest map; nil: none
}

// clone copies a zoom. The copy's requests do not change the original.
func (z *componentZoom) clone() *componentZoom {
	c := *z
	c.builder = z.builder.Clone()
	return &c
}

// targets returns the points at which the component works, case by case.
func (z *componentZoom) targets(results []*result.Result) []zoom.Target {
	out := make([]zoom.Target, len(results))
	for i, r := range results {
		c := r.Components[z.cfg.Component]
		out[i] = zoom.Target{Nc: c.Value("Nc"), Wc: c.Value("Wc"), PR: c.Value("PR")}
	}
	return out
}

// build makes the map, with the runs that it lacks. The first call chooses the runs.
func (z *componentZoom) build(ctx context.Context, targets []zoom.Target) error {
	if z.built == nil {
		if z.cfg.Span == "whole" {
			z.builder.Fixed = true
			z.builder.PlanLines(z.cfg.Speeds, targets)
		} else {
			z.builder.PlanNear(targets)
		}
	} else if !z.builder.Stale() {
		return nil
	}
	return z.run(ctx)
}

// run makes the runs that the builder needs, and the map.
func (z *componentZoom) run(ctx context.Context) error {
	built, err := z.builder.Build(ctx)
	if built != nil {
		z.total.Runs += built.Runs
		z.total.Cached += built.Cached
		z.total.Failed = built.Failed
		z.total.Outcomes = built.Outcomes
		z.total.Planned, z.total.Missing = built.Planned, built.Missing
		z.total.Dropped, z.total.Anchor = built.Dropped, built.Anchor
	}
	if err != nil {
		var none *zoom.NoMapError
		if errors.As(err, &none) {
			return &NoZoomError{z.cfg.Component, err}
		}
		return err
	}
	z.built = built
	made := z.record(event.Event{
		Source: event.Executive, Kind: event.Map, Cause: lastEnd(built.Outcomes), Name: built.Map.Name, Component: z.cfg.Component,
		Values: map[string]float64{"runs": float64(built.Runs), "cached": float64(built.Cached), "failed": float64(built.Failed)},
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

// extend requests the runs that the map lacks for these results and ends. It reports whether the
// map has to be rebuilt.
func (z *componentZoom) extend(results, ends []*result.Result) bool {
	edges := make([]perfmap.Edge, len(results)+len(ends))
	for i, r := range results {
		edges[i] = r.MapEdges[z.cfg.Component]
	}
	return z.builder.Extend(z.targets(slices.Concat(results, ends)), edges)
}

// errorAt estimates the relative error of the map at a result's operating point.
func (z *componentZoom) errorAt(r *result.Result) float64 {
	at := r.Components[z.cfg.Component].Map
	return z.builder.ErrorAt(z.built.Map, perfmap.Point{Alpha: z.built.Map.Alpha[0], Nc: at.Nc, X: at.X})
}

// errorHolds reports whether that estimate holds.
func (z *componentZoom) errorHolds(r *result.Result) bool {
	return z.builder.ErrorHolds(r.Components[z.cfg.Component].Map.Nc)
}

// replay judges the runs that came from the cache, without those of base: this zoom was copied
// from it.
func (z *componentZoom) replay(judge *Judge, base *componentZoom) {
	known := map[string]bool{}
	if base != nil {
		for _, o := range base.total.Outcomes {
			known[o.Run] = true
		}
	}
	for _, o := range z.total.Outcomes {
		if o.Cached && !known[o.Run] {
			judge.Replay(o)
		}
	}
}

// gaps returns what the map lacks.
func (z *componentZoom) gaps() *mapGaps {
	return &mapGaps{z.cfg.Component, z.total, z.built != nil && z.cfg.Scale != "absolute"}
}

// cause returns the event that led to the zoom's warnings: its latest map, or the end of its
// last run.
func (z *componentZoom) cause() *event.Ref {
	if z.made != nil {
		return z.made
	}
	return lastEnd(z.total.Outcomes)
}

// result reports the zoom at a case's result.
func (z *componentZoom) result(r *result.Result) *result.ZoomResult {
	out := &result.ZoomResult{
		Method: z.cfg.Method, Runs: z.total.Runs, Cached: z.total.Cached, Failed: z.total.Failed, Map: z.built.Map.Name,
		Error: z.errorAt(r), ErrorHolds: z.errorHolds(r),
	}
	for _, o := range z.total.Outcomes {
		if o.OK() {
			out.Fidelity = o.Solver + ", " + o.Fidelity
			break
		}
	}
	var notes []string
	for _, l := range z.total.Dropped {
		notes = append(notes, l.String())
	}
	if z.built.Map.Stall == nil && z.built.Map.StallLine == nil {
		notes = append(notes, "on some speed line no run reached stall, so that the map gives no surge margin")
	}
	out.Message = strings.Join(notes, "; ")
	return out
}
