package external

// What a description says of the files that are made before the first step, and of the templates in them.

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func (r *reader) files(n ast.Node, path string) {
	for i, item := range r.Items(n, path, "files such as {template: case.in, to: case.txt}") {
		r.d.files = append(r.d.files, r.file(item, document.Item(path, i)))
	}
	for i, p := range r.d.files {
		if k := slices.IndexFunc(r.d.files[:i], func(o placed) bool { return o.to == p.to }); k >= 0 && p.to != "" &&
			p.copied == "" {
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
		"format": kind("format", r.Choice(&p.format, formatCSV, formatColumns, formatJSON, formatSections,
			formatSTL).Read),
		"columns":  wait.keep("columns", func(n ast.Node, path string) { p.columns = r.columns(n, path) }),
		"geometry": func(n ast.Node, path string) { p.of = r.expression(r.names)(n, path) },
		"row":      r.Text(&p.row, "the name of a blade row").Read,
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
				r.Fail(document.Position(f.Value), document.Join(path, f.Key), e.text,
					"a text, want a number or a list of numbers")
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
		if i := strings.Index(r.Lines[line], strings.TrimSpace(source)); i >= 0 && line-begin.Line >= n-1 &&
			source != "" {
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
		r.elsewhere = append(r.elsewhere, &document.Problem{File: at, Pos: document.Pos{Line: line, Column: column},
			Text: f.text, Message: f.message, Source: source})
	}
	return t, at
}
