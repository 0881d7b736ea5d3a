// Package trace keeps what a picture shows of a run in bounded memory, however long the run is: curves with their extremes, the last
// profiles, and the messages of its files with the lines that they stand in.
package trace

import (
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Trace is what is kept of one run. It is for one goroutine.
type Trace struct {
	curves   map[string]*curve
	order    []string // names of curves as they came
	left     int      // names for which there was no room
	profiles map[string]Profile
	notes    []Note
	index    map[string]int // of notes, by what they have in common
	more     int            // notes for which there was no room
	at       map[string]float64
}

// The bounds of a trace.
const (
	mostCurves   = 64
	mostProfiles = 16
	mostNotes    = 60
	mostArray    = 2000 // numbers of a profile
)

// New returns an empty trace.
func New() *Trace {
	return &Trace{curves: map[string]*curve{}, profiles: map[string]Profile{}, index: map[string]int{}, at: map[string]float64{}}
}

// Profile is an array as it was reported last.
type Profile struct {
	Name   string
	At     float64 // iteration, or time
	Values []float64
}

// Note is a message, a warning or a sentence of the solver's about its end, with all that are the same but for their numbers.
type Note struct {
	Kind  event.Kind
	Name  string // of a status
	Text  string // of the first
	File  string
	Line  int    // number of the first line in the file, from 1; 0: unknown
	Last  int    // number of the last line
	Quote string // the first line as it stands in the file
	Count int
}

// Place notes where a file stands: the iteration or time of its next values. Where it is not known it is the next one.
func (t *Trace) Place(file string, at float64, known bool) float64 {
	if !known {
		at = t.at[file] + 1
	}
	t.at[file] = at
	return at
}

// Value takes a value at an iteration or time.
func (t *Trace) Value(name string, at, x float64) {
	if isPlace(name) {
		return
	}
	c := t.curves[name]
	if c == nil {
		if len(t.curves) >= mostCurves {
			t.left++
			return
		}
		c = &curve{size: 1, odd: math.NaN()}
		t.curves[name] = c
		t.order = append(t.order, name)
	}
	c.add(at, x)
}

// isPlace reports whether a name says where a run is or what it shall reach, which is no curve.
func isPlace(name string) bool {
	return name == "iteration" || name == "time" || strings.HasPrefix(name, "target_")
}

// NotFinite takes a value that was NaN or infinite.
func (t *Trace) NotFinite(name string, at float64) { t.Value(name, at, math.NaN()) }

// Array takes a profile, which it copies.
func (t *Trace) Array(name string, at float64, values []float64) {
	if _, known := t.profiles[name]; !known && len(t.profiles) >= mostProfiles || len(values) > mostArray {
		return
	}
	t.profiles[name] = Profile{name, at, slices.Clone(values)}
}

// Note takes a message. Those that differ by their numbers alone count as one.
func (t *Trace) Note(n Note) {
	key := string(n.Kind) + n.Name + "\x00" + n.File + "\x00" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, n.Text)
	if i, known := t.index[key]; known {
		t.notes[i].Count++
		t.notes[i].Last = n.Line
		return
	}
	if len(t.notes) >= mostNotes {
		t.more++
		return
	}
	n.Count, n.Last = 1, n.Line
	t.index[key] = len(t.notes)
	t.notes = append(t.notes, n)
}

// Event takes an event of the run. The lines of its file are not numbered.
func (t *Trace) Event(e *event.Event) {
	switch e.Kind {
	case event.Iteration, event.Profile, event.Result:
		at, known := e.Values["iteration"]
		if !known {
			at, known = e.Values["time"]
		}
		at = t.Place(string(e.Source)+e.File, at, known)
		for _, name := range sorted(e.Values) {
			if e.Kind != event.Result {
				t.Value(name, at, e.Values[name])
			}
		}
		for _, name := range e.NonFinite {
			t.NotFinite(name, at)
		}
		for _, name := range sorted(e.Arrays) {
			t.Array(name, at, e.Arrays[name])
		}
	case event.Warning, event.Message, event.Status:
		t.Note(Note{Kind: e.Kind, Name: e.Name, Text: e.Text, File: e.File, Quote: e.Line})
	}
}

// Curves returns the curves in the order in which their names came.
func (t *Trace) Curves() []Curve {
	var list []Curve
	for _, name := range t.order {
		c := t.curves[name]
		list = append(list, Curve{Name: name, Points: c.points(), Odd: c.odd, Count: c.count})
	}
	return list
}

// Profiles returns the last profiles by name.
func (t *Trace) Profiles() []Profile {
	var list []Profile
	for _, name := range sorted(t.profiles) {
		list = append(list, t.profiles[name])
	}
	return list
}

// Notes returns the messages in the order in which they came, and how many there was no room for.
func (t *Trace) Notes() (list []Note, more int) { return t.notes, t.more }

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// finite reports whether a point can be drawn.
func finite(x, y float64) bool { return numeric.Finite(x) && numeric.Finite(y) }
