package external

// Reading a description as a whole.

import (
	"errors"
	"path/filepath"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Load reads a description, with the templates that it names. The error is a [*document.Errors] with all that is
// wrong, if the file can be read.
func Load(path string) (*Description, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	data, err := intake.Read(path, form.Limit())
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a description, the absolute path of whose file stands in messages. If anything is wrong the
// error is a [*document.Errors] with all of it.
func Parse(file string, data []byte) (*Description, error) {
	d := &Description{File: file, text: data}
	r := &reader{Reader: document.NewReader(file, form), d: d, names: scope{}}
	if root := r.Tree(data); root != nil {
		r.description(root)
	}
	err := r.Errors()
	if len(r.elsewhere) > 0 {
		all := &document.Errors{}
		errors.As(err, &all)
		err = &document.Errors{Problems: append(all.Problems, r.elsewhere...)}
	}
	if err != nil {
		return nil, err
	}
	p := d.Plugin()
	if err := p.Check(); err != nil { // what no single value shows
		return nil, &document.Problem{File: file, Pos: document.Pos{Line: 1, Column: 1}, Message: err.Error(),
			Cause: err}
	}
	return d, nil
}

// description reads all of one: what others need comes first.
func (r *reader) description(root ast.Node) {
	d, wait := r.d, later{}
	r.group("a description", root, "", map[string]func(ast.Node, string){
		"name":     r.named(&d.name, nameShape, "letters, digits and _, first a letter"),
		"version":  r.Text(&d.version, "a version such as 1.0").Read,
		"doc":      r.Text(&d.doc, "what it is").Read,
		"fidelity": r.Text(&d.fidelity, "a phrase such as meanline").Read,
		"inputs":   wait.keep("inputs", func(n ast.Node, path string) { d.inputs = r.quantities(n, path, false) }),
		"settings": wait.keep("settings", func(n ast.Node, path string) { d.settings = r.quantities(n, path, true) }),
		"values":   wait.keep("values", r.values),
		"files":    wait.keep("files", r.files),
		"steps":    wait.keep("steps", r.steps),
		"env":      r.environment,
		"watch":    wait.keep("watch", r.watch),
		"planes":   wait.keep("planes", r.planes),
		"outputs":  wait.keep("outputs", r.outputs),
		"success":  func(n ast.Node, path string) { d.success = r.signs(n, path, false) },
		"failure":  func(n ast.Node, path string) { d.failure = r.signs(n, path, true) },
		"controls": wait.keep("controls", r.controls),
		"steer":    wait.keep("steer", r.steering),
		"solution": r.solution,
		"clean":    r.clean,
		"identity": r.identity,
		"try":      wait.keep("try", func(n ast.Node, path string) { d.sample = r.try(n, path) }),
		"long":     wait.keep("long", func(n ast.Node, path string) { d.long = r.try(n, path) }),
	})
	wait.read("inputs", "settings", "values", "files", "steps", "watch", "planes", "outputs", "controls", "steer",
		"try", "long")
	if len(d.solution) > 0 {
		d.inputs = append(d.inputs, plugin.Quantity{Name: plugin.InNeighbour, Shape: plugin.FileName,
			Doc: "solution of a near request, from which the run starts"})
	}
	if d.fidelity == "" {
		d.fidelity = "described solver"
	}
}
