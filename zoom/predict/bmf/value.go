package bmf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostElements is the size of the largest value: numbers, booleans, lists and tuples in it. Each takes 24 bytes.
const mostElements = 1 << 22

// kind is the kind of a value.
type kind uint8

const (
	unknownKind kind = iota // of an empty list's elements
	intKind
	realKind
	boolKind
	listKind
	tupleKind
)

// Value is an integer, a real number, a boolean, a list or a tuple.
type Value struct {
	kind kind
	bits uint64
	body *body // of a list or a tuple
}

// body is the parts of a list or a tuple.
type body struct {
	parts     []Value
	places    []int32 // processors of a list's elements; nil: where the list is
	scattered bool    // parts, or parts of them, lie on other processors
	typ       *typ
	size      int64    // as mostElements counts it
	scalars   [3]int64 // numbers of integers, reals and booleans
}

// typ is the type of a value.
type typ struct {
	kind kind
	of   []*typ // of a tuple's parts, or of a list's elements
}

var scalarTypes = [...]*typ{unknownKind: {}, intKind: {kind: intKind}, realKind: {kind: realKind},
	boolKind: {kind: boolKind}}

func intValue(x int64) Value    { return Value{kind: intKind, bits: uint64(x)} }
func realValue(x float64) Value { return Value{kind: realKind, bits: math.Float64bits(x)} }
func boolValue(x bool) Value {
	if x {
		return Value{kind: boolKind, bits: 1}
	}
	return Value{kind: boolKind}
}

func (v Value) int() int64    { return int64(v.bits) }
func (v Value) real() float64 { return math.Float64frombits(v.bits) }
func (v Value) bool() bool    { return v.bits != 0 }

// number is an integer or a real as a real.
func (v Value) number() float64 {
	if v.kind == intKind {
		return float64(v.int())
	}
	return v.real()
}

func (v Value) scattered() bool { return v.body != nil && v.body.scattered }

func (v Value) typ() *typ {
	if v.body != nil {
		return v.body.typ
	}
	return scalarTypes[v.kind]
}

// unify returns the type of both types; nil: there is none. The elements of an empty list have any type.
func unify(a, b *typ) *typ {
	switch {
	case a == b || b.kind == unknownKind:
		return a
	case a.kind == unknownKind:
		return b
	case a.kind != b.kind || len(a.of) != len(b.of):
		return nil
	}
	var of []*typ
	for i := range a.of {
		u := unify(a.of[i], b.of[i])
		if u == nil {
			return nil
		}
		if u != a.of[i] && of == nil {
			of = append(make([]*typ, 0, len(a.of)), a.of[:i]...) // not nil for i = 0
		}
		if of != nil {
			of = append(of, u)
		}
	}
	if of == nil {
		return a
	}
	return &typ{a.kind, of}
}

func (t *typ) String() string {
	switch t.kind {
	case intKind:
		return "an integer"
	case realKind:
		return "a real"
	case boolKind:
		return "a boolean"
	case tupleKind:
		return fmt.Sprintf("a tuple of %d", len(t.of))
	case listKind:
		if e := t.of[0]; e.kind != unknownKind {
			return "a list whose elements are each " + e.String()
		}
		return "an empty list"
	}
	return "anything"
}

var errTooLarge = fmt.Errorf("a value of more than %d elements", mostElements)

// room counts the elements of values that a list or a tuple will have, so that memory ends none while it is made.
type room int64

func (r *room) take(v Value) error {
	if v.body != nil {
		if *r += room(v.body.size); *r > mostElements {
			return errTooLarge
		}
	}
	return nil
}

// makeList makes a list. Its error reports elements of several types, or too many.
func makeList(parts []Value, places []int32) (Value, error) {
	elem := scalarTypes[unknownKind]
	for i, p := range parts {
		u := unify(elem, p.typ())
		if u == nil {
			return Value{}, fmt.Errorf("a mixed list: element %d is %v, those before are each %v", i, p.typ(), elem)
		}
		elem = u
	}
	v, err := gathered(listKind, parts, []*typ{elem})
	if err == nil && places != nil {
		v.body.places, v.body.scattered = places, true
	}
	return v, err
}

func makeTuple(parts ...Value) (Value, error) {
	of := make([]*typ, len(parts))
	for i, p := range parts {
		of[i] = p.typ()
	}
	return gathered(tupleKind, parts, of)
}

func gathered(k kind, parts []Value, of []*typ) (Value, error) {
	b := &body{parts: parts, typ: &typ{k, of}, size: 1}
	for _, p := range parts {
		if p.body == nil {
			b.scalars[p.kind-intKind]++
			b.size++
			continue
		}
		b.size += p.body.size
		b.scattered = b.scattered || p.body.scattered
		for i, n := range p.body.scalars {
			b.scalars[i] += n
		}
		if b.size > mostElements {
			return Value{}, errTooLarge
		}
	}
	if b.size > mostElements {
		return Value{}, errTooLarge
	}
	return Value{kind: k, body: b}, nil
}

// place is the processor of an element of a list that is on processor p.
func (v Value) place(i int, p int32) int32 {
	if v.body.places == nil {
		return p
	}
	return v.body.places[i]
}

// append writes the value; the brackets are those of lists and tuples.
func (v Value) append(text []byte, list, tuple string) []byte {
	switch v.kind {
	case intKind:
		return strconv.AppendInt(text, v.int(), 10)
	case realKind:
		begin := len(text)
		text = strconv.AppendFloat(text, v.real(), 'g', -1, 64)
		if !strings.ContainsAny(string(text[begin:]), ".e") {
			text = append(text, ".0"...)
		}
		return text
	case boolKind:
		return strconv.AppendBool(text, v.bool())
	}
	brackets := list
	if v.kind == tupleKind {
		brackets = tuple
	}
	text = append(text, brackets[0])
	for i, p := range v.body.parts {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = p.append(text, list, tuple)
	}
	return append(text, brackets[1])
}

// String writes a list as [1, 2] and a tuple as (1, 2).
func (v Value) String() string { return string(v.append(nil, "[]", "()")) }

// MarshalJSON writes lists and tuples as arrays.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == unknownKind {
		return nil, errors.New("no value")
	}
	return v.append(nil, "[]", "[]"), nil
}

// equal reports whether two values of one type are equal. Integers and reals are equal if their numbers are.
func equal(a, b Value) bool {
	switch {
	case a.kind != b.kind:
		return a.body == nil && b.body == nil && a.number() == b.number()
	case a.body == nil:
		return a.kind == realKind && a.real() == b.real() || a.kind != realKind && a.bits == b.bits
	case len(a.body.parts) != len(b.body.parts):
		return false
	}
	for i := range a.body.parts {
		if !equal(a.body.parts[i], b.body.parts[i]) {
			return false
		}
	}
	return true
}
