package zoom

// The map of a grid, assembled line by line from the outcomes of its runs. The map's error is estimated from the
// remaining answers, so missing answers make it worse than the estimate; they are counted.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Make makes the planned runs that were not made yet, and the map from all outcomes. Errors: NoMapError if too few runs
// gave an answer; plugin.RequestError if the solver rejects the machine's settings; the error of ctx.
func (b *Grid) Make(ctx context.Context) error {
	for more := true; more; more = b.refine() {
		todo := b.todo()
		var jobs []run.Job
		lines := map[int]plugin.Request{}
		for _, p := range todo {
			throttle := b.lattice.throttleOf(p.throttle)
			line, begun := lines[p.speed]
			if !begun {
				var err error
				if line, err = b.Machine.RequestAt(b.lattice.speedOf(p.speed), throttle); err != nil {
					return err
				}
				lines[p.speed] = line
			}
			jobs = append(jobs, run.Job{Name: b.jobName(p), Request: b.Machine.AtThrottle(line, throttle),
				Component: b.Machine.Name, Remote: b.remote(p)})
		}
		take := func(i int, o *run.Outcome) { b.enter(machine.Wanted{Name: jobs[i].Name}, o) }
		if err := b.evaluate(ctx, jobs, take); err != nil {
			return err
		}
	}
	return b.assemble(ctx)
}

// Map returns the latest map.
func (b *Grid) Map() *perfmap.Map { return b.latest }

// Account reports all runs, and the missing ones of the latest map.
func (b *Grid) Account() Account {
	a := b.report
	a.Runs, a.Cached = b.Runs, b.Cached
	return a
}

// assemble makes the map from all outcomes, in the order of the grid, so that it does not depend on the order in which
// runs end.
func (b *Grid) assemble(ctx context.Context) error {
	var lines []perfmap.Line
	var made []*entry
	versions := map[string]string{}
	b.heed()
	b.mapped = b.lines()
	var report Account
	for _, s := range b.mapped {
		have := b.line(s)
		made = append(made, have.made...)
		report.Planned, report.Failed = report.Planned+have.planned, report.Failed+len(have.made)-have.answers
		report.Missing = append(report.Missing, have.missing...)
		line := perfmap.Line{Nc: b.lattice.speedOf(s)}
		for _, e := range have.made {
			report.Outcomes = append(report.Outcomes, e.result())
			if e.counts() {
				p, _ := b.Machine.LinePoint(&e.outcome)
				versions[e.outcome.Solver] = e.outcome.Fidelity
				line.Points = append(line.Points, p)
			}
		}
		if have.lost() {
			report.Dropped = append(report.Dropped,
				LostLine{Speed: SpeedStep * float64(s), Answers: have.answers, Runs: len(b.planned[s])})
			continue
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		b.report = report
		return failures(errors.New("no speed line has three answers"), made)
	}
	if b.Making != nil && len(made) >= manyRuns {
		b.Making(len(made), len(lines))
	}
	m, cut, err := perfmap.FromCrossedLines(ctx, b.Machine.Name, lines,
		perfmap.LineOptions{Source: sourceOf(made), Versions: versions, Stall: b.bounded(lines)})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		b.report = report
		return failures(err, made)
	}
	report.Cut, b.charted = cut, m.Nc
	if m, err = anchored(m, &b.Machine); err != nil {
		return err
	}
	report.Anchor = b.anchorOf(m)
	b.report, b.latest, b.models = report, m, map[perfmap.Point]*surrogate.Model{}
	return nil
}

// manyRuns are those of a map that is announced before it is made.
const manyRuns = 1000

// bounded reports whether the last run of every line towards stall found no steady flow. The last point with steady
// flow is then the line's stall point, to within one ThrottleStep.
func (b *Grid) bounded(lines []perfmap.Line) bool {
	for _, l := range lines {
		s := int(math.Round(l.Nc / b.lattice.nc / SpeedStep))
		ts := b.planned[s]
		if last := b.entry(gridPoint{s, ts[len(ts)-1]}); last == nil || !noFlow(&last.outcome) {
			return false
		}
	}
	return true
}

