package external

// The common reader of all sections of a description: it is strict and reports all faults, each at its place.

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// reader reads a description.
type reader struct {
	document.Reader
	d         *Description
	names     scope               // of inputs, settings and values
	results   scope               // these, and the outputs so far
	elsewhere []*document.Problem // faults in template files
}

var (
	nameShape = regex.Lazy(`^[A-Za-z][A-Za-z0-9_]*$`)
	stepShape = regex.Lazy(`^[A-Za-z][A-Za-z0-9_-]*$`)
	variable  = regex.Lazy(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// declare gives a name a meaning.
func (r *reader) declare(to scope, f document.Field, path string, m meaning) {
	switch _, taken := to[f.Key]; {
	case !nameShape().MatchString(f.Key):
		r.Fail(f.Pos, path, f.Key, "a name is letters, digits and _, first a letter")
	case grammar.Known[f.Key] != nil || slices.Contains(grammar.Builtins, f.Key):
		r.Fail(f.Pos, path, f.Key, "the name is taken: expressions have a function or constant of that name")
	case taken:
		r.Fail(f.Pos, path, f.Key, "the name is taken: an input, setting or value has it")
	default:
		to[f.Key] = m
	}
}

// quantity is an input or setting, with the unit of its numbers in the description.
type quantity struct {
	plugin.Quantity
	unit     unit.Unit
	optional bool
}

func (r *reader) quantityGroup(q *quantity) Group {
	return Group{"a quantity", "{unit: rpm}", []document.Key{
		r.Optional("unit", "what it measures; without one it is a plain number", r.unit(&q.unit)),
		r.Optional("shape", "a number (default), numbers from hub to casing, a text such as the geometry, the path "+
			"of a file",
			document.Choice(&r.Reader, &q.Shape, plugin.Scalar, plugin.Profile, plugin.Text, plugin.FileName)),
		r.Optional("default", "of a scalar that a request lacks, in the unit; makes it optional",
			r.number(&q.Default, &q.unit)),
		r.Optional("min", "least value, in the unit", r.number(&q.Min, &q.unit)),
		r.Optional("max", "greatest value, in the unit", r.number(&q.Max, &q.unit)),
		r.Optional("words", "that a text may be, its default first; the shape is text then",
			r.Texts(&q.Words, "words such as [fast, robust]", "a word",
				document.Rule{Shape: stepShape(), Fault: "a word is letters, digits, _ and -, first a letter"})),
		r.Optional("optional", "whether a request, or an answer, may lack it", r.Flag(&q.optional)),
		r.Optional("doc", "what it is", r.Text(&q.Doc, "what it is")),
	}}
}

// quantities reads inputs or settings.
func (r *reader) quantities(dst *[]plugin.Quantity, optional bool) document.Value {
	entry := func() *jsonschema.Schema { return r.quantityGroup(new(quantity)).schema() }
	return byName("quantities", entry, func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "quantities such as N: {unit: rpm}") {
			q := quantity{Quantity: plugin.Quantity{Name: f.Key, Shape: plugin.Scalar}}
			r.read(r.quantityGroup(&q), f.Value, document.Join(path, f.Key))
			if q.Words != nil {
				if q.Shape == plugin.Scalar {
					q.Shape = plugin.Text
				}
				number := q.Default != nil || q.Min != nil || q.Max != nil || q.unit != (unit.Unit{})
				if q.Shape != plugin.Text || number {
					r.Fail(f.Pos, document.Join(path, f.Key), "",
						"words are those of a text, without unit, bounds and default, which is the first word")
				}
			}
			q.Dim, q.Unit = q.unit.Dimension(), si(q.unit)
			q.Required = !optional && !q.optional && q.Default == nil && q.Words == nil
			r.declare(r.names, f, path, meaning{q.Shape, q.unit, true})
			*dst = append(*dst, q.Quantity)
		}
	})
}

// si returns the unit of values in requests and results.
func si(u unit.Unit) string {
	if u.Dimension() == unit.None {
		return u.Name()
	}
	return u.Dimension().Bare()
}

