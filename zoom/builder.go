package zoom

// A builder plans the runs that the performance map of a zoomed machine lacks near the
// engine's operating points, makes them, and assembles the map from their answers.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Builder makes and extends one machine's map.
type Builder struct {
	Machine Machine
	Study   *run.Study
	Runs    int // per new speed line

	// Fixed limits the map to the speed lines of PlanLines.
	Fixed bool

	// Cause is the event that leads to the next runs; may be nil.
	Cause *event.Ref

	grid     grid
	planned  throttles
	targets  []Target // for which it was planned, the latest
	outcomes map[gridPoint]run.Outcome
	started  map[int]bool // speed lines with planned runs
	kept     map[int]bool // speed lines that the map is made of
	mapped   []int        // those of the latest Build, lost ones too
	charted  []float64    // corrected speeds of the latest map, rpm
	latest   *perfmap.Map
	models   map[perfmap.Point]*surrogate.Model // of the answers near points of it
	turn     int                                // of the study's course, when the latest map was made
}

// NewBuilder returns a builder without planned runs. Runs is the number of runs per speed line.
func NewBuilder(m Machine, s *run.Study, runs int) *Builder {
	return &Builder{Machine: m, Study: s, Runs: runs, grid: newGrid(&m), planned: throttles{},
		outcomes: map[gridPoint]run.Outcome{}, started: map[int]bool{}}
}

// Built is a map, and the runs that it was made from.
type Built struct {
	Map      *perfmap.Map
	Outcomes []run.Outcome      // of all points, sorted by speed and throttle
	Earlier  []run.Outcome      // of earlier studies, which count beside them
	Runs     int                // made by this Build
	Cached   int                // taken from the cache by this Build
	Failed   int                // points without an answer
	Planned  int                // points of the map's lines, without those beyond the end of steady flow
	Missing  []Missing          // those of them without an answer
	Dropped  []LostLine         // speed lines left out for too few answers
	Cut      []perfmap.CutPoint // answers left out where speed lines cross
	Anchor   Anchor             // what scales the map
	Unlike   []run.Unlike       // runs whose answers differ from others of the same requests
}

// NoMapError reports that too few runs gave an answer to make a map.
type NoMapError struct {
	Machine string
	Err     error
	Failed  []run.Outcome
}

func (e *NoMapError) Error() string {
	msg := fmt.Sprintf("%s: no map could be made: %v", e.Machine, e.Err)
	for i, o := range e.Failed {
		if i == 3 {
			msg += fmt.Sprintf("; and %d more", len(e.Failed)-i)
			break
		}
		msg += fmt.Sprintf("; %v", o.Err)
	}
	return msg
}

func (e *NoMapError) Unwrap() error { return e.Err }

// PlanLines plans speed lines at fractions of the design speed, centred on the throttle of
// the target nearest in speed.
func (b *Builder) PlanLines(fractions []float64, targets []Target) {
	b.targets = targets
	for _, f := range fractions {
		nc := f * b.Machine.Nc
		nearest := slices.MinFunc(targets, func(x, y Target) int {
			return int(math.Copysign(1, math.Abs(x.Nc-nc)-math.Abs(y.Nc-nc)))
		})
		at := b.grid.near(nearest)
		at.speed = int(math.Round(f / SpeedStep))
		b.addLine(at)
	}
}

// PlanNear plans a speed line near each target and one at the design speed, where there is
// none yet, and reports whether runs were added. The map is then made of those lines alone.
// The slowest target gets a line at or below its speed and the fastest one a line at or
// above, so that all targets lie within the map.
func (b *Builder) PlanNear(targets []Target) (added bool) {
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
		b.grid.near(Target{Nc: b.Machine.Nc, Wc: b.Machine.Wc, PR: b.Machine.PR}).throttle,
	}
	b.kept = map[int]bool{design.speed: true}
	added = b.addLine(design)
	for _, t := range targets {
		at := t.Nc / b.grid.nc / SpeedStep
		lo, hi := at-LineReach/SpeedStep, at+LineReach/SpeedStep
		home := b.grid.near(t)
		if t.Nc == lowest {
			hi, home.speed = at+speedTolerance, int(math.Floor(at+speedTolerance))
		}
		if t.Nc == highest {
			lo, home.speed = at-speedTolerance, int(math.Ceil(at-speedTolerance))
		}
		if s, ok := b.lineWithin(lo, hi, at); ok {
			home.speed = s
		}
		added = b.addLine(home) || added
		b.kept[home.speed] = true
	}
	return added
}

// lineWithin returns the line nearest to a speed among those from lo to hi, all in steps.
func (b *Builder) lineWithin(lo, hi, at float64) (int, bool) {
	best, dist := 0, math.Inf(1)
	for s := range b.started {
		x := float64(s)
		if d := math.Abs(x - at); x >= lo && x <= hi && (d < dist || d == dist && s < best) {
			best, dist = s, d
		}
	}
	return best, !math.IsInf(dist, 1)
}

