package zoom

// A grid is the plan of a fixed number of runs: speed lines near the engine's operating points, and as many throttles
// on each. It is extended until all operating points lie within the map.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Grid plans the runs of a machine's speed lines, and makes its map.
type Grid struct {
	ledger
	PerLine int // runs of a new speed line

	// Fixed limits the map to the speed lines of PlanLines.
	Fixed bool

	// Making is called before the map of many runs is made, which takes seconds; nil: it is not.
	Making func(runs, lines int)

	lattice lattice
	planned throttles
	targets []machine.Target // targets of the latest plan
	kept    map[int]bool     // speed lines that the map is made of
	mapped  []int            // lines of the latest Make, lost lines too
	charted []float64        // corrected speeds of the latest map, rpm
	latest  *perfmap.Map
	models  map[perfmap.Point]*surrogate.Model // of the answers near points of it
	report  Account                            // of the latest map
}

// NewGrid returns a grid without planned runs, of so many on each speed line.
func NewGrid(m machine.Machine, s *study.Study, perLine int) *Grid {
	return &Grid{
		ledger: ledger{Machine: m, Study: s}, PerLine: perLine, lattice: newLattice(&m, perLine), planned: throttles{},
	}
}

// PlanLines plans speed lines at fractions of the design speed, centred on the throttle of
// the target nearest in speed.
func (b *Grid) PlanLines(fractions []float64, targets []machine.Target) {
	b.targets = targets
	for _, f := range fractions {
		nc := f * b.Machine.Nc
		nearest := slices.MinFunc(targets, func(x, y machine.Target) int {
			return cmp.Compare(math.Abs(x.Nc-nc), math.Abs(y.Nc-nc))
		})
		at := b.lattice.near(nearest)
		at.speed = int(math.Round(f / SpeedStep))
		b.addLine(at)
	}
}

// PlanNear plans a speed line near each target and at the design speed, where none is planned yet. It reports whether
// runs were added. The map is then made of these lines alone. The slowest target gets a line at or below its speed and
// the fastest target a line at or above, so that all targets lie within the map.
func (b *Grid) PlanNear(targets []machine.Target) (added bool) {
	if b.Fixed {
		return false
	}
	b.targets = targets
	lowest, highest := b.Machine.Nc, b.Machine.Nc
	for _, t := range targets {
		lowest, highest = min(lowest, t.Nc), max(highest, t.Nc)
	}
	design := gridPoint{
		int(math.Round(1 / SpeedStep)),
		b.lattice.near(machine.Target{Nc: b.Machine.Nc, Wc: b.Machine.Wc, PR: b.Machine.PR}).throttle,
	}
	b.kept = map[int]bool{design.speed: true}
	added = b.addLine(design)
	for _, t := range targets {
		at := t.Nc / b.lattice.nc / SpeedStep
		lo, hi := at-LineReach/SpeedStep, at+LineReach/SpeedStep
		home := b.lattice.near(t)
		if t.Nc == lowest {
			hi, home.speed = at+speedTolerance, int(math.Floor(at+speedTolerance))
		}
		if t.Nc == highest {
			lo, home.speed = at-speedTolerance, int(math.Ceil(at-speedTolerance))
		}
		within := slices.DeleteFunc(b.planned.lines(), func(s int) bool { return float64(s) < lo || float64(s) > hi })
		if len(within) > 0 {
			home.speed = nearest(within, at)
		}
		added = b.addLine(home) || added
		b.kept[home.speed] = true
	}
	return added
}

// addLine plans the first runs of a speed line and reports whether the line is new.
func (b *Grid) addLine(at gridPoint) bool {
	if b.planned[at.speed] != nil {
		return false
	}
	for _, k := range b.lattice.window(at.throttle, min(b.PerLine, mostSteps)) {
		b.planned.add(gridPoint{at.speed, k})
	}
	return true
}

// Extend plans the runs that place all targets within the map and near a speed line: lines as PlanNear does, and a
// further throttle where a target is beyond the end of its line (outside gives the sides for each target). It reports
// whether the map has to be rebuilt: runs were added, or the map lacks planned lines. A map that only has superfluous
// lines keeps them.
func (b *Grid) Extend(targets []machine.Target, outside []perfmap.Edge) bool {
	added := b.PlanNear(targets)
	for i, t := range targets {
		e := outside[i]
		if e&(perfmap.XLow|perfmap.XHigh) == 0 {
			continue
		}
		added = b.extendLine(nearest(b.lines(), t.Nc/b.lattice.nc/SpeedStep), e) || added
	}
	if !added && !b.Fixed {
		for _, s := range b.mapped {
			b.kept[s] = true
		}
	}
	return added || b.Stale()
}

// refine plans the runs that lines still lack between their outermost answers, in the middle of the gaps between runs.
// It reports whether runs were added.
func (b *Grid) refine() (added bool) {
	for _, s := range b.lines() {
		answered := slices.DeleteFunc(slices.Clone(b.planned[s]), func(k int) bool {
			e := b.entry(gridPoint{s, k})
			return e == nil || e.err != nil
		})
		if len(answered) < leastAnswers {
			continue
		}
		for gap := b.lattice.parts / 2; gap > 0; gap /= 2 {
			var middles []int
			for k := answered[0] + gap; k < answered[len(answered)-1]; k += 2 * gap {
				if _, planned := slices.BinarySearch(b.planned[s], k); !planned {
					middles = append(middles, k)
				}
			}
			n := min(b.PerLine-len(b.planned[s]), len(middles))
			for i := range n { // the same distances between them where not all are needed
				added = b.planned.add(gridPoint{s, middles[(2*i+1)*len(middles)/(2*n)]}) || added
			}
		}
	}
	return added
}

