package fact

// Values of fields, their types, and how two values compare.

import (
	"cmp"
	"math"
	"strconv"
)

// Type is the type of a field.
type Type uint8

// The types of fields.
const (
	Number Type = iota + 1 // float64
	Text                   // string
	Bool                   // bool
)

func (t Type) String() string { return [...]string{"nothing", "number", "text", "bool"}[t] }

// Value is a number, a text or a bool. The zero Value has no type and fits no field.
type Value struct {
	typ  Type
	num  float64 // of a bool: 1 if it is true
	text string
}

// Num returns the value of a number.
func Num(x float64) Value { return Value{typ: Number, num: x} }

// Str returns the value of a text.
func Str(s string) Value { return Value{typ: Text, text: s} }

// Flag returns the value of a bool.
func Flag(b bool) Value {
	if b {
		return Value{typ: Bool, num: 1}
	}
	return Value{typ: Bool}
}

// Type returns the value's type, 0 of the zero Value.
func (v Value) Type() Type { return v.typ }

// String returns the value as conditions write it: 1.5, "text", true.
func (v Value) String() string {
	switch v.typ {
	case Text:
		return strconv.Quote(v.text)
	case Bool:
		return strconv.FormatBool(v.num != 0)
	}
	return strconv.FormatFloat(v.num, 'g', -1, 64)
}

// same reports whether two values are equal bit by bit.
func (v Value) same(w Value) bool {
	return v.text == w.text && math.Float64bits(v.num) == math.Float64bits(w.num)
}

// Op compares two values. Numbers compare by IEEE 754: NaN is unequal to everything, and neither less nor greater.
// Texts compare byte by byte; bools are equal or not.
type Op uint8

// The comparisons.
const (
	Equal Op = iota + 1
	NotEqual
	Less
	AtMost
	Greater
	AtLeast
	In // equal to any value of a list
)

func (op Op) String() string { return [...]string{"", "==", "!=", "<", "<=", ">", ">=", "in"}[op] }

// Flip returns the comparison with its sides exchanged.
func (op Op) Flip() Op { return [...]Op{0, Equal, NotEqual, Greater, AtLeast, Less, AtMost, 0}[op] }

func ordered[T cmp.Ordered](op Op, a, b T) bool {
	switch op {
	case Equal:
		return a == b
	case NotEqual:
		return a != b
	case Less:
		return a < b
	case AtMost:
		return a <= b
	case Greater:
		return a > b
	case AtLeast:
		return a >= b
	}
	return false
}