// addLine plans the first runs of a speed line and reports whether the line is new.
func (b *Builder) addLine(at gridPoint) bool {
	if b.started[at.speed] {
		return false
	}
	b.started[at.speed] = true
	for _, k := range window(at.throttle, b.Runs) {
		b.planned.add(gridPoint{at.speed, k})
	}
	return true
}

// Extend plans what the map lacks for the targets to lie within it and near a speed line:
// lines as PlanNear does, and one more throttle where a target is beyond the end of its
// line, as outside says for each target. It reports whether the map has to be rebuilt: runs were added,
// or lines serve that it does not have. A map that only has lines to spare keeps them.
func (b *Builder) Extend(targets []Target, outside []perfmap.Edge) bool {
	added := b.PlanNear(targets)
	for i, t := range targets {
		e := outside[i]
		if e&(perfmap.XLow|perfmap.XHigh) == 0 {
			continue
		}
		added = b.extendLine(b.nearestLine(t.Nc/b.grid.nc/SpeedStep), e) || added
	}
	if !added && !b.Fixed {
		for _, s := range b.mapped {
			b.kept[s] = true
		}
	}
	return added || b.Stale()
}

// extendLine plans one more throttle at the end of a line, on each of the given sides where
// the last run did not fail. It reports whether runs were added.
func (b *Builder) extendLine(s int, sides perfmap.Edge) (added bool) {
	ts := b.planned[s]
	first, last := ts[0], ts[len(ts)-1]
	if sides&perfmap.XLow != 0 && !b.failed(gridPoint{s, last}) { // towards stall
		added = b.planned.add(gridPoint{s, last + 1})
	}
	if sides&perfmap.XHigh != 0 && !b.failed(gridPoint{s, first}) { // towards choke
		added = b.planned.add(gridPoint{s, first - 1}) || added
	}
	return added
}

// lines are the speed lines of which Build makes the map.
func (b *Builder) lines() []int {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(b.planned)), func(s int) bool { return !b.used(s) })
}

// Stale reports whether Build would make another map than the latest: it lacks runs, or its lines have
// changed, or which answers count.
func (b *Builder) Stale() bool {
	return b.pending() > 0 || !slices.Equal(b.lines(), b.mapped) || b.turn != b.Study.Course().Turn()
}

// LineReach is the largest distance of a steady operating point from a speed line, as a
// fraction of the design speed. A point farther away gets a new line.
const LineReach = 0.01

// speedTolerance is the round-off tolerance for a speed at a line, in steps.
const speedTolerance = 1e-6

// used reports whether a line is part of the map.
func (b *Builder) used(s int) bool { return b.Fixed || b.kept[s] }

// nearestLine returns the line of the map nearest to a speed, in steps.
func (b *Builder) nearestLine(at float64) int {
	best, dist := 0, math.Inf(1)
	for s := range b.started {
		if d := math.Abs(float64(s) - at); b.used(s) && (d < dist || d == dist && s < best) {
			best, dist = s, d
		}
	}
	return best
}

// failed reports whether a point was run without an answer.
func (b *Builder) failed(p gridPoint) bool {
	o, ok := b.outcomes[p]
	return ok && !o.OK()
}

// outcome is that of a point, without its answer where that is not to count.
func (b *Builder) outcome(p gridPoint) (run.Outcome, bool) {
	o, ok := b.outcomes[p]
	if by := b.Study.Course().Unusable(b.jobName(p)); ok && by != "" {
		return o.LeftOut(by), true
	}
	return o, ok
}

// pending returns the number of planned runs that have no outcome yet.
func (b *Builder) pending() int {
	n := 0
	for _, p := range b.planned.points() {
		if _, ok := b.outcomes[p]; !ok {
			n++
		}
	}
	return n
}

// Build makes the pending runs, and the map from all outcomes.
// Errors: NoMapError if too few runs gave an answer; plugin.RequestError if the
// solver does not accept the machine's settings; the error of ctx.
func (b *Builder) Build(ctx context.Context) (*Built, error) {
	var todo []gridPoint
	var jobs []run.Job
	for _, p := range b.planned.points() {
		if _, ok := b.outcomes[p]; ok {
			continue
		}
		request, err := b.Machine.request(b.grid.speedOf(p.speed), b.grid.throttleOf(p.throttle))
		if err != nil {
			return nil, err
		}
		todo = append(todo, p)
		jobs = append(jobs, run.Job{
			Name: b.jobName(p), Request: request, Component: b.Machine.Name, Cause: b.Cause, Remote: b.remote(p),
		})
	}
	built := &Built{}
	if len(jobs) > 0 {
		outs, err := b.Study.Evaluate(ctx, jobs)
		for i, o := range outs {
			var refused *plugin.RequestError
			if errors.As(o.Err, &refused) {
				return built, refused // all of them would be: a setting is wrong
			}
			if o.Class == run.NotRun {
				continue
			}
			b.outcomes[todo[i]] = o
			if o.Cached {
				built.Cached++
			} else {
				built.Runs++
			}
		}
		if err != nil {
			return built, err
		}
	}
	return built, b.assemble(built)
}

