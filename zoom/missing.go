package zoom

// Runs without an answer make a map worse than it looks: its error is estimated from the
// answers that are left. What is missing is counted here, line by line.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Missing is a planned point of a map without an answer.
type Missing struct {
	Name  string // says speed and throttle
	Run   string // its last attempt; empty: there was none
	Class event.Class
	Why   string
}

func (m Missing) String() string {
	return fmt.Sprintf("run %s: %s: %s", cmp.Or(m.Run, m.Name), m.Class, m.Why)
}

// LostLine is a speed line that is left out of a map for too few answers.
type LostLine struct {
	Speed         float64 // corrected, a fraction of the design's
	Answers, Runs int
}

func (l LostLine) String() string {
	return fmt.Sprintf("speed line at %.1f %%: %d of %d runs gave an answer, at least %d are needed", 100*l.Speed,
		l.Answers, l.Runs, leastAnswers)
}

// leastAnswers is the least number of points of a speed line.
const leastAnswers = 3

// Anchor is the point of a map that is scaled to the engine's design point. Its corrected
// speed and flow are fractions of those of the design.
type Anchor struct{ Speed, Flow float64 }

// Far reports whether the anchor is farther from the design than LineReach: the runs there
// gave no answer, or none was planned.
func (a Anchor) Far() bool {
	return math.Abs(a.Speed-1) > LineReach || math.Abs(a.Flow-1) > LineReach
}

// anchorOf returns the anchor of a map.
func (b *Builder) anchorOf(m *perfmap.Map) Anchor {
	flow, _ := m.Value("Wc", m.Design)
	return Anchor{Speed: m.Design.Nc / b.Machine.Nc, Flow: flow.V / b.Machine.Wc}
}

// account is what a speed line has of its runs.
type account struct {
	planned int // without those beyond the end of steady flow
	answers int
	missing []Missing
}

// account counts the runs of a speed line. Stalled runs at its end are no missing answers: they
// answer that the line ends before them. On a lost line they are missing, as it has no end.
func (b *Builder) account(s int) account {
	a := account{}
	beyond := 0 // stalled runs in a row
	for _, k := range b.planned[s] {
		o, ok := b.outcome(gridPoint{s, k})
		if !ok {
			o.Class = run.NotRun
		}
		a.planned++
		_, err := b.Machine.point(&o)
		switch {
		case err == nil && o.OK():
			a.answers++
			beyond = 0
			continue
		case o.Class == event.Stalled:
			beyond++
		default:
			beyond = 0
		}
		a.missing = append(a.missing, b.missing(gridPoint{s, k}, &o, err))
	}
	if !a.lost() {
		a.planned -= beyond
		a.missing = a.missing[:len(a.missing)-beyond]
	}
	return a
}

// lost reports whether the answers are too few for a line.
func (a *account) lost() bool { return a.answers < leastAnswers }

// void reports whether more than a third of the planned points are missing.
func (a *account) void() bool { return 3*len(a.missing) > a.planned }

// missing describes an outcome without an answer: in the solver's words if there are any, which
// are the same where the outcome comes from the cache.
func (b *Builder) missing(at gridPoint, o *run.Outcome, err error) Missing {
	return missingRun(b.jobName(at), o, err)
}

func missingRun(name string, o *run.Outcome, err error) Missing {
	m := Missing{Name: name, Run: o.Run, Class: o.Class, Why: o.Result.Message}
	var failed *run.RunError
	switch {
	case m.Why != "":
	case errors.As(err, &failed):
		m.Why = failed.Reason
	case err != nil:
		m.Why = err.Error()
	}
	return m
}

// ErrorHolds reports whether the estimate of CausesAt holds at a corrected speed, rpm. It does
// not if the map, or the speed line nearest to that speed, misses more than a third of its
// points, or if that line is lost or crosses others so that it is left out.
func (b *Builder) ErrorHolds(nc float64) bool {
	all := account{}
	for _, s := range b.mapped {
		a := b.account(s)
		all.planned += a.planned
		all.missing = append(all.missing, a.missing...)
	}
	nearest := b.mappedLine(nc)
	line := b.account(nearest)
	return !all.void() && !line.void() && !line.lost() && slices.Contains(b.charted, b.grid.speedOf(nearest))
}

// mappedLine returns the line of the latest map, or lost from it, that is nearest to a
// corrected speed, rpm. Lines that were planned since have no part in that map.
func (b *Builder) mappedLine(nc float64) int {
	off := func(s int) float64 { return math.Abs(float64(s) - nc/b.grid.nc/SpeedStep) }
	return slices.MinFunc(b.mapped, func(s, t int) int { return cmp.Compare(off(s), off(t)) })
}
