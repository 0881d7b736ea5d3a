package zoomsolve

// A zoom in rounds makes runs at the engine's operating points, until the error of its results is small enough.
//
// Each round solves all cases with the model of all runs so far. The model's deviations at a case's operating point
// become errors of the requested results by the engine's own gains: the engine is solved again with each output of the
// model changed a little. Each case with too large an error gets a run, at most a batch a round. The estimate of a
// case's error is the larger of two values: two standard deviations of the model, and the difference between the case's
// last run and its prediction. A run for several cases near each other is the last run of each.

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// roundsPlan makes a model of runs in rounds.
type roundsPlan struct {
	*componentZoom
	budget
	*zoom.Rounds
	response *zoom.Response

	first     []machine.RunPoint // where the engine works without zoom, case by case
	planned   []planned          // runs of the next round
	gainsMost []estimate         // the greatest of all cases, by goal
}

// newRounds returns the plan of a zoom to an error. The goals come from the engine file. A goal without a path is for
// thrust and its specific fuel consumption, or for power and its specific consumption in an engine that gives power.
func newRounds(c *componentZoom, r *zoom.Rounds, power bool) *roundsPlan {
	z := &roundsPlan{componentZoom: c, Rounds: r, budget: budget{cases: map[string]*caseState{}}}
	for _, g := range c.cfg.To {
		if g.Path != "" {
			z.goals = append(z.goals, g)
			continue
		}
		names := []string{quantity.Fn.Name, quantity.TSFC.Name}
		if power {
			names = []string{quantity.Power.Name, quantity.PSFC.Name}
		}
		for _, name := range names {
			z.goals = append(z.goals, config.Goal{Path: "performance." + name, Error: g.Error, Pos: g.Pos})
		}
	}
	return z
}

func (z *roundsPlan) due() bool { return len(z.planned) > 0 || z.Turned() }

func (z *roundsPlan) make(ctx context.Context) error {
	todo := z.planned
	z.planned = nil
	list := make([]zoom.Planned, len(todo))
	for i, p := range todo {
		list[i] = p.Planned
	}
	z.Cause = z.cause
	before := z.response
	made, err := z.Make(ctx, list)
	z.keepAdded(todo, made)
	if before == nil && err == nil {
		err = z.insist(ctx, list)
	}
	if err := z.respond(err); err != nil {
		return err
	}
	if before != nil {
		for i, o := range made {
			if o == nil || todo[i].GoOn != "" || todo[i].Exactly != nil {
				continue
			}
			if miss, ok := before.Missed(o); ok && todo[i].name != inTransient {
				for _, name := range append([]string{todo[i].name}, todo[i].serves...) {
					z.of(name).missed = miss
				}
			}
		}
	}
	return nil
}

func (z *roundsPlan) add(a live.Added) {
	z.planned = append(z.planned, planned{name: inTransient, Planned: z.Added(a)})
}

// keepAdded plans again the runs that a user has added and that were not made, because answers of earlier studies
// replaced them.
func (z *roundsPlan) keepAdded(todo []planned, made []*run.Outcome) {
	for i, p := range todo {
		if p.Exactly != nil && !p.repeat && (made == nil || made[i] == nil) {
			p.repeat = true
			z.planned = append(z.planned, p)
		}
	}
}

// redo implements plan: runs that were made are not made again.
func (z *roundsPlan) redo(ctx context.Context, requests zoom.Requests) error {
	return z.respond(z.Redo(ctx, requests))
}

// respond makes the response of all runs after a round that ended with an error, or none.
func (z *roundsPlan) respond(err error) error {
	if err == nil {
		z.response, err = z.Response()
	}
	return z.mapped(err, z.Own())
}

// insist makes runs beside the first round's until one run has an answer: any answer is a beginning.
func (z *roundsPlan) insist(ctx context.Context, list []zoom.Planned) error {
	for !z.Answered() && !z.Doomed() && z.overBudget() == "" {
		var next []zoom.Planned
		for _, o := range list {
			if at, ok := z.Free(o.At); ok {
				next = append(next, zoom.Planned{At: at})
			}
		}
		if len(next) == 0 {
			return nil
		}
		if _, err := z.Make(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// begin implements plan: it plans the operating points without zoom that are not near each other.
func (z *roundsPlan) begin(results []*result.Result) {
	var list []zoom.Planned
	if z.scaled() {
		list = append(list, zoom.Planned{At: z.Machine.DesignPoint(), Hold: true})
	}
	if z.part.Declaration.LawUse != nil {
		for _, r := range results {
			z.first = append(z.first, z.point(r))
		}
	} else {
		for _, t := range z.targets(results) {
			z.first = append(z.first, z.Machine.PointOf(t))
		}
	}
	z.Origin, z.Works = z.first[0], z.first
	for _, p := range z.first {
		list = append(list, zoom.Planned{At: p})
	}
	for _, o := range list {
		if len(z.planned) < z.cfg.Batch && !slices.ContainsFunc(z.planned,
			func(q planned) bool { return o.At.Near(q.At) }) {
			z.planned = append(z.planned, planned{Planned: o})
		}
	}
}

func (z *roundsPlan) install(p *graph.Part) error { return z.installResponse(p, z.response) }

func (z *roundsPlan) installResponse(p *graph.Part, r *zoom.Response) error {
	var err error
	if use := p.Declaration.LawUse; use != nil {
		err = use.Set(r, !z.scaled())
	} else {
		err = p.Component.(components.Responder).SetResponse(r, !z.scaled())
	}
	if err != nil {
		return fmt.Errorf("zoom of %s: %w", p.Name, err)
	}
	return nil
}

// point is where on the response the component works in a result.
func (z *roundsPlan) point(r *result.Result) machine.RunPoint {
	c := r.Components[z.cfg.Component]
	if z.part.Declaration.LawUse != nil {
		return z.placed(0, c.Place[0], c.Place[1])
	}
	return z.placed(c.Map.Alpha, c.Map.Nc, c.Map.X)
}

// placed is the point at a setting, a corrected speed, rpm, and the third coordinate, or at the coordinates of a law.
func (z *roundsPlan) placed(alpha, nc, x float64) machine.RunPoint {
	if z.part.Declaration.LawUse != nil {
		return z.Machine.PointAt([2]float64{nc, x})
	}
	return z.Machine.PointOn(alpha, nc, x)
}

// errorAt implements plan. No round estimates the error of a transient's result. It is then the largest error of all
// cases, and holds only if the component works inside its map.
func (z *roundsPlan) errorAt(r *result.Result) (e float64, holds bool) {
	name := z.estimatedAs(r)
	return z.of(name).error, name == r.Name || r.Converged && !r.Components[z.cfg.Component].Map.Extrapolated
}

// estimatedAs is the case whose error estimate applies to a result.
func (z *roundsPlan) estimatedAs(r *result.Result) string {
	if z.of(r.Name).appraised {
		return r.Name
	}
	worst := ""
	for _, name := range slices.Sorted(maps.Keys(z.cases)) {
		if c := z.cases[name]; c.appraised && (worst == "" || c.error > z.cases[worst].error) {
			worst = name
		}
	}
	return worst
}

func (z *roundsPlan) clone(of *componentZoom) plan {
	c := *z
	c.componentZoom, c.Rounds, c.budget = of, z.Rounds.Clone(), z.budget.copied()
	return &c
}
