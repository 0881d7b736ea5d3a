package history

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// record collects the values of an event. It is part of a State while an iteration is spread
// over several lines.
type record struct {
	Kind      event.Kind           `json:"kind,omitempty"`
	Name      string               `json:"name,omitempty"`
	Values    map[string]float64   `json:"values,omitempty"`
	Arrays    map[string][]float64 `json:"arrays,omitempty"`
	NonFinite []string             `json:"non_finite,omitempty"`
	Text      string               `json:"text,omitempty"`
	Line      string               `json:"line,omitempty"`
}

// maxIndex limits the arrays that column names such as Pt[1000000000] make.
const maxIndex = 1 << 14

// name is where a record stores a value, and its factor to SI.
type name struct {
	name  string
	index int // in an array; -1: a value
	scale float64
	log10 bool // the file has the value's logarithm
}

// column resolves the name of a column.
func (f *File) column(text string) name {
	if f.Units {
		text = withoutUnit(text)
	}
	return f.name(text)
}

// name resolves a value's name in the file.
func (f *File) name(text string) name {
	n := name{name: text, index: -1, scale: 1}
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if i, err := strconv.Atoi(text[open+1 : len(text)-1]); err == nil && i >= 0 && i < maxIndex {
			n.name, n.index = text[:open], i
		}
	}
	n.name = f.renamed(n.name)
	if !technical(n.name) {
		n.name = f.Prefix + n.name
	}
	if factor, ok := f.Scale[n.name]; ok {
		n.scale = factor
	}
	return n
}

// technical reports whether a name is one of the solver's work and not of its flow. Such names mean the same in all files of a run.
func technical(name string) bool {
	word, _, _ := strings.Cut(name, "_")
	return slices.Contains([]string{"iteration", "time", "residual", "final", "inner", "target", "continuity", "courant", "timescale", "dt", "clock", "cpu"}, word)
}

// renamed is Peregrine's name of a name in the file. A star in a rule stands for any text, and for the same in the new name.
func (f *File) renamed(name string) string {
	if to, ok := f.Rename[name]; ok {
		return to
	}
	for _, from := range slices.Sorted(maps.Keys(f.Rename)) {
		before, after, star := strings.Cut(from, "*")
		if star && len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			return strings.Replace(f.Rename[from], "*", name[len(before):len(name)-len(after)], 1)
		}
	}
	return name
}

// set stores a number, or the name of one that is not finite.
func (r *record) set(n name, x float64) {
	if n.log10 {
		x = math.Pow(10, x)
	}
	x *= n.scale
	if !numeric.Finite(x) {
		if !slices.Contains(r.NonFinite, n.name) {
			r.NonFinite = append(r.NonFinite, n.name)
		}
		if n.index < 0 {
			return
		}
		x = 0 // keeps the index of later entries; NonFinite marks the array
	}
	if n.index < 0 {
		if r.Values == nil {
			r.Values = map[string]float64{}
		}
		r.Values[n.name] = x
		return
	}
	if r.Arrays == nil {
		r.Arrays = map[string][]float64{}
	}
	a := r.Arrays[n.name]
	for len(a) <= n.index {
		a = append(a, 0)
	}
	a[n.index] = x
	r.Arrays[n.name] = a
}

// clone returns a copy that set can change without changing r.
func (r *record) clone() *record {
	if r == nil {
		return nil
	}
	c := *r
	c.NonFinite = slices.Clone(r.NonFinite)
	c.Values, c.Arrays = maps.Clone(r.Values), maps.Clone(r.Arrays)
	for k, v := range c.Arrays {
		c.Arrays[k] = slices.Clone(v)
	}
	return &c
}