func (r *reader) valueGroup(v *value, m *meaning) Group {
	unit := r.unit(&m.unit).Then(func(ast.Node, string) { m.known = true })
	return Group{"a value", "{is: N * pi / 30, unit: rad/s}", []document.Key{
		r.Required("is", "of names above it", r.expression(&v.is, r.names)),
		r.Optional("unit", "of what the expression gives, SI; for `in` of templates", unit),
	}}
}

func (r *reader) values() document.Value {
	entry := func() *jsonschema.Schema {
		return document.Either(anyScalar(), r.valueGroup(new(value), new(meaning)).schema())
	}
	return byName("expressions", entry, func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "expressions such as omega: N * pi / 30") {
			v, m := value{name: f.Key}, meaning{shape: plugin.Scalar} // as a scalar it is at least a known name
			if g := r.valueGroup(&v, &m); isGroup(f.Value) {
				r.read(g, f.Value, document.Join(path, f.Key))
			} else {
				g.Keys[0].Read(f.Value, document.Join(path, f.Key))
			}
			if v.is != nil {
				m.shape = v.is.shape
				r.d.values = append(r.d.values, v)
			}
			r.declare(r.names, f, path, m)
		}
	})
}

func isGroup(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// beside returns the absolute path of a file that the description names.
func (r *reader) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.d.folder(), name)
}

// source reads the path of an existing file beside the description.
func (r *reader) source(n ast.Node, path string) (string, document.Word, bool) {
	w, ok := r.Word(n, path, "the path of a file")
	if !ok {
		return "", w, false
	}
	switch {
	case strings.ContainsRune(w.Text, 0):
		r.Fail(w.Pos, path, w.Text, "no path")
		return "", w, false
	case !filepath.IsLocal(w.Text):
		r.Fail(w.Pos, path, w.Text, "want the relative path of a file beside the description, without ..")
		return "", w, false
	}
	at := r.beside(w.Text)
	if _, err := os.Stat(at); err != nil {
		r.Fail(w.Pos, path, w.Text, "%v", errors.Unwrap(err))
		return "", w, false
	}
	return at, w, true
}

// try reads a request.
func (r *reader) try(dst *map[string]any) document.Value {
	return byName("values", valuesSchema, func(n ast.Node, path string) {
		*dst = map[string]any{}
		for _, f := range r.Fields(n, path, "values such as {N: 3500 rpm}") {
			m, known := r.names[f.Key]
			if !known || slices.ContainsFunc(r.d.values, func(v value) bool { return v.name == f.Key }) {
				r.Fail(f.Pos, path, f.Key, "no input or setting%s", r.Hint(f.Key, r.inputs()))
				continue
			}
			(*dst)[f.Key] = r.sampled(f.Value, document.Join(path, f.Key), m)
		}
	})
}

func (r *reader) inputs() (names []string) {
	return convert.All(slices.Concat(r.d.inputs, r.d.settings), func(q plugin.Quantity) string { return q.Name })
}

// sampled reads a value of a request.
func (r *reader) sampled(n ast.Node, path string, m meaning) any {
	number := func(n ast.Node, path string) float64 {
		x := new(float64)
		r.number(&x, &m.unit).Read(n, path)
		return *x
	}
	switch m.shape {
	case plugin.Scalar:
		return number(n, path)
	case plugin.Profile:
		list := []float64{}
		for i, it := range r.Items(n, path, "numbers") {
			list = append(list, number(it, document.Item(path, i)))
		}
		return list
	}
	if isGroup(n) { // the text of a file
		var text string
		file := word("path", func(n ast.Node, path string) {
			at, w, ok := r.source(n, path)
			if !ok {
				return
			}
			data, err := intake.Read(at, templateLimit)
			if err != nil {
				r.Fail(w.Pos, path, w.Text, "%v", err)
			}
			text = string(data)
		})
		r.Group(n, path, "a text, or {file: PATH}", []document.Key{r.Required("file", "", file)})
		return text
	}
	w, _ := r.Word(n, path, "a text")
	return w.Text
}
