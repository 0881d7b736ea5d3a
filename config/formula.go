package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	exprast "github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
)

// FormulaEnv is what names mean in a formula of so many inputs; the numbers are to be
// set before it is evaluated.
func FormulaEnv(inputs int) map[string]any {
	env := map[string]any{
		"t": 0.0, "pi": math.Pi,
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh,
	}
	for i := range inputs {
		env[FormulaInput(i)] = 0.0
	}
	return env
}

// FormulaInput is the name of an input. No control has it, since names begin with letters.
func FormulaInput(i int) string { return fmt.Sprintf("_%d", i) }

// formulaBuiltins are those functions of the language that make numbers of numbers.
var formulaBuiltins = []string{"abs", "ceil", "floor", "round", "min", "max"}

// expression reads that of a control. The signals in it become its inputs.
func (r *reader) expression(d *draftControl, n ast.Node, path string) {
	w, ok := r.Word(n, path, "an expression such as ratio * hpc.out.Pt")
	if !ok {
		return
	}
	tree, err := parser.Parse(w.Text)
	if err != nil {
		r.badFormula(w, path, err)
		return
	}
	before := len(r.Problems)
	f := &formulaReader{r: r, d: d, w: w, path: path}
	f.node(&tree.Node)
	if len(r.Problems) > before {
		return
	}
	d.Formula = &Formula{tree.Node.String(), len(d.inputs), f.timed}
	if _, err := expr.Compile(d.Formula.Text, expr.Env(FormulaEnv(d.Formula.Inputs)), expr.AsFloat64()); err != nil {
		r.badFormula(document.Word{Text: w.Text, Pos: w.Pos, Lines: true}, path, err)
	}
}

// badFormula reports a fault of an expression.
func (r *reader) badFormula(w document.Word, path string, err error) {
	message, at := err.Error(), w.Pos
	var fe *file.Error
	if errors.As(err, &fe) {
		message = fe.Message
		if runes := []rune(w.Text); !w.Lines {
			at = w.At(len(string(runes[:min(fe.Column, len(runes))])))
		}
	}
	r.Fail(at, path, w.Text, "not a formula that gives a number: %s", message)
}

// formulaReader puts inputs in the place of signals.
type formulaReader struct {
	r     *reader
	d     *draftControl
	w     document.Word
	path  string
	timed bool
}

func (f *formulaReader) node(at *exprast.Node) {
	switch n := (*at).(type) {
	case *exprast.IntegerNode, *exprast.FloatNode, *exprast.BoolNode:
	case *exprast.UnaryNode:
		f.node(&n.Node)
	case *exprast.BinaryNode:
		f.node(&n.Left)
		f.node(&n.Right)
	case *exprast.ConditionalNode:
		f.node(&n.Cond)
		f.node(&n.Exp1)
		f.node(&n.Exp2)
	case *exprast.CallNode:
		f.call(n)
	case *exprast.BuiltinNode:
		if !slices.Contains(formulaBuiltins, n.Name) {
			f.unknown(n.Name)
		}
		for i := range n.Arguments {
			f.node(&n.Arguments[i])
		}
	case *exprast.IdentifierNode:
		switch n.Value {
		case "t":
			f.timed = true
		case "pi":
		default:
			f.signal(at, n.Value)
		}
	case *exprast.MemberNode:
		if p := DottedPath(n); p != nil {
			f.signal(at, strings.Join(p, "."))
			return
		}
		f.not(at)
	default:
		f.not(at)
	}
}

func (f *formulaReader) call(n *exprast.CallNode) {
	name, ok := n.Callee.(*exprast.IdentifierNode)
	if !ok || !slices.Contains(f.functions(), name.Value) {
		f.unknown(n.Callee.String())
		return
	}
	for i := range n.Arguments {
		f.node(&n.Arguments[i])
	}
}

func (f *formulaReader) functions() []string {
	env := FormulaEnv(0)
	list := slices.Collect(maps.Keys(env))
	return slices.Sorted(
		slices.Values(slices.DeleteFunc(list, func(k string) bool { _, number := env[k].(float64); return number })))
}

func (f *formulaReader) unknown(name string) {
	known := append(f.functions(), formulaBuiltins...)
	f.r.Fail(f.w.Pos, f.path, name, "unknown function%s", f.r.Hint(name, known))
}

func (f *formulaReader) not(at *exprast.Node) {
	f.r.Fail(f.w.Pos, f.path, (*at).String(),
		"has no place in a formula, which is made of numbers, signals, the time t, operators and functions")
}

// signal puts an input in the place of a control's or engine's signal.
func (f *formulaReader) signal(at *exprast.Node, path string) {
	k := slices.IndexFunc(f.d.inputs, func(in draftSignal) bool { return in.text.Text == path })
	if k < 0 {
		k = len(f.d.inputs)
		f.r.signal(f.d, "is", "", document.Word{Text: path, Pos: f.w.Pos, Lines: true}, f.path)
	}
	exprast.Patch(at, &exprast.IdentifierNode{Value: FormulaInput(k)})
}
