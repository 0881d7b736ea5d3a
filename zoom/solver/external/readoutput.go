package external

// What a description says of outputs, signs of how a run ended, and what is kept of it.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func (r *reader) outputs(n ast.Node, path string) {
	r.results = scope{}
	for name, m := range r.names {
		r.results[name] = m
	}
	fields := r.Fields(n, path, "outputs such as W: {file: result.csv, column: W, unit: kg/s}")
	for _, f := range fields {
		o := r.output(f, path)
		r.d.outputs = append(r.d.outputs, o)
		r.declare(r.results, f, path, meaning{o.Shape, o.unit, true})
		if name := f.Key + "_error"; o.scatter {
			if slices.ContainsFunc(fields, func(g document.Field) bool { return g.Key == name }) {
				r.Fail(f.Pos, path, name, "it comes with the mean of %s: leave it out, or take another mean", f.Key)
				continue
			}
			r.d.outputs = append(r.d.outputs,
				output{
					Quantity: plugin.Quantity{
						Name: name, Shape: plugin.Scalar, Doc: "scatter of " + f.Key + ", relative",
					},
				})
			r.results[name] = meaning{plugin.Scalar, unit.Unit{}, false}
		}
	}
}

func (r *reader) output(f document.Field, path string) output {
	at := document.Join(path, f.Key)
	o := output{Quantity: plugin.Quantity{Name: f.Key, Required: true}}
	shape, may, sources := string(plugin.Scalar), false, []string{}
	wait := later{}
	source := func(name string, read func(ast.Node, string)) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			sources = append(sources, name)
			read(n, path)
		}
	}
	before := len(r.Problems)
	u := plain
	r.group("an output", f.Value, at, map[string]func(ast.Node, string){
		"unit":     func(n ast.Node, path string) { u = r.unit(n, path) },
		"shape":    r.Choice(&shape, string(plugin.Scalar), string(plugin.Profile)).Read,
		"value":    source("value", func(n ast.Node, path string) { o.is = r.expression(r.results)(n, path) }),
		"file":     r.inFolder(&o.file, patternFault),
		"column":   source("column", r.Text(&o.column, "the name or the number of a column").Read),
		"regexp":   source("regexp", func(n ast.Node, path string) { o.regexp = r.grouped(n, path) }),
		"json":     source("json", func(n ast.Node, path string) { o.pointer = r.pointer(n, path) }),
		"plane":    source("plane", func(n ast.Node, path string) { o.plane = r.plane(n, path) }),
		"quantity": r.Choice(&o.quantity, quantities...).Read,
		"average":  r.Choice(&o.average, averageMass, averageArea).Read,
		"frame":    r.Choice(&o.frame, frameAbsolute, frameRelative).Read,
		"take":     func(n ast.Node, path string) { o.take = r.take(n, path) },
		"min":      wait.keep("min", func(n ast.Node, path string) { o.Min = r.number(n, path, u) }),
		"max":      wait.keep("max", func(n ast.Node, path string) { o.Max = r.number(n, path, u) }),
		"optional": r.Flag(&may).Read,
		"doc":      r.Text(&o.Doc, "what it is").Read,
	})
	wait.read("min", "max")
	if o.plane != nil {
		r.ofPlane(&o, &u, shape, document.Position(f.Value), at)
	}
	o.Shape, o.unit, o.Dim, o.Unit, o.Required = plugin.Shape(shape), u, u.Dimension(), si(u), !may
	o.scatter = o.take.what == takeMean && o.take.last > 0
	if len(r.Problems) == before {
		r.oneSource(&o, f, at, sources)
	}
	return o
}

// oneSource reports an output that does not stand in exactly one place.
func (r *reader) oneSource(o *output, f document.Field, path string, sources []string) {
	pos := document.Position(f.Value)
	switch {
	case len(sources) != 1:
		r.Fail(pos, path, "", "want one of value, column, regexp, json and plane; it has %s", orNone(sources))
	case o.is != nil && (o.file != "" || o.take.what != ""):
		r.Fail(pos, path, "", "a value is of no file, and nothing is to be taken of it")
	case o.is != nil && (o.is.shape != o.Shape):
		r.Fail(pos, path, o.is.text, "the expression gives a %s, the output is a %s", o.is.shape, o.Shape)
	case o.plane == nil && o.quantity+o.average+o.frame != "":
		r.Fail(pos, path, "", "quantity, average and frame belong to a plane")
	case o.plane != nil && (o.file != "" || o.take.what != ""):
		r.Fail(pos, path, "", "the files of a plane stand with it, and nothing is to be taken of it but its average")
	case o.plane == nil && o.is == nil && o.file == "":
		r.Fail(pos, path, "", "no key file")
	case o.Shape == plugin.Profile && o.take.what != "":
		r.Fail(pos, path, "", "a profile is all that the file has; take belongs to a scalar")
	}
}

// grouped reads a regular expression with a group.
func (r *reader) grouped(n ast.Node, path string) *regexp.Regexp {
	re, w := r.pattern(n, path)
	if re != nil && (re.NumSubexp() == 0 || re.NumSubexp() > 1 && re.SubexpIndex(group) < 0) {
		r.Fail(w.Pos, path, w.Text, "want one group, or one called value, as in 'W = (\\S+)' or 'W = (?P<value>\\S+)'")
	}
	return re
}

