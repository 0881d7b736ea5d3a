package zoom

// Maps during a transient. A steady operating point gets its own speed line. During a
// transient the engine works between lines; their distance is bounded, and the map is
// extended where the engine is about to leave it.

import (
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// PassingReach is the largest distance from a speed line, as a fraction of the map's design
// speed, at which the engine may work during a transient. Lines are therefore at most twice
// that apart, which is the usual spacing of published maps.
const PassingReach = 0.025

// BoundsTolerance is the round-off tolerance for a map's bounds; lookups use a larger one.
const BoundsTolerance = 5e-9

// Margin returns the distance from a point of a map to the nearest of the watched bounds:
// the lowest and highest speed line, both ends of the third coordinate x, and PassingReach
// about the nearest line. Distances are fractions of the design speed and of the span of x;
// they are negative outside, and infinite if no side is watched. Sides are the watched
// sides on which the distance is not above the limit.
func Margin(m *perfmap.Map, nc, x float64, watched perfmap.Edge, limit float64) (margin float64, sides perfmap.Edge) {
	lo, hi := m.Nc[0], m.Nc[len(m.Nc)-1]
	if len(m.Nc) == 1 {
		lo, hi = lo*(1-perfmap.LineTolerance), hi*(1+perfmap.LineTolerance)
	}
	nearest := m.Nc[0]
	for _, line := range m.Nc {
		if math.Abs(line-nc) < math.Abs(nearest-nc) {
			nearest = line
		}
	}
	lineSide := perfmap.NcHigh
	if nc < nearest {
		lineSide = perfmap.NcLow
	}
	first, last := m.X[0], m.X[len(m.X)-1]
	margin = math.Inf(1)
	for _, bound := range []struct {
		left float64
		side perfmap.Edge
	}{
		{(nc - lo) / m.Design.Nc, perfmap.NcLow},
		{(hi - nc) / m.Design.Nc, perfmap.NcHigh},
		{PassingReach - math.Abs(nc-nearest)/m.Design.Nc, lineSide},
		{(x - first) / (last - first), perfmap.XLow},
		{(last - x) / (last - first), perfmap.XHigh},
	} {
		if watched&bound.side == 0 {
			continue
		}
		margin = min(margin, bound.left)
		if bound.left <= limit {
			sides |= bound.side
		}
	}
	return margin, sides
}

// PlanAhead plans the runs that extend a map on the given sides, which the engine is about
// to leave during a transient: a further speed line in that direction, or one more throttle
// on the lines next to the target. It reports whether the map has to be rebuilt: runs or lines were
// added. No run is added beyond a run that found no steady flow, and no line if the map's lines are Fixed.
func (b *Builder) PlanAhead(t Target, sides perfmap.Edge) (added bool) {
	at := t.Nc / b.grid.nc / SpeedStep
	if sides&(perfmap.NcLow|perfmap.NcHigh) != 0 && !b.Fixed {
		home := b.grid.near(t)
		stride := int(math.Round(2 * PassingReach / SpeedStep))
		if sides&perfmap.NcLow != 0 {
			stride = -stride
		}
		home.speed = b.nearestLine(at) + stride
		added = b.addLine(home) || !b.kept[home.speed]
		b.kept[home.speed] = true
	}
	if sides&(perfmap.XLow|perfmap.XHigh) == 0 {
		return added
	}
	for _, s := range b.neighbours(at) {
		added = b.extendLine(s, sides) || added
	}
	return added
}

// clone returns a copy that shares no memory.
func (p throttles) clone() throttles {
	c := throttles{}
	for s, ts := range p {
		c[s] = slices.Clone(ts)
	}
	return c
}

// neighbours returns the map's lines next to a speed, in steps: one below and one above, or
// the nearest line alone beyond the last one.
func (b *Builder) neighbours(at float64) []int {
	below, above := math.Inf(-1), math.Inf(1)
	for s := range b.started {
		if !b.used(s) {
			continue
		}
		if x := float64(s); x <= at {
			below = max(below, x)
		} else {
			above = min(above, x)
		}
	}
	var list []int
	for _, x := range []float64{below, above} {
		if !math.IsInf(x, 0) {
			list = append(list, int(x))
		}
	}
	return list
}

// Clone returns an independent builder with the same plan and outcomes.
func (b *Builder) Clone() *Builder {
	c := *b
	c.outcomes, c.models = maps.Clone(b.outcomes), maps.Clone(b.models)
	c.SetPlan(b.Plan())
	return &c
}

// Plan names the runs of a builder's map, so that a checkpoint can store them and another
// builder can repeat them.
type Plan struct {
	Throttles map[int][]int // by speed line, both as grid indices
	Kept      []int         // speed lines that the map is made of; nil: all
	Wanted    []Wanted      // of runs in rounds
	Priors    []Plan        `json:",omitempty"` // of the runs of cheaper solvers
	Earlier   []Recalled    // answers of earlier studies that count beside them
}

// Plan returns the builder's plan.
func (b *Builder) Plan() Plan {
	return Plan{Throttles: b.planned.clone(), Kept: slices.Sorted(maps.Keys(b.kept))}
}

// SetPlan replaces the builder's plan by that of another builder of the same machine. The
// next Build then makes the same map, provided that the runs give the same answers.
func (b *Builder) SetPlan(plan Plan) {
	b.planned, b.started, b.kept = throttles(plan.Throttles).clone(), map[int]bool{}, map[int]bool{}
	for s := range plan.Throttles {
		b.started[s] = true
	}
	for _, s := range plan.Kept {
		b.kept[s] = true
	}
}
