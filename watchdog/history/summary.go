package history

// The data of a run's picture.

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Summary keeps the data of a run's picture in bounded memory, however long the run is: curves with their extremes, the
// last profiles, and the messages of its files with their lines. It is for one goroutine.
type Summary struct {
	curves   map[string]*curve
	order    []string // names of curves as they came
	profiles map[string]Profile
	notes    []Note
	index    map[string]int // of notes, by their text without numbers
	more     int            // notes beyond the limit
	at       map[string]float64
}

// The bounds of a summary.
const (
	mostCurves   = 64
	mostProfiles = 16
	mostNotes    = 60
	mostArray    = 2000 // numbers of a profile
)

// NewSummary returns an empty summary.
func NewSummary() *Summary {
	return &Summary{
		curves: map[string]*curve{}, profiles: map[string]Profile{}, index: map[string]int{}, at: map[string]float64{},
	}
}

// Profile is an array as it was reported last.
type Profile struct {
	Name   string
	At     float64 // iteration, or time
	Values []float64
}

// Note is a message, a warning or a sentence of the solver's about its end, with all that are the same but for their
// numbers.
type Note struct {
	Kind  event.Kind
	Name  string // of a status
	Text  string // of the first
	File  string
	Line  int    // number of the first line in the file, from 1; 0: unknown
	Last  int    // number of the last line
	Quote string // the first line as in the file
	Count int
}

// Place records the position of a file: the iteration or time of its next values. If unknown, it is one more than the
// last.
func (s *Summary) Place(file string, at float64, known bool) float64 {
	if !known {
		at = s.at[file] + 1
	}
	s.at[file] = at
	return at
}

// Value takes a value at an iteration or time.
func (s *Summary) Value(name string, at, x float64) {
	if isPlace(name) {
		return
	}
	c := s.curves[name]
	if c == nil {
		if len(s.curves) >= mostCurves {
			return
		}
		c = &curve{size: 1}
		s.curves[name] = c
		s.order = append(s.order, name)
	}
	c.add(at, x)
}

// isPlace reports whether a name is a run's position or a target; these are no curves.
func isPlace(name string) bool {
	return name == "iteration" || name == "time" || strings.HasPrefix(name, "target_")
}

// NotFinite takes a value that was NaN or infinite.
func (s *Summary) NotFinite(name string, at float64) { s.Value(name, at, math.NaN()) }

// Array copies a profile.
func (s *Summary) Array(name string, at float64, values []float64) {
	if _, known := s.profiles[name]; !known && len(s.profiles) >= mostProfiles || len(values) > mostArray {
		return
	}
	s.profiles[name] = Profile{name, at, slices.Clone(values)}
}

// Note takes a message. Messages that differ by their numbers alone count as the same.
func (s *Summary) Note(n Note) {
	key := string(n.Kind) + n.Name + "\x00" + n.File + "\x00" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, n.Text)
	if i, known := s.index[key]; known {
		s.notes[i].Count++
		s.notes[i].Last = n.Line
		return
	}
	if len(s.notes) >= mostNotes {
		s.more++
		return
	}
	n.Count, n.Last = 1, n.Line
	s.index[key] = len(s.notes)
	s.notes = append(s.notes, n)
}

// Event takes an event of the run. The lines of its file are not numbered.
func (s *Summary) Event(e *event.Event) {
	switch e.Kind {
	case event.Iteration, event.Profile, event.Result:
		at, known := e.Values["iteration"]
		if !known {
			at, known = e.Values["time"]
		}
		at = s.Place(string(e.Source)+e.File, at, known)
		for _, name := range slices.Sorted(maps.Keys(e.Values)) {
			if e.Kind != event.Result {
				s.Value(name, at, e.Values[name])
			}
		}
		for _, name := range e.NonFinite {
			s.NotFinite(name, at)
		}
		for _, name := range slices.Sorted(maps.Keys(e.Arrays)) {
			s.Array(name, at, e.Arrays[name])
		}
	case event.Warning, event.Message, event.Status:
		s.Note(Note{Kind: e.Kind, Name: e.Name, Text: e.Text, File: e.File, Quote: e.Line})
	}
}

// Curves returns the curves in the order of their first values.
func (s *Summary) Curves() []Curve {
	var list []Curve
	for _, name := range s.order {
		c := s.curves[name]
		list = append(list, Curve{Name: name, Points: c.points(), Odd: c.odd, Count: c.count})
	}
	return list
}

// Profiles returns the last profiles by name.
func (s *Summary) Profiles() []Profile {
	var list []Profile
	for _, name := range slices.Sorted(maps.Keys(s.profiles)) {
		list = append(list, s.profiles[name])
	}
	return list
}

// Notes returns the messages in the order in which they came, and the number of messages beyond the limit.
func (s *Summary) Notes() (list []Note, more int) { return s.notes, s.more }
