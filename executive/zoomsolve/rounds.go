package zoomsolve

// A zoom in rounds: runs are made where the engine works, until the error of its results is small enough.
//
// Each round solves all cases with the model of all runs so far. The model's deviations at a case's operating
// point become errors of the results that the user wants by the engine's own gains: the engine is solved again
// with each output of the model changed a little. Cases whose error is too large get a run each, at most a batch
// a round. The estimate of a case's error is the larger of two: two of the model's standard deviations, and what the
// case's last run missed its prediction by. A run that several cases need, as they are near each other, is the last
// one of all of them.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// roundsZoom is the zoom of a component by runs in rounds.
type roundsZoom struct {
	zoomCommon
	rounds   *zoom.Rounds
	response *zoom.Response
	ends     *zoom.Ends // nil: they are not sought

	first   []zoom.Point        // where the engine works without zoom, case by case
	planned []planned           // runs of the next round
	missed  map[string]estimate // by what the last run of a case, or near it, missed its prediction
	errors  map[string]float64  // of the cases, as last estimated
	causes  map[string]result.ErrorCauses
	stuck   map[string]float64 // errors of cases by runs that settle no further
	short   map[string]bool    // cases whose errors are larger than wanted
	next    map[string]nextRun // of the cases

	gainsMost []estimate // the greatest of all cases, by goal
	goals     []config.Goal

	lacking []proposal         // what each case may need, as last appraised
	design  *proposal          // and the design point to which the response is scaled; nil: it is not
	whole   map[string]float64 // errors of the cases by all zooms, where there are several
	zooms   int                // in rounds, of the engine
}

// planned is a run that a case needs.
type planned struct {
	name string // of the case; empty: the design point to which the response is scaled
	zoom.Order
	serves []string // cases near it that need a run as well
	repeat bool     // somebody added it, and it was not made at first
}

// nextRun is where a case's next run would be, and by how much the estimated error would fall.
type nextRun struct {
	at   zoom.Point
	gain float64
}

// estimate holds a number for every quantity of a response.
type estimate []float64

// newRoundsZoom returns a zoom without runs. The goals are those of the engine file; one without a path is for thrust
// and its fuel consumption, or for power and its where the engine gives power.
func newRoundsZoom(c zoomCommon, r *zoom.Rounds, power bool) *roundsZoom {
	z := &roundsZoom{zoomCommon: c, rounds: r, missed: map[string]estimate{}, errors: map[string]float64{},
		causes: map[string]result.ErrorCauses{}, stuck: map[string]float64{}, short: map[string]bool{},
		whole: map[string]float64{}, next: map[string]nextRun{}}
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

// scaled reports whether the response is scaled to the engine's design point.
func (z *roundsZoom) scaled() bool { return z.cfg.Scale != "absolute" }

// build implements componentZoom.
func (z *roundsZoom) build(ctx context.Context, results []*result.Result) error {
	if z.response == nil {
		z.course().Offer(z.cfg.Component, z.rounds.Adds())
		z.planFirst(results)
	}
	if len(z.planned) == 0 && !z.rounds.Turned() {
		return nil
	}
	todo := z.planned
	z.planned = nil
	orders := make([]zoom.Order, len(todo))
	for i, p := range todo {
		orders[i] = p.Order
	}
	z.rounds.Cause = z.cause
	before := z.response
	made, err := z.rounds.Make(ctx, orders)
	z.keepAdded(todo, made)
	if before == nil && err == nil {
		err = z.insist(ctx, orders)
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
					z.missed[name] = miss
				}
			}
		}
	}
	return nil
}

// wish plans the runs that somebody has added, and sets the error that somebody wants.
func (z *roundsZoom) wish() {
	for _, a := range z.course().TakeAdded(z.cfg.Component) {
		z.planned = append(z.planned, planned{name: inTransient, Order: z.rounds.Added(a)})
	}
	if to := z.course().Wanted(z.cfg.Component); to > 0 {
		for i := range z.goals {
			z.goals[i].Error = to
		}
	}
}

// keepAdded plans those runs again that somebody has added and that were not made, as answers of earlier studies came
// in their place.
func (z *roundsZoom) keepAdded(todo []planned, made []*run.Outcome) {
	for i, p := range todo {
		if p.Exactly != nil && !p.repeat && (made == nil || made[i] == nil) {
			p.repeat = true
			z.planned = append(z.planned, p)
		}
	}
}

