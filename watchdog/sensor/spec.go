package sensor

// The declaration of a sensor.

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kind is how a sensor's numbers reach the monitor.
type Kind string

// Tracing is the only kind: each record reaches the monitor, or one of so many.
const Tracing Kind = "tracing"

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
	Fields []Field `json:"fields"`
	// one of every so many records is taken, until it is switched otherwise; 0: each
	Every int `json:"every,omitempty"`
}

// Limits of a declaration. A reader of foreign records relies on them.
const (
	mostFields = 64
	mostName   = 256 // bytes
	mostDoc    = 4096
	mostEvery  = math.MaxInt32
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
	case s.Kind != Tracing:
		return fmt.Sprintf("unknown kind %q; the only kind is %s", s.Kind, Tracing)
	case len(s.Fields) == 0 || len(s.Fields) > mostFields:
		return fmt.Sprintf("it has %d fields; give it 1 to %d", len(s.Fields), mostFields)
	case s.Every < 0 || s.Every > mostEvery:
		return fmt.Sprintf("every is %d; choose 0 to %d", s.Every, mostEvery)
	}
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

// names returns the names of fields.
func names(fields []Field) string {
	var list []string
	for _, f := range fields {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}
