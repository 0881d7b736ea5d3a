package fileformat

// The description of a kind of file, in YAML. It is read strictly, and all errors are reported with their places.

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

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

// Parse reads the text of a description; messages name the file. Its error is a [*document.Errors] with all problems.
//
//	name: my-solver
//	doc: text
//	files: "*.log"                      # by name
//	detect: ['^MySolver \d']            # or by a regular expression in the first 16 KiB
//	closes: true                        # it has a closing sentence after success
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
	header := r.names(&p.Header, "names that a header begins with")
	r.file(n, "", f, "a description: name, and columns, json or lines", len(r.Problems), []document.Key{
		r.Required("name", "of the format", r.Text(&p.Name, "a name")),
		r.Optional("sample", "file with which it was checked", r.Text(&p.Sample, "file with which it was checked")),
		r.Optional("files", "the files by name", r.Text(&f.Pattern, "a pattern of names such as *.log")),
		r.Optional("detect", "the files by regular expressions in their first 16 KiB, of which one is found",
			r.Each("regular expressions", r.expression(&p.Detect))),
		r.Optional("program", "a log of one of many programs, and regular expressions whose groups program, case, "+
			"start, pid and host name them in the same bytes; a program without iterations is complete with its "+
			"closing sentence",
			r.Each("regular expressions", r.expression(&p.Program))),
		r.Optional("header", "the files by the first names of a table's header, which become the iteration",
			header.Then(func(ast.Node, string) { f.Format = history.Columns })),
		r.Optional("act", "how rules act on its runs: by files in the folder of the case", r.act(&p.Act)),
		r.Optional("closes", "it has a closing sentence when all went well: a file without it broke off",
			r.Flag(&p.Closes)),
	})
	p.Doc = f.Doc
}

// Watched reads how a file of a run is read, as a group of keys in a file of another reader: its name or a pattern of
// names in the run folder, and the name of a format, or the keys of a description.
//
//	{file: log.solve, format: openfoam}
//	{file: history.csv, columns: {key: iter}, rename: {mdot: W_in}}
func Watched(text *document.Reader, n ast.Node, path string) (f history.File) {
	r := &reader{text}
	r.file(n, path, &f, "a file such as {file: log.solve, format: openfoam}", len(r.Problems), r.watchedKeys(&f))
	return f
}

// WatchedSchema returns the schema of the input of [Watched].
func WatchedSchema() *jsonschema.Schema {
	r, f := &reader{new(document.Reader)}, new(history.File)
	return document.Object("", append(r.watchedKeys(f), r.fileKeys(f, new(bool))...))
}

func (r *reader) watchedKeys(f *history.File) []document.Key {
	var format string
	known := r.Choice(&format, order...).Then(func(ast.Node, string) {
		if i := slices.Index(order, format); i >= 0 {
			pattern := f.Pattern
			*f = builtin()[i].File
			f.Pattern = pattern
		}
	})
	return []document.Key{
		r.Optional("format", "a known format", known),
		r.Required("file", "its name, or a pattern of names", r.Text(&f.Pattern, "a pattern of names such as *.log")),
		r.Optional("prefix", "prefix of its values' names", r.Text(&f.Prefix, "prefix of its values' names")),
	}
}

// fileKeys are the keys that define how a file is read.
func (r *reader) fileKeys(f *history.File, isJSON *bool) []document.Key {
	factor := func(x *float64) document.Value { return r.Number(x) }
	return []document.Key{
		r.Optional("doc", "what it is", r.Text(&f.Doc, "what it is")),
		r.Optional("columns", "of a table under a header", r.Section("columns: {key: iteration}", r.columnKeys(f))),
		r.Optional("json", "it has an object a line", r.Flag(isJSON)),
		r.Optional("lines", "of which the first that matches counts",
			document.List(r.Reader, &f.Patterns, `lines such as "iter {iteration}: {residual}"`, r.line)),
		r.Optional("rename", "names of values by those in the file",
			document.Map(r.Reader, &f.Rename, "names such as {mdot: W_in}", nil, "",
				func(name *string) document.Value { return r.Text(name, "a name") })),
		r.Optional("scale", "factors to SI by names of values",
			document.Map(r.Reader, &f.Scale, "factors to SI such as {W_in: 0.4536}", nil, "", factor)),
	}
}

// file reads the keys that define how a file is read, beside other keys, which may already define it. before is the
// number of earlier problems of the reader.
func (r *reader) file(n ast.Node, path string, f *history.File, want string, before int, keys []document.Key) {
	var isJSON bool
	g := r.Group(n, path, want, append(keys, r.fileKeys(f, &isJSON)...))
	switch {
	case g.Has("columns") && isJSON:
		g.Fail("columns", "a file has columns or json, not both")
	case g.Has("columns"):
		f.Format = history.Columns
	case isJSON:
		f.Format = history.JSON
	case g.Has("lines") && f.Format == "":
		f.Format = history.Regexp
	case f.Format == "" && len(r.Problems) == before:
		r.Fail(document.Position(n), path, "", "nothing says how it is read: want columns, json: true or lines")
	}
	if len(r.Problems) > before {
		return
	}
	spec := history.FileSpec{File: *f}
	if err := spec.Check(); err != nil { // faults that no single value shows
		r.Fail(document.Position(n), path, "", "%v", err)
	}
}

