package zoom

// The lattice on which runs are planned. All points lie on a fixed lattice of corrected speeds and throttles, so that
// two studies near the same operating point plan the same runs and find them in the cache.

import (
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

const (
	// SpeedStep is the grid's spacing in speed, a fraction of the design corrected speed.
	SpeedStep = 0.005
	// ThrottleStep is the ratio between neighbouring throttles of a line.
	ThrottleStep = 1.07
)

// LineReach is the largest distance of a steady operating point from a speed line, as a
// fraction of the design speed. A point farther away gets a new line.
const LineReach = 0.01

// gridPoint holds the indices of a point of the grid: Nc = speed SpeedStep Nc_design, and
// throttle K = K_0 ThrottleStep^(throttle/parts).
type gridPoint struct{ speed, throttle int }

// lattice converts between indices and physical values.
type lattice struct {
	nc float64 // design corrected speed, rpm
	k0 float64 // throttle that passes the design flow at PR 1, Pa s2/kg2

	parts int // of a ThrottleStep; above 1 where a line has more than mostSteps runs
}

// mostSteps is the greatest number of runs of a new line that are one ThrottleStep apart. More lie between the ends of
// steady flow that these find: farther out there are no answers.
const mostSteps = 16

func newLattice(m *machine.Machine, perLine int) lattice {
	g := lattice{nc: m.Nc, k0: numeric.Round(flow.Pref/(m.Wc*m.Wc), 6), parts: 1}
	for perLine > mostSteps && g.parts < perLine/2 { // enough between three answers
		g.parts *= 2
	}
	return g
}

// speedOf returns the corrected speed of a line, rpm.
func (g lattice) speedOf(p int) float64 { return numeric.Round(float64(p)*SpeedStep*g.nc, 9) }

// throttleOf returns the throttle of a column, Pa s2/kg2.
func (g lattice) throttleOf(p int) float64 {
	return numeric.Round(g.k0*math.Pow(ThrottleStep, float64(p)/float64(g.parts)), 9)
}

// stepsOf returns the place of a throttle in a line, as a multiple of K_0.
func (g lattice) stepsOf(throttle float64) float64 {
	return math.Log(throttle) / math.Log(ThrottleStep) * float64(g.parts)
}

// near returns the point of the grid nearest to an operating point.
func (g lattice) near(t machine.Target) gridPoint {
	k := machine.ExitStaticShare * t.PR * flow.Pref / (t.Wc * t.Wc)
	return gridPoint{
		speed:    int(math.Round(t.Nc / g.nc / SpeedStep)),
		throttle: g.parts * int(math.Round(math.Log(k/g.k0)/math.Log(ThrottleStep))),
	}
}

// window returns n throttles about a centre, a ThrottleStep apart, with one more on the stall side if n is even.
func (g lattice) window(centre, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = centre + g.parts*(i-(n-1)/2)
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

// lines returns the speed lines, in rising order.
func (p throttles) lines() []int { return slices.Sorted(maps.Keys(p)) }

// points lists all points, sorted by speed, then throttle.
func (p throttles) points() []gridPoint {
	var out []gridPoint
	for _, s := range p.lines() {
		for _, t := range p[s] {
			out = append(out, gridPoint{s, t})
		}
	}
	return out
}

// clone returns a copy that shares no memory.
func (p throttles) clone() throttles {
	c := throttles{}
	for s, ts := range p {
		c[s] = slices.Clone(ts)
	}
	return c
}
