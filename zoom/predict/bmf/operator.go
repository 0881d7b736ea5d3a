package bmf

import (
	"errors"
	"fmt"
	"math"
	"math/big"
)

// operator computes a value from its operand.
type operator func(v Value) (Value, error)

// operators are the operators of B_Op, by name. Those of two operands take a pair.
var operators = map[string]operator{
	"B_Plus":    arithmetic((*big.Int).Add, func(a, b float64) float64 { return a + b }),
	"B_Minus":   arithmetic((*big.Int).Sub, func(a, b float64) float64 { return a - b }),
	"B_Times":   arithmetic((*big.Int).Mul, func(a, b float64) float64 { return a * b }),
	"B_Divide":  arithmetic(nil, func(a, b float64) float64 { return a / b }),
	"B_Uminus":  minus,
	"B_Neg":     not,
	"B_And":     logic(func(a, b bool) bool { return a && b }),
	"B_Or":      logic(func(a, b bool) bool { return a || b }),
	"B_Eq":      same,
	"B_Gt":      compare(func(c int) bool { return c > 0 }),
	"B_Lt":      compare(func(c int) bool { return c < 0 }),
	"B_Le":      compare(func(c int) bool { return c <= 0 }),
	"B_Ge":      compare(func(c int) bool { return c >= 0 }),
	"B_Length":  length,
	"B_Index":   index,
	"B_Iota":    iotaList,
	"B_Conc":    concatenate,
	"B_Project": project,
	"B_Distl":   distribute,
}

// lengthOnly is the operator that needs no element of its list: it leaves a scattered list where it is.
const lengthOnly = "B_Length"

// pair returns the two parts of a pair.
func pair(v Value) (a, b Value, err error) {
	if v.kind != tupleKind || len(v.body.parts) != 2 {
		return a, b, fmt.Errorf("want a pair, got %v", v.typ())
	}
	return v.body.parts[0], v.body.parts[1], nil
}

func isNumber(v Value) bool { return v.kind == intKind || v.kind == realKind }

// arithmetic computes with two integers, or with two numbers of which one is real. Without whole it divides integers,
// rounding towards 0.
func arithmetic(whole func(z, a, b *big.Int) *big.Int, real func(a, b float64) float64) operator {
	return func(v Value) (Value, error) {
		a, b, err := pair(v)
		if err != nil {
			return Value{}, err
		}
		if !isNumber(a) || !isNumber(b) {
			return Value{}, fmt.Errorf("want two numbers, got %v and %v", a.typ(), b.typ())
		}
		if whole == nil && b.number() == 0 {
			return Value{}, errors.New("a division by zero")
		}
		if a.kind == realKind || b.kind == realKind {
			return finite(real(a.number(), b.number()))
		}
		x := real(a.number(), b.number())
		switch {
		case whole == nil && (a.int() != math.MinInt64 || b.int() != -1):
			return intValue(a.int() / b.int()), nil
		case whole != nil && exact(a.number()) && exact(b.number()) && exact(x):
			return intValue(int64(x)), nil
		case whole != nil:
			if z := whole(new(big.Int), big.NewInt(a.int()), big.NewInt(b.int())); z.IsInt64() {
				return intValue(z.Int64()), nil
			}
		}
		return Value{}, fmt.Errorf("the result for %d and %d is beyond 64 bits", a.int(), b.int())
	}
}

// exact reports whether a number that was an integer, or computed of such, was not rounded.
func exact(x float64) bool { return math.Abs(x) < 1<<53 }

func finite(x float64) (Value, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return Value{}, errors.New("the result is beyond the range of numbers")
	}
	return realValue(x), nil
}

func minus(v Value) (Value, error) {
	switch {
	case v.kind == realKind:
		return realValue(-v.real()), nil
	case v.kind != intKind:
		return Value{}, fmt.Errorf("want a number, got %v", v.typ())
	case v.int() == math.MinInt64:
		return Value{}, fmt.Errorf("the result for %d is beyond 64 bits", v.int())
	}
	return intValue(-v.int()), nil
}

func not(v Value) (Value, error) {
	if v.kind != boolKind {
		return Value{}, fmt.Errorf("want a boolean, got %v", v.typ())
	}
	return boolValue(!v.bool()), nil
}

