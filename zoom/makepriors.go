package zoom

// Runs of cheaper solvers are made before the expensive runs for which they are the prior.

import (
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// makePriors makes the cheap runs that belong to expensive runs: at their speeds and throttles, and about the points
// that they are to find, so that the cheap model has slopes there.
func (r *Rounds) makePriors(ctx context.Context, dear []machine.Wanted, planned []Planned) error {
	made := false
	for _, p := range r.Priors {
		p.Cause = r.Cause
		var list []machine.Wanted
		for _, w := range dear {
			c := machine.Wanted{Name: p.named(w.Name), Inputs: w.Inputs}
			if w.After == "" && !p.requested(c.Name) && !p.full(len(list)) {
				list = append(list, c)
			}
		}
		if _, err := p.make(ctx, list); err != nil {
			return err
		}
		about := p.about(planned)
		if _, err := p.Make(ctx, about); err != nil {
			return err
		}
		made = made || len(list)+len(about) > 0
	}
	if !made {
		return nil
	}
	r.response = nil
	if !r.Answered() {
		return nil
	}
	_, err := r.Response()
	return err
}

// The cheap runs about a point: at so much more and less speed, in kappa, and of setting, deg.
const (
	aboutNu    = 0.03
	aboutKappa = 0.1
	aboutAlpha = 4.0
)

// directions returns the offsets of cheap runs from a point.
func (r *Rounds) directions() []machine.RunPoint {
	list := []machine.RunPoint{{Nu: aboutNu}, {Nu: -aboutNu}, {Kappa: aboutKappa}, {Kappa: -aboutKappa}}
	if r.Machine.Settable {
		list = append(list, machine.RunPoint{Alpha: aboutAlpha}, machine.RunPoint{Alpha: -aboutAlpha})
	}
	return list
}

// about returns cheap runs about the planned points, without points that have others near.
func (r *Rounds) about(planned []Planned) (list []Planned) {
	if _, err := r.Response(); err != nil { // all of them use it
		return nil
	}
	for _, o := range planned {
		if o.GoOn != "" {
			continue
		}
		for _, d := range r.directions() {
			at := o.At.Plus(d)
			near := func(q machine.RunPoint) bool {
				return at.Less(q).Over(machine.RunPoint{Nu: aboutNu, Kappa: aboutKappa, Alpha: aboutAlpha}) < 0.7
			}
			if !slices.ContainsFunc(r.counted(),
				func(a surrogate.Observation) bool { return near(machine.PointAt(a.X)) }) &&
				!slices.ContainsFunc(list, func(q Planned) bool { return near(q.At) }) {
				list = append(list, Planned{At: at})
			}
		}
	}
	return list
}

// A whole map of a cheap model has the target error cheapShare of the expensive model's, and at most mostWhole runs:
// runs that scatter reach no error.
const (
	cheapShare = 0.4
	mostWhole  = 60
)

// wholePriors makes the cheap models' whole maps, before the expensive model's.
func (r *Rounds) wholePriors(ctx context.Context, lo, hi, to float64, batch int) error {
	for _, p := range r.Priors {
		p.Cause = r.Cause
		for p.Answered() && p.Made() < mostWhole {
			points, _, err := p.NextWhole(ctx, lo, hi, cheapShare*to, batch)
			if err != nil {
				return err
			}
			if len(points) == 0 {
				break
			}
			planned := make([]Planned, len(points))
			for i, at := range points {
				planned[i].At = at
			}
			if _, err := p.Make(ctx, planned); err != nil {
				return err
			}
			r.response = nil
		}
	}
	return nil
}
