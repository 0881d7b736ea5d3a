package zoom

// A builder turns runs into the performance map of a zoomed machine, and asks
// for those that the map lacks near where the engine works.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Builder makes and extends one machine's map.
type Builder struct {
	Machine Machine
	Study   *run.Study
	Runs    int // a speed line

	// Fixed keeps the map to the speed lines that Lines asked for.
	Fixed bool

	grid     grid
	plan     plan
	outcomes map[gridPoint]run.Outcome
	lines    map[int]bool // speed lines that were started
	kept     map[int]bool // those that the map is made of
}

// NewBuilder returns a builder of a map without points.
func NewBuilder(m Machine, s *run.Study, runs int) *Builder {
	return &Builder{Machine: m, Study: s, Runs: runs, grid: newGrid(&m), plan: plan{}, outcomes: map[gridPoint]run.Outcome{}, lines: map[int]bool{}}
}

// Built is a map with the account of how it came to be.
type Built struct {
	Map      *perfmap.Map
	Outcomes []run.Outcome // of all points, by speed and throttle
	Runs     int           // made now
	Cached   int           // taken from the cache
	Failed   int
	Dropped  []string // speed lines that had too few answers, and why
}

// NoMapError tells that too few runs of a study gave an answer.
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

// Lines asks for speed lines at fractions of the design speed, centred on the
// throttle of the target nearest in speed.
func (b *Builder) Lines(fractions []float64, targets []Target) {
	for _, f := range fractions {
		nc := f * b.Machine.Nc
		nearest := slices.MinFunc(targets, func(x, y Target) int {
			return int(math.Copysign(1, math.Abs(x.Nc-nc)-math.Abs(y.Nc-nc)))
		})
		at := b.grid.near(nearest)
		at.speed = int(math.Round(f / SpeedStep))
		b.line(at)
	}
}

// Near asks for a speed line near the speed of each target, and at the design
// speed, if there is none yet; the map is made of those lines alone. The slowest
// target gets a line at or below its speed and the fastest one at or above, so
// that the map holds all of them.
func (b *Builder) Near(targets []Target) (asked bool) {
	if b.Fixed {
		return false
	}
	lowest, highest := b.Machine.Nc, b.Machine.Nc
	for _, t := range targets {
		lowest, highest = min(lowest, t.Nc), max(highest, t.Nc)
	}
	design := gridPoint{int(math.Round(1 / SpeedStep)), b.grid.near(Target{b.Machine.Nc, b.Machine.Wc, b.Machine.PR}).throttle}
	b.kept = map[int]bool{design.speed: true}
	asked = b.line(design)
	for _, t := range targets {
		at := t.Nc / b.grid.nc / SpeedStep
		lo, hi := at-LineReach/SpeedStep, at+LineReach/SpeedStep
		home := b.grid.near(t)
		if t.Nc == lowest {
			hi, home.speed = at+hair, int(math.Floor(at+hair))
		}
		if t.Nc == highest {
			lo, home.speed = at-hair, int(math.Ceil(at-hair))
		}
		if s, ok := b.lineWithin(lo, hi, at); ok {
			home.speed = s
		}
		asked = b.line(home) || asked
		b.kept[home.speed] = true
	}
	return asked
}

// lineWithin is the line nearest to a speed among those between two, in steps.
func (b *Builder) lineWithin(lo, hi, at float64) (int, bool) {
	best, dist := 0, math.Inf(1)
	for s := range b.lines {
		x := float64(s)
		if d := math.Abs(x - at); x >= lo && x <= hi && (d < dist || d == dist && s < best) {
			best, dist = s, d
		}
	}
	return best, !math.IsInf(dist, 1)
}

// line asks for a speed line's first runs and reports whether it is new.
func (b *Builder) line(at gridPoint) bool {
	if b.lines[at.speed] {
		return false
	}
	b.lines[at.speed] = true
	for _, k := range window(at.throttle, b.Runs) {
		b.plan.add(gridPoint{at.speed, k})
	}
	return true
}

// Extend asks for what a map lacks so that the targets lie inside of it and near
// a speed line: lines as Near does, and further throttles where a target is
// beyond the end of its line. It reports whether anything was asked for.
func (b *Builder) Extend(targets []Target, outside []perfmap.Edge) bool {
	asked := b.Near(targets)
	for i, t := range targets {
		e := outside[i]
		if e&(perfmap.XLow|perfmap.XHigh) == 0 {
			continue
		}
		asked = b.lengthen(b.nearestLine(t.Nc/b.grid.nc/SpeedStep), e) || asked
	}
	return asked
}