func logic(f func(a, b bool) bool) operator {
	return func(v Value) (Value, error) {
		a, b, err := pair(v)
		if err != nil {
			return Value{}, err
		}
		if a.kind != boolKind || b.kind != boolKind {
			return Value{}, fmt.Errorf("want two booleans, got %v and %v", a.typ(), b.typ())
		}
		return boolValue(f(a.bool(), b.bool())), nil
	}
}

func same(v Value) (Value, error) {
	a, b, err := pair(v)
	if err != nil {
		return Value{}, err
	}
	if unify(a.typ(), b.typ()) == nil && !(isNumber(a) && isNumber(b)) {
		return Value{}, fmt.Errorf("want two values of a type, got %v and %v", a.typ(), b.typ())
	}
	return boolValue(equal(a, b)), nil
}

func compare(f func(c int) bool) operator {
	return func(v Value) (Value, error) {
		a, b, err := pair(v)
		if err != nil {
			return Value{}, err
		}
		if !isNumber(a) || !isNumber(b) {
			return Value{}, fmt.Errorf("want two numbers, got %v and %v", a.typ(), b.typ())
		}
		c := 0
		switch x, y := a.number(), b.number(); {
		case a.kind == intKind && b.kind == intKind && a.int() != b.int():
			c = 1
			if a.int() < b.int() {
				c = -1
			}
		case x < y:
			c = -1
		case x > y:
			c = 1
		}
		return boolValue(f(c)), nil
	}
}

func listOf(v Value) ([]Value, error) {
	if v.kind != listKind {
		return nil, fmt.Errorf("want a list, got %v", v.typ())
	}
	return v.body.parts, nil
}

func length(v Value) (Value, error) {
	list, err := listOf(v)
	return intValue(int64(len(list))), err
}

// listAnd returns the parts of a pair whose first is a list.
func listAnd(v Value) (list []Value, b Value, err error) {
	a, b, err := pair(v)
	if err == nil {
		list, err = listOf(a)
	}
	return list, b, err
}

// at returns the element of a list at a place, from 0.
func at(list []Value, place Value) (Value, error) {
	if place.kind != intKind {
		return Value{}, fmt.Errorf("want an integer as place, got %v", place.typ())
	}
	if i := place.int(); i < 0 || i >= int64(len(list)) {
		return Value{}, fmt.Errorf("place %d of a list of %d; places are from 0", i, len(list))
	}
	return list[place.int()], nil
}

func index(v Value) (Value, error) {
	list, place, err := listAnd(v)
	if err != nil {
		return Value{}, err
	}
	return at(list, place)
}

func iotaList(v Value) (Value, error) {
	if v.kind != intKind || v.int() < 0 {
		return Value{}, fmt.Errorf("want a length, got %v", v)
	}
	if v.int() >= mostElements {
		return Value{}, fmt.Errorf("a list of %d elements; at most %d", v.int(), mostElements-1)
	}
	list := make([]Value, v.int())
	for i := range list {
		list[i] = intValue(int64(i))
	}
	return makeList(list, nil)
}

func concatenate(v Value) (Value, error) {
	a, other, err := listAnd(v)
	if err != nil {
		return Value{}, err
	}
	b, err := listOf(other)
	if err != nil {
		return Value{}, err
	}
	if len(a)+len(b) > mostElements {
		return Value{}, errTooLarge
	}
	return makeList(append(a[:len(a):len(a)], b...), nil)
}

// project returns the elements of a list at the places of another.
func project(v Value) (Value, error) {
	list, b, err := listAnd(v)
	if err != nil {
		return Value{}, err
	}
	places, err := listOf(b)
	if err != nil {
		return Value{}, err
	}
	result := make([]Value, len(places))
	for i, p := range places {
		if result[i], err = at(list, p); err != nil {
			return Value{}, err
		}
	}
	return makeList(result, nil)
}

// distribute pairs a value with each element of a list.
func distribute(v Value) (Value, error) {
	a, b, err := pair(v)
	if err != nil {
		return Value{}, err
	}
	list, err := listOf(b)
	if err != nil {
		return Value{}, err
	}
	size := int64(2)
	if a.body != nil {
		size = a.body.size + 1
	}
	if int64(len(list)) > mostElements/size {
		return Value{}, errTooLarge
	}
	result := make([]Value, len(list))
	for i, x := range list {
		if result[i], err = makeTuple(a, x); err != nil {
			return Value{}, err
		}
	}
	return makeList(result, nil)
}
