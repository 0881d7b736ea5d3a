package external

// What a description says of the commands, their environment, and the files to watch.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
)

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
		"log":     r.inFolder(&s.log, fileFault),
		"input":   r.inFolder(&s.input, fileFault),
		"time":    func(n ast.Node, path string) { s.time = r.time(n, path) },
		"when":    r.Choice(&s.when, whenCold, whenRestart).Read,
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
		r.d.watched = append(r.d.watched, fileformat.Watched(&r.Reader, item, document.Item(path, i)))
	}
}
