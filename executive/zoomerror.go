package executive

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
	design := proposal{planned: planned{at: z.response.DesignPoint()}}
	designGains := make([]estimate, len(z.goals))
	for i, r := range results {
		if !r.Converged { // the model may be to blame: it needs a run where the engine works without zoom
			lacking = append(lacking, proposal{planned: planned{r.Name, z.first[i]}, excess: math.Inf(1)})
			continue
		}
		gains, err := z.gains(ctx, s, m, r)
		if err != nil {
			return false, err
		}
		p := proposal{planned: planned{r.Name, z.point(r)}}
		p.error, p.excess = z.estimate(r.Name, p.at, gains)
		z.errors[r.Name], z.short[r.Name] = p.error, p.excess > 1
		z.next[r.Name] = nextRun{p.at, p.error - z.floor(gains)}
		lacking = append(lacking, p)
		for i := range gains {
			designGains[i] = designGains[i].greatest(gains[i])
		}
	}
	if designGains[0] != nil {
		z.gainsMost = designGains
	}
	if z.scaled() && designGains[0] != nil {
		design.error, design.excess = z.estimate("", design.at, designGains)
		for name := range z.errors {
			z.errors[name] = math.Hypot(z.errors[name], design.error)
			z.short[name] = z.short[name] || design.excess > 1
		}
		lacking = append(lacking, design)
	}
	slices.SortStableFunc(lacking, func(a, b proposal) int { return cmp.Compare(b.excess, a.excess) })
	for _, p := range lacking {
		near := func(q planned) bool { return p.at.Near(q.at) }
		if p.excess <= 1 || len(z.planned) == z.cfg.Batch || slices.ContainsFunc(z.planned, near) {
			continue
		}
		if at, ok := z.rounds.Free(p.at); ok {
			z.planned = append(z.planned, planned{p.name, at})
		}
	}
	return len(z.planned) > 0, nil
}

// proposal is a run that may be needed, with the estimated error there and its largest ratio to what is wanted.
type proposal struct {
	planned
	error, excess float64
}

// greatest is the larger size of each number.
func (e estimate) greatest(other estimate) estimate {
	out := slices.Clone(other)
	for i := range e {
		out[i] = max(math.Abs(e[i]), math.Abs(other[i]))
	}
	return out
}

// estimate returns the largest estimated error of what is wanted at a point, and its largest ratio to what it is to
// be. Gains are those of each goal by the quantities of the response.
func (z *roundsZoom) estimate(name string, at zoom.Point, gains []estimate) (e, excess float64) {
	deviations := z.response.Deviations(at)
	for i, g := range z.goals {
		variance, miss := 0.0, 0.0
		for k, gain := range gains[i] {
			variance += gain * gain * deviations[k] * deviations[k]
			if missed := z.missed[name]; missed != nil {
				miss += gain * missed[k]
			}
		}
		this := max(2*math.Sqrt(variance), math.Abs(miss))
		e, excess = max(e, this), max(excess, this/g.Error)
	}
	return e, excess
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
