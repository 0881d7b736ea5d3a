package dashboard

// Data of a run.

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// run holds the drawn data of a run: the values of its latest events, and its last lines.
type run struct {
	*view.Run
	number int
	going  bool // it was running at its last event

	machine   *state.Machine // nil: judged by the caller, or ended
	counted   time.Time      // time of its last judged event
	judgement state.Judgement

	iteration float64
	at        time.Time            // of the last iteration
	residual  track                // the largest residual of each iteration
	each      []named              // residuals by name
	strips    map[string][]float64 // profiles by name, such as the pressure along the blade
	pace      pace

	lines    ring[line] // the last
	warnings ring[note]
}

// named is a residual.
type named struct {
	name string
	track
}

// line is a line of a run: a line of its output, or an event in words.
type line struct {
	at               time.Time
	kind             event.Kind
	name, text, line string
	severity         string
	class            event.Class
	values           map[string]float64
}

// note is a text with its time.
type note struct {
	at   time.Time
	text string
}

// mostKept is how many lines, and how many warnings, are kept of a run.
const mostKept = 40

// ring keeps the latest of a sequence.
type ring[T any] struct {
	items []T
	next  int // the place of the next, once it is full
}

func (r *ring[T]) add(x T) {
	if len(r.items) < mostKept {
		r.items = append(r.items, x)
		return
	}
	r.items[r.next] = x
	r.next = (r.next + 1) % mostKept
}

// back returns them, the latest first.
func (r *ring[T]) back() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for i := range r.items {
			if !yield(&r.items[(r.next+len(r.items)-1-i)%len(r.items)]) {
				return
			}
		}
	}
}

func newRun(seen *view.Run, number int) *run {
	return &run{Run: seen, number: number, judgement: state.Judgement{State: state.Starting}}
}

// observe takes an event, which its view.Run has taken. If judged is set the caller judges the run. Gap is the shortest
// time between two iterations that are judged here.
func (r *run) observe(e event.Event, judged bool, gap time.Duration) {
	switch e.Kind {
	case event.Started:
		if e.Source == event.Host && !judged {
			r.machine = state.New(state.Options{})
		}
	case event.Iteration, event.Profile:
		r.sample(&e)
	case event.Warning, event.Finding:
		r.warnings.add(note{e.Time, cmp.Or(e.Text, e.Line, e.Name)})
	case event.Ended:
		if r.Phase == view.Over && r.machine != nil {
			r.judge(r.machine.Judgement())
			r.machine = nil // frees most of the memory
		}
	}
	if r.machine != nil && e.Source != event.Host && (e.Kind != event.Iteration || e.NonFinite != nil ||
		e.Time.Sub(r.counted) >= gap) {
		r.machine.Event(e)
		r.judge(r.machine.Judgement())
		r.counted = e.Time
	}
	if e.Kind != event.Profile {
		r.keep(&e)
	}
}

// keep keeps an event for the list of the last lines. Iterations of a file have a line each.
func (r *run) keep(e *event.Event) {
	name := e.Name
	if e.Kind == event.Ended {
		name = e.Outcome()
	}
	r.lines.add(line{e.Time, e.Kind, name, e.Text, e.Line, e.Severity, e.Class, e.Values})
}

func (r *run) judge(j state.Judgement) {
	r.judgement = j
	r.iteration = max(r.iteration, j.Iteration)
}

// sample takes an iteration.
func (r *run) sample(e *event.Event) {
	at, known := e.Values["iteration"]
	if !known {
		at, known = e.Values["time"]
	}
	if known && at < r.iteration && e.Kind == event.Iteration && r.residual.len() > 0 && at < r.residual.lastAt() {
		r.iteration = at // it begins anew
	}
	if e.Kind == event.Profile && len(e.Arrays) > 0 {
		r.strips = e.Arrays
	}
	largest, any := 0.0, false
	for name, x := range e.Values {
		if name == "residual" || strings.HasPrefix(name, "residual_") {
			r.of(name).add(at, x)
			largest, any = max(largest, x), true
		}
	}
	if any {
		r.residual.add(at, largest)
	}
	if known && e.Kind == event.Iteration {
		r.iteration = max(r.iteration, at)
		r.pace.add(at, e.Time)
	}
	r.at = e.Time
}

// of returns the track of a residual.
func (r *run) of(name string) *track {
	i, there := slices.BinarySearchFunc(r.each, name,
		func(n named, name string) int { return cmp.Compare(n.name, name) })
	if !there {
		r.each = slices.Insert(r.each, i, named{name: name})
	}
	return &r.each[i].track
}

// state is the word for the run's state.
func (r *run) state() string {
	switch {
	case r.Phase == view.Planned:
		return "planned"
	case r.Cached:
		return "cached"
	case r.Class != "":
		return cmp.Or(r.LineEnd(), string(r.Class))
	case r.Held && r.Phase == view.Running:
		return "held"
	}
	return string(r.judgement.State)
}

// reason returns the reason for the run's state.
func (r *run) reason() string {
	switch {
	case r.Phase == view.Planned:
		return "waits for its turn"
	case r.Cached:
		return "its answer was in the cache"
	case r.Held && r.Phase == view.Running:
		return "a user holds it; it was " + string(r.judgement.State)
	case r.Outrun != "":
		return r.Outrun + " has ended first"
	case r.Follows:
		return "another attempt follows"
	case r.Why != "":
		return r.Why
	case len(r.judgement.Reasons) > 0 && r.Class != "":
		return "at the end: " + r.judgement.Reasons[0]
	case len(r.judgement.Reasons) > 0:
		return r.judgement.Reasons[0]
	}
	return ""
}

// grade returns the quality of a state: 0 bad, 1 needs attention, 2 neutral, 3 good.
func (r *run) grade() int {
	if r.Class != "" && r.Phase == view.Over {
		if r.Answers() {
			return 3
		}
		return 0
	}
	s := r.judgement.State
	switch {
	case r.Phase == view.Planned, r.Held && r.Phase == view.Running, s == state.Starting, s == state.Running:
		return 2
	case s == state.Converging, s.Usable():
		return 3
	case s == state.Slow, s == state.Limit, s == state.Stalled, s == state.Oscillating, s == state.EndedEarly,
		s == state.InnerStalled:
		return 1
	}
	return 0
}

// left is how long the run needs to its targets: time, 0 where no pace is known, and iterations.
func (r *run) left() (time.Duration, float64) {
	if r.Phase != view.Running || r.judgement.State != state.Converging || r.judgement.Left <= 0 {
		return 0, 0
	}
	return time.Duration(r.judgement.Left * float64(r.pace.each())), r.judgement.Left
}

// words is a line in words.
func (l *line) words() string {
	switch {
	case l.line != "":
		return strings.TrimSpace(l.line)
	case l.kind == event.Ended:
		return "ended: " + l.name
	case l.kind == event.Started:
		return "started"
	case l.kind == event.Iteration:
		return values(l.values)
	}
	return string(l.kind) + ": " + view.LogLine(event.Event{Kind: l.kind, Name: l.name, Text: l.text,
		Severity: l.severity, Class: l.class, Values: l.values})
}

// values writes an iteration: first its number or time, then its residuals, then the other values.
func values(of map[string]float64) string {
	rank := func(name string) int {
		switch {
		case name == "iteration", name == "time":
			return 0
		case strings.HasPrefix(name, "residual"):
			return 1
		}
		return 2
	}
	var parts []string
	for _, name := range slices.SortedFunc(maps.Keys(of),
		func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%s %.5g", name, of[name]))
	}
	return strings.Join(parts, " ")
}
