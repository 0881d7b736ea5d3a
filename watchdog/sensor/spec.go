package sensor

// The declaration of a sensor.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/recording"
)

// Kind is the kind of a sensor's records.
type Kind = recording.Kind

const (
	Tracing = recording.Tracing // numbers of the fields, from [Board.Sensor]
	Region  = recording.Region  // [Board.Region]; no fields
	Send    = recording.Send    // [Board.Channel]; fields [MessageFields]
	Receive = recording.Receive // [Board.Channel]; fields [MessageFields]
	Fork    = recording.Fork    // [Board.Fork]; no fields
	Join    = recording.Join    // [Board.Join]; no fields
	Marker  = recording.Marker  // from [Board.Mark]; one field
)

// MessageFields returns the fields of a sensor of messages: the size in bytes, and the number of the message among
// those of its channel since the process began, recorded or not.
func MessageFields() []Field { return []Field{{Name: "bytes", Unit: "B"}, {Name: "count"}} }

// Form is how a field is stored.
type Form string

// Forms of the field of a marker. The empty form is a float64, and the only one of the other kinds.
const (
	Int8    Form = "int8"
	Int16   Form = "int16"
	Int32   Form = "int32"
	Int64   Form = "int64"
	Float32 Form = "float32"
	Text    Form = "text"
)

// Field is a named number of a record, or the text of a marker.
type Field struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"` // empty: a pure number
	Form Form   `json:"form,omitempty"`
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

var forms = []Form{Int8, Int16, Int32, Int64, Float32, Text}

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
	case !slices.Contains(recording.Kinds(), s.Kind):
		return fmt.Sprintf("unknown kind %q; the kinds are %s", s.Kind, recording.Kinds())
	case (s.Kind == Region || s.Kind == Fork || s.Kind == Join) && len(s.Fields) > 0:
		return fmt.Sprintf("it has %d fields; a %s has none", len(s.Fields), s.Kind)
	case (s.Kind == Send || s.Kind == Receive) && !slices.Equal(s.Fields, MessageFields()):
		return fmt.Sprintf("a %s has the fields bytes and count", s.Kind)
	case s.Kind == Marker && len(s.Fields) != 1:
		return fmt.Sprintf("it has %d fields; a marker has one", len(s.Fields))
	case s.Kind == Tracing && (len(s.Fields) == 0 || len(s.Fields) > mostFields):
		return fmt.Sprintf("it has %d fields; give it 1 to %d", len(s.Fields), mostFields)
	case s.Every < 0 || s.Every > mostEvery:
		return fmt.Sprintf("every is %d; choose 0 to %d", s.Every, mostEvery)
	}
	for i, f := range s.Fields {
		if f.Name == "" || len(f.Name) > mostName || len(f.Unit) > mostName {
			return fmt.Sprintf("field %d has a name of %d and a unit of %d bytes; give it 1 to %d and at most %d",
				i+1, len(f.Name), len(f.Unit), mostName, mostName)
		}
		if f.Form != "" && (s.Kind != Marker || !slices.Contains(forms, f.Form)) {
			return fmt.Sprintf("field %q has the form %q; a marker's field has one of %s, others have none", f.Name,
				f.Form, forms)
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
