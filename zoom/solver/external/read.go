package external

// By what all sections of a description are read: strictly, with every fault at its place, and all of them at once.

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// reader reads one description.
type reader struct {
	document.Reader
	d         *Description
	names     scope               // of inputs, settings and values
	results   scope               // these, and the outputs so far
	elsewhere []*document.Problem // in templates, which are files of their own
}

var (
	nameShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	stepShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	variable  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// later keeps sections until those that they need were read.
type later map[string]func()

func (l later) keep(name string, read func(n ast.Node, path string)) func(ast.Node, string) {
	return func(n ast.Node, path string) { l[name] = func() { read(n, path) } }
}

func (l later) read(names ...string) {
	for _, name := range names {
		if f := l[name]; f != nil {
			f()
		}
	}
}

func (r *reader) named(to *string, shape *regexp.Regexp, want string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a name")
		if ok && !shape.MatchString(w.Text) {
			r.Fail(w.Pos, path, w.Text, "want %s", want)
		}
		*to = w.Text
	}
}

// declare gives a name a meaning.
func (r *reader) declare(to scope, f document.Field, path string, m meaning) {
	switch _, taken := to[f.Key]; {
	case !nameShape.MatchString(f.Key):
		r.Fail(f.Pos, path, f.Key, "a name is letters, digits and _, first a letter")
	case functions[f.Key] != nil || constants[f.Key] != nil || slices.Contains(allowed, f.Key):
		r.Fail(f.Pos, path, f.Key, "the name is taken: expressions have a function or constant of that name")
	case taken:
		r.Fail(f.Pos, path, f.Key, "the name is taken: an input, setting or value has it")
	default:
		to[f.Key] = m
	}
}

// quantities reads inputs or settings.
func (r *reader) quantities(n ast.Node, path string, optional bool) (list []plugin.Quantity) {
	for _, f := range r.Fields(n, path, "quantities such as N: {unit: rpm}") {
		at := document.Join(path, f.Key)
		q := plugin.Quantity{Name: f.Key, Shape: plugin.Scalar, Required: !optional}
		var u unit.Unit
		var bounds later = later{}
		shape, may := string(plugin.Scalar), false
		r.group("a quantity", f.Value, at, map[string]func(ast.Node, string){
			"unit": func(n ast.Node, path string) { u = r.unit(n, path) },
			"shape": r.Choice(&shape, string(plugin.Scalar), string(plugin.Profile), string(plugin.Text),
				string(plugin.FileName)).Read,
			"default":  bounds.keep("default", func(n ast.Node, path string) { q.Default = r.number(n, path, u) }),
			"min":      bounds.keep("min", func(n ast.Node, path string) { q.Min = r.number(n, path, u) }),
			"max":      bounds.keep("max", func(n ast.Node, path string) { q.Max = r.number(n, path, u) }),
			"optional": r.Flag(&may).Read,
			"doc":      r.Text(&q.Doc, "what it is").Read,
		})
		bounds.read("default", "min", "max")
		q.Shape, q.Dim, q.Unit = plugin.Shape(shape), u.Dimension(), si(u)
		q.Required = q.Required && !may && q.Default == nil
		r.declare(r.names, f, path, meaning{q.Shape, u, true})
		list = append(list, q)
	}
	return list
}

// si is the unit of values in requests and results.
func si(u unit.Unit) string {
	if u.Dimension() == unit.None {
		return u.Name()
	}
	return u.Dimension().Bare()
}

func (r *reader) unit(n ast.Node, path string) unit.Unit {
	w, ok := r.Word(n, path, "a unit such as kg/s")
	if !ok {
		return unit.Unit{}
	}
	u, err := unit.Derived(w.Text)
	var bad *unit.Error
	if errors.As(err, &bad) {
		r.Fail(w.Pos, path, w.Text, "%s", bad.Reason)
	}
	return u
}

// number reads a number in a unit and returns it SI.
func (r *reader) number(n ast.Node, path string, u unit.Unit) *float64 {
	before := len(r.Problems)
	var x float64
	r.Number(&x).Read(n, path)
	if len(r.Problems) > before {
		return nil
	}
	if u != (unit.Unit{}) {
		x = u.ToSI(x)
	}
	return &x
}