// redo makes the runs of a plan that were not made yet.
func (z *roundsZoom) redo(ctx context.Context, plan zoom.Plan) error {
	return z.respond(z.rounds.Redo(ctx, plan))
}

// inTransient is the name of no case: in a transient no case's last miss counts.
const inTransient = "\x00"

// excessAt is the estimated error between runs at a point over what is wanted, by the greatest gains of all cases.
// Another run would not lower what runs lack that had not settled. In time each zoom has an equal share of what is
// wanted.
func (z *roundsZoom) excessAt(at zoom.Point) float64 {
	most := 0.0
	for i, e := range z.estimate(inTransient, at, z.gainsMost) {
		most = max(most, e.between/z.goals[i].Error)
	}
	return most * math.Sqrt(float64(z.zooms))
}

// respond makes the response of all runs after a round that ended with an error, or none.
func (z *roundsZoom) respond(err error) error {
	z.account()
	if err != nil {
		return err
	}
	z.response, err = z.rounds.Response()
	if err == nil && z.ends != nil {
		z.response, err = z.rounds.WithEnds(z.ends)
	}
	if err != nil {
		return &NoZoomError{z.cfg.Component, err}
	}
	z.total.Anchor = z.response.Anchor()
	m := z.record(event.Event{
		Source: event.Executive, Kind: event.Map, Cause: lastEnd(z.rounds.Outcomes), Name: z.response.Name(),
		Component: z.cfg.Component,
		Values: map[string]float64{"runs": float64(z.rounds.Runs), "cached": float64(z.rounds.Cached),
			"failed": float64(z.rounds.Failed)},
	})
	z.made, z.charted = m.Ref(), true
	return nil
}

