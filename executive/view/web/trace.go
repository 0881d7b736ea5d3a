package web

// The trace that the page shows: its state at a time, and pictures of it.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/picture"
	"github.com/peregrine-sim/peregrine/watchdog/trace/play"
)

const (
	movingRecords = 6000             // of which an animation shows the messages
	drawnRecords  = 40_000           // that a picture shows
	drawnRows     = 128              // processes that a picture shows
	mostDrawn     = 4 * drawnRecords // messages and times of processes that a picture of a part shows
	leastSpan     = 1e-300           // of a part that has a length, s

	rereading = 2 * time.Second // between two readings of a trace that grows
	leisure   = 20              // and at least so many times as long as a reading took
)

// Trace is the trace that a page shows.
type Trace struct {
	Read  func() ([]trace.Record, []trace.Problem, error) // by time
	Live  func() bool                                     // reports whether more records may come; nil: none come
	Clock clock.Clock

	// Arrange sets the rows, places and network of a picture of the whole, for each anew; nil: none.
	Arrange func(whole *trace.Stats, o *picture.Options) error

	mu       sync.Mutex
	player   *play.Player
	stats    *trace.Stats
	problems int
	live     bool // at the last reading
	read     time.Time
	took     time.Duration

	drawing sync.Mutex // of a picture: it takes the memory of its part
}

// Load reads the trace, if that was not done, or again if it may have grown.
func (t *Trace) Load() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.load()
}

func (t *Trace) load() error {
	now, live := t.Clock.Now(), t.Live != nil && t.Live()
	if t.player != nil && (!live && !t.live || now.Sub(t.read) < max(rereading, leisure*t.took)) {
		return nil
	}
	records, problems, err := t.Read()
	if err != nil && len(records) == 0 {
		return err
	}
	t.player, t.stats = play.New(t.Clock), trace.Analyse(records, problems)
	for i := range records {
		t.player.Add(&records[i])
	}
	if !live {
		t.player.Close()
	}
	t.problems, t.live, t.read, t.took = len(problems), live, t.Clock.Now(), clock.Since(t.Clock, now)
	return nil
}

// span returns the begin and the end of the trace, s, once it is loaded.
func (t *Trace) span() (s struct {
	Begin *float64 `json:"begin,omitempty"`
	End   *float64 `json:"end,omitempty"`
}) {
	if t.stats != nil {
		s.Begin, s.End = &t.stats.Begin, new(t.stats.Begin+t.stats.Span)
	}
	return s
}

// traceState is the state of a trace at a time, and the part that pictures show.
type traceState struct {
	*play.State
	Problems int        `json:"problems"` // places of its files that could not be read
	Moving   [2]float64 `json:"moving"`   // begin and end of an animation, s
	Drawn    [2]float64 `json:"drawn"`    // begin and end of other pictures, s
	Rows     int        `json:"rows"`     // processes that a picture has room for
	Views    []string   `json:"views"`
}

// state answers with the state at ?at=TIME, in the seconds of the records, or at the record that ?to= names from there.
// Without a time it is that at the end.
func (t *Trace) state(w http.ResponseWriter, r *http.Request) {
	at, err := seconds(r, "at", math.MaxFloat64)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s, code, err := t.stateAt(at, r.URL.Query().Get("to"))
	if err != nil {
		refuse(w, code, err.Error())
		return
	}
	answer(w, code, s)
}

// stateAt returns the state at a time, or at the record that to names from there, and the code of the answer.
func (t *Trace) stateAt(at float64, to string) (s traceState, code int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil {
		return s, http.StatusInternalServerError, err
	}
	t.player.UntilTime(math.Nextafter(at, math.Inf(1))) // a browser's time in ms is a bit off
	if to != "" && !t.move(to) {
		return s, http.StatusNotFound, fmt.Errorf("there is no record %q from %g s on", to, at)
	}
	s = traceState{State: t.player.State(), Problems: t.problems, Rows: drawnRows, Views: picture.Views()}
	s.Moving[0], s.Moving[1] = t.player.Around(movingRecords)
	s.Drawn[0], s.Drawn[1] = t.player.Around(drawnRecords)
	return s, http.StatusOK, nil
}

