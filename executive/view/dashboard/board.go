// Package dashboard draws runs as a full screen of text: a table of all runs, and one run in detail. It is pure: it
// takes events, keys and the time, and returns frames. It does not depend on the source of the events or on the display
// of the frames. The events may come from a running study, from its log on the disk, or from files of a solver without
// any link to Peregrine.
package dashboard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Board follows runs by their events. Its methods may be called from several goroutines.
type Board struct {
	mu      sync.Mutex
	title   string
	judged  bool // by a caller of Judge
	study   *view.Board
	runs    map[string]*run
	order   []*run     // as they came
	going   int        // how many of them run
	notes   ring[note] // of the study as a whole
	engine  map[string]map[string]float64
	changes int
}

// New returns the board of a study: it judges its runs by their events.
func New(title string) *Board {
	b := &Board{title: title, study: view.NewBoard()}
	b.reset()
	return b
}

// NewJudged returns a board whose runs are judged by the caller, through Judge.
func NewJudged(title string) *Board {
	b := New(title)
	b.judged = true
	return b
}

func (b *Board) reset() {
	b.runs, b.order, b.notes = map[string]*run{}, nil, ring[note]{}
	b.engine, b.going = map[string]map[string]float64{}, 0
}

// Study returns the state of the study, which Observe updates.
func (b *Board) Study() *view.Board { return b.study }

// Changes counts the changes so far: a frame is out of date when the count has grown.
func (b *Board) Changes() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

// Observe takes an event. Its Run names the run.
func (b *Board) Observe(e event.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes++
	if e.Kind == event.StudyBegun { // also when another command continues the study
		b.reset()
		if e.Study != "" {
			b.title = e.Study
		}
		if e.Name != "" {
			b.title += ": " + e.Name
		}
	}
	seen := b.study.Observe(e)
	if seen == nil {
		b.note(e)
		return
	}
	r := b.run(seen)
	r.observe(e, b.judged, b.gap())
	now := r.Phase == view.Running
	switch {
	case now && !r.going:
		b.going++
	case r.going && !now:
		b.going--
	}
	r.going = now
}

// Judging costs more than all else that is done here. Of many runs at a time each is judged by a part of its
// iterations, so many a second of all of them together.
const (
	judgedAll    = 50  // running runs, up to which every iteration counts
	judgedSecond = 200 // iterations
)

// gap returns the shortest time between two judged iterations of a run.
func (b *Board) gap() time.Duration {
	if b.going <= judgedAll {
		return 0
	}
	return time.Duration(b.going) * time.Second / judgedSecond
}

// note takes an event of no run.
func (b *Board) note(e event.Event) {
	switch e.Kind {
	case event.StudyEnded, event.Warning, event.Finding, event.NodeLost:
		b.notes.add(note{e.Time, view.LogLine(e)})
	case event.Point:
		cases := b.engine[e.Component]
		if cases == nil {
			cases = map[string]float64{}
			b.engine[e.Component] = cases
		}
		if pr, ok := e.Values["PR"]; ok {
			cases[e.Case] = pr
		}
	}
}

// Note shows a text of the study as a whole, such as a line that its program would print.
func (b *Board) Note(at time.Time, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes++
	b.notes.add(note{at, text})
}

// run returns the drawn data of a run.
func (b *Board) run(seen *view.Run) *run {
	r := b.runs[seen.Name]
	if r == nil {
		r = newRun(seen, len(b.order))
		b.runs[seen.Name], b.order = r, append(b.order, r)
	}
	return r
}

// Judge takes the judgement of a run from a caller. Final marks its last judgement.
func (b *Board) Judge(name string, at time.Time, j state.Judgement, final bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changes++
	r := b.run(b.study.Observe(event.Event{Run: name}))
	r.judge(j)
	if final {
		r.Phase, r.Ended = view.Over, at
	}
}

// counts returns the number of listed runs in each state.
func counts(runs []*run) map[string]int {
	n := map[string]int{}
	for _, r := range runs {
		n[r.state()]++
	}
	return n
}

// Tick sets the present time. A run that is silent for too long changes its state without an event.
func (b *Board) Tick(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.order {
		if r.machine != nil && r.machine.Tick(now) {
			r.judge(r.machine.Judgement())
			b.changes++
		}
	}
}

// Summary returns a line with the number of runs in each state, for the terminal after the dashboard is closed.
func (b *Board) Summary(now time.Time) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var parts []string
	if text := b.study.Progress().Line(now); text != "" {
		parts = append(parts, text)
	}
	n := counts(b.order)
	for _, s := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
	}
	return b.title + ": " + strings.Join(parts, ", ")
}
