package watch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// Value is a value that a file offers to rules and targets.
type Value struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"` // a word that the judgement knows, such as residual; value; or array
	Unit  string   `json:"unit,omitempty"`
	First *float64 `json:"first,omitempty"` // finite
	Last  *float64 `json:"last,omitempty"`  // finite
	Count int      `json:"count"`           // of numbers, finite or not; of arrays
}

// Contents is what is read from a file.
type Contents struct {
	File   string  `json:"file"`
	Format string  `json:"format"`
	Values []Value `json:"values"` // in the order in which they came
}

// Values reads a finished file. The formats are the user's; an [EmptyError] reports that no line is one of its format.
func Values(path string, formats []fileformat.Preset) (*Contents, error) {
	s, err := open(path, true, formats)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.file.Close() }() // read only
	c := &Contents{File: path, Format: s.preset.Name}
	at := map[string]int{}
	value := func(name, kind string) *Value {
		i, known := at[name]
		if !known {
			i = len(c.Values)
			at[name], c.Values = i, append(c.Values, Value{Name: name, Kind: kind})
		}
		c.Values[i].Count++
		return &c.Values[i]
	}
	if err := s.readAll(func() time.Time { return time.Time{} }, func(_ *source, x *history.Sample) {
		names := s.parser.Names()
		for _, n := range x.Numbers {
			v := value(names[n.Name], history.KindOf(names[n.Name]))
			if v.First == nil {
				v.First = new(n.Value)
			}
			if v.Last == nil {
				v.Last = new(float64)
			}
			*v.Last = n.Value
		}
		for _, id := range x.NonFinite {
			value(names[id], history.KindOf(names[id])).Last = nil
		}
		for _, name := range slices.Sorted(maps.Keys(x.Arrays)) {
			value(name, "array")
		}
	}); err != nil {
		return nil, err
	}
	for i, v := range c.Values {
		c.Values[i].Unit = s.parser.Unit(v.Name)
	}
	return c, s.emptiness()
}

// An EmptyError reports a file without a line of the format that its user described.
type EmptyError struct {
	Path, Format, Want string
	Begin              []string // its first lines
}

func (e *EmptyError) Error() string {
	return fmt.Sprintf("%s: no line is one of the format %s, which wants %s; correct the description, or write one by "+
		"`peregrine watch new`. The file begins:\n%s", e.Path, e.Format, e.Want, strings.Join(e.Begin, "\n"))
}

// mostBegin is how many of a file's lines are shown.
const mostBegin = 5

// emptiness returns an error if the user described the file, which was read, and no line of it was as described.
func (s *source) emptiness() error {
	if !s.described || s.rows > 0 || s.number == 0 {
		return nil
	}
	e := &EmptyError{Path: s.path, Format: s.preset.Name, Want: s.preset.File.Wants()}
	f, err := intake.Open(s.path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	head := make([]byte, 1000)
	n, _ := f.Read(head) // nothing of it: no lines are shown
	for i, line := range strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(head[:n]), "\uFFFD")), "\n") {
		if i == mostBegin {
			break
		}
		e.Begin = append(e.Begin, fmt.Sprintf("%5d: %.100s", i+1, strings.TrimRight(line, "\r")))
	}
	return e
}
