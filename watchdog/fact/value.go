package fact

// Values of fields, their types, and how two values compare.

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

// Type is what a field holds.
type Type uint8

// The types of fields.
const (
	Number Type = iota + 1 // float64
	Text                   // string
	Bool                   // bool
)

func (t Type) String() string {
	switch t {
	case Number:
		return "number"
	case Text:
		return "text"
	case Bool:
		return "bool"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Value is a number, a text or a bool. The zero Value is none of them and fits no field.
type Value struct {
	text string
	num  float64
	typ  Type
	is   bool
}

// Num returns the value of a number.
func Num(x float64) Value { return Value{typ: Number, num: x} }

// Str returns the value of a text.
func Str(s string) Value { return Value{typ: Text, text: s} }

// Flag returns the value of a bool.
func Flag(b bool) Value { return Value{typ: Bool, is: b} }

// Type returns the value's type, 0 of the zero Value.
func (v Value) Type() Type { return v.typ }

// String returns the value as conditions write it: 1.5, "text", true.
func (v Value) String() string {
	switch v.typ {
	case Number:
		return strconv.FormatFloat(v.num, 'g', -1, 64)
	case Text:
		return strconv.Quote(v.text)
	case Bool:
		return strconv.FormatBool(v.is)
	}
	return "nothing"
}

// Op compares two values. Numbers compare as IEEE 754 says: NaN is unequal to everything, and neither less nor
// greater. Texts compare byte by byte; bools are equal or not.
type Op uint8

// The comparisons.
const (
	Equal Op = iota + 1
	NotEqual
	Less
	AtMost
	Greater
	AtLeast
	In      // equal to one of a list
	Between // at least the first of two values, at most the second
)

func (op Op) String() string {
	if op < Equal || op > Between {
		return fmt.Sprintf("Op(%d)", uint8(op))
	}
	return [...]string{"==", "!=", "<", "<=", ">", ">=", "in", "between"}[op-1]
}

// flip returns the comparison with its sides exchanged.
func (op Op) flip() Op {
	switch op {
	case Less:
		return Greater
	case AtMost:
		return AtLeast
	case Greater:
		return Less
	case AtLeast:
		return AtMost
	}
	return op
}

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

// compare reports whether a op b; both have one type.
func compare(op Op, a, b Value) bool {
	switch a.typ {
	case Number:
		return ordered(op, a.num, b.num)
	case Text:
		return ordered(op, a.text, b.text)
	}
	return (a.is == b.is) == (op == Equal)
}

// key returns a number that is the same for equal values of numbers and bools. NaN has none.
func key(v Value) (uint64, bool) {
	if v.typ == Bool {
		if v.is {
			return 1, true
		}
		return 0, true
	}
	if v.num == 0 {
		return 0, true // -0 equals 0
	}
	return math.Float64bits(v.num), v.num == v.num
}