// remote is how far a point is from the nearest target, in steps of the grid; 0 if there are no targets.
func (b *Builder) remote(p gridPoint) float64 {
	least := math.Inf(1)
	for _, t := range b.targets {
		at := b.grid.near(t)
		least = min(least, math.Hypot(float64(p.speed-at.speed), float64(p.throttle-at.throttle)))
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// jobName names the run of a point by its speed and throttle.
func (b *Builder) jobName(p gridPoint) string {
	return fmt.Sprintf("%s-n%05.1f-k%+03d", b.Machine.Name, 100*SpeedStep*float64(p.speed), p.throttle)
}

// assemble makes the map from all outcomes, in the order of the grid, so that it does not
// depend on which run ended first.
func (b *Builder) assemble(built *Built) error {
	var lines []perfmap.Line
	var failed []run.Outcome
	versions := map[string]string{}
	b.mapped, b.turn = b.lines(), b.Study.Course().Turn()
	for _, s := range b.mapped {
		line := perfmap.Line{Nc: b.grid.speedOf(s)}
		have := b.account(s)
		built.Planned += have.planned
		built.Missing = append(built.Missing, have.missing...)
		for _, k := range b.planned[s] {
			o, ok := b.outcome(gridPoint{s, k})
			if !ok {
				continue
			}
			built.Outcomes = append(built.Outcomes, o)
			p, err := b.Machine.point(&o)
			if err != nil {
				failed = append(failed, o)
				built.Failed++
				continue
			}
			versions[o.Solver] = o.Fidelity
			line.Points = append(line.Points, p)
		}
		if have.lost() {
			built.Dropped = append(built.Dropped,
				LostLine{Speed: SpeedStep * float64(s), Answers: have.answers, Runs: len(b.planned[s])})
			continue
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return &NoMapError{Machine: b.Machine.Name, Err: fmt.Errorf("no speed line has three answers"), Failed: failed}
	}
	source := ""
	for _, o := range built.Outcomes {
		if o.OK() {
			source = o.Solver + ", " + o.Fidelity
		}
	}
	m, cut, err := perfmap.FromCrossedLines(b.Machine.Name, lines,
		perfmap.LineOptions{Source: source, Versions: versions, Stall: b.bounded(lines)})
	if err != nil {
		return &NoMapError{Machine: b.Machine.Name, Err: err, Failed: failed}
	}
	built.Cut, b.charted = cut, m.Nc
	if built.Map, err = anchored(m, &b.Machine); err != nil {
		return err
	}
	built.Anchor, b.latest = b.anchorOf(built.Map), built.Map
	b.models = map[perfmap.Point]*surrogate.Model{}
	return nil
}

// brokeDown are the classes by which a solver says that it found no steady flow. A process that crashed
// or was killed says nothing of the flow.
var brokeDown = []event.Class{event.Stalled, event.NotConverged, event.Diverged}

// bounded reports whether the last run of every line towards stall found no steady flow. The
// last point that did is then the line's stall point, to within one ThrottleStep.
func (b *Builder) bounded(lines []perfmap.Line) bool {
	for _, l := range lines {
		s := int(math.Round(l.Nc / b.grid.nc / SpeedStep))
		ts := b.planned[s]
		if !slices.Contains(brokeDown, b.outcomes[gridPoint{s, ts[len(ts)-1]}].Class) {
			return false
		}
	}
	return true
}

// anchored returns a machine's map with its design point set: on the line nearest to the design speed,
// where the flow is the engine's design flow, so that scaling the map to the engine does not
// change the flow. If the line does not reach that flow, its nearest end is taken.
func anchored(m *perfmap.Map, machine *Machine) (*perfmap.Map, error) {
	row := 0
	for i, nc := range m.Nc {
		if math.Abs(nc-machine.Nc) < math.Abs(m.Nc[row]-machine.Nc) {
			row = i
		}
	}
	at, alpha := *m, nearest(m.Alpha, 0)
	at.Design = perfmap.Point{Alpha: alpha, Nc: m.Nc[row], X: atFlow(m, alpha, m.Nc[row], machine.Wc)}
	return perfmap.New(at)
}

// nearest is that of some numbers which is nearest to x.
func nearest(list []float64, x float64) float64 {
	return slices.MinFunc(list, func(a, b float64) int { return cmp.Compare(math.Abs(a-x), math.Abs(b-x)) })
}

// atFlow returns the third coordinate at which a line has the corrected flow wc, or the
// nearest end of the line.
func atFlow(m *perfmap.Map, alpha, nc, wc float64) float64 {
	lo, hi := m.X[0], m.X[len(m.X)-1] // Wc rises with X
	value := func(x float64) float64 {
		v, _ := m.Value("Wc", perfmap.Point{Alpha: alpha, Nc: nc, X: x})
		return v.V
	}
	switch {
	case value(lo) >= wc:
		return lo
	case value(hi) <= wc:
		return hi
	}
	for range 100 {
		if mid := (lo + hi) / 2; value(mid) < wc {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