// pattern reads a regular expression of lines.
func (r *reader) pattern(n ast.Node, path string) (*regexp.Regexp, document.Word) {
	w, ok := r.Word(n, path, "a regular expression")
	if !ok {
		return nil, w
	}
	re, err := regexp.Compile("(?m:" + w.Text + ")")
	if err != nil {
		r.Fail(w.Pos, path, w.Text, "%v", err)
	}
	return re, w
}

func (r *reader) pointer(n ast.Node, path string) string {
	w, ok := r.Word(n, path, "a pointer such as /exit/W")
	if ok && !strings.HasPrefix(w.Text, "/") {
		r.Fail(w.Pos, path, w.Text, "want a pointer such as /exit/W (RFC 6901)")
	}
	return w.Text
}

func (r *reader) take(n ast.Node, path string) (t take) {
	if !isGroup(n) {
		r.Choice(&t.what, takeLast, takeFirst, takeMin, takeMax, takeMean).Read(n, path)
		return t
	}
	r.Group(n, path, "last, first, min, max, mean or {mean: 50}",
		[]document.Key{document.Required(takeMean, func(n ast.Node, path string) {
			w, _ := r.Word(n, path, "a number of values")
			var err error
			if t.last, err = strconv.Atoi(w.Text); err != nil || t.last < 2 {
				r.Fail(w.Pos, path, w.Text, "want a number of values, at least 2")
			}
			t.what = takeMean
		})})
	return t
}

// failures are the classes that a sign of failure can give a run.
var failures = []event.Class{event.Diverged, event.NotConverged, event.Stalled, event.Unphysical, event.Crashed,
	event.BadOutput}

func (r *reader) signs(n ast.Node, path string, failed bool) (list []sign) {
	for i, item := range r.Items(n, path, "signs such as {regexp: 'converged'}") {
		s := sign{class: event.Converged}
		class := ""
		at := document.Item(path, i)
		r.group("a sign", item, at, map[string]func(ast.Node, string){
			"regexp": func(n ast.Node, path string) { s.regexp, _ = r.pattern(n, path) },
			"file":   r.inFolder(&s.file, patternFault),
			"class": func(n ast.Node, path string) {
				words := make([]string, len(failures))
				for i, c := range failures {
					words[i] = string(c)
				}
				r.Choice(&class, words...).Read(n, path)
				if !failed {
					r.Fail(document.Position(n), path, class, "a sign of success has no class: the run converged")
				}
			},
		})
		if failed {
			s.class = event.Diverged
			if class != "" {
				s.class = event.Class(class)
			}
		}
		list = append(list, s)
	}
	return list
}

func (r *reader) clean(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "patterns such as [processor*]") {
		var p string
		r.inFolder(&p, patternFault)(item, document.Item(path, i))
		r.d.clean = append(r.d.clean, p)
	}
}

func (r *reader) controls(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "names of settings such as [cfl]") {
		w, ok := r.Word(item, document.Item(path, i), "the name of a setting or input")
		if !ok {
			continue
		}
		if fault := r.controlFault(w.Text); fault != "" {
			r.Fail(w.Pos, document.Item(path, i), w.Text, "%s", fault)
			continue
		}
		r.d.controls = append(r.d.controls, w.Text)
	}
}

// controlFault returns why a name can be no control; empty: it can.
func (r *reader) controlFault(name string) string {
	at := slices.IndexFunc(slices.Concat(r.d.inputs, r.d.settings),
		func(q plugin.Quantity) bool { return q.Name == name })
	switch {
	case at < 0:
		return "no input or setting" + r.Hint(name, r.inputs())
	case r.names[name].shape != plugin.Scalar:
		return fmt.Sprintf("a %s, and only numbers can be changed while a run goes on", r.names[name].shape)
	case slices.Contains(r.d.controls, name):
		return "it is there twice"
	case !r.d.reaches(name):
		return fmt.Sprintf("it stands in none of the files, so that to change it would reach nothing; a template has "+
			"it as {{ %s }}", name)
	}
	return ""
}

func (r *reader) identity(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "witnesses such as {command: [mysolver, --version]}") {
		at := document.Item(path, i)
		w := witness{pos: document.Position(item)}
		r.group("a witness", item, at, map[string]func(ast.Node, string){
			"file": func(n ast.Node, path string) { w.file, _, _ = r.source(n, path) },
			"command": func(n ast.Node, path string) {
				program, words := r.command(n, path)
				w.command = []string{program}
				for k, t := range words[min(1, len(words)):] {
					text, fixed := t.fixed()
					if !fixed {
						r.Fail(document.Position(n), document.Item(path, k+1), "",
							"no value can stand here: it is no run's")
					}
					w.command = append(w.command, text)
				}
			},
		})
		if (w.file == "") == (w.command == nil) && len(r.Problems) == 0 {
			r.Fail(w.pos, at, "", "want a file or a command")
		}
		r.d.identity = append(r.d.identity, w)
	}
}

func (r *reader) solution(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "kept files such as {keep: '[1-9]*', as: '0'}") {
		var k kept
		r.group("a kept file", item, document.Item(path, i), map[string]func(ast.Node, string){
			"keep": r.inFolder(&k.pattern, patternFault),
			"as":   r.inFolder(&k.as, pathFault),
		})
		r.d.solution = append(r.d.solution, k)
	}
}
