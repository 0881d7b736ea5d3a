package zoom

// An engine in motion passes through its maps. An operating point has a speed line of its
// own; on the way from one to another lines are interpolated, but not too far, and
// the map grows where the engine is about to leave it.

import (
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// PassingReach is how far from a speed line, as a fraction of the map's design speed, an
// engine in motion may be: lines are twice that apart at most, as those of the maps that
// engines are published with.
const PassingReach = 0.025

// Touch is what a place may be outside of a map by round-off alone, less than what a lookup
// calls outside.
const Touch = 5e-9

// Room is how far a place on a map is from where the map ends for an engine in motion:
// at the bounds of the speed lines and of the third coordinate, and at the reach of the
// nearest line. It is in fractions of the design speed and of the coordinate's span,
// negative outside, infinite if nothing is watched. Sides are those, of the watched, on
// which there is less room than some.
func Room(m *perfmap.Map, nc, x float64, watched perfmap.Edge, some float64) (room float64, sides perfmap.Edge) {
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
	away := perfmap.NcHigh
	if nc < nearest {
		away = perfmap.NcLow
	}
	first, last := m.X[0], m.X[len(m.X)-1]
	room = math.Inf(1)
	for _, end := range []struct {
		left float64
		side perfmap.Edge
	}{
		{(nc - lo) / m.Design.Nc, perfmap.NcLow},
		{(hi - nc) / m.Design.Nc, perfmap.NcHigh},
		{PassingReach - math.Abs(nc-nearest)/m.Design.Nc, away},
		{(x - first) / (last - first), perfmap.XLow},
		{(last - x) / (last - first), perfmap.XHigh},
	} {
		if watched&end.side == 0 {
			continue
		}
		room = min(room, end.left)
		if end.left <= some {
			sides |= end.side
		}
	}
	return room, sides
}

// Ahead asks for what a map lacks where an engine in motion is about to leave it on some
// sides: a speed line beyond, in the direction of the motion, or further throttles on the
// lines that it is between. It reports whether anything was asked for; there
// is nothing beyond a run that found no steady flow, and no line beyond those that the map
// is fixed to.
func (b *Builder) Ahead(t Target, sides perfmap.Edge) (asked bool) {
	at := t.Nc / b.grid.nc / SpeedStep
	if sides&(perfmap.NcLow|perfmap.NcHigh) != 0 && !b.Fixed {
		home := b.grid.near(t)
		stride := int(math.Round(2 * PassingReach / SpeedStep))
		if sides&perfmap.NcLow != 0 {
			stride = -stride
		}
		home.speed = b.nearestLine(at) + stride
		asked = b.line(home)
		b.kept[home.speed] = true
	}
	if sides&(perfmap.XLow|perfmap.XHigh) == 0 {
		return asked
	}
	for _, s := range b.around(at) {
		asked = b.lengthen(s, sides) || asked
	}
	return asked
}

func (p plan) clone() plan {
	c := plan{}
	for s, ts := range p {
		c[s] = slices.Clone(ts)
	}
	return c
}

// around are the lines of the map that a speed, in steps, lies between, or the nearest.
func (b *Builder) around(at float64) []int {
	below, above := math.Inf(-1), math.Inf(1)
	for s := range b.lines {
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

// lengthen asks for a throttle beyond the end of a line, on the sides asked for.
func (b *Builder) lengthen(s int, sides perfmap.Edge) (asked bool) {
	ts := b.plan[s]
	first, last := ts[0], ts[len(ts)-1]
	if sides&perfmap.XLow != 0 && !b.failed(gridPoint{s, last}) { // towards stall
		asked = b.plan.add(gridPoint{s, last + 1})
	}
	if sides&perfmap.XHigh != 0 && !b.failed(gridPoint{s, first}) { // towards choke
		asked = b.plan.add(gridPoint{s, first - 1}) || asked
	}
	return asked
}

// Clone returns a builder that has asked for the same and goes its own way.
func (b *Builder) Clone() *Builder {
	c := *b
	c.outcomes = maps.Clone(b.outcomes)
	c.Ask(b.Asked())
	return &c
}

// Asked is what was asked of a builder, for another to ask the same.
type Asked struct {
	Throttles map[int][]int // by speed line, both as places on the builder's grid
	Kept      []int         // speed lines that the map is made of; nil: all
}

// Asked returns what the builder was asked for.
func (b *Builder) Asked() Asked {
	return Asked{b.plan.clone(), slices.Sorted(maps.Keys(b.kept))}
}

// Ask asks for the same as another builder of the machine was asked for; the next Build makes
// the same map, if the runs give the same answers.
func (b *Builder) Ask(a Asked) {
	b.plan, b.lines, b.kept = plan(a.Throttles).clone(), map[int]bool{}, map[int]bool{}
	for s := range a.Throttles {
		b.lines[s] = true
	}
	for _, s := range a.Kept {
		b.kept[s] = true
	}
}
