package zoom

// A whole map to a given error: runs are made where the model of all earlier runs is least certain.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// The range of a whole map: from a lowest to a highest speed, about the points whose flow is similar to that of the
// design,
//
//	Wc = Wc_d nu,  PR = 1 + (PR_d - 1) nu^2,
//
// near which a machine works on a single nozzle. In kappa the range extends by wholeToStall and wholeToChoke from these
// points.
const (
	wholeToStall = 0.2
	wholeToChoke = 0.15
	wholeSpeeds  = 8
	wholeKappas  = 7
)

// NextWhole returns the next runs, at most batch, of a whole map at speeds from lo to hi over the design's, and its
// present error. It returns no runs once the error is at most to. The runs of priors are made before.
func (r *Rounds) NextWhole(ctx context.Context, lo, hi, to float64, batch int) ([]machine.RunPoint, float64, error) {
	if err := r.wholePriors(ctx, lo, hi, to, batch); err != nil {
		return nil, 0, err
	}
	response, err := r.Response()
	if err != nil {
		return nil, 0, err
	}
	points := response.rated(r.workingRange(lo, hi))
	e := errorOver(points) * r.surprise()
	if e <= to {
		return nil, e, nil
	}
	var list []machine.RunPoint
	for _, p := range leastCertain(points) {
		if len(list) == batch {
			break
		}
		if at, ok := r.Free(p); ok {
			list = append(list, at)
		}
	}
	return list, e, nil
}

// surprise returns the root mean square of the latest runs' prediction errors over the model's deviations, at least 1.
// The deviations are too small by this factor.
func (r *Rounds) surprise() float64 {
	const latest = 8
	list := r.missed[max(0, len(r.missed)-latest):]
	if len(list) == 0 {
		return 1
	}
	sum := 0.0
	for _, z := range list {
		sum += z * z
	}
	return max(1, math.Sqrt(sum/float64(len(list))))
}

// workingRange returns points all over the range of a whole map at speeds from lo to hi over the design's, without
// points at or beyond runs that found no flow.
func (r *Rounds) workingRange(lo, hi float64) []machine.RunPoint {
	var list []machine.RunPoint
	m := &r.Machine
	for _, nu := range numeric.Ramp(lo, hi, wholeSpeeds-1) {
		middle := math.Log(m.Wc * m.Wc * nu * nu / (1 + (m.PR-1)*nu*nu))
		for _, kappa := range numeric.Ramp(middle-wholeToStall, middle+wholeToChoke, wholeKappas-1) {
			if p := (machine.RunPoint{Nu: nu, Kappa: kappa}); !r.without(p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// without reports whether a run near a point found no flow, or a run between it and the middle of its line.
func (r *Rounds) without(p machine.RunPoint) bool {
	w, err := r.want(p)
	if err != nil {
		return true
	}
	for _, e := range r.entries {
		if e.past != nil {
			continue
		}
		o := &e.outcome
		nc, throttle := r.Machine.Requested(&o.Job.Request)
		if noFlow(o) && throttle > 0 && math.Abs(nc/r.Machine.Nc-p.Nu) < 0.03 &&
			w.Inputs[machine.InThrottle] > 0.99*throttle {
			return true
		}
	}
	return false
}

// relative returns the standard deviations of Wc, PR and efficiency at a point, over their values.
func (r *Response) relative(p machine.RunPoint) [3]float64 {
	var v components.Responded
	r.At(0, p.Nu*r.machine.Nc, p.Kappa, &v)
	d := r.Deviations(p)
	return [3]float64{d[0], 2 * d[0], d[1] / max(v.Eff[0], 0.1)} // at constant kappa PR varies with Wc^2
}

// rated is a point with the model's relative deviations there.
type rated struct {
	machine.RunPoint
	d [3]float64
}

// rated returns points with their deviations.
func (r *Response) rated(points []machine.RunPoint) (list []rated) {
	return convert.All(points, func(p machine.RunPoint) rated { return rated{p, r.relative(p)} })
}

// errorOver returns the root mean square of the model's standard deviations over some points: the largest of Wc, PR and
// efficiency, relative to their values.
func errorOver(points []rated) float64 {
	var sums [3]float64
	for _, p := range points {
		for k, d := range p.d {
			sums[k] += d * d
		}
	}
	return math.Sqrt(slices.Max(sums[:]) / float64(max(1, len(points))))
}

// The least distances of two runs in a round: nearer runs would give nearly the same information.
const (
	apartNu    = 0.06
	apartKappa = 0.12
)

// leastCertain returns the points at which the model is least certain, with minimum distances between them.
func leastCertain(all []rated) []machine.RunPoint {
	all = slices.SortedStableFunc(slices.Values(all),
		func(a, b rated) int { return cmp.Compare(slices.Max(b.d[:]), slices.Max(a.d[:])) })
	var list []machine.RunPoint
	for _, a := range all {
		near := func(q machine.RunPoint) bool {
			return math.Hypot((a.Nu-q.Nu)/apartNu, (a.Kappa-q.Kappa)/apartKappa) < 1
		}
		if !slices.ContainsFunc(list, near) {
			list = append(list, a.RunPoint)
		}
	}
	return list
}