func (r *reader) columnKeys(f *history.File) []document.Key {
	width := func(n *int) document.Value {
		return r.Text(nil, "").Reading(func(node ast.Node, path string) {
			w, ok := r.Word(node, path, "a number of columns")
			if *n, _ = strconv.Atoi(w.Text); ok && (*n < 1 || *n > history.MaxWidth) {
				r.Fail(w.Pos, path, w.Text, "want a number of columns from 1 to %d", history.MaxWidth)
			}
		})
	}
	return []document.Key{
		r.Optional("key", "a column that every header has",
			r.Text(&f.Key, "the name of a column that every header has")),
		r.Optional("keys", "columns of which every header has one",
			r.names(&f.Keys, "names of columns, of which every header has one")),
		r.Optional("names", "the columns of a file without header",
			r.names(&f.Columns, "names of columns, of a file without header")),
		r.Optional("boxed", "lines are as in | 1 | -3.2 |", r.Flag(&f.Boxed)),
		r.Optional("prose", "other lines are skipped", r.Flag(&f.Prose)),
		r.Optional("unnamed", "it has columns that the header does not name", r.Flag(&f.Unnamed)),
		r.Optional("units", "names end with a unit, as in [kg/s]", r.Flag(&f.Units)),
		r.Optional("guess", "residuals are found by their names", r.Flag(&f.Guess)),
		r.Optional("drop", "columns that are left out; a star is any text",
			r.names(&f.Drop, "names of columns that are not used")),
		r.Optional("log10", "columns that are logarithms to base 10; a star is any text",
			r.names(&f.Log10, "names of columns that are logarithms")),
		r.Optional("widths", "number of columns under a name",
			document.Map(r.Reader, &f.Widths, "widths such as {time/iter: 2}", nil, "", width)),
	}
}

// names is a list of names.
func (r *reader) names(dst *[]string, want string) document.Value {
	return r.Texts(dst, want, "a name", document.Rule{})
}

// line is a line of a log.
func (r *reader) line(p *history.Pattern) document.Value {
	return Line(r.Reader, p, `a line such as "iter {iteration}: {residual}"`, []document.Key{
		r.Optional("begins", "its values are on several lines, of which this is the first", r.Flag(&p.Begins)),
		r.Optional("ends", "this is the last of them: the iteration is judged at once", r.Flag(&p.Ends)),
		r.Optional("kind", "of the event", document.Choice(r.Reader, &p.Kind, event.Iteration, event.Message,
			event.Profile, event.Result, event.Warning)),
		r.Optional("status", "that the line reports", r.Choice(&p.Status, state.SaidConverged, state.SaidEnded,
			state.SaidFailed, state.SaidDiverged, state.Floating, state.SaidLimit, state.SaidStopped)),
		r.Optional("next", "the next line continues its text", r.Flag(&p.Next)),
	}, func(n ast.Node, path string) {
		if p.Status != "" && p.Kind != "" {
			r.Fail(document.Position(n), path, string(p.Kind), "a line has a kind or a status, not both")
		} else if p.Status != "" {
			p.Kind = event.Status
		}
	})
}

// Line is a line of a description: a template, or a group with a template or a regular expression, and more keys.
// After the keys it calls check.
func Line(r *document.Reader, p *history.Pattern, form string, more []document.Key,
	check func(n ast.Node, path string)) document.Value {
	keys := append([]document.Key{
		r.Optional("line", "a template", r.Text(&p.Line, form)),
		r.Optional("regexp", "or a regular expression with named groups", r.Text(&p.Regexp, "a regular expression")),
	}, more...)
	schema := func() *jsonschema.Schema { return document.Either(document.TextSchema(""), document.Object("", keys)) }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		before := len(r.Problems)
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			r.Group(n, path, form, keys)
		default:
			keys[0].Read(n, path)
		}
		check(n, path)
		if len(r.Problems) > before {
			return
		}
		for _, reason := range p.Faults() { // of the line as a whole
			r.Fail(document.Position(n), path, "", "%s", reason)
		}
	}}
}

// expression is a regular expression of a list.
func (r *reader) expression(list *[]Mark) document.Value {
	return r.Scalar("a regular expression", func(w document.Word, path string) {
		re, err := regexp.Compile("(?m:" + w.Text + ")")
		if err != nil {
			r.Fail(w.Pos, path, w.Text, "%v", err)
			return
		}
		*list = append(*list, Mark{re, history.LiteralsOf(re)})
	})
}
