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
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/picture"
	"github.com/peregrine-sim/peregrine/watchdog/trace/play"
)

const (
	movingRecords = 6000   // of which an animation shows the messages
	drawnRecords  = 40_000 // that a picture shows
	drawnRows     = 128    // processes that a picture shows

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
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	at, err := seconds(r, "at", math.MaxFloat64)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	t.player.UntilTime(math.Nextafter(at, math.Inf(1))) // a browser's time in ms is a bit off
	if to := r.URL.Query().Get("to"); to != "" && !t.move(to) {
		refuse(w, http.StatusNotFound, fmt.Sprintf("there is no record %q from %g s on", to, at))
		return
	}
	s := traceState{State: t.player.State(), Problems: t.problems, Rows: drawnRows, Views: picture.Views()}
	s.Moving[0], s.Moving[1] = t.player.Around(movingRecords)
	s.Drawn[0], s.Drawn[1] = t.player.Around(drawnRecords)
	answer(w, http.StatusOK, s)
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
	from, errFrom := seconds(r, "from", s.Begin)
	to, errTo := seconds(r, "to", s.Begin+s.Span)
	at, errAt := seconds(r, "at", 0)
	q := r.URL.Query()
	o := picture.Options{View: q.Get("view"), Format: "svg", Moment: at, Chosen: q["chosen"]}
	var text bytes.Buffer
	err = errors.Join(errFrom, errTo, errAt)
	if err == nil && t.Arrange != nil {
		err = t.Arrange(s, &o)
	}
	if err == nil {
		part := s.Within(from, to)
		for _, name := range o.Rows { // a process that is not there at the time keeps its place
			if part.Processes[name] == nil && s.Processes[name] != nil {
				part.Processes[name], part.Lives[name] = &trace.Process{}, &trace.Life{Begin: from, End: from}
			}
		}
		if o.Rows == nil && o.Network == nil {
			o.Rows = busiest(part, o.Chosen)
		}
		err = picture.Draw(&text, part, o)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = w.Write(text.Bytes()) // the browser has left
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
