package fileformat

// The description of a kind of file, in YAML. It is read strictly, and all that is wrong is said with its place.

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

var form = document.Form{What: "a description of files", Begins: "name: and a name", Bytes: 1 << 20, Words: 30_000}

// anyFile is the pattern of a description that names no files.
const anyFile = "*"

// Load reads a description from a file; see [Parse].
func Load(path string) (*Preset, error) {
	data, err := intake.Read(path, form.Limit())
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a description, whose name stands in messages. If anything is wrong the error is a
// [*document.Errors] with all of it.
//
//	name: my-solver
//	doc: text
//	files: "*.log"                      # by name
//	detect: ['^MySolver \d']            # or by a regular expression in the first 16 KiB
//	closes: true                        # it has a closing sentence when all went well
//	columns: {key: iter}                # a table under a header; or
//	json: true                          # an object a line; or neither, only
//	lines:                              # the first that matches counts
//	  - "iter {iteration}: |r| = {residual}"
//	  - {line: "step {iteration}", begins: true}
//	  - {regexp: 'CONVERGED', status: converged}
//	rename: {mdot: W_in, "R(*)": "residual_*"}
//	scale: {W_in: 0.4536}
func Parse(file string, data []byte) (*Preset, error) {
	text := document.NewReader(file, form)
	r := &reader{&text}
	p := &Preset{File: history.File{Pattern: anyFile}}
	if root := r.Tree(data); root != nil {
		r.preset(root, p)
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return p, nil
}

type reader struct{ *document.Reader }

func (r *reader) preset(n ast.Node, p *Preset) {
	f := &p.File
	r.file(n, "", f, "a description: name, and columns, json or lines", len(r.Problems), []document.Key{
		document.Required("name", r.Text(&p.Name, "a name")),
		document.Optional("sample", r.Text(&p.Sample, "what it was checked with")),
		document.Optional("files", r.Text(&f.Pattern, "a pattern of names such as *.log")),
		document.Optional("detect", func(n ast.Node, path string) { p.Detect = r.expressions(n, path) }),
		document.Optional("header", func(n ast.Node, path string) {
			r.texts(&p.Header, "names that a header begins with")(n, path)
			f.Format = history.Columns
		}),
		document.Optional("closes", r.Flag(&p.Closes)),
	})
	p.Doc = f.Doc
}

// Watched reads how a file of a run is read, as a group of keys of a file that a reader reads: its name or a pattern
// of names in the run folder, and the name of a format, or what stands in a description of one.
//
//	{file: log.solve, format: openfoam}
//	{file: history.csv, columns: {key: iter}, rename: {mdot: W_in}}
func Watched(text *document.Reader, n ast.Node, path string) (f history.File) {
	r := &reader{text}
	format := ""
	before := len(r.Problems)
	known := func(n ast.Node, path string) {
		var names []string
		for _, p := range builtin() {
			names = append(names, p.Name)
		}
		r.Choice(&format, names...).Read(n, path)
		if i := slices.IndexFunc(builtin(), func(p Preset) bool { return p.Name == format }); i >= 0 {
			pattern := f.Pattern
			f = builtin()[i].File
			f.Pattern = pattern
		}
	}
	r.file(n, path, &f, "a file such as {file: log.solve, format: openfoam}", before, []document.Key{
		document.Optional("format", known),
		document.Required("file", r.Text(&f.Pattern, "a pattern of names such as *.log")),
		document.Optional("prefix", r.Text(&f.Prefix, "what goes before the names of its values")),
	})
	return f
}

// file reads what says how a file is read, beside other keys. One of these may have said it. What was wrong with the
// group before stands in the first problems of the reader.
func (r *reader) file(n ast.Node, path string, f *history.File, want string, before int, keys []document.Key) {
	var columns, lines ast.Node
	var isJSON bool
	r.Group(n, path, want, append(keys, []document.Key{
		document.Optional("doc", r.Text(&f.Doc, "what it is")),
		document.Optional("columns", func(n ast.Node, path string) { columns = n; r.columns(n, path, f) }),
		document.Optional("json", r.Flag(&isJSON)),
		document.Optional("lines", func(n ast.Node, path string) { lines = n; r.lines(n, path, f) }),
		document.Optional("rename", func(n ast.Node, path string) { f.Rename = r.names(n, path) }),
		document.Optional("scale", func(n ast.Node, path string) { f.Scale = r.factors(n, path) }),
	}...))
	switch {
	case columns != nil && isJSON:
		r.Fail(document.Position(columns), document.Join(path, "columns"), "", "a file has columns or json, not both")
	case columns != nil:
		f.Format = history.Columns
	case isJSON:
		f.Format = history.JSON
	case lines != nil && f.Format == "":
		f.Format = history.Regexp
	case f.Format == "" && len(r.Problems) == before:
		r.Fail(document.Position(n), path, "", "nothing says how it is read: want columns, json: true or lines")
	}
	if len(r.Problems) > before {
		return
	}
	spec := history.FileSpec{File: *f}
	if err := spec.Check(); err != nil { // what no single value shows
		r.Fail(document.Position(n), path, "", "%v", err)
	}
}

func (r *reader) columns(n ast.Node, path string, f *history.File) {
	r.Group(n, path, "columns: {key: iteration}", []document.Key{
		document.Optional("key", r.Text(&f.Key, "the name of a column that every header has")),
		document.Optional("keys", r.texts(&f.Keys, "names of columns, of which every header has one")),
		document.Optional("names", r.texts(&f.Columns, "names of columns, of a file without header")),
		document.Optional("boxed", r.Flag(&f.Boxed)),
		document.Optional("prose", r.Flag(&f.Prose)),
		document.Optional("unnamed", r.Flag(&f.Unnamed)),
		document.Optional("units", r.Flag(&f.Units)),
		document.Optional("guess", r.Flag(&f.Guess)),
		document.Optional("drop", r.texts(&f.Drop, "names of columns that are not used")),
		document.Optional("widths", func(n ast.Node, path string) { f.Widths = r.widths(n, path) }),
	})
}

func (r *reader) lines(n ast.Node, path string, f *history.File) {
	for i, item := range r.Items(n, path, `lines such as "iter {iteration}: {residual}"`) {
		f.Patterns = append(f.Patterns, r.line(item, document.Item(path, i)))
	}
}

// line reads a template, or a group with one.
func (r *reader) line(n ast.Node, path string) (p history.Pattern) {
	before := len(r.Problems)
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
	default:
		r.Text(&p.Line, "a line such as \"iter {iteration}: {residual}\"").Read(n, path)
		r.check(n, path, p, before)
		return p
	}
	var kind string
	r.Group(n, path, `a line such as {line: "iter {iteration}", begins: true}`, []document.Key{
		document.Optional("line", r.Text(&p.Line, "a line such as \"iter {iteration}: {residual}\"")),
		document.Optional("regexp", r.Text(&p.Regexp, "a regular expression")),
		document.Optional("begins", r.Flag(&p.Begins)),
		document.Optional("kind", r.Choice(&kind, string(event.Iteration), string(event.Message),
			string(event.Profile), string(event.Result), string(event.Warning))),
		document.Optional("status", r.Choice(&p.Status, state.SaidConverged, state.SaidEnded, state.SaidFailed,
			state.SaidDiverged, state.Floating, state.SaidLimit, state.SaidStopped)),
	})
	p.Kind = event.Kind(kind)
	switch {
	case p.Status != "" && kind != "":
		r.Fail(document.Position(n), path, kind, "a line has a kind or a status, not both")
	case p.Status != "":
		p.Kind = event.Status
	}
	r.check(n, path, p, before)
	return p
}

// check says what is wrong with a line as a whole, if its parts are right.
func (r *reader) check(n ast.Node, path string, p history.Pattern, before int) {
	if len(r.Problems) > before {
		return
	}
	for _, reason := range p.Faults() {
		r.Fail(document.Position(n), path, "", "%s", reason)
	}
}

func (r *reader) expressions(n ast.Node, path string) (list []*regexp.Regexp) {
	for i, item := range r.Items(n, path, "regular expressions") {
		w, ok := r.Word(item, document.Item(path, i), "a regular expression")
		if !ok {
			continue
		}
		re, err := regexp.Compile("(?m:" + w.Text + ")")
		if err != nil {
			r.Fail(w.Pos, document.Item(path, i), w.Text, "%v", err)
			continue
		}
		list = append(list, re)
	}
	return list
}

func (r *reader) texts(dst *[]string, want string) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		for i, item := range r.Items(n, path, want) {
			if w, ok := r.Word(item, document.Item(path, i), "a name"); ok {
				*dst = append(*dst, w.Text)
			}
		}
	}
}

