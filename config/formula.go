package config

import (
	"math"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
)

// FormulaGrammar is that of the formulas of controls: numbers of signals and of the time t.
var FormulaGrammar = &expression.Grammar{
	Names: func(string) (expression.Shape, error) { return expression.Number, nil },
	Known: map[string]any{
		"pi":   math.Pi,
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh,
	},
	Builtins: []string{"abs", "ceil", "floor", "round", "min", "max"},
	Only:     "has no place in a formula, which is made of numbers, signals, the time t, operators and functions",
	Result:   expression.Number,
}

// FormulaTime is the name of the time, s, in a formula.
const FormulaTime = "t"

// controlFormula reads the formula of a control. The signals in it become its inputs.
func (r *reader) controlFormula(d *draftControl, n ast.Node, path string) {
	w, ok := r.Word(n, path, "an expression such as ratio * hpc.out.Pt")
	if !ok {
		return
	}
	e, err := FormulaGrammar.Compile(w.Text)
	expression.Report(&r.Reader, w, path, "a formula that gives a number", err)
	if e == nil {
		return
	}
	signals := slices.DeleteFunc(slices.Clone(e.Names), func(name string) bool { return name == FormulaTime })
	for _, name := range signals {
		r.signal(d, "is", "", document.Word{Text: name, Pos: w.Pos, Lines: true}, path)
	}
	d.Formula = &Formula{w.Text, signals, len(signals) < len(e.Names)}
}
