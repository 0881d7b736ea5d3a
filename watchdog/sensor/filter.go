package sensor

// Filters of extended sensors before the ring: most records end here, at the cost of a comparison.

import (
	"fmt"
	"math"
	"slices"
)

// Op is the operation of a filter.
type Op string

// The operations. Operations with a window of N records pass one record for each window.
const (
	EveryNth  Op = "every"     // each N-th record
	OnChange  Op = "change"    // a record whose field has changed by more than the tolerance since the last that passed
	Minimum   Op = "min"       // of a window the record whose field is least
	Maximum   Op = "max"       // of a window the record whose field is greatest
	Mean      Op = "mean"      // of a window the mean of each field
	Histogram Op = "histogram" // of a window count, mean, least, quantiles and greatest of the field
)

// Filter is the filter of an extended sensor before recording. A number that is not finite is important: it counts as a
// change, and as the least and the greatest of its window.
type Filter struct {
	Op    Op     `json:"op,omitempty"`
	Field string `json:"field,omitempty"` // that is compared; empty: the first
	N     int    `json:"n,omitempty"`     // all but OnChange: records

	// Of OnChange: a change passes if it is greater than Absolute + Relative |last passed value|.
	Absolute float64 `json:"absolute,omitempty"` // in the field's unit
	Relative float64 `json:"relative,omitempty"`

	// Of Histogram: numbers from 0 to Greatest are told apart in steps of Resolution near 0, and to Digits
	// decimal digits beyond. Others are counted as outside.
	Resolution float64 `json:"resolution,omitempty"` // in the field's unit
	Greatest   float64 `json:"greatest,omitempty"`   // in the field's unit
	Digits     int     `json:"digits,omitempty"`     // 1 to 3; 0: 2
}

// mostRange is the greatest ratio of Greatest to Resolution: a histogram of 3 digits takes 0.3 MB then.
const mostRange = 1e12

func (f *Filter) problem(fields []Field) string {
	switch {
	case !slices.Contains([]Op{EveryNth, OnChange, Minimum, Maximum, Mean, Histogram}, f.Op):
		return fmt.Sprintf("there is no filter %q; choose every, change, min, max, mean or histogram", f.Op)
	case f.index(fields) < 0:
		return fmt.Sprintf("its filter looks at field %q; it has %s", f.Field, names(fields))
	case f.Op == OnChange && f.N != 0:
		return "a filter on change has no n"
	case f.Op != OnChange && (f.N < 1 || f.N > mostEvery):
		return fmt.Sprintf("the n of its filter is %d; choose 1 to %d", f.N, mostEvery)
	case !(f.Absolute >= 0) || !(f.Relative >= 0):
		return fmt.Sprintf("the tolerances of its filter are %v and %v; choose none below 0", f.Absolute, f.Relative)
	}
	if f.Op == Histogram {
		return f.problemOfRange()
	}
	return ""
}

func (f *Filter) problemOfRange() string {
	if f.Digits < 0 || f.Digits > 3 {
		return fmt.Sprintf("the histogram has %d digits; choose 1 to 3, or 0 for 2", f.Digits)
	}
	if ratio := f.Greatest / f.Resolution; !(f.Resolution > 0) || !(ratio >= 2 && ratio <= mostRange) {
		return fmt.Sprintf("the histogram goes from %v to %v; choose a resolution above 0 and 2 to %.0e times that",
			f.Resolution, f.Greatest, mostRange)
	}
	return ""
}

// index is the place of the field that is compared, or -1.
func (f *Filter) index(fields []Field) int {
	if f.Field == "" {
		return 0
	}
	return slices.IndexFunc(fields, func(g Field) bool { return g.Name == f.Field })
}

// sieve is the state of a filter in a thread.
type sieve struct {
	Filter
	field int
	seen  int       // records of this window; OnChange: 1 from the first on
	kept  []float64 // OnChange: the last that passed; Minimum, Maximum: the best so far; Mean: the sums
}

func newSieve(s *Spec) *sieve {
	return &sieve{Filter: s.Filter, field: s.Filter.index(s.Fields), kept: make([]float64, len(s.Fields))}
}

// pass takes a record and returns the record that passes, if any. The slice is valid until the next call.
func (s *sieve) pass(values []float64) (out []float64, ok bool) {
	switch s.Op {
	case EveryNth:
		s.seen++
		if s.seen < s.N {
			return nil, false
		}
		s.seen = 0
		return values, true
	case OnChange:
		if s.seen == 1 && !s.changed(values[s.field]) {
			return nil, false
		}
		s.seen = 1
		copy(s.kept, values)
		return values, true
	}
	s.gather(values)
	if s.seen < s.N {
		return nil, false
	}
	return s.rest()
}

func (s *sieve) changed(x float64) bool {
	last := s.kept[s.field]
	if math.IsNaN(x) || math.IsNaN(last) {
		return math.IsNaN(x) != math.IsNaN(last)
	}
	if math.IsInf(x, 0) || math.IsInf(last, 0) {
		return x != last
	}
	return math.Abs(x-last) > s.Absolute+s.Relative*math.Abs(last)
}

// gather adds a record to the window.
func (s *sieve) gather(values []float64) {
	s.seen++
	if s.Op == Mean {
		if s.seen == 1 {
			clear(s.kept)
		}
		for i, x := range values {
			s.kept[i] += x
		}
		return
	}
	if x, best := values[s.field], s.kept[s.field]; s.seen == 1 || !math.IsNaN(best) &&
		(math.IsNaN(x) || s.Op == Minimum && x < best || s.Op == Maximum && x > best) {
		copy(s.kept, values)
	}
}

// rest ends the window and returns its record, if any.
func (s *sieve) rest() (out []float64, ok bool) {
	n := s.seen
	if n == 0 || s.Op == EveryNth || s.Op == OnChange {
		return nil, false
	}
	s.seen = 0
	if s.Op == Mean {
		for i := range s.kept {
			s.kept[i] /= float64(n)
		}
	}
	return s.kept, true
}
