package document

import (
	"errors"
	"math"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Numbers with a unit, within bounds.

// Span is the range of a number.
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
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	return s.bounds(number, number, bare)
}

// In writes the bounds in a unit: "1 % to 100 %".
func (s Span) In(u unit.Unit) string {
	name := " " + u.Name()
	number := func(x float64) string { return unit.Brief(u.FromSI(x)) }
	return s.bounds(number, func(x float64) string { return number(x) + name }, name)
}

// bounds writes the bounds. It writes a lower bound with first if an upper bound follows.
func (s Span) bounds(number, first func(x float64) string, unit string) string {
	switch {
	case math.IsInf(s.Most, 1) || s.Most == math.MaxFloat64:
		return "at least " + number(s.Least) + unit
	case math.IsInf(s.Least, -1) || s.Least == -math.MaxFloat64:
		return "at most " + number(s.Most) + unit
	}
	return first(s.Least) + " to " + number(s.Most) + unit
}

// Want describes the expected text: "a pressure such as 101325 Pa or 14.696 psi".
func (s Span) Want() string { return s.Dim.Phrase() + " such as " + s.Dim.Examples() }

// Quantity returns the number of a word, in SI, or reports its problem.
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
	fault := ""
	switch {
	case !s.Bounded() || x >= s.Least && x <= s.Most:
		return x, true
	case x > s.Most:
		fault = "too large"
	case s.Least == 0:
		fault = "negative"
	default:
		fault = "too small"
	}
	r.Fail(w.Pos, path, w.Text, "%s, want %s", fault, s.likeWritten(w.Text, x))
	return 0, false
}

// likeWritten writes the bounds in the unit of the number that is out of range. It suggests 86 % for 86 if only that is
// in range.
func (s Span) likeWritten(text string, x float64) string {
	name := unit.Written(text)
	if name == "" {
		if percent := x / 100; s.Dim == unit.None && s.Most < 2 && x >= 2 && percent > s.Least && percent <= s.Most {
			return s.String() + "; did you mean " + text + " %?"
		}
		return s.String()
	}
	u, err := unit.New(name, s.Dim)
	if err != nil {
		panic(err) // the text was parsed with it
	}
	return s.In(u)
}

// Schema is the schema of a number within the span, or of a text of a number and a unit.
func (s Span) Schema() *jsonschema.Schema {
	number := &jsonschema.Schema{Type: "number"}
	doc := s.Want()
	if bare := s.Dim.Bare(); bare != "" {
		doc += "; bare numbers are " + bare
	}
	if s.Bounded() {
		number.Minimum, number.Maximum = bound(s.Least), bound(s.Most)
		doc += "; " + s.String()
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{number, Ref(QuantityName)}, Description: doc}
}

// bound returns a bound for JSON, which has no infinities.
func bound(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// plainNumber returns the number of a word without a unit, or reports its problem.
func (r *Reader) plainNumber(w Word, path string) (float64, bool) {
	x, err := unit.Parse(w.Text, unit.None)
	var e *unit.Error
	switch {
	case err == nil:
		return x, true
	case errors.As(err, &e) && (e.Kind == unit.NotNumber || e.Kind == unit.NotFinite):
		r.Fail(w.Pos, path, w.Text, "want a number such as 3.5")
	default:
		r.Fail(w.Pos, path, w.Text, "want a number without a unit")
	}
	return 0, false
}
