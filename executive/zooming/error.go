package zooming

// What a zoom in rounds still lacks: the errors of the cases, and where runs would lower them.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom"
)

// extend implements componentZoom.
func (z *roundsZoom) extend(ctx context.Context, s *model.Session, m *model.Model, results, ends []*result.Result) (bool, error) {
	var lacking []proposal
	design := proposal{planned: planned{Order: zoom.Order{At: z.response.DesignPoint()}}}
	designGains := make([]estimate, len(z.goals))
	for i, r := range results {
		if !r.Converged { // the model may be to blame: it needs a run where the engine works without zoom
			lacking = append(lacking, proposal{planned: planned{name: r.Name, Order: zoom.Order{At: z.first[i]}}, appraisal: appraisal{excess: math.Inf(1)}})
			continue
		}
		gains, err := z.gains(ctx, s, m, r)
		if err != nil {
			return false, err
		}
		name := r.Name
		if z.part.Declaration.LawUse != nil && z.rounds.Known(z.point(r)) {
			// Where the engine works does not go with its parameters: the model has the very run, and what the last
			// one missed is in it.
			name = inTransient
		}
		p := proposal{planned: planned{name: r.Name, Order: zoom.Order{At: z.point(r)}}, gains: gains}
		p.appraisal = z.estimate(name, p.At, gains)
		z.errors[r.Name], z.causes[r.Name], z.short[r.Name] = p.error, p.causes, p.excess > 1
		z.setNext(&p, &proposal{})
		lacking = append(lacking, p)
		for i := range gains {
			designGains[i] = designGains[i].greatest(gains[i])
		}
	}
	if designGains[0] != nil {
		z.gainsMost = designGains
	}
	if z.scaled() && designGains[0] != nil {
		design.appraisal = z.estimate("", design.At, designGains)
		design.gains = designGains
		z.addDesign(lacking, &design)
		lacking = append(lacking, design)
	}
	if z.cfg.Span == "whole" {
		err := z.planWhole(ctx)
		return len(z.planned) > 0, err
	}
	slices.SortStableFunc(lacking, func(a, b proposal) int { return cmp.Compare(b.excess, a.excess) })
	for _, p := range lacking {
		if p.excess > 1 {
			z.plan(p)
		}
	}
	return len(z.planned) > 0, nil
}

// addDesign adds the error at the design point, to which the response is scaled, to those of all cases. Where both together are
// more than what is wanted, the larger one is to fall.
func (z *roundsZoom) addDesign(cases []proposal, design *proposal) {
	scaled := design.excess
	for i := range cases {
		p := &cases[i]
		if math.IsInf(p.excess, 1) {
			continue
		}
		z.errors[p.name] = math.Hypot(p.error, design.error)
		z.causes[p.name] = p.causes.With(design.causes)
		both := math.Hypot(p.excess, scaled)
		z.short[p.name] = both > 1
		if p.excess >= scaled {
			p.excess = both
			z.setNext(p, design)
		} else {
			design.excess = max(design.excess, both)
			z.setNext(design.of(p.name), p)
		}
	}
}

// setNext sets the run that would lower a case's error most: that of the proposal, which leaves at its point the error of its answer
// and, beside it, the error of another. Where there is that run, and it missed what was foretold, it is one beside it: if that is
// foretold, what the model does not know is left.
func (z *roundsZoom) setNext(p, other *proposal) {
	delete(z.next, p.name)
	left := z.floor(p.gains)
	known := z.rounds.Known(p.At)
	if known {
		left = z.estimate(inTransient, p.At, p.gains).error
	}
	if at, ok := z.rounds.New(p.At, known); ok {
		z.next[p.name] = nextRun{at, math.Hypot(p.error, other.error) - math.Hypot(left, other.error)}
	}
}

// of is the proposal for a case.
func (p proposal) of(name string) *proposal {
	p.name = name
	return &p
}

// proposal is a run that may be needed, with the estimated error there and its largest ratio to what is wanted.
type proposal struct {
	planned
	appraisal
	gains []estimate // of each goal; nil: the case did not converge
}

// greatest is the larger size of each number.
func (e estimate) greatest(other estimate) estimate {
	out := slices.Clone(other)
	for i := range e {
		out[i] = max(math.Abs(e[i]), math.Abs(other[i]))
	}
	return out
}

// appraisal is the largest estimated error of the results that are wanted, with its causes.
type appraisal struct {
	error  float64
	causes result.ErrorCauses

	goal      int     // the one that is missed most
	excess    float64 // error of it over what is wanted
	unsettled float64 // of that, what runs have that had not settled
	between   float64 // and the rest
}

// estimate returns the largest estimated error of what is wanted at a point, with its causes, and the largest ratio to what it
// is to be. Gains are those of each goal by the quantities of the response.
//
//	error^2 = max(interpolation^2 + balance^2, miss^2) + convergence^2
func (z *roundsZoom) estimate(name string, at zoom.Point, gains []estimate) (worst appraisal) {
	by := z.response.Causes(at)
	for i, g := range z.goals {
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
		e := math.Hypot(between, convergence)
		if e >= worst.error {
			worst.error = e
			worst.causes = result.ErrorCauses{Interpolation: max(2*math.Sqrt(interpolation), math.Abs(miss)), Convergence: convergence, Balance: 2 * math.Sqrt(balance)}
		}
		if e/g.Error >= worst.excess {
			worst.goal, worst.excess, worst.unsettled, worst.between = i, e/g.Error, convergence/g.Error, between/g.Error
		}
	}
	return worst
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
func (z *roundsZoom) gains(ctx context.Context, s *model.Session, m *model.Model, r *result.Result) ([]estimate, error) {
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
				return nil, &document.Problem{File: s.Engine.File, Pos: g.Pos, Path: "zoom." + z.cfg.Component + ".to", Text: g.Path,
					Message: "it has no value in case " + r.Name}
			}
		}
	}
	return out, nil
}
