package zoomsolve

// Steps of a zoom in rounds towards the requested error: a new run where the model lacks data, or further iterations of
// runs that have not settled.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom"
)

// approach plans the next step of a case towards the requested error. It continues runs if their unsettled part is more
// than half of the allowed error. It plans a new run if continued runs would not suffice. If a new run is planned, the
// model will rest on that run. The unsettled part of a run then counts at the run's own point, without its growth on
// the way to the case's point.
func (z *roundsPlan) approach(p proposal) {
	const much, little = 0.5, 0.125
	var is appraised // relative to the allowed error of the part
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
	at, free := z.Free(p.At)
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
			if s.share > little && z.CanSettle(s.Key, is.unsettled/little) {
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

// unsettled is the contribution of an answer that has not settled to a case's error, relative to the allowed error.
type unsettled struct {
	zoom.Settling
	share  float64
	itself float64 // were the case where the answer was found
}

// unsettled lists these contributions, the greatest first. A case that did not converge has none.
func (z *roundsPlan) unsettled(p proposal) (list []unsettled) {
	if p.gains == nil {
		return nil
	}
	for _, s := range z.Unsettled(p.At) {
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

// planWhole plans the next runs of a whole map. It plans no runs if the error is reached.
func (z *roundsPlan) planWhole(ctx context.Context) error {
	lo, hi := wholeLow, wholeHigh
	if n := len(z.cfg.Speeds); n > 0 {
		lo, hi = z.cfg.Speeds[0], z.cfg.Speeds[n-1]
	}
	points, e, err := z.NextWhole(ctx, lo, hi, z.goals[0].Error, z.cfg.Batch)
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

// ofMap replaces the name of a case for a run that is only for the map. No case has such a name.
const ofMap = "(map)"

// canImprove reports whether any run makes a part smaller.
func (z *roundsPlan) canImprove(p *proposal, goal int) bool {
	if z.cfg.Span == "whole" {
		return false // its runs are made where the map needs them
	}
	if _, free := z.Free(p.At); free {
		return true
	}
	if p.appraisal[goal].unsettled == 0 {
		return false
	}
	return slices.ContainsFunc(z.Unsettled(p.At), func(s zoom.Settling) bool { return z.Settles(s.Key) })
}
