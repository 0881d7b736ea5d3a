package external

// What a description says of the commands, their environment, and the files to watch.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
)

func (r *reader) steps() document.Value {
	item := func() *jsonschema.Schema { return r.stepGroup(new(step)).schema() }
	return listOf("steps", item, func(n ast.Node, path string) {
		seen := map[string]bool{}
		items := r.Items(n, path, "steps such as {name: solve, command: [mysolver, case.txt]}")
		for i, item := range items {
			s := step{pos: document.Position(item)}
			r.read(r.stepGroup(&s), item, document.Item(path, i))
			if s.log == "" {
				s.log = s.name + ".log"
			}
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
	name := document.Rule{Shape: stepShape, Fault: "want letters, digits, _ and -, first a letter"}
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

// watch are files with the progress of a run.
func (r *reader) watch() document.Value {
	return listOf("watched files", fileformat.WatchedSchema, func(n ast.Node, path string) {
		for i, item := range r.Items(n, path, "files such as {file: solve.log, format: openfoam-log}") {
			r.d.watched = append(r.d.watched, fileformat.Watched(&r.Reader, item, document.Item(path, i)))
		}
	})
}