// extendLine plans a further throttle at the end of a line, on each of the given sides where the last run did not fail.
// It reports whether runs were added.
func (b *Grid) extendLine(s int, sides perfmap.Edge) (added bool) {
	ts := b.planned[s]
	first, last := ts[0], ts[len(ts)-1]
	if sides&perfmap.XLow != 0 && !b.failed(gridPoint{s, last}) { // towards stall
		added = b.planned.add(gridPoint{s, last + b.lattice.parts})
	}
	if sides&perfmap.XHigh != 0 && !b.failed(gridPoint{s, first}) { // towards choke
		added = b.planned.add(gridPoint{s, first - b.lattice.parts}) || added
	}
	return added
}

// lines returns the speed lines from which Make makes the map.
func (b *Grid) lines() []int {
	return slices.DeleteFunc(b.planned.lines(), func(s int) bool { return !b.Fixed && !b.kept[s] })
}

// Stale reports whether Make would make another map than the latest: runs are planned, its lines have changed, or
// other answers count.
func (b *Grid) Stale() bool {
	return len(b.todo()) > 0 || !slices.Equal(b.lines(), b.mapped) || b.Turned()
}

// speedTolerance is the round-off tolerance for a speed at a line, in steps.
const speedTolerance = 1e-6

// PlanAhead plans the runs that extend a map on the given sides, which the engine is about to leave during a transient:
// a further speed line in that direction, or a further throttle on the lines next to the target. It reports whether the
// map has to be rebuilt: runs or lines were added. It adds no run beyond a run that found no steady flow, and no line
// if the map's lines are Fixed.
func (b *Grid) PlanAhead(t machine.Target, sides perfmap.Edge) (added bool) {
	at := t.Nc / b.lattice.nc / SpeedStep
	if sides&(perfmap.NcLow|perfmap.NcHigh) != 0 && !b.Fixed {
		home := b.lattice.near(t)
		stride := int(math.Round(2 * PassingReach / SpeedStep))
		if sides&perfmap.NcLow != 0 {
			stride = -stride
		}
		home.speed = nearest(b.lines(), at) + stride
		added = b.addLine(home) || !b.kept[home.speed]
		b.kept[home.speed] = true
	}
	if sides&(perfmap.XLow|perfmap.XHigh) == 0 {
		return added
	}
	lines := b.lines()
	above := 0
	for above < len(lines) && float64(lines[above]) <= at {
		above++
	}
	for _, s := range lines[max(0, above-1):min(len(lines), above+1)] {
		added = b.extendLine(s, sides) || added
	}
	return added
}

// entry returns the entry of a point; nil: it was not run.
func (b *Grid) entry(p gridPoint) *entry { return b.named[b.jobName(p)] }

// failed reports whether a point was run without an answer.
func (b *Grid) failed(p gridPoint) bool {
	e := b.entry(p)
	return e != nil && !e.outcome.OK()
}

// todo returns the planned points that were not run yet.
func (b *Grid) todo() []gridPoint {
	return slices.DeleteFunc(b.planned.points(), func(p gridPoint) bool { return b.entry(p) != nil })
}

// remote returns the distance of a point from the nearest target, in steps of the grid; 0 if the grid has no targets.
func (b *Grid) remote(p gridPoint) float64 {
	least := math.Inf(1)
	for _, t := range b.targets {
		at := b.lattice.near(t)
		steps := float64(p.throttle-at.throttle) / float64(b.lattice.parts)
		least = min(least, math.Hypot(float64(p.speed-at.speed), steps))
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// jobName names the run of a point by its speed and throttle.
func (b *Grid) jobName(p gridPoint) string {
	return fmt.Sprintf("%s-n%05.1f-k%+03d", b.Machine.Name, 100*SpeedStep*float64(p.speed), p.throttle)
}

// Requests returns the requests of the grid.
func (b *Grid) Requests() Requests {
	return Requests{Throttles: b.planned.clone(), Kept: slices.Sorted(maps.Keys(b.kept))}
}

// Redo replaces the grid's plan by that of another grid of the same machine, and makes its map.
func (b *Grid) Redo(ctx context.Context, plan Requests) error {
	b.replace(plan)
	return b.Make(ctx)
}

// replace replaces the plan.
func (b *Grid) replace(plan Requests) {
	b.planned, b.kept = throttles(plan.Throttles).clone(), map[int]bool{}
	for _, s := range plan.Kept {
		b.kept[s] = true
	}
}

// Clone returns an independent grid with the same plan and outcomes.
func (b *Grid) Clone() *Grid {
	c := *b
	c.ledger, c.models = b.copied(), maps.Clone(b.models)
	c.replace(b.Requests())
	return &c
}

// Maps during a transient. A steady operating point gets its own speed line. During a
// transient the engine works between lines; their distance is bounded, and the map is
// extended where the engine is about to leave it.

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
