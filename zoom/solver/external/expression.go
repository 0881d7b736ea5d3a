package external

// Expressions over the values of a run. Faults of an expression are found when the description is read, as names and
// shapes are known then.

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	expr "github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// meaning is the type of a name in an expression.
type meaning struct {
	shape plugin.Shape
	unit  unit.Unit
	known bool // whether the unit is
}

// scope holds the meanings of names in expressions at a place of the description.
type scope map[string]meaning

// grammar is the grammar of expressions, without their names.
var grammar = expr.Grammar{
	Known: map[string]any{
		"pi":   math.Pi,
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "atan2": math.Atan2, "tanh": math.Tanh,
		"mean": mean, "at": interpolated, "average": averaged,
	},
	Builtins: []string{"abs", "ceil", "floor", "round", "min", "max", "len", "sum", "map"},
}

// expression is a compiled expression.
type expression struct {
	*expr.Expression
	text  string
	shape plugin.Shape
	name  string // if it consists of a single name
}

// shapes maps the shapes of values in a description. The shape Any, such as of max of a list, is checked during the
// run.
var shapes = map[plugin.Shape]expr.Shape{plugin.Scalar: expr.Number, plugin.Profile: expr.List}

// compile checks an expression against the meanings of its names.
func (s scope) compile(text string) (*expression, error) {
	g := grammar
	g.Names = func(name string) (expr.Shape, error) {
		m, known := s[name]
		switch {
		case !known:
			names := append(slices.Sorted(maps.Keys(s)), g.Functions()...)
			return expr.Any, fmt.Errorf("unknown name %s%s", name, spell.Hint(name, names))
		case shapes[m.shape] != expr.Any:
			return shapes[m.shape], nil
		}
		return expr.Text, nil
	}
	is, err := g.Compile(text)
	if err != nil {
		return nil, err
	}
	e := &expression{Expression: is, text: text}
	if slices.Equal(is.Names, []string{text}) {
		e.name = text
	}
	switch is.Shape {
	case expr.Number, expr.Any:
		e.shape = plugin.Scalar
	case expr.List:
		e.shape = plugin.Profile
	case expr.Text:
		e.shape = plugin.Text
	default:
		return nil, expr.Errors{{Reason: "it gives no number, list of numbers or text"}}
	}
	return e, nil
}

// environment holds the values of names in a run.
type environment map[string]any

// newEnvironment returns that of a request.
func newEnvironment(r plugin.Request) environment {
	env := environment(grammar.Environment())
	for name, v := range r.Numbers {
		env[name] = v
	}
	for name, v := range r.Arrays {
		env[name] = v
	}
	for name, v := range r.Texts {
		env[name] = v
	}
	return env
}

// value evaluates an expression: a float64, a []float64 or a string. Numbers must be finite.
func (e environment) value(x *expression) (any, error) {
	got, err := x.Value(&expr.Machine{}, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", x.text, err)
	}
	switch v := got.(type) {
	case string:
		if x.shape != plugin.Scalar {
			return v, nil
		}
	case []float64, []any:
		if x.shape == plugin.Scalar {
			return nil, fmt.Errorf("%s is a list of numbers, want a number", x.text)
		}
		list, err := numbersOf(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.text, err)
		}
		return list, nil
	}
	v, ok := numberOf(got)
	if !ok {
		return nil, fmt.Errorf("%s is %v, which is no number", x.text, got)
	}
	if !numeric.Finite(v) {
		return nil, fmt.Errorf("%s is %g", x.text, v)
	}
	return v, nil
}

func numberOf(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

// numbersOf returns a list of finite numbers.
func numbersOf(v any) ([]float64, error) {
	if list, ok := v.([]float64); ok {
		return list, finite(list)
	}
	items, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%v is no list of numbers", v)
	}
	list := make([]float64, len(items))
	for i, item := range items {
		if list[i], ok = numberOf(item); !ok {
			return nil, fmt.Errorf("%v in a list of numbers", item)
		}
	}
	return list, finite(list)
}

func finite(list []float64) error {
	for i, v := range list {
		if !numeric.Finite(v) {
			return fmt.Errorf("its value %d is %g", i+1, v)
		}
	}
	return nil
}

// mean returns the mean of a list, with weights or without.
func mean(list any, weights ...any) (float64, error) {
	x, err := numbersOf(list)
	if err != nil || len(x) == 0 {
		return 0, errors.Join(errors.New("mean of no numbers"), err)
	}
	if len(weights) == 0 {
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		return sum / float64(len(x)), nil
	}
	w, err := numbersOf(weights[0])
	if err != nil || len(w) != len(x) || len(weights) > 1 {
		return 0, errors.Join(errors.New("mean of a list wants one list of weights that is as long"), err)
	}
	sum, all := 0.0, 0.0
	for i := range x {
		sum, all = sum+x[i]*w[i], all+w[i]
	}
	return sum / all, nil
}

// line returns a function given by its values.
func line(xs, ys any) (x, y []float64, err error) {
	x, errX := numbersOf(xs)
	y, errY := numbersOf(ys)
	if err := errors.Join(errX, errY); err != nil {
		return nil, nil, err
	}
	if len(x) != len(y) || len(x) == 0 {
		return nil, nil, fmt.Errorf("%d places and %d values, want as many of both", len(x), len(y))
	}
	return x, y, nil
}

// interpolated interpolates linearly between values at rising places, and returns the nearest value beyond.
func interpolated(place float64, xs, ys any) (float64, error) {
	x, y, err := line(xs, ys)
	if err != nil {
		return 0, err
	}
	for i := 1; i < len(x); i++ {
		if place < x[i] {
			share := max(0, place-x[i-1]) / (x[i] - x[i-1])
			return y[i-1] + share*(y[i]-y[i-1]), nil
		}
	}
	return y[len(y)-1], nil
}

// averaged returns the mean of a line over its places, by trapezoids.
func averaged(ys, xs any) (float64, error) {
	x, y, err := line(xs, ys)
	if err != nil || len(x) == 1 {
		return append(y, 0)[0], err
	}
	sum := 0.0
	for i := 1; i < len(x); i++ {
		sum += (x[i] - x[i-1]) * (y[i] + y[i-1]) / 2
	}
	return sum / (x[len(x)-1] - x[0]), nil
}
