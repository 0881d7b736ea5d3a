package zoomsolve

// The maps are settled on the steady cases: extended until every case lies inside of them.

import (
	"cmp"
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// maxGridRounds limits how often maps are extended because the engine moved out of them. Every round except the last
// adds runs, or lines that were run before. A zoom to an error ends when a further run would add no information;
// maxRounds limits a zoom that does not end.
const (
	maxGridRounds = 8
	maxRounds     = 60
)

// steadyCases returns the results without zoom of the steady cases and of the start cases of transients, by name. It
// also returns the results of converged transients: the maps must contain their ends.
func (s *zooming) steadyCases(ctx context.Context, names []string, plain []*result.Result,
	workers int) (steady map[string]*result.Result, ends []*result.Result, err error) {
	steady = map[string]*result.Result{}
	var starts []string
	for i, name := range names {
		c := s.Engine.Case(name)
		if c == nil || c.Transient == nil {
			steady[name] = plain[i]
			continue
		}
		if plain[i].Converged {
			ends = append(ends, plain[i])
		}
		starts = append(starts, cmp.Or(c.From, s.Engine.DesignCase))
	}
	slices.Sort(starts)
	starts = slices.DeleteFunc(slices.Compact(starts), func(name string) bool { return steady[name] != nil })
	results, err := s.Solve(ctx, starts, workers)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range starts {
		steady[name] = results[i]
	}
	return steady, ends, nil
}

// settleMaps extends the maps until all steady cases lie inside of them. The maps must also
// contain the points of ends. It returns the engine with these maps, and the results of the
// steady cases with them.
func (s *zooming) settleMaps(ctx context.Context, all []*componentZoom, steady map[string]*result.Result,
	ends []*result.Result, workers int) (*steady.Solver, map[string]*result.Result, error) {
	names := slices.DeleteFunc(session.CaseNames(s.Engine), func(name string) bool { return steady[name] == nil })
	results := make([]*result.Result, len(names))
	for i, name := range names {
		results[i] = steady[name]
	}
	most := maxGridRounds
	if slices.ContainsFunc(all, func(z *componentZoom) bool { return z.cfg.To != nil }) {
		most = maxRounds
	}
	for _, z := range all {
		s.recordPoints(z, results, nil)
	}
	for round := 0; ; round++ {
		for _, z := range all {
			if err := z.build(ctx, slices.Concat(results, ends)); err != nil {
				return nil, nil, err
			}
		}
		model, err := s.withMaps(ctx, all)
		if err != nil {
			return nil, nil, err
		}
		if results, err = s.SolveFrom(ctx, model, names, workers, true); err != nil {
			return nil, nil, err
		}
		turn := all[0].live().Turn()
		extended, err := s.extend(ctx, all, model, results, ends)
		if err != nil {
			return nil, nil, err
		}
		extended = extended || !withdraw(all, turn)
		s.recordRound(ctx, all, model, results)
		if !extended || round == most {
			if model, results, err = s.settleEnds(ctx, all, model, names, results, ends, workers); err != nil {
				return nil, nil, err
			}
			out := map[string]*result.Result{}
			for i, name := range names {
				out[name] = results[i]
			}
			return model, out, nil
		}
	}
}

// extend plans the missing runs of the zooms, and reports whether any run is missing that the budget allows.
func (s *zooming) extend(ctx context.Context, all []*componentZoom, m *steady.Solver,
	results, ends []*result.Result) (extended bool, err error) {
	var budgets []*budget
	for _, z := range all {
		for _, a := range z.live().TakeAdded(z.cfg.Component) {
			z.add(a)
		}
		b, err := z.appraise(ctx, s.Session, m, results)
		if err != nil {
			return false, err
		}
		if b != nil {
			budgets = append(budgets, b)
		}
	}
	allot(budgets)
	for _, z := range all {
		if err := z.extend(ctx, results, ends); err != nil {
			return false, err
		}
		extended = extended || z.due() && z.overBudget() == ""
	}
	return extended, nil
}

// withdraw stops the zooms from taking requests of users. It reports false if they have requests that they have not yet
// seen.
func withdraw(all []*componentZoom, turn int) bool {
	var names []string
	for _, z := range all {
		names = append(names, z.cfg.Component)
	}
	return all[0].live().Withdraw(names, turn)
}

// withMaps returns the engine at its design point with the zoomed maps.
func (s *zooming) withMaps(ctx context.Context, all []*componentZoom) (*steady.Solver, error) {
	model, err := s.Model.Clone()
	if err != nil {
		return nil, err
	}
	for _, z := range all {
		if err := z.install(model.Index[z.cfg.Component]); err != nil {
			return nil, err
		}
	}
	if !model.Responds() {
		return model, nil
	}
	// The base, from which cases are solved, contains coordinates of the maps: it is solved again.
	if _, err := model.OffDesign(ctx, &newton.Solver{}, s.DesignAsCase()); err != nil {
		return nil, err
	}
	model.Rebase()
	return model, nil
}

// recordRound records the results of one round, and the estimated errors of the maps at these results. It has the maps
// drawn that are new.
func (s *zooming) recordRound(ctx context.Context, all []*componentZoom, m *steady.Solver, results []*result.Result) {
	for _, z := range all {
		if made := z.made; !z.drawn {
			z.charts.add(ctx, z.scaledMap(m), func(m result.ScaledMap) {
				if s.keep != nil {
					s.keep(z.cfg.Component, m, made)
				}
			})
			z.drawn = true
		}
	}
	for _, r := range results {
		class := event.NotConverged
		if r.Converged {
			class = event.Converged
		}
		var cause *event.Ref // the latest map
		for _, z := range all {
			if made := z.made; made != nil && (cause == nil || made.Seq > cause.Seq) {
				cause = made
			}
		}
		values := map[string]float64{"iterations": float64(r.Solver.Iterations), "residual": r.Solver.Residual}
		if r.Solver.Unknown {
			delete(values, "residual")
		}
		solved := s.record(event.Event{
			Source: event.Executive, Kind: event.Engine, Cause: cause, Case: r.Name, Class: class, Text: r.Message,
			Values: values,
		})
		for _, z := range all {
			z.cause = solved.Ref() // cause of later extensions of the map
			e, _ := z.errorAt(r)
			s.record(event.Event{
				Source: event.Executive, Kind: event.Estimate, Cause: solved.Ref(), Case: r.Name,
				Component: z.cfg.Component,
				Values:    map[string]float64{"error": e},
			})
			s.recordPoints(z, []*result.Result{r}, solved.Ref())
		}
	}
}

// recordPoints records the operating points of a component in the engine model, beside which its runs are shown.
func (s *zooming) recordPoints(z *componentZoom, results []*result.Result, cause *event.Ref) {
	name := z.cfg.Component
	for _, r := range results {
		c, there := r.Components[name]
		if !there || !r.Converged {
			continue
		}
		values := map[string]float64{}
		for _, of := range []string{"Nc", "Wc", "PR"} {
			if c.Has(of) {
				values[of] = c.Value(of)
			}
		}
		if len(values) > 0 {
			s.record(event.Event{Source: event.Executive, Kind: event.Point, Cause: cause, Case: r.Name,
				Component: name, Values: values})
		}
	}
}

// settleEnds seeks the ends of all zooms that want them, at the speeds of steady results and of the ends of transients.
// It returns the engine with the ends, and its results.
func (s *zooming) settleEnds(ctx context.Context, all []*componentZoom, m *steady.Solver, names []string, results,
	transients []*result.Result, workers int) (*steady.Solver, []*result.Result, error) {
	sought := false
	for _, z := range all {
		found, err := z.seekEnds(ctx, s.Engine, s.judge, results, transients)
		if err != nil {
			return nil, nil, err
		}
		sought = sought || found
	}
	if !sought {
		return m, results, nil
	}
	m, err := s.withMaps(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	if results, err = s.SolveFrom(ctx, m, names, workers, true); err != nil {
		return nil, nil, err
	}
	s.recordRound(ctx, all, m, results)
	return m, results, nil
}
