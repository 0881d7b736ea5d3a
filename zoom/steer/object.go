package steer

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Object describes a part of a solver that can be read or changed.
type Object struct {
	Number     int64       `json:"number"`          // given by the registry, from 1; never used again
	Name       string      `json:"name"`            // letters, digits and _, in parts with dots between
	Type       Type        `json:"type"`            // of its value; for a function of its argument; empty: none
	Shape      []int       `json:"shape,omitempty"` // of an Array
	Fields     []Part      `json:"fields,omitempty"`
	Unit       string      `json:"unit,omitempty"` // symbol; values are in SI, speeds in rpm
	Doc        string      `json:"doc,omitempty"`  // a sentence
	Min        *float64    `json:"min,omitempty"`  // of a number and of each entry of an array, inclusive
	Max        *float64    `json:"max,omitempty"`
	Effect     Effect      `json:"effect"`
	Operations []Operation `json:"operations"`

	// Setting names the setting or input of the request from which the object has its value when the run begins; empty:
	// none. A change before the first iteration makes it another request.
	Setting string `json:"setting,omitempty"`
}

// Part describes a field of a Struct.
type Part struct {
	Name string   `json:"name"`
	Type Type     `json:"type"`
	Unit string   `json:"unit,omitempty"`
	Min  *float64 `json:"min,omitempty"`
	Max  *float64 `json:"max,omitempty"`
}

// The effects of a change.
const (
	Numerics Effect = "numerics" // the way to the answer
	Answer   Effect = "answer"   // the answer itself
	Monitor  Effect = "monitor"  // the observation of the run
)

// The operations, described in the package's doc.
const (
	Sense   Operation = "sense"
	Read    Operation = "read"
	Write   Operation = "write"
	Actuate Operation = "actuate"
	Call    Operation = "call"
)

// Operations are all.
var Operations = []Operation{Sense, Read, Write, Actuate, Call}

// Allows reports whether an operation may be done with the object.
func (o *Object) Allows(op Operation) bool { return slices.Contains(o.Operations, op) }

// Convert converts a value to the object's type. The error is the reason why the object cannot have the value.
func (o *Object) Convert(v Value) (Value, error) {
	if o.Type == Float && v.Type == Int || o.Type == Int && v.Type == Float {
		v.Type = o.Type // an Int without fraction, as is checked below
	}
	if v.Type != o.Type {
		return v, fmt.Errorf("%s is %s; want %s", o.Name, describe(v), article(o.Type))
	}
	switch o.Type {
	case Int, Float:
		return v, checkNumber(o.Name, v.Number, o.Type, o.Unit, o.Min, o.Max)
	case Array:
		if want := size(o.Shape); len(v.Array) != want {
			return v, fmt.Errorf("%s has %d entries; want %d, of shape %v", o.Name, len(v.Array), want, o.Shape)
		}
		for i, x := range v.Array {
			if err := checkNumber(fmt.Sprintf("%s[%d]", o.Name, i), x, Float, o.Unit, o.Min, o.Max); err != nil {
				return v, err
			}
		}
	case Struct:
		return o.convertStruct(v)
	}
	return v, nil
}

func (o *Object) convertStruct(v Value) (Value, error) {
	v = v.Clone()
	if len(v.Fields) != len(o.Fields) {
		return v, fmt.Errorf("%s has %d fields; want %d", o.Name, len(v.Fields), len(o.Fields))
	}
	for i, p := range o.Fields {
		part := Object{Name: o.Name + "." + p.Name, Type: p.Type, Unit: p.Unit, Min: p.Min, Max: p.Max}
		at := slices.IndexFunc(v.Fields, func(f Field) bool { return f.Name == p.Name })
		if at < 0 {
			return v, fmt.Errorf("%s lacks the field %s", o.Name, p.Name)
		}
		v.Fields[i], v.Fields[at] = v.Fields[at], v.Fields[i]
		x, err := part.Convert(v.Fields[i].Value)
		if err != nil {
			return v, err
		}
		v.Fields[i].Value = x
	}
	return v, nil
}

// checkNumber checks a number. The error names the required range.
func checkNumber(name string, x float64, t Type, unit string, least, most *float64) error {
	if unit != "" {
		unit = " " + unit
	}
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return fmt.Errorf("%s is %g; want a finite number", name, x)
	case t == Int && x != math.Trunc(x):
		return fmt.Errorf("%s is %g; want a whole number", name, x)
	case least != nil && x < *least:
		return fmt.Errorf("%s is %g%s; want at least %g%s", name, x, unit, *least, unit)
	case most != nil && x > *most:
		return fmt.Errorf("%s is %g%s; want at most %g%s", name, x, unit, *most, unit)
	}
	return nil
}

func size(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}

func describe(v Value) string {
	if v.Type == "" {
		return "nothing"
	}
	return fmt.Sprintf("%s (%s)", v, article(v.Type))
}

func article(t Type) string {
	switch t {
	case "":
		return "no value"
	case Int:
		return "a whole number"
	case Float:
		return "a number"
	case Array:
		return "an array"
	case Bool:
		return "true or false"
	}
	return "a " + string(t)
}

// The types of values and their descriptions are in package event, whose receipts record them.
type (
	Value     = event.Value
	Field     = event.Field
	Type      = event.Type
	Verb      = event.Verb
	Operation = event.Operation
	Effect    = event.Effect
)

// The types of values.
const (
	Bool   = event.Bool
	Int    = event.Int
	Float  = event.Float
	Text   = event.Text
	Array  = event.Array
	Struct = event.Struct
)

// BoolValue returns a value of type Bool.
func BoolValue(b bool) Value { return Value{Type: Bool, Bool: b} }

// IntValue returns a value of type Int.
func IntValue(n int64) Value { return Value{Type: Int, Number: float64(n)} }

// FloatValue returns a value of type Float.
func FloatValue(x float64) Value { return Value{Type: Float, Number: x} }

// TextValue returns a value of type Text.
func TextValue(s string) Value { return Value{Type: Text, Text: s} }

// ArrayValue returns a value of type Array, which keeps the slice.
func ArrayValue(a []float64) Value { return Value{Type: Array, Array: a} }
