package external

// The commands in a description, their environment, and the files to watch.

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func (r *reader) steps() document.Value {
	item := func() *jsonschema.Schema { return r.stepGroup(new(step)).schema() }
	return listOf("steps", item, func(n ast.Node, path string) {
		seen := map[string]bool{}
		items := r.Items(n, path, "steps such as {name: solve, command: [mysolver, case.txt]}")
		for i, item := range items {
			s := step{pos: document.Position(item)}
			r.read(r.stepGroup(&s), item, document.Item(path, i))
			s.log = cmp.Or(s.log, s.name+".log")
			if seen[s.name] && s.name != "" {
				r.Fail(s.pos, document.Item(path, i), s.name, "an earlier step has this name")
			}
			seen[s.name] = true
			r.d.steps = append(r.d.steps, s)
		}
		if _, list := n.(*ast.SequenceNode); list && len(items) == 0 {
			r.Fail(document.Position(n), path, "", "no step")
		}
	})
}

func (r *reader) stepGroup(s *step) Group {
	name := document.Rule{Shape: stepShape(), Fault: "want letters, digits, _ and -, first a letter"}
	command := func(n ast.Node, path string) { s.program, s.command = r.command(n, path) }
	return Group{"a step", "{name: solve, command: [mysolver, case.txt]}", []document.Key{
		r.Required("name", "letters, digits, _ and -", r.Shaped(&s.name, "a name", name).Called("name")),
		r.Required("command",
			"program and arguments, which may be templates, never through a shell; a path with / begins at the "+
				"description, and so does an argument that is a file there",
			listOf("words", anyScalar, command)),
		r.Optional("log", "to which it prints (default: NAME.log)", r.inFolder(&s.log, fileFault)),
		r.Optional("input", "of the run folder, for its standard input", r.inFolder(&s.input, fileFault)),
		r.Optional("time", "in which it must end (default: no limit but those of the zoom)", r.time(&s.time)),
		r.Optional("when", "only in runs that start without, or with, an earlier solution",
			r.Choice(&s.when, whenCold, whenRestart)),
	}}
}

// command reads a program and its arguments, which may contain values.
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
			t = &template{raw: r.beside(text), parts: []part{{text: r.beside(text)}}}
		}
		words = append(words, t)
	}
	if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
		r.Fail(document.Position(n), path, "", "no program")
	}
	return program, words
}

// isFileBeside reports whether a word of a command is the name of a file beside the description, and of none that the
// run folder gets.
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

// watch reads the files with the progress of a run.
func (r *reader) watch() document.Value {
	return listOf("watched files", fileformat.WatchedSchema, func(n ast.Node, path string) {
		for i, item := range r.Items(n, path, "files such as {file: solve.log, format: openfoam-log}") {
			r.d.watched = append(r.d.watched, fileformat.Watched(&r.Reader, item, document.Item(path, i)))
		}
	})
}

// The files made before the first step in a description, and their templates.

func (r *reader) files() document.Value {
	item := func() *jsonschema.Schema { return r.fileGroup(new(placed)).schema() }
	return listOf("files", item, func(n ast.Node, path string) {
		for i, item := range r.Items(n, path, "files such as {template: case.in, to: case.txt}") {
			r.d.files = append(r.d.files, r.file(item, document.Item(path, i)))
		}
		for i, p := range r.d.files {
			k := slices.IndexFunc(r.d.files[:i], func(o placed) bool { return o.to == p.to })
			if k >= 0 && p.to != "" && p.copied == "" {
				r.Fail(p.pos, path, p.to, "file %d of the list has this name", k+1)
			}
		}
	})
}

func (r *reader) fileGroup(p *placed) Group {
	return Group{"a file", "{template: case.in, to: case.txt}", []document.Key{
		r.Required("to", "its name in the run folder", r.inFolder(&p.to, pathFault)),
		r.Optional("template", "a text with values in {{ }}; the path begins at the description",
			word("path", func(n ast.Node, path string) { p.text, p.source = r.templateFile(n, path) })),
		r.Optional("text", "the template itself", word("text", func(n ast.Node, path string) {
			p.text = r.template(n, path)
		})),
		r.Optional("copy", "a file or folder that is copied as it is",
			word("path", func(n ast.Node, path string) { p.copied, _, _ = r.source(n, path) })),
		r.Optional("format", "of a table with `columns`; of blades the sections, or their surface",
			r.Choice(&p.format, formatCSV, formatColumns, formatJSON, formatSections, formatSTL)),
		r.Optional("columns", "of the table; a single number is repeated in each row", r.columns(&p.columns)),
		r.Optional("geometry", "of the blades: the input with the geometry file's text (default: geometry)",
			r.expression(&p.of, r.names)),
		r.Optional("row", "of the blades: the name of the row (default: the first)",
			r.Text(&p.row, "the name of a blade row")),
	}}
}

func (r *reader) file(n ast.Node, path string) placed {
	p := placed{pos: document.Position(n)}
	before := len(r.Problems)
	g := r.read(r.fileGroup(&p), n, path)
	if len(r.Problems) > before {
		return p
	}
	kinds := g.Given("template", "text", "copy", "format")
	isTable := slices.Contains([]string{formatCSV, formatColumns, formatJSON}, p.format)
	switch {
	case len(kinds) != 1:
		r.Fail(p.pos, path, "", "want one of template, text, copy and format; it has %s", orNone(kinds))
	case isTable != g.Has("columns"):
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

func (r *reader) columns(dst *[]column) document.Value {
	entry := func() *jsonschema.Schema {
		return document.Either(anyScalar(), r.valueGroup(new(value), new(meaning)).schema())
	}
	return byName("expressions", entry, func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "expressions such as {span: inlet_span, Pt: inlet_Pt}") {
			at := document.Join(path, f.Key)
			var e *expression
			if r.expression(&e, r.names).Read(f.Value, at); e != nil {
				if e.shape == plugin.Text || e.shape == plugin.FileName {
					r.Fail(document.Position(f.Value), at, e.text, "a text, want a number or a list of numbers")
				}
				*dst = append(*dst, column{f.Key, e})
			}
			if strings.ContainsAny(f.Key, " \t,\"") {
				r.Fail(f.Pos, path, f.Key, "the name of a column has no spaces, commas or quotes")
			}
		}
	})
}

// template reads a template in the description.
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
		if i := strings.Index(r.Lines[line], strings.TrimSpace(source)); i >= 0 && line-begin.Line >= n-1 &&
			source != "" {
			return document.Pos{Line: line + 1, Column: i + 1}
		}
	}
	return begin
}

// templateFile reads a template from a file.
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
		r.elsewhere = append(r.elsewhere, &document.Problem{File: at, Pos: document.Pos{Line: line, Column: column},
			Text: f.text, Message: f.message, Source: source})
	}
	return t, at
}
