package external

// Reading a description: strictly, with every fault at its place, and all of them at once.

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/preset"
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

// Parse reads the text of a description, the absolute path of whose file stands in messages. If anything is wrong the error is a
// [*document.Errors] with all of it.
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
		return nil, &document.Problem{File: file, Pos: document.Pos{Line: 1, Column: 1}, Message: err.Error(), Cause: err}
	}
	return d, nil
}

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

func (r *reader) description(root ast.Node) {
	d, wait := r.d, later{}
	r.group("a description", root, "", map[string]func(ast.Node, string){
		"name":     r.named(&d.name, nameShape, "letters, digits and _, first a letter"),
		"version":  r.Text(&d.version, "a version such as 1.0"),
		"doc":      r.Text(&d.doc, "what it is"),
		"fidelity": r.Text(&d.fidelity, "a phrase such as meanline"),
		"inputs":   wait.keep("inputs", func(n ast.Node, path string) { d.inputs = r.quantities(n, path, false) }),
		"settings": wait.keep("settings", func(n ast.Node, path string) { d.settings = r.quantities(n, path, true) }),
		"values":   wait.keep("values", r.values),
		"files":    wait.keep("files", r.files),
		"steps":    wait.keep("steps", r.steps),
		"env":      r.environment,
		"watch":    wait.keep("watch", r.watch),
		"outputs":  wait.keep("outputs", r.outputs),
		"success":  func(n ast.Node, path string) { d.success = r.signs(n, path, false) },
		"failure":  func(n ast.Node, path string) { d.failure = r.signs(n, path, true) },
		"solution": r.solution,
		"clean":    r.clean,
		"identity": r.identity,
		"try":      wait.keep("try", func(n ast.Node, path string) { d.sample = r.try(n, path) }),
		"long":     wait.keep("long", func(n ast.Node, path string) { d.long = r.try(n, path) }),
	})
	wait.read("inputs", "settings", "values", "files", "steps", "watch", "outputs", "try", "long")
	if len(d.solution) > 0 {
		d.inputs = append(d.inputs, plugin.Quantity{Name: plugin.InNeighbour, Shape: plugin.FileName, Doc: "solution of a near request, from which the run starts"})
	}
	if d.fidelity == "" {
		d.fidelity = "described solver"
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
			"unit":     func(n ast.Node, path string) { u = r.unit(n, path) },
			"shape":    r.Choice(&shape, string(plugin.Scalar), string(plugin.Profile), string(plugin.Text), string(plugin.FileName)),
			"default":  bounds.keep("default", func(n ast.Node, path string) { q.Default = r.number(n, path, u) }),
			"min":      bounds.keep("min", func(n ast.Node, path string) { q.Min = r.number(n, path, u) }),
			"max":      bounds.keep("max", func(n ast.Node, path string) { q.Max = r.number(n, path, u) }),
			"optional": r.Flag(&may),
			"doc":      r.Text(&q.Doc, "what it is"),
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
	r.Number(&x)(n, path)
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

func (r *reader) files(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "files such as {template: case.in, to: case.txt}") {
		r.d.files = append(r.d.files, r.file(item, document.Item(path, i)))
	}
	for i, p := range r.d.files {
		if k := slices.IndexFunc(r.d.files[:i], func(o placed) bool { return o.to == p.to }); k >= 0 && p.to != "" && p.copied == "" {
			r.Fail(p.pos, path, p.to, "file %d of the list has this name", k+1)
		}
	}
}

func (r *reader) file(n ast.Node, path string) placed {
	p := placed{pos: document.Position(n)}
	before := len(r.Problems)
	var kinds []string
	kind := func(name string, read func(ast.Node, string)) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			kinds = append(kinds, name)
			read(n, path)
		}
	}
	wait := later{}
	r.group("a file", n, path, map[string]func(ast.Node, string){
		"to":       r.inFolder(&p.to, pathFault),
		"template": kind("template", func(n ast.Node, path string) { p.text, p.source = r.templateFile(n, path) }),
		"text":     kind("text", func(n ast.Node, path string) { p.text = r.template(n, path) }),
		"copy":     kind("copy", func(n ast.Node, path string) { p.copied, _, _ = r.source(n, path) }),
		"format":   kind("format", r.Choice(&p.format, formatCSV, formatColumns, formatJSON, formatSections, formatSTL)),
		"columns":  wait.keep("columns", func(n ast.Node, path string) { p.columns = r.columns(n, path) }),
		"geometry": func(n ast.Node, path string) { p.of = r.expression(r.names)(n, path) },
		"row":      r.Text(&p.row, "the name of a blade row"),
	})
	wait.read("columns")
	if len(r.Problems) > before {
		return p
	}
	isTable := slices.Contains([]string{formatCSV, formatColumns, formatJSON}, p.format)
	switch {
	case len(kinds) != 1:
		r.Fail(p.pos, path, "", "want one of template, text, copy and format; it has %s", orNone(kinds))
	case isTable != (wait["columns"] != nil):
		r.Fail(p.pos, path, "", "columns belong to the formats csv, columns and json, and these need them")
	case (p.of != nil || p.row != "") && (isTable || p.format == ""):
		r.Fail(p.pos, path, "", "geometry and row belong to the formats sections and stl")
	case !isTable && p.format != "" && p.of == nil:
		if p.of, _ = r.names.compile("geometry"); p.of == nil {
			r.Fail(p.pos, path, "", "there is no input geometry; add it to inputs with shape: text")
		}
	}
	if p.of != nil && p.of.shape != plugin.Text {
		r.Fail(p.pos, path, "", "the geometry is a %s; it must be a text", p.of.shape)
	}
	return p
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return spell.List(words, "and")
}