// LineReach is how far from a speed line, as a fraction of the design speed, an
// engine may work before it gets a line of its own.
const LineReach = 0.01

// hair is what a speed may be beyond a line, in steps, by round-off alone.
const hair = 1e-6

// used reports whether a line is part of the map.
func (b *Builder) used(s int) bool { return b.Fixed || b.kept[s] }

// nearestLine is the line of the map nearest to a speed, in steps.
func (b *Builder) nearestLine(at float64) int {
	best, dist := 0, math.Inf(1)
	for s := range b.lines {
		if d := math.Abs(float64(s) - at); b.used(s) && (d < dist || d == dist && s < best) {
			best, dist = s, d
		}
	}
	return best
}

func (b *Builder) failed(p gridPoint) bool {
	o, ok := b.outcomes[p]
	return ok && !o.OK()
}

// Pending is the number of runs asked for and not yet made or fetched.
func (b *Builder) Pending() int {
	n := 0
	for _, p := range b.plan.points() {
		if _, ok := b.outcomes[p]; !ok {
			n++
		}
	}
	return n
}

// Build makes the runs that are asked for and the map of all that there is.
// Errors: NoMapError if too few runs gave an answer; plugin.RequestError if the
// solver cannot take the machine's settings; that of ctx.
func (b *Builder) Build(ctx context.Context) (*Built, error) {
	var todo []gridPoint
	var jobs []run.Job
	for _, p := range b.plan.points() {
		if _, ok := b.outcomes[p]; ok {
			continue
		}
		request, err := b.Machine.request(b.grid.speedOf(p.speed), b.grid.throttleOf(p.throttle))
		if err != nil {
			return nil, err
		}
		todo = append(todo, p)
		jobs = append(jobs, run.Job{
			Name:    fmt.Sprintf("%s-n%05.1f-k%+03d", b.Machine.Name, 100*SpeedStep*float64(p.speed), p.throttle),
			Request: request, Component: b.Machine.Name,
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

// assemble makes the map of all outcomes, in the order of the grid.
func (b *Builder) assemble(built *Built) error {
	var lines []perfmap.Line
	var failed []run.Outcome
	versions := map[string]string{}
	for _, s := range slices.Sorted(maps.Keys(b.plan)) {
		if !b.used(s) {
			continue
		}
		line := perfmap.Line{Nc: b.grid.speedOf(s)}
		for _, k := range b.plan[s] {
			o, ok := b.outcomes[gridPoint{s, k}]
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
		if len(line.Points) < 3 {
			built.Dropped = append(built.Dropped, fmt.Sprintf("speed line at %.1f %%: %d of %d runs gave an answer, at least 3 are needed", 100*SpeedStep*float64(s), len(line.Points), len(b.plan[s])))
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
	m, err := perfmap.FromLines(b.Machine.Name, lines, perfmap.LineOptions{Source: source, Versions: versions, Stall: b.bounded(lines)})
	if err != nil {
		return &NoMapError{Machine: b.Machine.Name, Err: err, Failed: failed}
	}
	built.Map, err = b.anchor(m)
	return err
}

// bounded reports whether every line ends towards stall at a run beyond which
// the solver found no steady flow: the line's first point is then its stall point,
// to within one ThrottleStep.
func (b *Builder) bounded(lines []perfmap.Line) bool {
	for _, l := range lines {
		s := int(math.Round(l.Nc / b.grid.nc / SpeedStep))
		ts := b.plan[s]
		if !b.failed(gridPoint{s, ts[len(ts)-1]}) {
			return false
		}
	}
	return true
}

// anchor sets the map's design point: on the line nearest to the design speed,
// where its flow is the engine's design flow, so that a map scaled to the engine
// keeps its own flow. If the line does not have that flow it is the nearest end.
func (b *Builder) anchor(m *perfmap.Map) (*perfmap.Map, error) {
	row := 0
	for i, nc := range m.Nc {
		if math.Abs(nc-b.Machine.Nc) < math.Abs(m.Nc[row]-b.Machine.Nc) {
			row = i
		}
	}
	again := *m
	again.Design = perfmap.Point{Alpha: m.Alpha[0], Nc: m.Nc[row], X: atFlow(m, m.Nc[row], b.Machine.Wc)}
	return perfmap.New(again)
}
