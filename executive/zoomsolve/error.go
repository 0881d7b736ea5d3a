package zoomsolve

// The remaining error of a zoom in rounds: the errors of the cases, and the runs that would lower them.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// appraise implements plan. It estimates the errors of the cases, and the error of the design point if the response is
// scaled to it.
func (z *roundsPlan) appraise(ctx context.Context, s *session.Session, m *steady.Solver,
	results []*result.Result) (*budget, error) {
	if to := z.live().Wanted(z.cfg.Component); to > 0 {
		for i := range z.goals {
			z.goals[i].Error = to
		}
	}
	z.lacking, z.improves = nil, z.canImprove
	var most []estimate // gains of all cases
	for i, r := range results {
		if !r.Converged { // the model may be to blame: it needs a run where the engine works without zoom
			z.lacking = append(z.lacking, proposal{name: r.Name, At: z.first[i], due: due{excess: math.Inf(1)}})
			continue
		}
		gains, err := z.gains(ctx, s, m, r)
		if err != nil {
			return nil, err
		}
		name := r.Name
		if z.part.Declaration.LawUse != nil && z.Known(z.point(r)) {
			// The component's operating point does not change with the engine's parameters. The model contains the run
			// at this point, so the miss of the last run is already in the model.
			name = inTransient
		}
		p := proposal{name: r.Name, At: z.point(r), gains: gains}
		p.appraisal = z.estimate(name, p.At, gains)
		z.lacking = append(z.lacking, p)
		if most == nil {
			most = make([]estimate, len(z.goals))
		}
		for k := range gains {
			most[k] = most[k].greatest(gains[k])
		}
	}
	z.design = nil
	if most != nil {
		z.gainsMost = most
		if z.scaled() {
			z.design = &proposal{At: z.response.DesignPoint(), gains: most}
			z.design.appraisal = z.estimate("", z.design.At, most)
		}
	}
	for i := range z.lacking {
		z.keep(&z.lacking[i])
	}
	return &z.budget, nil
}

// keep stores the error of a case, which includes that of the design point. It sets the run to add at the point with
// the larger error.
func (z *roundsPlan) keep(p *proposal) {
	if p.gains == nil {
		return
	}
	c, w := z.of(p.name), p.appraisal.worst()
	if z.design != nil {
		w = p.appraisal.with(z.design.appraisal).worst()
	}
	c.appraised, c.error, c.causes = true, w.error, w.causes
	switch {
	case z.design == nil:
		z.setNext(c, p, &proposal{})
	case p.appraisal.worst().error >= z.design.appraisal.worst().error:
		z.setNext(c, p, z.design)
	default:
		z.setNext(c, z.design, p)
	}
}

// extend implements plan: it plans the runs for the due parts of this component.
func (z *roundsPlan) extend(ctx context.Context, _, _ []*result.Result) error {
	if z.cfg.Span == "whole" {
		return z.planWhole(ctx)
	}
	all := slices.Clone(z.lacking)
	if z.design != nil {
		all = append(all, *z.design)
	}
	slices.SortStableFunc(all, func(a, b proposal) int { return cmp.Compare(b.due.excess, a.due.excess) })
	for _, p := range all {
		if p.due.excess > 1 {
			z.approach(p)
		}
	}
	return nil
}

// setNext sets the run that would lower a case's error most: the run of the proposal. It leaves the error of its answer
// at its point, and the error of the other proposal. If a run exists at the point and missed its prediction, the new
// run is beside it. If that run is predicted correctly, only the uncertainty of the model is left.
func (z *roundsPlan) setNext(c *caseState, p, other *proposal) {
	c.next = nextRun{}
	left := z.floor(p.gains)
	known := z.Known(p.At)
	if known {
		left = z.estimate(inTransient, p.At, p.gains).worst().error
	}
	if at, ok := z.New(p.At, known); ok {
		is, rest := p.appraisal.worst().error, other.appraisal.worst().error
		c.next = nextRun{at, math.Hypot(is, rest) - math.Hypot(left, rest)}
	}
}