// move leads to the next or the previous time of a record, or to the next record of a kind or a name.
func (t *Trace) move(to string) (found bool) {
	s := t.player.State()
	switch {
	case to == toNext:
		found = t.player.Until(func(*trace.Record) bool { return true })
	case to != toPrevious:
		found = t.player.Until(func(r *trace.Record) bool { return string(r.Kind) == to || r.Name == to })
	case s.Last != nil:
		t.player.UntilTime(math.Nextafter(s.Last.Time, math.Inf(-1)))
		found = t.player.State().Last != nil
	}
	if found {
		t.player.UntilTime(t.player.State().Last.Time) // after all records of the time
	}
	return found
}

// picture answers with a picture, as SVG: ?view=NAME&from=TIME&to=TIME&at=TIME&chosen=PROCESS.
func (t *Trace) picture(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	err := t.load()
	s := t.stats // pictures only read it
	t.mu.Unlock()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	text, err := t.draw(r, s)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write(text) // the browser has left
}

// draw returns the picture that a request asks for, one at a time.
func (t *Trace) draw(r *http.Request, s *trace.Stats) ([]byte, error) {
	from, errFrom := seconds(r, "from", s.Begin)
	to, errTo := seconds(r, "to", s.Begin+s.Span)
	at, errAt := seconds(r, "at", 0)
	if err := errors.Join(errFrom, errTo, errAt); err != nil {
		return nil, err
	}
	if span := to - from; span != 0 && !(span > leastSpan && numeric.Finite(span)) {
		return nil, fmt.Errorf("from %g to %g s: want a part that ends after it begins", from, to)
	}
	t.drawing.Lock()
	defer t.drawing.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err // the browser asks for another picture by now
	}
	q := r.URL.Query()
	o := picture.Options{View: q.Get("view"), Format: "svg", Moment: at, Chosen: q["chosen"]}
	if t.Arrange != nil {
		if err := t.Arrange(s, &o); err != nil {
			return nil, err
		}
	}
	part := s.Within(from, to)
	if n := size(part); n > mostDrawn && o.View != "matrix" && o.View != "kiviat" { // which draw sums
		return nil, fmt.Errorf("from %g to %g s are %d messages and times of processes; a picture has at most %d: "+
			"choose a shorter part", from, to, n, mostDrawn)
	}
	keep := o.Rows
	if keep == nil && o.Network != nil {
		keep = slices.Collect(maps.Keys(s.Processes))
	}
	for _, name := range keep { // a process that is not there at the time keeps its place
		if part.Processes[name] == nil && s.Processes[name] != nil {
			part.Processes[name], part.Lives[name] = &trace.Process{}, &trace.Life{Begin: from, End: from}
		}
	}
	if o.Rows == nil && o.Network == nil {
		o.Rows = busiest(part, o.Chosen)
	}
	var text bytes.Buffer
	err := picture.Draw(&text, part, o)
	return text.Bytes(), err
}

// size returns the number of things that a picture of a trace draws.
func size(s *trace.Stats) int {
	n := len(s.Messages)
	for _, list := range s.Intervals {
		n += len(list)
	}
	return n
}

// busiest returns the processes that have most records, and the chosen ones, as many as a picture has room for; nil:
// all.
func busiest(s *trace.Stats, chosen []string) []string {
	if len(s.Processes) <= drawnRows {
		return nil
	}
	records := map[string]int32{}
	for name := range s.Processes {
		for _, n := range s.Lives[name].Rate {
			records[name] += n
		}
		if slices.Contains(chosen, name) {
			records[name] = math.MaxInt32
		}
	}
	list := slices.SortedFunc(maps.Keys(s.Processes), func(a, b string) int {
		return cmp.Or(cmp.Compare(records[b], records[a]), trace.ProcessNumber(a, b))
	})[:drawnRows]
	slices.SortFunc(list, trace.ProcessNumber)
	return list
}

// seconds returns a parameter of a request that is a time of a trace, s.
func seconds(r *http.Request, name string, otherwise float64) (float64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s: want a time in s, found %q", name, text)
	}
	return x, nil
}
