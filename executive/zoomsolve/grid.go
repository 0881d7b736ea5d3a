package zoomsolve

// The plan of a fixed number of runs, `runs:` and `speeds:`: a grid of speed lines and throttles, extended until all
// operating points lie within its map.

import (
	"context"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
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
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// gridPlan makes a map from runs on a grid of speed lines and throttles.
type gridPlan struct {
	*componentZoom
	*zoom.Grid
}

func (g *gridPlan) clone(of *componentZoom) plan { return &gridPlan{of, g.Grid.Clone()} }

func (g *gridPlan) begin(results []*result.Result) {
	targets := g.targets(results)
	if g.cfg.Span == "whole" {
		g.Fixed = true
		g.PlanLines(g.cfg.Speeds, targets)
	} else {
		g.PlanNear(targets)
	}
}

func (g *gridPlan) add(a live.Added) { g.Add(a) }

func (g *gridPlan) due() bool { return g.Stale() }

func (g *gridPlan) make(ctx context.Context) error {
	g.announce()
	return g.made(g.Make(ctx))
}

// announce has the grid name the cause of its next runs, and record the map that it makes of them.
func (g *gridPlan) announce() {
	g.Cause = g.cause
	g.Making = func(runs, lines int) {
		g.record(event.Event{Source: event.Executive, Kind: event.Message, Component: g.cfg.Component,
			Text: fmt.Sprintf("its map is being made of %d runs on %d speed lines", runs, lines)})
	}
}

// made records the map. The counts of its event cover only the runs of this map.
func (g *gridPlan) made(err error) error {
	own := g.Account()
	own.Runs, own.Cached = own.Runs-g.total.Runs, own.Cached-g.total.Cached
	return g.mapped(err, own)
}

// appraise implements plan: a fixed grid has no wanted error.
func (g *gridPlan) appraise(context.Context, *session.Session, *steady.Solver, []*result.Result) (*budget, error) {
	return nil, nil
}

func (g *gridPlan) extend(_ context.Context, results, ends []*result.Result) error {
	edges := make([]perfmap.Edge, len(results)+len(ends))
	for i, r := range results {
		edges[i] = r.MapEdges[g.cfg.Component]
	}
	g.Grid.Extend(g.targets(slices.Concat(results, ends)), edges)
	return nil
}

// seekEnds implements plan: lines end where their runs do.
func (g *gridPlan) seekEnds(context.Context, *config.Engine, *rules.Judge, []*result.Result,
	[]*result.Result) (bool, error) {
	return false, nil
}

func (g *gridPlan) found(string) bool { return false }

func (g *gridPlan) install(p *graph.Part) error {
	return p.Component.(components.MapUser).SetMap(g.Map(), !g.scaled())
}

func (g *gridPlan) scaledMap(m *steady.Solver) func(context.Context) (result.ScaledMap, error) {
	made := m.Maps()[g.cfg.Component]
	return func(context.Context) (result.ScaledMap, error) { return made, nil }
}

func (g *gridPlan) errorAt(r *result.Result) (float64, bool) {
	at := g.at(r)
	return g.CausesAt(at).Largest(), g.ErrorHolds(at.Nc)
}

// at is where on its map the component works in a result.
func (g *gridPlan) at(r *result.Result) perfmap.Point {
	at := r.Components[g.cfg.Component].Map
	return perfmap.Point{Alpha: g.Map().Alpha[0], Nc: at.Nc, X: at.X}
}

func (g *gridPlan) report(r *result.Result, out *result.ZoomResult, _ bool) {
	at := g.at(r)
	by := g.CausesAt(at)
	causes := result.ErrorCauses(by)
	out.Causes = &causes
	var notes []string
	if by.Gain() > 0 {
		if inputs, err := g.NextAt(at); err == nil {
			out.Next = &result.NextRun{Inputs: inputs, Gain: by.Gain()}
		}
	}
	if out.Short = r.Converged && out.ErrorHolds && by.Interpolation > config.DefaultError; out.Short {
		notes = append(
			notes,
			fmt.Sprintf("runs: %d are too few for %g %%, which is reached by to: %[2]g %% in place of runs",
				g.cfg.Runs, 100*config.DefaultError),
		)
	}
	for _, l := range g.total.Dropped {
		notes = append(notes, l.String())
	}
	if m := g.Map(); m.Stall == nil && m.StallLine == nil {
		why := "on some speed line no run reached stall"
		if len(g.total.Cut) > 0 {
			why += ", or that end is cut where lines cross"
		}
		notes = append(notes, why+", so that the map gives no surge margin")
	}
	out.Message = message(notes...)
}

// Margin implements plan: how far from the map's bounds.
func (g *gridPlan) Margin(at transient.Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge) {
	m, _, _ := g.part.Component.(components.MapUser).Map()
	return zoom.Margin(m, at.NcMap, at.X, watched, limit)
}

func (g *gridPlan) prefetch(at transient.Working, sides perfmap.Edge) (string, bool) {
	return sides.String(), g.PlanAhead(at.Target, sides)
}

// Place implements plan: where the map has the flow.
func (g *gridPlan) Place(nc, wc float64) (float64, bool) {
	m, s, _ := g.part.Component.(components.MapUser).Map()
	x, _, err := m.Solve("Wc", m.Design.Alpha, nc/s.Nc, wc/s.Wc)
	return x, err == nil
}

func (g *gridPlan) redo(ctx context.Context, requests zoom.Requests) error {
	g.announce()
	return g.made(g.Redo(ctx, requests))
}