func (r *reader) columns(n ast.Node, path string) (list []column) {
	for _, f := range r.Fields(n, path, "expressions such as {span: inlet_span, Pt: inlet_Pt}") {
		if e := r.expression(r.names)(f.Value, document.Join(path, f.Key)); e != nil {
			if e.shape == plugin.Text || e.shape == plugin.FileName {
				r.Fail(document.Position(f.Value), document.Join(path, f.Key), e.text, "a text, want a number or a list of numbers")
			}
			list = append(list, column{f.Key, e})
		}
		if strings.ContainsAny(f.Key, " \t,\"") {
			r.Fail(f.Pos, path, f.Key, "the name of a column has no blanks, commas or quotes")
		}
	}
	return list
}

// template reads one that stands in the description.
func (r *reader) template(n ast.Node, path string) *template {
	w, ok := r.Word(n, path, "a text")
	if !ok {
		return nil
	}
	text := w.Text
	if l, block := n.(*ast.LiteralNode); block {
		text = l.Value.Value
	}
	t, faults := parseTemplate(text, r.names)
	for _, f := range faults {
		at := w.At(min(f.at, len(w.Text)))
		if w.Lines {
			l, _, source := lineOf(text, f.at)
			at = r.lineIn(w.Pos, l, source)
		}
		r.Fail(at, path, f.text, "%s", f.message)
	}
	return t
}

// lineIn returns the place of line number n of a block of text that begins behind a place.
func (r *reader) lineIn(begin document.Pos, n int, source string) document.Pos {
	for line := begin.Line; line < min(len(r.Lines), begin.Line+n+1); line++ {
		if i := strings.Index(r.Lines[line], strings.TrimSpace(source)); i >= 0 && line-begin.Line >= n-1 && source != "" {
			return document.Pos{Line: line + 1, Column: i + 1}
		}
	}
	return begin
}

// templateFile reads one that is a file.
func (r *reader) templateFile(n ast.Node, path string) (*template, string) {
	at, w, ok := r.source(n, path)
	if !ok {
		return nil, ""
	}
	data, err := intake.Read(at, templateLimit)
	if err != nil {
		r.Fail(w.Pos, path, w.Text, "%v", err)
		return nil, ""
	}
	t, faults := parseTemplate(string(data), r.names)
	for _, f := range faults {
		line, column, source := lineOf(string(data), min(f.at, len(data)))
		r.elsewhere = append(r.elsewhere, &document.Problem{File: at, Pos: document.Pos{Line: line, Column: column}, Text: f.text, Message: f.message, Source: source})
	}
	return t, at
}

func (r *reader) steps(n ast.Node, path string) {
	seen := map[string]bool{}
	items := r.Items(n, path, "steps such as {name: solve, command: [mysolver, case.txt]}")
	for i, item := range items {
		s := r.step(item, document.Item(path, i))
		if seen[s.name] && s.name != "" {
			r.Fail(s.pos, document.Item(path, i), s.name, "an earlier step has this name")
		}
		seen[s.name] = true
		r.d.steps = append(r.d.steps, s)
	}
	if _, list := n.(*ast.SequenceNode); list && len(items) == 0 {
		r.Fail(document.Position(n), path, "", "no step")
	}
}

func (r *reader) step(n ast.Node, path string) step {
	s := step{pos: document.Position(n)}
	r.group("a step", n, path, map[string]func(ast.Node, string){
		"name":    r.named(&s.name, stepShape, "letters, digits, _ and -, first a letter"),
		"command": func(n ast.Node, path string) { s.program, s.command = r.command(n, path) },
		"log":     r.inFolder(&s.log, pathFault),
		"input":   r.inFolder(&s.input, pathFault),
		"time":    func(n ast.Node, path string) { s.time = r.time(n, path) },
		"when":    r.Choice(&s.when, whenCold, whenRestart),
	})
	if s.log == "" {
		s.log = s.name + ".log"
	}
	return s
}

func (r *reader) time(n ast.Node, path string) time.Duration {
	w, ok := r.Word(n, path, "a time such as 10 min")
	if !ok {
		return 0
	}
	x, err := unit.Parse(w.Text, unit.Time)
	if err != nil || x <= 0 || x > 1e8 {
		r.Fail(w.Pos, path, w.Text, "want a time such as 60 s or 10 min")
		return 0
	}
	return time.Duration(x * float64(time.Second))
}

