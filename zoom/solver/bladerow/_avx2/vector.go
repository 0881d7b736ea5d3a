package main

// What a kernel consists of: its arrays, and its arithmetic on one vector of four numbers.
// Calls to add, mul and the like write down the steps of the kernel that is being made;
// registers come later (registers.go). Every step is one rounded operation of IEEE 754,
// written in the order of the Go code beside it, so that both give the same bits.

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// kernel is one function on lines of numbers.
type kernel struct {
	name, doc string
	params    []string // after n: names and types
	steps     []*value
	shifts    []shift
	scalars   []*value
}

// now is the kernel that is being written.
var now *kernel

type operation int

const (
	opLoad operation = iota
	opConst
	opScalar
	opStore
	opAdd
	opSub
	opMul
	opDiv
	opSqrt
	opShort
	opMax
	opMin
	opAnd
	opOr
	opXor
	opUnordered
	opLess
	opBlend
)

// value is a vector: the result of a step, or a place in memory.
type value struct {
	op   operation
	args []*value
	uses []int  // the steps that need it, in order
	line line   // of a load or store
	at   shift  // of a load
	bits uint64 // of a constant, in each element
	name string // of a scalar parameter
}

// line is one of the slices that a parameter points to, an array of slices.
type line struct {
	param string
	slot  int
	short bool // float32
}

// shift is a sum of integer parameters, with signs, counted in elements.
type shift string

// terms splits at-s+e into at, -s, e.
func (s shift) terms() []string {
	return strings.FieldsFunc(strings.ReplaceAll(string(s), "-", "+-"), func(r rune) bool { return r == '+' })
}

// lines returns the slices first to first+n-1 of a parameter of type *[...][]float64.
func lines(param string, first, n int) []line {
	out := make([]line, n)
	for i := range out {
		out[i] = line{param: param, slot: first + i}
	}
	return out
}

// shorts is lines for *[...][]float32.
func shorts(param string, first, n int) []line {
	out := lines(param, first, n)
	for i := range out {
		out[i].short = true
	}
	return out
}

// at is the line's vector at the loop's index plus a shift.
func (l line) at(s shift) *value {
	if !slices.Contains(now.shifts, s) {
		now.shifts = append(now.shifts, s)
	}
	return &value{op: opLoad, line: l, at: s}
}

// get is the line's vector at the loop's index.
func (l line) get() *value { return l.at("") }

// set writes the line at the loop's index.
func (l line) set(x *value) { step(&value{op: opStore, args: []*value{x}, line: l}) }

// get is get for several lines.
func get(ls []line) (out []*value) {
	for _, l := range ls {
		out = append(out, l.get())
	}
	return out
}

// scalar is a parameter of type float64.
func scalar(name string) *value {
	v := &value{op: opScalar, name: name}
	now.scalars = append(now.scalars, v)
	return v
}

// step writes down v.
func step(v *value) *value {
	now.steps = append(now.steps, v)
	return v
}

// abreast writes down the steps of parts that do not need each other in turns, so that a
// processor that waits for one part has the others to do.
func abreast(parts ...func()) {
	before := now.steps
	var all [][]*value
	for _, part := range parts {
		now.steps = nil
		part()
		all = append(all, now.steps)
	}
	now.steps = before
	for n := 0; len(all) > 0; n++ {
		all = slices.DeleteFunc(all, func(steps []*value) bool { return len(steps) <= n })
		for _, steps := range all {
			now.steps = append(now.steps, steps[n])
		}
	}
}

// count finds the steps that need each value.
func (k *kernel) count() {
	for n, v := range k.steps {
		for _, a := range v.args {
			a.uses = append(a.uses, n)
		}
	}
}

// of makes a value of a number, and leaves values as they are.
func of(x any) *value {
	switch x := x.(type) {
	case *value:
		return x
	case float64:
		return pattern(math.Float64bits(x))
	case int:
		return pattern(math.Float64bits(float64(x)))
	}
	panic(fmt.Sprintf("%T is no operand", x))
}

func binary(op operation, first any, rest []any) *value {
	v := of(first)
	for _, x := range rest {
		v = step(&value{op: op, args: []*value{v, of(x)}})
	}
	return v
}

// add, sub, mul and div chain from the left, as Go does: mul(a, b, c) is (a b) c.
func add(a any, b ...any) *value { return binary(opAdd, a, b) }
func sub(a any, b ...any) *value { return binary(opSub, a, b) }
func mul(a any, b ...any) *value { return binary(opMul, a, b) }
func div(a any, b ...any) *value { return binary(opDiv, a, b) }

// dot is a[0] b[0] + a[1] b[1] + ..., from the left.
func dot(a, b []*value) *value {
	sum := mul(a[0], b[0])
	for i := range a[1:] {
		sum = add(sum, mul(a[i+1], b[i+1]))
	}
	return sum
}

func sqrt(a *value) *value { return step(&value{op: opSqrt, args: []*value{a}}) }

// short is a rounded to float32. Products of two float32 are exact before it, so that it makes
// those of Go.
func short(a *value) *value { return step(&value{op: opShort, args: []*value{a}}) }

// larger is b where b is not below a: if b < a { b = a }. A b that is no number stays.
func larger(a, b any) *value { return binary(opMax, a, []any{b}) }

// smaller is b where b is not above a: if b > a { b = a }.
func smaller(a, b any) *value { return binary(opMin, a, []any{b}) }

// noNumber is all ones where a is NaN; with or it makes larger and smaller the max and min
// of Go, which are NaN where either side is, provided that no zeros of both signs meet.
func noNumber(a *value) *value { return step(&value{op: opUnordered, args: []*value{a, a}}) }

func and(a, b *value) *value  { return binary(opAnd, a, []any{b}) }
func or(a, b *value) *value   { return binary(opOr, a, []any{b}) }
func less(a, b *value) *value { return step(&value{op: opLess, args: []*value{a, b}}) }

// pick is a where the mask is set, b elsewhere.
func pick(mask, a, b *value) *value {
	return step(&value{op: opBlend, args: []*value{a, b, mask}})
}

func abs(a *value) *value      { return binary(opAnd, a, []any{pattern(1<<63 - 1)}) }
func negative(a *value) *value { return binary(opXor, a, []any{pattern(1 << 63)}) }
