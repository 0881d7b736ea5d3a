package document

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Numbers with a unit, within bounds.

// Span is what a number may be.
type Span struct {
	Dim         unit.Dimension
	Least, Most float64 // inclusive, in SI (rpm for speeds); both 0: unbounded; infinite: no bound on that side
}

// Bounded reports whether the span has bounds.
func (s Span) Bounded() bool { return s.Least != 0 || s.Most != 0 }

// String writes the bounds: "0 to 1", "at least 0 kg/s".
func (s Span) String() string {
	bare := s.Dim.Bare()
	if bare != "" {
		bare = " " + bare
	}
	least := strconv.FormatFloat(s.Least, 'g', 6, 64)
	most := strconv.FormatFloat(s.Most, 'g', 6, 64)
	switch {
	case math.IsInf(s.Most, 1) || s.Most == math.MaxFloat64:
		return "at least " + least + bare
	case math.IsInf(s.Least, -1) || s.Least == -math.MaxFloat64:
		return "at most " + most + bare
	}
	return least + " to " + most + bare
}

// Want says what is read: "a pressure such as 101325 Pa or 14.696 psi".
func (s Span) Want() string { return s.Dim.Phrase() + " such as " + s.Dim.Examples() }

// Quantity returns the number of a word, in SI, or reports what is wrong with it.
func (r *Reader) Quantity(w Word, path string, s Span) (float64, bool) {
	x, err := unit.Parse(w.Text, s.Dim)
	if err != nil {
		var e *unit.Error
		if !errors.As(err, &e) {
			panic(err) // unit.Parse promises the type
		}
		r.Fail(w.Pos, path, w.Text, "%s", e.Reason)
		return 0, false
	}
	switch {
	case !s.Bounded():
	case x < s.Least && s.Least == 0:
		r.Fail(w.Pos, path, w.Text, "negative, want %s", s)
		return 0, false
	case x < s.Least:
		r.Fail(w.Pos, path, w.Text, "too small, want %s", s)
		return 0, false
	case x > s.Most:
		r.Fail(w.Pos, path, w.Text, "too large, want %s", s)
		return 0, false
	}
	return x, true
}

// Measure returns a reader of a number with a unit into dst.
func (r *Reader) Measure(dst *float64, s Span) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		if w, ok := r.Word(n, path, s.Want()); ok {
			if x, ok := r.Quantity(w, path, s); ok {
				*dst = x
			}
		}
	}
}

// Storage returns a reader of an amount of memory, bytes, into dst.
func (r *Reader) Storage(dst *int64, least, most float64) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		x := float64(*dst)
		r.Measure(&x, Span{unit.Storage, least, most})(n, path)
		*dst = int64(x)
	}
}

// Duration returns a reader of a time, whose bounds are in s, into dst.
func (r *Reader) Duration(dst *time.Duration, least, most float64) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		x := dst.Seconds()
		r.Measure(&x, Span{unit.Time, least, most})(n, path)
		*dst = time.Duration(math.Round(x * float64(time.Second)))
	}
}

// Count reads a whole number within bounds; it is 0 if there is none, which was reported.
func (r *Reader) Count(n ast.Node, path string, least, most float64) int {
	before := len(r.Problems)
	var x float64
	r.Measure(&x, Span{unit.None, least, most})(n, path)
	if len(r.Problems) > before {
		return 0
	}
	if x != math.Trunc(x) {
		r.Fail(Position(n), path, numeric.Text(x), "want a whole number")
		return 0
	}
	return int(x)
}