// insist makes runs beside those of the first round while none of them has an answer: any one is a beginning.
func (z *roundsZoom) insist(ctx context.Context, orders []zoom.Order) error {
	for !z.rounds.Answered() {
		var next []zoom.Order
		for _, o := range orders {
			if at, ok := z.rounds.Free(o.At); ok {
				next = append(next, zoom.Order{At: at})
			}
		}
		if len(next) == 0 {
			return nil
		}
		if _, err := z.rounds.Make(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// planFirst plans the first round: the points at which the engine works without zoom, as far as they are not near
// each other.
func (z *roundsZoom) planFirst(results []*result.Result) {
	var orders []zoom.Order
	if z.scaled() {
		orders = append(orders, zoom.Order{At: z.rounds.Machine.DesignPoint(), Hold: true})
	}
	if z.part.Declaration.LawUse != nil {
		for _, r := range results {
			z.first = append(z.first, z.point(r))
		}
	} else {
		for _, t := range z.targets(results) {
			z.first = append(z.first, z.rounds.Machine.PointOf(t))
		}
	}
	z.rounds.Origin, z.rounds.Works = z.first[0], z.first
	for _, p := range z.first {
		orders = append(orders, zoom.Order{At: p})
	}
	for _, o := range orders {
		if len(z.planned) < z.cfg.Batch && !slices.ContainsFunc(z.planned,
			func(q planned) bool { return o.At.Near(q.At) }) {
			z.planned = append(z.planned, planned{Order: o})
		}
	}
}

// account copies the counts of the rounds.
func (z *roundsZoom) account() {
	z.total.Runs, z.total.Cached, z.total.Failed = z.rounds.Runs, z.rounds.Cached, z.rounds.Failed
	z.total.Outcomes, z.total.Planned = z.rounds.Outcomes, len(z.rounds.Outcomes)
	z.total.Unlike = z.rounds.Study.Unlike()
	z.total.Missing, z.total.Earlier = z.rounds.Missing(), z.rounds.Earlier()
	if z.ends != nil {
		z.total.Failed += z.ends.Failed
		z.total.Outcomes = slices.Concat(z.rounds.Outcomes, z.ends.Outcomes)
		z.total.Planned = len(z.total.Outcomes)
		z.total.Missing = append(z.total.Missing, z.ends.Missing()...)
	}
	z.total.Outcomes = slices.Concat(z.total.Outcomes, z.rounds.OutcomesPriors())
}

// install implements componentZoom.
func (z *roundsZoom) install(p *graph.Part) error { return z.installResponse(p, z.response) }

func (z *roundsZoom) installResponse(p *graph.Part, r *zoom.Response) error {
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
func (z *roundsZoom) point(r *result.Result) zoom.Point {
	c := r.Components[z.cfg.Component]
	if z.part.Declaration.LawUse != nil {
		return z.placed(0, c.Place[0], c.Place[1])
	}
	return z.placed(c.Map.Alpha, c.Map.Nc, c.Map.X)
}

// placed is the point at a setting, a corrected speed, rpm, and the third coordinate, or at the coordinates of a law.
func (z *roundsZoom) placed(alpha, nc, x float64) zoom.Point {
	if z.part.Declaration.LawUse != nil {
		return z.rounds.Machine.PointAt([2]float64{nc, x})
	}
	return z.rounds.Machine.PointOn(alpha, nc, x)
}

// errorAt implements componentZoom. Of a result that no round estimated, a transient's, it is the largest of all, and
// holds where the component is among its runs.
func (z *roundsZoom) errorAt(r *result.Result) (e float64, holds bool) {
	name := z.estimatedAs(r)
	return z.errors[name], name == r.Name || r.Converged && !r.Components[z.cfg.Component].Map.Extrapolated
}

// estimatedAs is the case whose error is that of a result.
func (z *roundsZoom) estimatedAs(r *result.Result) string {
	if _, ok := z.errors[r.Name]; ok {
		return r.Name
	}
	worst := ""
	for _, name := range slices.Sorted(maps.Keys(z.errors)) {
		if worst == "" || z.errors[name] > z.errors[worst] {
			worst = name
		}
	}
	return worst
}

// result implements componentZoom.
func (z *roundsZoom) result(r *result.Result) *result.ZoomResult {
	out := z.counts(z.response.Name())
	out.Rounds, out.RunsBefore = z.rounds.Round, len(z.total.Earlier)
	out.RunsPrior, out.CachedPrior, out.FailedPrior = z.rounds.RunsPriors()
	out.Priors = z.rounds.Corrected()
	out.Error, out.ErrorHolds = z.errorAt(r)
	causes := z.causes[z.estimatedAs(r)]
	out.Causes, out.Whole = &causes, z.whole[z.estimatedAs(r)]
	if z.short[r.Name] {
		with := ""
		if out.Whole > 0 {
			with = fmt.Sprintf("%.2g %% with what is zoomed besides; ", 100*out.Whole)
		}
		out.Short, out.Message = true, with+"the error that is wanted is not reached: "+z.why(r.Name)
	}
	if next, ok := z.next[r.Name]; ok && next.gain > 0 {
		if inputs, err := z.rounds.Inputs(next.at); err == nil {
			out.Next = &result.NextRun{Inputs: inputs, Gain: next.gain}
		}
	}
	return out
}

// why says why no further run was made, and how far runs can come where that is why.
func (z *roundsZoom) why(name string) string {
	if z.cfg.Most > 0 && len(z.rounds.Outcomes) >= z.cfg.Most {
		return fmt.Sprintf("most: %d allows no further run", z.cfg.Most)
	}
	if n := len(z.total.Missing); n > 0 {
		return fmt.Sprintf("%d runs gave no answer", n)
	}
	if e := z.stuck[name]; e > 0 {
		return fmt.Sprintf("the solver's runs settle to %.2g %% of it and no further", 100*e)
	}
	least := slices.MinFunc(z.goals, func(a, b config.Goal) int { return cmp.Compare(a.Error, b.Error) })
	if c := z.causes[name]; c.Balance > least.Error {
		return fmt.Sprintf("mass and energy of the solver's runs balance to %.2g %% of it and no better", 100*c.Balance)
	}
	return "its run at the operating point is there, and a further one would be the same"
}

// clone implements componentZoom.
func (z *roundsZoom) clone() componentZoom {
	c := *z
	c.rounds = z.rounds.Clone()
	c.missed, c.errors, c.short, c.next = maps.Clone(z.missed), maps.Clone(z.errors), maps.Clone(z.short), maps.Clone(
		z.next)
	c.causes, c.stuck, c.whole = maps.Clone(z.causes), maps.Clone(z.stuck), maps.Clone(z.whole)
	return &c
}
