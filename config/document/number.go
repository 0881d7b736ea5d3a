package document

import (
	"errors"
	"math"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Numbers whose unit, if they have one, the file gives elsewhere.

// Number returns a reader of a plain number into dst.
func (r *Reader) Number(dst *float64) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a number")
		if !ok {
			return
		}
		x, err := unit.Parse(w.Text, unit.None)
		var e *unit.Error
		switch {
		case err == nil:
			*dst = x
		case errors.As(err, &e) && (e.Kind == unit.NotNumber || e.Kind == unit.NotFinite):
			r.Fail(w.Pos, path, w.Text, "want a number such as 3.5")
		default:
			r.Fail(w.Pos, path, w.Text, "want a number without a unit")
		}
	}
}

// Numbers returns a reader of a list of plain numbers into dst.
func (r *Reader) Numbers(dst *[]float64) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		items := r.Items(n, path, "numbers such as [1, 2.5, 3]")
		*dst = make([]float64, len(items))
		for i, it := range items {
			r.Number(&(*dst)[i])(it, Item(path, i))
		}
	}
}

// Whole returns a reader of a whole number into dst.
func (r *Reader) Whole(dst *int) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		before := len(r.Problems)
		var x float64
		r.Number(&x)(n, path)
		switch {
		case len(r.Problems) > before:
		case x != math.Trunc(x) || math.Abs(x) > math.MaxInt32:
			r.Fail(Position(n), path, n.GetToken().Value, "want a whole number")
		default:
			*dst = int(x)
		}
	}
}

// Flag returns a reader of true or false into dst.
func (r *Reader) Flag(dst *bool) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		word := ""
		r.Choice(&word, "true", "false")(n, path)
		*dst = word == "true"
	}
}
