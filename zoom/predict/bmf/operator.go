package bmf

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// operator computes a value from its operand.
type operator func(v Value) (Value, error)

// operators are the operators of B_Op, by name. Those of two operands take a pair.
var operators = map[string]operator{
	"B_Plus":    arithmetic((*big.Int).Add, func(a, b float64) float64 { return a + b }),
	"B_Minus":   arithmetic((*big.Int).Sub, func(a, b float64) float64 { return a - b }),
	"B_Times":   arithmetic((*big.Int).Mul, func(a, b float64) float64 { return a * b }),
	"B_Divide":  arithmetic(nil, func(a, b float64) float64 { return a / b }),
	"B_Uminus":  unary(numeric, minus),
	"B_Neg":     unary(boolean, func(v Value) (Value, error) { return boolValue(!v.bool()), nil }),
	"B_And":     logic(func(a, b bool) bool { return a && b }),
	"B_Or":      logic(func(a, b bool) bool { return a || b }),
	"B_Eq":      binary(anything, anything, same),
	"B_Gt":      compare(func(c int) bool { return c > 0 }),
	"B_Lt":      compare(func(c int) bool { return c < 0 }),
	"B_Le":      compare(func(c int) bool { return c <= 0 }),
	"B_Ge":      compare(func(c int) bool { return c >= 0 }),
	"B_Length":  unary(list, func(v Value) (Value, error) { return intValue(int64(len(v.body.parts))), nil }),
	"B_Index":   binary(list, anything, at),
	"B_Iota":    iotaList,
	"B_Conc":    binary(list, list, concatenate),
	"B_Project": binary(list, list, project),
	"B_Distl":   binary(anything, list, distribute),
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

// operand is an argument of an operator.
type operand struct {
	one, two string // for messages
	fits     func(v Value) bool
}

var (
	anything = operand{fits: func(Value) bool { return true }}
	numeric  = operand{"a number", "two numbers", isNumber}
	boolean  = operand{"a boolean", "two booleans", func(v Value) bool { return v.kind == boolKind }}
	list     = operand{"a list", "two lists", func(v Value) bool { return v.kind == listKind }}
)

func isNumber(v Value) bool { return v.kind == intKind || v.kind == realKind }

func (o operand) check(v Value) error {
	if !o.fits(v) {
		return fmt.Errorf("want %s, got %v", o.one, v.typ())
	}
	return nil
}

// unary is an operator of one operand.
func unary(of operand, f operator) operator {
	return func(v Value) (Value, error) {
		if err := of.check(v); err != nil {
			return Value{}, err
		}
		return f(v)
	}
}

// binary is an operator of a pair.
func binary(first, second operand, f func(a, b Value) (Value, error)) operator {
	return func(v Value) (Value, error) {
		a, b, err := pair(v)
		switch {
		case err != nil:
			return Value{}, err
		case first.two != "" && first.two == second.two && !(first.fits(a) && second.fits(b)):
			return Value{}, fmt.Errorf("want %s, got %v and %v", first.two, a.typ(), b.typ())
		}
		if err := errors.Join(first.check(a), second.check(b)); err != nil {
			return Value{}, err
		}
		return f(a, b)
	}
}

// collect makes n values, and fails when they get too large together.
func collect(n int, do func(i int) (Value, error)) (values []Value, err error) {
	var sum room
	values = make([]Value, n)
	for i := range values {
		if values[i], err = do(i); err == nil {
			err = sum.take(values[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// collectList is a list of n values.
func collectList(n int, do func(i int) (Value, error)) (Value, error) {
	values, err := collect(n, do)
	if err != nil {
		return Value{}, err
	}
	return makeList(values, nil)
}

// arithmetic computes with two integers, or with two numbers of which one is real. Without whole it divides integers,
// rounding towards 0.
func arithmetic(whole func(z, a, b *big.Int) *big.Int, real func(a, b float64) float64) operator {
	return binary(numeric, numeric, func(a, b Value) (Value, error) {
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
	})
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
	case v.int() == math.MinInt64:
		return Value{}, fmt.Errorf("the result for %d is beyond 64 bits", v.int())
	}
	return intValue(-v.int()), nil
}

func logic(f func(a, b bool) bool) operator {
	return binary(boolean, boolean, func(a, b Value) (Value, error) { return boolValue(f(a.bool(), b.bool())), nil })
}

func same(a, b Value) (Value, error) {
	if unify(a.typ(), b.typ()) == nil && !(isNumber(a) && isNumber(b)) {
		return Value{}, fmt.Errorf("want two values of a type, got %v and %v", a.typ(), b.typ())
	}
	return boolValue(equal(a, b)), nil
}

func compare(f func(c int) bool) operator {
	return binary(numeric, numeric, func(a, b Value) (Value, error) {
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
	})
}

// at returns the element of a list at a place, from 0.
func at(list, place Value) (Value, error) {
	if place.kind != intKind {
		return Value{}, fmt.Errorf("want an integer as place, got %v", place.typ())
	}
	n := int64(len(list.body.parts))
	if i := place.int(); i < 0 || i >= n {
		return Value{}, fmt.Errorf("place %d of a list of %d; places are from 0", i, n)
	}
	return list.body.parts[place.int()], nil
}

func iotaList(v Value) (Value, error) {
	if v.kind != intKind || v.int() < 0 {
		return Value{}, fmt.Errorf("want a length, got %v", v)
	}
	if v.int() >= mostElements {
		return Value{}, fmt.Errorf("a list of %d elements; at most %d", v.int(), mostElements-1)
	}
	return collectList(int(v.int()), func(i int) (Value, error) { return intValue(int64(i)), nil })
}

func concatenate(a, b Value) (Value, error) {
	if len(a.body.parts)+len(b.body.parts) > mostElements {
		return Value{}, errTooLarge
	}
	return makeList(slices.Concat(a.body.parts, b.body.parts), nil)
}

// project returns the elements of a list at the places of another.
func project(a, places Value) (Value, error) {
	return collectList(len(places.body.parts), func(i int) (Value, error) { return at(a, places.body.parts[i]) })
}

// distribute pairs a value with each element of a list.
func distribute(a, b Value) (Value, error) {
	return collectList(len(b.body.parts), func(i int) (Value, error) { return makeTuple(a, b.body.parts[i]) })
}
