package zoom

// Which runs a map still lacks. Points lie on a fixed grid of corrected speeds
// and throttles, so that two studies that come near the same operating point
// ask for the same runs and find them in the cache.

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
)

const (
	// SpeedStep is the spacing of speed lines, as a fraction of the design
	// corrected speed, to which a line's speed is rounded.
	SpeedStep = 0.005
	// ThrottleStep is the ratio between neighbouring throttles of a line.
	ThrottleStep = 1.07
)

// Target is an operating point in corrected quantities.
type Target struct {
	Nc float64 // rpm
	Wc float64 // kg/s
	PR float64
}

// gridPoint is a place on the grid: Nc = speed SpeedStep Nc_design, and throttle
// K = K_0 ThrottleStep^throttle.
type gridPoint struct{ speed, throttle int }

// grid turns places into physical values.
type grid struct {
	nc float64 // design corrected speed
	k0 float64 // throttle through which the design flow passes at PR 1
}

func newGrid(m *Machine) grid {
	return grid{nc: m.Nc, k0: round(flow.Pref/(m.Wc*m.Wc), 6)}
}

// round keeps that many significant digits.
func round(v float64, digits int) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// speedOf is the corrected speed of a line, rpm.
func (g grid) speedOf(p int) float64 { return round(float64(p)*SpeedStep*g.nc, 9) }

// throttleOf is the throttle of a column, Pa s2/kg2.
func (g grid) throttleOf(p int) float64 {
	return round(g.k0*math.Pow(ThrottleStep, float64(p)), 9)
}

// exitStaticShare is the static over the total pressure at a rotor's exit at
// an absolute Mach number of 0.7, where transonic fans discharge. It only centres the
// first runs of a line on the operating point.
const exitStaticShare = 0.72

// near is the place on the grid nearest to an operating point.
func (g grid) near(t Target) gridPoint {
	k := exitStaticShare * t.PR * flow.Pref / (t.Wc * t.Wc)
	return gridPoint{
		speed:    int(math.Round(t.Nc / g.nc / SpeedStep)),
		throttle: int(math.Round(math.Log(k/g.k0) / math.Log(ThrottleStep))),
	}
}

// window returns n throttles about a centre, one more on the stall side if n is even.
func window(centre, n int) []int {
	first := centre - (n-1)/2
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

// plan is what was asked of the solver: throttles by speed, each in rising order.
type plan map[int][]int

// add asks for a point and reports whether it is new.
func (p plan) add(at gridPoint) bool {
	i, found := slices.BinarySearch(p[at.speed], at.throttle)
	if !found {
		p[at.speed] = slices.Insert(p[at.speed], i, at.throttle)
	}
	return !found
}

// points lists all places in a fixed order.
func (p plan) points() []gridPoint {
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
