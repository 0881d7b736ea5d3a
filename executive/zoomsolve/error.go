package zoomsolve

// What a zoom in rounds still lacks: the errors of the cases, and where runs would lower them.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom"
)

// appraise estimates the errors of the cases, and of the design point where the response is scaled to that.
func (z *roundsZoom) appraise(ctx context.Context, s *session.Session, m *steady.Solver,
	results []*result.Result) error {
	z.lacking = nil
	var most []estimate // gains of all cases
	for i, r := range results {
		if !r.Converged { // the model may be to blame: it needs a run where the engine works without zoom
			z.lacking = append(z.lacking, proposal{planned: planned{name: r.Name, Order: zoom.Order{At: z.first[i]}},
				due: due{excess: math.Inf(1)}})
			continue
		}
		gains, err := z.gains(ctx, s, m, r)
		if err != nil {
			return err
		}
		name := r.Name
		if z.part.Declaration.LawUse != nil && z.rounds.Known(z.point(r)) {
			// Where the engine works does not go with its parameters: the model has the very run, and what the last
			// one missed is in it.
			name = inTransient
		}
		p := proposal{planned: planned{name: r.Name, Order: zoom.Order{At: z.point(r)}}, gains: gains}
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
			z.design = &proposal{planned: planned{Order: zoom.Order{At: z.response.DesignPoint()}}, gains: most}
			z.design.appraisal = z.estimate("", z.design.At, most)
		}
	}
	for i := range z.lacking {
		z.keep(&z.lacking[i])
	}
	return nil
}

// keep keeps the error of a case, that of the design point with it, and sets the run to add: where the larger of the
// two is to fall.
func (z *roundsZoom) keep(p *proposal) {
	switch {
	case p.gains == nil:
		return
	case z.design == nil:
		w := p.appraisal.worst()
		z.errors[p.name], z.causes[p.name] = w.error, w.causes
		z.setNext(p, &proposal{})
		return
	}
	w := p.appraisal.with(z.design.appraisal).worst()
	z.errors[p.name], z.causes[p.name] = w.error, w.causes
	if p.appraisal.worst().error >= z.design.appraisal.worst().error {
		z.setNext(p, z.design)
	} else {
		z.setNext(z.design.of(p.name), p)
	}
}

// extend implements componentZoom: it plans the runs of what is due of this component.
func (z *roundsZoom) extend(ctx context.Context, _, _ []*result.Result) (bool, error) {
	if z.cfg.Span == "whole" {
		err := z.planWhole(ctx)
		return len(z.planned) > 0 || z.rounds.Turned(), err
	}
	all := slices.Clone(z.lacking)
	if z.design != nil {
		all = append(all, *z.design)
	}
	slices.SortStableFunc(all, func(a, b proposal) int { return cmp.Compare(b.due.excess, a.due.excess) })
	for _, p := range all {
		if p.due.excess > 1 {
			z.plan(p)
		}
	}
	return len(z.planned) > 0 || z.rounds.Turned(), nil
}

// setNext sets the run that would lower a case's error most: that of the proposal, which leaves at its point the
// error of its answer and, beside it, the error of another. Where there is that run, and it missed what was foretold,
// it is one beside it: if that is foretold, what the model does not know is left.
func (z *roundsZoom) setNext(p, other *proposal) {
	delete(z.next, p.name)
	left := z.floor(p.gains)
	known := z.rounds.Known(p.At)
	if known {
		left = z.estimate(inTransient, p.At, p.gains).worst().error
	}
	if at, ok := z.rounds.New(p.At, known); ok {
		is, rest := p.appraisal.worst().error, other.appraisal.worst().error
		z.next[p.name] = nextRun{at, math.Hypot(is, rest) - math.Hypot(left, rest)}
	}
}

// of is the proposal for a case.
func (p proposal) of(name string) *proposal {
	p.name = name
	return &p
}

// proposal is a run that may be needed, with the estimated errors there.
type proposal struct {
	planned
	appraisal appraisal
	gains     []estimate // of each goal; nil: the case did not converge
	due       due
}

// greatest is the larger size of each number.
func (e estimate) greatest(other estimate) estimate {
	out := slices.Clone(other)
	for i := range e {
		out[i] = max(math.Abs(e[i]), math.Abs(other[i]))
	}
	return out
}

// appraised is the estimated error of a result that is wanted, relative, with its causes and its parts: what the
// model does not know, and what runs have that had not settled.
type appraised struct {
	error              float64
	causes             result.ErrorCauses
	between, unsettled float64
}

// appraisal has that of each goal.
type appraisal []appraised

// worst is that of the goal with the largest error.
func (a appraisal) worst() (w appraised) {
	for _, e := range a {
		if e.error >= w.error {
			w = e
		}
	}
	return w
}

// with is the sum with errors of the same goals that are independent of these.
func (a appraisal) with(other appraisal) appraisal {
	sum := make(appraisal, len(a))
	for i, e := range a {
		o := other[i]
		sum[i] = appraised{math.Hypot(e.error, o.error), e.causes.With(o.causes), math.Hypot(e.between, o.between),
			math.Hypot(e.unsettled, o.unsettled)}
	}
	return sum
}

// estimate returns the estimated errors of what is wanted at a point. Gains are those of each goal by the quantities
// of the response.
//
//	error^2 = max(interpolation^2 + balance^2, miss^2) + convergence^2
func (z *roundsZoom) estimate(name string, at zoom.Point, gains []estimate) appraisal {
	by := z.response.Causes(at)
	list := make(appraisal, len(z.goals))
	for i := range list {
		interpolation, balance, convergence, miss := 0.0, 0.0, 0.0, 0.0
		for k, gain := range gains[i] {
			interpolation += gain * gain * by.Interpolation[k] * by.Interpolation[k]
			balance += gain * gain * by.Balance[k] * by.Balance[k]
			convergence += math.Abs(gain) * by.Convergence[k]
			if missed := z.missed[name]; missed != nil {
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

// floor is the error that a run leaves at its own point: that of its answer.
func (z *roundsZoom) floor(gains []estimate) float64 {
	largest := 0.0
	for _, goal := range gains {
		sum := 0.0
		for _, gain := range goal {
			sum += gain * gain
		}
		largest = max(largest, 2*math.Sqrt(sum)*z.rounds.Noise())
	}
	return largest
}

// gainStep is the change of a quantity by which gains are found.
const gainStep = 1e-4

// gains are the relative changes of what is wanted by the quantities of the response, goal by goal, at a case.
func (z *roundsZoom) gains(ctx context.Context, s *session.Session, m *steady.Solver,
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
					Text:    g.Path,
					Message: "it has no value in case " + r.Name}
			}
		}
	}
	return out, nil
}