// expression reads one.
func (r *reader) expression(names scope) func(n ast.Node, path string) *expression {
	return func(n ast.Node, path string) *expression {
		w, ok := r.Word(n, path, "an expression such as N * pi / 30")
		if !ok {
			return nil
		}
		e, err := names.compile(w.Text)
		var bad *expressionError
		if errors.As(err, &bad) {
			r.Fail(w.At(offset(w.Text, bad.at)), path, w.Text, "%s", bad.message)
		}
		return e
	}
}

func (r *reader) values(n ast.Node, path string) {
	for _, f := range r.Fields(n, path, "expressions such as omega: N * pi / 30") {
		at := document.Join(path, f.Key)
		v := value{name: f.Key}
		m := meaning{}
		read := func(n ast.Node, path string) { v.is = r.expression(r.names)(n, path) }
		if isGroup(f.Value) {
			r.group("a value", f.Value, at, map[string]func(ast.Node, string){
				"is":   read,
				"unit": func(n ast.Node, path string) { m.unit, m.known = r.unit(n, path), true },
			})
		} else {
			read(f.Value, at)
		}
		if v.is != nil {
			m.shape = v.is.shape
			r.d.values = append(r.d.values, v)
		} else {
			m.shape = plugin.Scalar // so that it is no unknown name as well
		}
		r.declare(r.names, f, path, m)
	}
}

func isGroup(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// beside is the absolute path of a file that the description names.
func (r *reader) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.d.folder(), name)
}

// source reads the path of a file beside the description, which must be there.
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

// inFolder reads the name of a file in the run folder.
func (r *reader) inFolder(to *string, fault func(string) string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "the path of a file in the run folder")
		if !ok {
			return
		}
		if reason := fault(w.Text); reason != "" {
			r.Fail(w.Pos, path, w.Text, "%s", reason)
			return
		}
		*to = strings.TrimSuffix(w.Text, "/")
	}
}

var templateLimit = intake.Limit{What: "a template", Bytes: 16 << 20}

// try reads a request.
func (r *reader) try(n ast.Node, path string) map[string]any {
	values := map[string]any{}
	for _, f := range r.Fields(n, path, "values such as {N: 3500 rpm}") {
		at := document.Join(path, f.Key)
		m, known := r.names[f.Key]
		if !known || slices.ContainsFunc(r.d.values, func(v value) bool { return v.name == f.Key }) {
			r.Fail(f.Pos, path, f.Key, "no input or setting%s", r.Hint(f.Key, r.inputs()))
			continue
		}
		values[f.Key] = r.sampled(f.Value, at, m)
	}
	return values
}

func (r *reader) inputs() (names []string) {
	for _, q := range slices.Concat(r.d.inputs, r.d.settings) {
		names = append(names, q.Name)
	}
	return names
}

// sampled reads a value of a request.
func (r *reader) sampled(n ast.Node, path string, m meaning) any {
	number := func(n ast.Node, path string) float64 {
		if x := r.number(n, path, m.unit); x != nil {
			return *x
		}
		return 0
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
		r.Group(n, path, "a text, or {file: PATH}",
			[]document.Key{document.Required("file", func(n ast.Node, path string) {
				at, w, ok := r.source(n, path)
				if !ok {
					return
				}
				data, err := intake.Read(at, templateLimit)
				if err != nil {
					r.Fail(w.Pos, path, w.Text, "%v", err)
				}
				text = string(data)
			})})
		return text
	}
	w, _ := r.Word(n, path, "a text")
	return w.Text
}

// group reads a group of keys as Groups has them.
func (r *reader) group(name string, n ast.Node, path string, read map[string]func(ast.Node, string)) {
	for _, g := range Groups {
		if g.Name != name {
			continue
		}
		var keys []document.Key
		for _, k := range g.Keys {
			keys = append(keys, document.Key{Name: k.Name, Required: k.Required, Value: document.Value{Read: read[k.Name]}})
		}
		r.Group(n, path, g.Name+" such as "+g.Form, keys)
		return
	}
	panic("external: no group " + name)
}
