package zoom

// The report of a zoom on its runs: the runs made, the missing answers and the reasons.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Account reports the runs of a zoom.
type Account struct {
	Outcomes []run.Outcome      // of a grid sorted by speed and throttle, otherwise in the order of the requests
	Earlier  []run.Outcome      // of earlier studies, which count as well
	Runs     int                // made
	Cached   int                // taken from the cache
	Failed   int                // runs without an answer
	Planned  int                // runs meant to give an answer: of a grid without runs beyond the end of steady flow
	Missing  []Missing          // planned runs without an answer
	Dropped  []LostLine         // speed lines left out for too few answers
	Cut      []perfmap.CutPoint // answers left out where speed lines cross
	Anchor   Anchor             // the point that scales the map
	Unlike   []run.Unlike       // runs whose answers differ from others of the same requests
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

// Anchor is the point of a map that is scaled to the engine's design point. Its corrected speed and flow are fractions
// of the design values.
type Anchor struct{ Speed, Flow float64 }

// Far reports whether the anchor is farther from the design than LineReach: the runs there gave no answer, or no run
// was planned there.
func (a Anchor) Far() bool {
	return math.Abs(a.Speed-1) > LineReach || math.Abs(a.Flow-1) > LineReach
}

// NoMapError reports that too few runs gave an answer to make a map.
type NoMapError struct {
	Err    error
	Failed []run.Outcome
}

func (e *NoMapError) Error() string {
	msg := fmt.Sprintf("no map could be made: %v", e.Err)
	var failures []*failure
	for i := range e.Failed {
		o := &e.Failed[i]
		failures = countFailure(failures, Missing{Class: o.Class, Why: o.Reason()}, o.Folder)
	}
	for i, f := range failures {
		if i == shownFailures {
			return msg + fmt.Sprintf("\n  and %s of other causes", spell.Count(f.rest(failures), "run"))
		}
		msg += fmt.Sprintf("\n  %s %s: %s", spell.Count(f.runs, "run"), f.Class,
			strings.ReplaceAll(strings.TrimSpace(f.Why), "\n", "\n    "))
		if f.folder != "" {
			msg += "\n    see " + f.folder
		}
	}
	return msg
}

// shownFailures is the number of causes that a message shows.
const shownFailures = 3

// failure is a cause of failed runs: a class with a reason.
type failure struct {
	Missing
	runs   int
	folder string // of the first of them
}

// countFailure adds a run to the cause of its class and words; numbers in them may differ.
func countFailure(all []*failure, m Missing, folder string) []*failure {
	for _, f := range all {
		if run.Cause(f.Class, f.Why) == run.Cause(m.Class, m.Why) {
			f.runs++
			return all
		}
	}
	return append(all, &failure{m, 1, folder})
}

// rest returns the number of runs from a cause on.
func (f *failure) rest(all []*failure) (n int) {
	for _, g := range all[slices.Index(all, f):] {
		n += g.runs
	}
	return n
}

func (e *NoMapError) Unwrap() error { return e.Err }

// Missing is a run without an answer.
type Missing struct {
	Name  string // contains speed and throttle
	Run   string // its last attempt; empty: no attempt was made
	Class event.Class
	Why   string
}

func (m Missing) String() string {
	return fmt.Sprintf("run %s: %s: %s", cmp.Or(m.Run, m.Name), m.Class, m.Why)
}

// OneCause reports whether all runs of a list failed by one cause.
func OneCause(list []Missing) bool {
	var causes []*failure
	for _, m := range list {
		causes = countFailure(causes, m, "")
	}
	return len(causes) == 1
}