// anchored returns a machine's map with its design point set: on the line nearest to the design speed,
// where the flow is the engine's design flow, so that scaling the map to the engine does not
// change the flow. If the line does not reach that flow, its nearest end is taken.
func anchored(m *perfmap.Map, machine *machine.Machine) (*perfmap.Map, error) {
	row := 0
	for i, nc := range m.Nc {
		if math.Abs(nc-machine.Nc) < math.Abs(m.Nc[row]-machine.Nc) {
			row = i
		}
	}
	alpha := nearest(m.Alpha, 0)
	return m.WithDesign(perfmap.Point{Alpha: alpha, Nc: m.Nc[row], X: atFlow(m, alpha, m.Nc[row], machine.Wc)})
}

// nearest returns the number of a list that is nearest to x.
func nearest[T int | float64](list []T, x float64) T {
	off := func(a T) float64 { return math.Abs(float64(a) - x) }
	return slices.MinFunc(list, func(a, b T) int { return cmp.Compare(off(a), off(b)) })
}

// atFlow returns the third coordinate at which a line has the corrected flow wc, or the nearest end of the line.
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
	return numeric.Bisect(func(x float64) float64 { return value(x) - wc }, lo, hi)
}

// anchorOf returns the anchor of a map.
func (b *Grid) anchorOf(m *perfmap.Map) Anchor {
	flow, _ := m.Value("Wc", m.Design)
	return Anchor{Speed: m.Design.Nc / b.Machine.Nc, Flow: flow.V / b.Machine.Wc}
}

// line is a planned speed line with its runs.
type line struct {
	made    []*entry // in the order of its throttles
	answers int
	planned int // without runs beyond the end of steady flow
	missing []Missing
}

// line returns a planned speed line. Stalled runs at its end are no missing answers: they show that the line ends
// before them. On a lost line they are missing, as it has no end.
func (b *Grid) line(s int) (l line) {
	beyond := 0 // stalled runs in a row
	for _, k := range b.planned[s] {
		e := b.entry(gridPoint{s, k})
		l.planned++
		if e == nil {
			l.missing = append(l.missing, Missing{Name: b.jobName(gridPoint{s, k}), Class: run.NotRun})
			beyond = 0
			continue
		}
		l.made = append(l.made, e)
		switch {
		case e.counts():
			l.answers++
			beyond = 0
			continue
		case e.outcome.Class == event.Stalled:
			beyond++
		default:
			beyond = 0
		}
		l.missing = append(l.missing, e.missing())
	}
	if !l.lost() {
		l.planned, l.missing = l.planned-beyond, l.missing[:len(l.missing)-beyond]
	}
	return l
}

// lost reports whether the answers are too few for a line.
func (l *line) lost() bool { return l.answers < leastAnswers }

// void reports whether more than a third of the planned points are missing.
func void(missing []Missing, planned int) bool { return 3*len(missing) > planned }

// ErrorHolds reports whether the estimate of CausesAt holds at a corrected speed, rpm. It does not hold if the map, or
// the speed line nearest to that speed, misses more than a third of its points, or if that line is lost or is left out
// because it crosses others.
func (b *Grid) ErrorHolds(nc float64) bool {
	nearest := b.mappedLine(nc)
	l := b.line(nearest)
	return !void(b.report.Missing, b.report.Planned) && !void(l.missing, l.planned) && !l.lost() &&
		slices.Contains(b.charted, b.lattice.speedOf(nearest))
}

// mappedLine returns the line of the latest map, or lost from it, that is nearest to a corrected speed, rpm. Lines
// planned later have no part in that map.
func (b *Grid) mappedLine(nc float64) int { return nearest(b.mapped, nc/b.lattice.nc/SpeedStep) }
