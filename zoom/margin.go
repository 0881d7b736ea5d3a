package zoom

// Maps during a transient. A steady operating point gets its own speed line. During a
// transient the engine works between lines; their distance is bounded, and the map is
// extended where the engine is about to leave it.

import (
	"math"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// PassingReach is the largest distance from a speed line, as a fraction of the map's design speed, at which the engine
// may work during a transient. Lines are therefore at most twice that apart, which is the usual spacing of published
// maps.
const PassingReach = 0.025

// BoundsTolerance is the round-off tolerance for a map's bounds; lookups use a larger one.
const BoundsTolerance = 5e-9

// Margin returns the distance from a point of a map to the nearest of the watched bounds: the lowest and highest speed
// line, both ends of the third coordinate x, and PassingReach about the nearest line. Distances are fractions of the
// design speed and of the span of x; they are negative outside, and infinite if no side is watched. Sides holds the
// watched sides on which the distance is at most the limit.
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
