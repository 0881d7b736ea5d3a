package history

import (
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Sample is the contents of an event without maps, for fast reading of long files. It is valid until its parser reads
// the next line.
type Sample struct {
	Seq       int64
	Kind      event.Kind
	Name      string               // of a status
	Numbers   []Number             // finite; each name once
	NonFinite []int                // names, as in Number
	Arrays    map[string][]float64 // by name
	Text      string
	// source lines of the sample, up to a limit; only if [Parser.Read] returns it after [Parser.Quote]
	Line []byte

	place []int // by name: its place in Numbers, from 1
}

// Number is a value of a Sample.
type Number struct {
	Name  int // an index of Parser.Names
	Value float64
}

// Value returns the value of a name, an index of [Parser.Names].
func (s *Sample) Value(name int) (x float64, ok bool) {
	if uint(name) < uint(len(s.place)) && s.place[name] > 0 {
		return s.Numbers[s.place[name]-1].Value, true
	}
	return 0, false
}

// Take copies another sample, so that it lasts beyond the next line.
func (s *Sample) Take(from *Sample) {
	*s = Sample{
		Seq: from.Seq, Kind: from.Kind, Name: from.Name, Text: from.Text,
		Numbers:   append(s.Numbers[:0], from.Numbers...),
		NonFinite: append(s.NonFinite[:0], from.NonFinite...), Line: append(s.Line[:0], from.Line...),
		place: append(s.place[:0], from.place...),
	}
	if len(from.Arrays) > 0 {
		s.Arrays = make(map[string][]float64, len(from.Arrays))
	}
	for name, list := range from.Arrays {
		s.Arrays[name] = slices.Clone(list)
	}
}

// At returns the iteration, or the time if the sample has no iteration.
func (s *Sample) At() (at float64, known bool) {
	if at, known = s.Value(iterationName); !known {
		at, known = s.Value(timeName)
	}
	return at, known
}

// Indices of two names that every parser knows.
const (
	iterationName = iota
	timeName
)

// clear empties the sample for the next lines.
func (s *Sample) clear(kind event.Kind) {
	for _, n := range s.Numbers {
		s.place[n.Name] = 0
	}
	*s = Sample{Kind: kind, Numbers: s.Numbers[:0], NonFinite: s.NonFinite[:0], Line: s.Line[:0], place: s.place}
}

// moreThanPlace reports whether the sample has anything besides its iteration and time.
func (s *Sample) moreThanPlace() bool {
	for _, n := range s.Numbers {
		if n.Name != iterationName && n.Name != timeName {
			return true
		}
	}
	return len(s.NonFinite) > 0 || len(s.Arrays) > 0
}

// put stores the number of a name, or replaces it.
func (s *Sample) put(name int, x float64) {
	for len(s.place) <= name {
		s.place = append(s.place, 0)
	}
	if at := s.place[name]; at > 0 {
		s.Numbers[at-1].Value = x
		return
	}
	s.Numbers = append(s.Numbers, Number{name, x})
	s.place[name] = len(s.Numbers)
}

// set stores a number; of a number that is not finite it stores the name.
func (s *Sample) set(n *name, x float64) {
	if n.id < 0 {
		return
	}
	x = n.value(x)
	if !numeric.Finite(x) {
		if !slices.Contains(s.NonFinite, n.id) {
			s.NonFinite = append(s.NonFinite, n.id)
		}
		if n.index < 0 {
			return
		}
		x = 0 // keeps the index of later entries; NonFinite marks the array
	}
	if n.index < 0 {
		s.put(n.id, x)
		return
	}
	if s.Arrays == nil {
		s.Arrays = map[string][]float64{}
	}
	a := s.Arrays[n.name]
	for len(a) <= n.index {
		a = append(a, 0)
	}
	a[n.index] = x
	s.Arrays[n.name] = a
}

// quote keeps a line as evidence, below the earlier lines.
func (s *Sample) quote(line []byte) {
	if len(s.Line) >= maxQuote {
		return
	}
	if len(s.Line) > 0 {
		s.Line = append(s.Line, '\n')
	}
	if len(line) <= maxQuote && plain(line) {
		s.Line = append(s.Line, line...)
		return
	}
	s.Line = append(s.Line, clip(string(line))...)
}

// record is a Sample in a State, under its names.
type record struct {
	Kind      event.Kind           `json:"kind,omitempty"`
	Name      string               `json:"name,omitempty"`
	Values    map[string]float64   `json:"values,omitempty"`
	Arrays    map[string][]float64 `json:"arrays,omitempty"`
	NonFinite []string             `json:"non_finite,omitempty"`
	Text      string               `json:"text,omitempty"`
	Line      string               `json:"line,omitempty"`
	Rest      bool                 `json:"rest,omitempty"` // of an iteration that was handed over
}

// record returns a copy of a sample that does not change.
func (p *Parser) record(s *Sample) *record {
	r := &record{Kind: s.Kind, Name: s.Name, Text: s.Text, Line: string(s.Line)}
	if len(s.Numbers) > 0 {
		r.Values = make(map[string]float64, len(s.Numbers))
	}
	for _, n := range s.Numbers {
		r.Values[p.known[n.Name]] = n.Value
	}
	for _, id := range s.NonFinite {
		r.NonFinite = append(r.NonFinite, p.known[id])
	}
	if s.Arrays != nil {
		r.Arrays = make(map[string][]float64, len(s.Arrays))
	}
	for k, v := range s.Arrays {
		r.Arrays[k] = slices.Clone(v)
	}
	return r
}

// restore makes a sample of a record of an earlier parser.
func (p *Parser) restore(r *record) {
	p.pending.clear(r.Kind)
	p.isPending, p.rest = true, r.Rest
	s := &p.pending
	s.Name, s.Text, s.Line = r.Name, r.Text, append(s.Line, r.Line...)
	for k, x := range r.Values {
		if id := p.intern(k); id >= 0 {
			s.put(id, x)
		}
	}
	for _, k := range r.NonFinite {
		if id := p.intern(k); id >= 0 {
			s.NonFinite = append(s.NonFinite, id)
		}
	}
	for k, v := range r.Arrays {
		if s.Arrays == nil {
			s.Arrays = map[string][]float64{}
		}
		s.Arrays[k] = slices.Clone(v)
	}
}
