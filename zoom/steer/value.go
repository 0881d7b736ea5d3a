package steer

import "github.com/peregrine-sim/peregrine/watchdog/event"

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
