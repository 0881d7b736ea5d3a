package steer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// place is where something is in an object: limits.k4[2] is entry 2 of field k4 of the object limits.
type place struct {
	field string // empty: the whole
	index int    // -1: the whole
}

// whole is the place of all of an object.
var whole = place{index: -1}

var indexed = regex.Lazy(`^(.*)\[(\d+)\]$`)

// splitIndex takes the index off a name; -1: it has none.
func splitIndex(name string) (string, int) {
	if !strings.HasSuffix(name, "]") { // nearly always
		return name, -1
	}
	m := indexed().FindStringSubmatch(name)
	if m == nil {
		return name, -1
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return name, -1
	}
	return m[1], n
}

// find returns the object that a name refers to, and the place in it.
func find(name string, named func(string) *object) (*object, place) {
	base, index := splitIndex(name)
	if o := named(base); o != nil {
		return o, place{index: index}
	}
	if at := strings.LastIndexByte(base, '.'); at > 0 {
		if o := named(base[:at]); o != nil {
			return o, place{base[at+1:], index}
		}
	}
	return nil, place{}
}

// of returns the part of a value at a place.
func (p place) of(v Value) (Value, error) {
	if p.field != "" {
		part := fieldOf(&v, p.field)
		if part == nil {
			return Value{}, fmt.Errorf("it has no field %s", p.field)
		}
		v = *part
	}
	if p.index < 0 {
		return v, nil
	}
	if v.Type != Array || p.index >= len(v.Array) {
		return Value{}, fmt.Errorf("it has no entry %d", p.index)
	}
	return FloatValue(v.Array[p.index]), nil
}

// put returns a copy of a value with something else at the place.
func (p place) put(v, with Value) (Value, error) {
	if _, err := p.of(v); err != nil {
		return v, err
	}
	v = v.Clone()
	target := &v
	if p.field != "" {
		target = fieldOf(&v, p.field)
	}
	if p.index < 0 {
		*target = with
		return v, nil
	}
	if with.Type != Float && with.Type != Int {
		return v, fmt.Errorf("entry %d is a number", p.index)
	}
	target.Array[p.index] = with.Number
	return v, nil
}

// fieldOf returns a field of a Struct; nil: it has no such field.
func fieldOf(v *Value, name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i].Value
		}
	}
	return nil
}