// estimate returns the estimated errors of the requested results at a point. Gains are the derivatives of each goal by
// the quantities of the response.
//
//	error^2 = max(interpolation^2 + balance^2, miss^2) + convergence^2
func (z *roundsPlan) estimate(name string, at machine.RunPoint, gains []estimate) appraisal {
	by := z.response.Causes(at)
	list := make(appraisal, len(z.goals))
	for i := range list {
		interpolation, balance, convergence, miss := 0.0, 0.0, 0.0, 0.0
		for k, gain := range gains[i] {
			interpolation += gain * gain * by.Interpolation[k] * by.Interpolation[k]
			balance += gain * gain * by.Balance[k] * by.Balance[k]
			convergence += math.Abs(gain) * by.Convergence[k]
			if missed := z.of(name).missed; missed != nil {
				miss += gain * missed[k]
			}
		}
		between := max(2*math.Sqrt(interpolation+balance), math.Abs(miss))
		list[i] = appraised{
			math.Hypot(between, convergence),
			result.ErrorCauses{Interpolation: max(2*math.Sqrt(interpolation), math.Abs(miss)),
				Convergence: convergence, Balance: 2 * math.Sqrt(balance)},
			between, convergence,
		}
	}
	return list
}

// floor returns the error that a run leaves at its own point: the error of its answer.
func (z *roundsPlan) floor(gains []estimate) float64 {
	largest := 0.0
	for _, goal := range gains {
		sum := 0.0
		for _, gain := range goal {
			sum += gain * gain
		}
		largest = max(largest, 2*math.Sqrt(sum)*z.Noise())
	}
	return largest
}

// gainStep is the change of a quantity in the computation of gains.
const gainStep = 1e-4

// gains returns the relative changes of the requested results by the quantities of the response, goal by goal, at a
// case.
func (z *roundsPlan) gains(ctx context.Context, s *session.Session, m *steady.Solver,
	r *result.Result) ([]estimate, error) {
	n := z.response.Quantities()
	out := make([]estimate, len(z.goals))
	for i := range out {
		out[i] = make(estimate, n)
	}
	for k := range n {
		moved, err := m.Clone()
		if err != nil {
			return nil, err
		}
		if err := z.installResponse(moved.Index[z.cfg.Component], z.response.Moved(k, gainStep)); err != nil {
			return nil, err
		}
		there, err := s.SolveFrom(ctx, moved, []string{r.Name}, 1, true)
		if err != nil {
			return nil, err
		}
		for i, g := range z.goals {
			was, is := r.Number(g.Path), there[0].Number(g.Path)
			switch gain := (is/was - 1) / gainStep; {
			case numeric.Finite(gain) && there[0].Converged:
				out[i][k] = gain
			case was != 0 && there[0].Converged:
				return nil, &document.Problem{File: s.Engine.File, Pos: g.Pos, Path: "zoom." + z.cfg.Component + ".to",
					Text: g.Path, Message: "it has no value in case " + r.Name}
			}
		}
	}
	return out, nil
}

// Margin implements plan: 1 at zero error, 0 if the error between runs is the requested error. The unsettled part of
// runs does not count, because further runs would not lower it.
func (z *roundsPlan) Margin(at transient.Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge) {
	if watched == 0 || z.gainsMost == nil {
		return math.Inf(1), 0
	}
	margin := 1 - z.excessAt(z.placed(at.Alpha, at.NcMap, at.X))
	if margin > limit {
		return margin, 0
	}
	return margin, watched
}

// prefetch implements plan: a run where the component works.
func (z *roundsPlan) prefetch(w transient.Working, _ perfmap.Edge) (side string, any bool) {
	here := z.placed(w.Alpha, w.NcMap, w.X)
	at, ok := z.Free(here)
	if !ok {
		return "", false
	}
	z.planned = []planned{{name: inTransient, Planned: zoom.Planned{At: at}}}
	if edge := z.response.Passed(here); edge != 0 {
		return edge.String(), true
	}
	return "between runs", true
}

// Place implements plan: the coordinates are the machine's, whatever the runs.
func (z *roundsPlan) Place(float64, float64) (float64, bool) { return 0, false }

// excessAt returns the estimated error between runs at a point, relative to the requested error, with the greatest
// gains of all cases. It leaves out the unsettled part of runs, because another run would not lower it. In a transient
// each zoom has an equal share of the requested error.
func (z *roundsPlan) excessAt(at machine.RunPoint) float64 {
	most := 0.0
	for i, e := range z.estimate(inTransient, at, z.gainsMost) {
		most = max(most, e.between/z.goals[i].Error)
	}
	return most * math.Sqrt(float64(z.zooms))
}
