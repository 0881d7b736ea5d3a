package control

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/expression"
)

// Formula is an expression over its inputs and the time t, s, its last input.
type Formula struct {
	stateless
	is      *expression.Expression
	machine expression.Machine
	env     map[string]any
	names   []string
}

func (f *Formula) compile(c config.Formula) (err error) {
	if f.is, err = config.FormulaGrammar.Compile(c.Text); err != nil {
		return fmt.Errorf("%s: %w", c.Text, err)
	}
	f.env = config.FormulaGrammar.Environment()
	f.names = append(append(f.names, c.Inputs...), config.FormulaTime)
	return nil
}

// Declare implements Block.
func (f *Formula) Declare(d *Declaration) {
	d.Describe("formula", "An expression over signals, outputs of the engine and the time t, in SI and rpm.")
	d.Type.Formula, d.Type.Unit = true, true
}

// complete implements completer.
func (f *Formula) complete(c *config.Control) error { return f.compile(*c.Formula) }

// Timed implements Timed.
func (f *Formula) Timed() bool { return true }

// Invert implements Inverter, by the secant method.
func (f *Formula) Invert(k int, _, u []float64, y float64, free bool) float64 {
	if !free {
		return math.NaN()
	}
	at := func(x float64) float64 {
		u[k] = x
		return f.Output(nil, u) - y
	}
	x0, x1 := 0.0, 1.0
	f0, f1 := at(x0), at(x1)
	for range 50 {
		if f1 == f0 {
			break
		}
		x2 := x1 - f1*(x1-x0)/(f1-f0)
		x0, f0, x1, f1 = x1, f1, x2, at(x2)
		if math.Abs(f1) <= 1e-12*math.Abs(y) {
			return x1
		}
	}
	return math.NaN()
}

// Output implements Block. It is not a number where the formula has none.
func (f *Formula) Output(_, u []float64) float64 {
	for i, n := range f.names {
		f.env[n] = u[i]
	}
	out, err := f.is.Value(&f.machine, f.env)
	if y, ok := out.(float64); ok && err == nil {
		return y
	}
	return math.NaN()
}