func (r *reader) names(n ast.Node, path string) map[string]string {
	list := map[string]string{}
	for _, f := range r.Fields(n, path, "names such as {mdot: W_in}") {
		if w, ok := r.Word(f.Value, document.Join(path, f.Key), "a name"); ok {
			list[f.Key] = w.Text
		}
	}
	return list
}

func (r *reader) factors(n ast.Node, path string) map[string]float64 {
	list := map[string]float64{}
	for _, f := range r.Fields(n, path, "factors to SI such as {W_in: 0.4536}") {
		var x float64
		before := len(r.Problems)
		if r.Number(&x).Read(f.Value, document.Join(path, f.Key)); len(r.Problems) == before {
			list[f.Key] = x
		}
	}
	return list
}

func (r *reader) widths(n ast.Node, path string) map[string]int {
	list := map[string]int{}
	for _, f := range r.Fields(n, path, "widths such as {time/iter: 2}") {
		w, ok := r.Word(f.Value, document.Join(path, f.Key), "a number of columns")
		if !ok {
			continue
		}
		x, err := strconv.Atoi(w.Text)
		if err != nil || x < 1 || x > history.MaxWidth {
			r.Fail(w.Pos, document.Join(path, f.Key), w.Text, "want a number of columns from 1 to %d", history.MaxWidth)
			continue
		}
		list[f.Key] = x
	}
	return list
}
