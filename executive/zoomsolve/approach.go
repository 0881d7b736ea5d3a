package zoomsolve

// How a zoom in rounds comes nearer to the error that is wanted: by a run where the model knows too little, or by
// runs that settle further.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom"
)

// approach plans what brings a case nearer to what is wanted: that its runs go on where what they lack in settling is
// more than half of it, and a new run where that would not do. Where there is to be a new run, the model will rest on
// that, so that it counts how little settled a run is by itself, and not what becomes of that on the way from where
// it was made.
func (z *roundsPlan) approach(p proposal) {
	const much, little = 0.5, 0.125
	var is appraised // over what may be left of it
	if p.gains != nil {
		is = p.appraisal[p.due.goal]
		is.between, is.unsettled = is.between/p.due.wanted, is.unsettled/p.due.wanted
	}
	add := func(q planned) {
		same := func(r planned) bool { return r.GoOn == q.GoOn && (q.GoOn != "" || p.At.Near(r.At)) }
		switch i := slices.IndexFunc(z.planned, same); {
		case i >= 0 && q.GoOn == "":
			z.planned[i].serves = append(z.planned[i].serves, q.name)
		case i < 0 && len(z.planned) < z.cfg.Batch:
			z.planned = append(z.planned, q)
		}
	}
	at, free := z.rounds.Free(p.At)
	fresh := free && is.between > 1-little
	unsettled := is.unsettled > much
	list := z.unsettled(p)
	if unsettled && fresh && len(list) > 0 {
		unsettled = list[0].itself > much
	}
	z.of(p.name).stuck = 0
	if unsettled {
		can := false
		for _, s := range list {
			if s.share > little && z.rounds.CanSettle(s.Key, is.unsettled/little) {
				add(planned{name: p.name, Planned: zoom.Planned{At: s.Point, GoOn: s.Key}})
				can = true
			}
		}
		if !can {
			z.of(p.name).stuck = is.causes.Convergence
		}
	}
	if free && (!unsettled || fresh) {
		add(planned{name: p.name, Planned: zoom.Planned{At: at}})
	}
}

// unsettled is what an answer contributes to a case's error by not having settled, as a share of what may be left of
// it.
type unsettled struct {
	zoom.Settling
	share  float64
	itself float64 // were the case where the answer was found
}

// unsettled lists these contributions, the greatest first. There are none for a case that did not converge.
func (z *roundsPlan) unsettled(p proposal) (list []unsettled) {
	if p.gains == nil {
		return nil
	}
	for _, s := range z.rounds.Unsettled(p.At) {
		u := unsettled{Settling: s}
		for k, gain := range p.gains[p.due.goal] {
			u.share += math.Abs(gain) * s.Convergence[k] / p.due.wanted
			u.itself += math.Abs(gain) * s.Stated[k] / p.due.wanted
		}
		list = append(list, u)
	}
	slices.SortStableFunc(list, func(a, b unsettled) int { return cmp.Compare(b.share, a.share) })
	return list
}

// planWhole plans the next runs of a whole map. There are none where the error is reached.
func (z *roundsPlan) planWhole(ctx context.Context) error {
	lo, hi := wholeLow, wholeHigh
	if n := len(z.cfg.Speeds); n > 0 {
		lo, hi = z.cfg.Speeds[0], z.cfg.Speeds[n-1]
	}
	points, e, err := z.rounds.NextWhole(ctx, lo, hi, z.goals[0].Error, z.cfg.Batch)
	if err != nil {
		return err
	}
	for _, c := range z.cases {
		if !c.appraised {
			continue
		}
		c.error, c.short = max(c.error, e), e > z.goals[0].Error
		if c.short { // no run where the engine works would lower that
			c.next = nextRun{}
		}
	}
	for _, p := range points {
		z.planned = append(z.planned, planned{name: ofMap, Planned: zoom.Planned{At: p}})
	}
	return nil
}

// Speeds of a whole map where the file names none, as fractions of the design's.
const wholeLow, wholeHigh = 0.7, 1.05

// ofMap stands for the case of a run that is for the map alone. No case has such a name.
const ofMap = "(map)"

// canImprove reports whether there is a run that makes a part smaller.
func (z *roundsPlan) canImprove(p *proposal, goal int) bool {
	if z.cfg.Span == "whole" {
		return false // its runs are made where the map needs them
	}
	if _, free := z.rounds.Free(p.At); free {
		return true
	}
	if p.appraisal[goal].unsettled == 0 {
		return false
	}
	return slices.ContainsFunc(z.rounds.Unsettled(p.At), func(s zoom.Settling) bool { return z.rounds.Settles(s.Key) })
}
