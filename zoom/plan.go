package zoom

// The grid on which runs are planned. All points lie on a fixed grid of corrected speeds and
// throttles, so that two studies near the same operating point plan the same runs and find
// them in the cache.

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

const (
	// SpeedStep is the grid's spacing in speed, a fraction of the design corrected speed.
	SpeedStep = 0.005
	// ThrottleStep is the ratio between neighbouring throttles of a line.
	ThrottleStep = 1.07
)

// Target is an operating point in corrected quantities.
type Target struct {
	Nc    float64 // rpm
	Wc    float64 // kg/s
	PR    float64
	Alpha float64 // setting of the rows that turn, deg from how the geometry has them
}

// gridPoint holds the indices of a point of the grid: Nc = speed SpeedStep Nc_design, and
// throttle K = K_0 ThrottleStep^throttle.
type gridPoint struct{ speed, throttle int }

// grid converts between indices and physical values.
type grid struct {
	nc float64 // design corrected speed, rpm
	k0 float64 // throttle that passes the design flow at PR 1, Pa s2/kg2
}

func newGrid(m *Machine) grid {
	return grid{nc: m.Nc, k0: numeric.Round(flow.Pref/(m.Wc*m.Wc), 6)}
}

// speedOf is the corrected speed of a line, rpm.
func (g grid) speedOf(p int) float64 { return numeric.Round(float64(p)*SpeedStep*g.nc, 9) }

// throttleOf is the throttle of a column, Pa s2/kg2.
func (g grid) throttleOf(p int) float64 {
	return numeric.Round(g.k0*math.Pow(ThrottleStep, float64(p)), 9)
}

// exitStaticShare is the ratio of static to total pressure at a rotor's exit for an absolute
// Mach number of 0.7, which is typical of transonic fans. It only centres the first runs of
// a line on the operating point.
const exitStaticShare = 0.72

// near returns the point of the grid nearest to an operating point.
func (g grid) near(t Target) gridPoint {
	k := exitStaticShare * t.PR * flow.Pref / (t.Wc * t.Wc)
	return gridPoint{
		speed:    int(math.Round(t.Nc / g.nc / SpeedStep)),
		throttle: int(math.Round(math.Log(k/g.k0) / math.Log(ThrottleStep))),
	}
}

// window returns n throttles about a centre, with one more on the stall side if n is even.
func window(centre, n int) []int {
	first := centre - (n-1)/2
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

// throttles are the planned points of a map: the throttles of each speed line, in rising order.
type throttles map[int][]int

// add adds a point and reports whether it is new.
func (p throttles) add(at gridPoint) bool {
	i, found := slices.BinarySearch(p[at.speed], at.throttle)
	if !found {
		p[at.speed] = slices.Insert(p[at.speed], i, at.throttle)
	}
	return !found
}

// points lists all points, sorted by speed, then throttle.
func (p throttles) points() []gridPoint {
	var out []gridPoint
	for s, ts := range p {
		for _, t := range ts {
			out = append(out, gridPoint{s, t})
		}
	}
	slices.SortFunc(out, func(a, b gridPoint) int {
		if a.speed != b.speed {
			return a.speed - b.speed
		}
		return a.throttle - b.throttle
	})
	return out
}