// command reads a program and its arguments, which may have values in them.
func (r *reader) command(n ast.Node, path string) (program string, words []*template) {
	items := r.Items(n, path, "words: a program and its arguments, such as [mysolver, case.txt]")
	for i, it := range items {
		at := document.Item(path, i)
		w, ok := r.Word(it, at, "a word")
		if !ok {
			continue
		}
		t := r.template(it, at)
		text, fixed := t.fixed()
		switch {
		case i == 0 && !fixed:
			r.Fail(w.Pos, at, w.Text, "the program is the same in all runs: no value can stand here")
		case i == 0:
			program = text
			if strings.Contains(text, "/") {
				program = r.beside(text)
			}
			r.program(program, w, at)
		case fixed && r.isFileBeside(text):
			t = &template{parts: []part{{text: r.beside(text)}}}
		}
		words = append(words, t)
	}
	if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
		r.Fail(document.Position(n), path, "", "no program")
	}
	return program, words
}

// isFileBeside reports whether a word of a command is the name of a file beside the description, and of none that the run
// folder gets.
func (r *reader) isFileBeside(word string) bool {
	if filepath.IsAbs(word) || slices.ContainsFunc(r.d.files, func(p placed) bool { return p.to == word }) {
		return false
	}
	info, err := os.Stat(r.beside(word))
	return err == nil && info.Mode().IsRegular()
}

// program reports a program that cannot be started.
func (r *reader) program(name string, w document.Word, path string) {
	if err := startable(name); err != nil {
		r.Fail(w.Pos, path, w.Text, "%v", err)
	}
}

func (r *reader) environment(n ast.Node, path string) {
	for i, it := range r.Items(n, path, "variables such as [OMP_NUM_THREADS=1]") {
		w, ok := r.Word(it, document.Item(path, i), "NAME=value")
		if !ok {
			continue
		}
		if !variable.MatchString(w.Text) {
			r.Fail(w.Pos, document.Item(path, i), w.Text, "want NAME=value")
		}
		r.d.environment = append(r.d.environment, w.Text)
	}
}

func (r *reader) watch(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "files such as {file: solve.log, format: openfoam-log}") {
		r.d.watched = append(r.d.watched, preset.Watched(&r.Reader, item, document.Item(path, i)))
	}
}

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
			r.d.outputs = append(r.d.outputs, output{Quantity: plugin.Quantity{Name: name, Shape: plugin.Scalar, Doc: "scatter of " + f.Key + ", relative"}})
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
	u, _ := unit.New("", unit.None)
	r.group("an output", f.Value, at, map[string]func(ast.Node, string){
		"unit":     func(n ast.Node, path string) { u = r.unit(n, path) },
		"shape":    r.Choice(&shape, string(plugin.Scalar), string(plugin.Profile)),
		"value":    source("value", func(n ast.Node, path string) { o.is = r.expression(r.results)(n, path) }),
		"file":     r.inFolder(&o.file, patternFault),
		"column":   source("column", r.Text(&o.column, "the name or the number of a column")),
		"regexp":   source("regexp", func(n ast.Node, path string) { o.regexp = r.grouped(n, path) }),
		"json":     source("json", func(n ast.Node, path string) { o.pointer = r.pointer(n, path) }),
		"take":     func(n ast.Node, path string) { o.take = r.take(n, path) },
		"min":      wait.keep("min", func(n ast.Node, path string) { o.Min = r.number(n, path, u) }),
		"max":      wait.keep("max", func(n ast.Node, path string) { o.Max = r.number(n, path, u) }),
		"optional": r.Flag(&may),
		"doc":      r.Text(&o.Doc, "what it is"),
	})
	wait.read("min", "max")
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
		r.Fail(pos, path, "", "want one of value, column, regexp and json; it has %s", orNone(sources))
	case o.is != nil && (o.file != "" || o.take.what != ""):
		r.Fail(pos, path, "", "a value is of no file, and nothing is to be taken of it")
	case o.is != nil && (o.is.shape != o.Shape):
		r.Fail(pos, path, o.is.text, "the expression gives a %s, the output is a %s", o.is.shape, o.Shape)
	case o.is == nil && o.file == "":
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
		r.Choice(&t.what, takeLast, takeFirst, takeMin, takeMax, takeMean)(n, path)
		return t
	}
	r.Group(n, path, "last, first, min, max, mean or {mean: 50}", []document.Key{document.Required(takeMean, func(n ast.Node, path string) {
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
var failures = []event.Class{event.Diverged, event.NotConverged, event.Stalled, event.Unphysical, event.Crashed, event.BadOutput}

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
				r.Choice(&class, words...)(n, path)
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
						r.Fail(document.Position(n), document.Item(path, k+1), "", "no value can stand here: it is no run's")
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
		r.Group(n, path, "a text, or {file: PATH}", []document.Key{document.Required("file", func(n ast.Node, path string) {
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
