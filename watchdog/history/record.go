package history

import (
	"maps"
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
}

// name resolves a value's name in the file.
func (f *File) name(text string) name {
	n := name{name: text, index: -1, scale: 1}
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if i, err := strconv.Atoi(text[open+1 : len(text)-1]); err == nil && i >= 0 && i < maxIndex {
			n.name, n.index = text[:open], i
		}
	}
	if to, ok := f.Rename[n.name]; ok {
		n.name = to
	}
	if factor, ok := f.Scale[n.name]; ok {
		n.scale = factor
	}
	return n
}

// set stores a number, or the name of one that is not finite.
func (r *record) set(n name, x float64) {
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
