package sensor

// The declaration of a sensor.

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Kind is how a sensor's numbers reach the monitor.
type Kind string

// The kinds. Counter and Value are the sampling sensors.
const (
	Counter  Kind = "counter"  // a thread's records are added up; the monitor reads the sums
	Value    Kind = "value"    // the monitor reads the thread's last record
	Tracing  Kind = "tracing"  // each record reaches the monitor
	Extended Kind = "extended" // records go through a Filter, in the thread that makes them
)

// Full is the treatment of a record when its thread's ring is full.
type Full string

// The ways. Each is accounted for: see [Status].
const (
	Drop Full = "drop" // the record is lost
	Wait Full = "wait" // the thread waits for room; the record has the waiting time
	Thin Full = "thin" // ahead of that: while the ring is more than half full, fewer and fewer are recorded
)

// Field is a named number of a record.
type Field struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"` // empty: a pure number
}

// Spec declares a sensor.
type Spec struct {
	Name   string  `json:"name"`
	Doc    string  `json:"doc,omitempty"`
	Kind   Kind    `json:"kind"`
	Fields []Field `json:"fields"` // of a thread's records
	Filter Filter  `json:"filter,omitzero"`
	Full   Full    `json:"full,omitempty"` // tracing and extended; empty: Drop
	Off    bool    `json:"off,omitempty"`  // until it is switched on
	// tracing and extended: one of every so many records is looked at; 0: each
	Every    int           `json:"every,omitempty"`
	Interval time.Duration `json:"interval,omitempty"` // sampling: between two readings; 0: DefaultInterval
	Event    event.Kind    `json:"event,omitempty"`    // of its records as events; empty: event.Sensed
}

// DefaultInterval is the time between two readings of a sampling sensor.
const DefaultInterval = 100 * time.Millisecond

// Limits of a declaration. A reader of foreign records relies on them.
const (
	mostFields = 64
	mostName   = 256 // bytes
	mostDoc    = 4096
)

// SpecError reports a declaration that cannot be used.
type SpecError struct {
	Sensor  string
	Problem string
}

func (e *SpecError) Error() string { return fmt.Sprintf("sensor %q: %s", e.Sensor, e.Problem) }

// Check returns a *SpecError for a declaration that cannot be used.
func (s *Spec) Check() error {
	if p := s.problem(); p != "" {
		return &SpecError{s.Name, p}
	}
	return nil
}

func (s *Spec) problem() string {
	switch {
	case s.Name == "" || len(s.Name) > mostName:
		return fmt.Sprintf("its name has %d bytes; give it 1 to %d", len(s.Name), mostName)
	case len(s.Doc) > mostDoc:
		return fmt.Sprintf("its doc has %d bytes; cut it to %d", len(s.Doc), mostDoc)
	case !slices.Contains([]Kind{Counter, Value, Tracing, Extended}, s.Kind):
		return fmt.Sprintf("there is no kind %q; choose counter, value, tracing or extended", s.Kind)
	case len(s.Fields) == 0 || len(s.Fields) > mostFields:
		return fmt.Sprintf("it has %d fields; give it 1 to %d", len(s.Fields), mostFields)
	case !slices.Contains([]Full{"", Drop, Wait, Thin}, s.Full):
		return fmt.Sprintf("full is %q; choose drop, wait or thin", s.Full)
	case s.Every < 0 || s.Every > mostEvery:
		return fmt.Sprintf("every is %d; choose 0 to %d", s.Every, mostEvery)
	case s.Interval != 0 && s.Interval < leastInterval:
		return fmt.Sprintf("its interval is %v; choose at least %v, or 0 for %v", s.Interval, leastInterval,
			DefaultInterval)
	case s.sampling() && (s.Full != "" || s.Every != 0):
		return "full and every are for tracing and extended sensors; a sampling one has an interval"
	case !s.sampling() && s.Interval != 0:
		return "an interval is for sampling sensors; this one has every"
	case (s.Kind == Extended) != (s.Filter.Op != ""):
		return "a filter is what makes a sensor extended: give both or neither"
	}
	if p := s.problemOfFields(); p != "" {
		return p
	}
	if s.Kind == Extended {
		return s.Filter.problem(s.Fields)
	}
	return ""
}

func (s *Spec) problemOfFields() string {
	for i, f := range s.Fields {
		if f.Name == "" || len(f.Name) > mostName || len(f.Unit) > mostName {
			return fmt.Sprintf("field %d has a name of %d and a unit of %d bytes; give it 1 to %d and at most %d",
				i+1, len(f.Name), len(f.Unit), mostName, mostName)
		}
		if slices.ContainsFunc(s.Fields[:i], func(o Field) bool { return o.Name == f.Name }) {
			return fmt.Sprintf("two fields are called %q; rename one", f.Name)
		}
	}
	return ""
}

// Bounds of rates.
const (
	mostEvery     = math.MaxInt32
	leastInterval = time.Millisecond
)

func (s *Spec) sampling() bool { return s.Kind == Counter || s.Kind == Value }

// Output returns the fields of the records that reach the monitor: Fields, but for a histogram.
func (s *Spec) Output() []Field {
	if s.Filter.Op != Histogram {
		return s.Fields
	}
	return s.Filter.summary(s.Fields)
}

// declared returns a copy of the declaration with its defaults.
func (s *Spec) declared() *Spec {
	c := *s
	c.Fields = slices.Clone(s.Fields)
	if !c.sampling() && c.Full == "" {
		c.Full = Drop
	}
	if c.sampling() && c.Interval == 0 {
		c.Interval = DefaultInterval
	}
	if !c.sampling() {
		c.Every = max(1, c.Every)
	}
	if c.Event == "" {
		c.Event = event.Sensed
	}
	return &c
}

// equal reports whether two declarations are the same.
func (s *Spec) equal(o *Spec) bool {
	a, b := *s, *o
	a.Fields, b.Fields = nil, nil
	return fmt.Sprint(a) == fmt.Sprint(b) && slices.Equal(s.Fields, o.Fields)
}

// names returns the names of fields.
func names(fields []Field) string {
	var list []string
	for _, f := range fields {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}
