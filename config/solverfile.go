package config

// The file solvers.yaml: flow solvers of the user's own, which a zoom may name like one
// that is built in.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// SolverProgram is an entry of solvers.yaml: a program that serves the protocol of package plugin.
type SolverProgram struct {
	Name        string
	Command     []string // program and arguments; those that were relative paths of files beside the entry's are absolute
	Environment []string // NAME=value, besides what every solver sees
	Version     string   // of what the program calls; part of the key under which answers are kept
	Doc         string

	File string // that holds the entry
	Pos  Pos
}

// LoadSolvers reads a file of solvers; see [ParseSolvers]. A relative path of a program is
// resolved against the file's folder, and so is an argument that names a file there: a script
// stays the same wherever the program runs.
func LoadSolvers(path string, taken []string) ([]SolverProgram, error) {
	data, err := readFile(path, "a file of solvers")
	if err != nil {
		return nil, err
	}
	return ParseSolvers(path, data, taken)
}

// ParseSolvers reads the text of a file of solvers, whose name stands in messages. Names
// in taken are not to be given. If anything is wrong the error is an [*Errors] with all of it.
//
//	NAME:
//	  command: [program, arg, ...]    # never through a shell
//	  environment: [NAME=value, ...]
//	  version: text
//	  doc: text
func ParseSolvers(file string, data []byte, taken []string) ([]SolverProgram, error) {
	r := &reader{file: file}
	var list []SolverProgram
	if root := r.tree(data); root != nil {
		for _, f := range r.fields(root, "", "solvers: NAME: {command: [program, arg]}") {
			switch {
			case !nameShape.MatchString(f.key):
				r.fail(f.pos, "", f.key, "a name of a solver is letters, digits and _, first a letter")
			case slices.Contains(taken, f.key):
				r.fail(f.pos, "", f.key, "the name is taken: %s is built in", f.key)
			}
			list = append(list, r.solverProgram(f))
		}
	}
	if len(r.problems) > 0 {
		e := &Errors{Problems: r.problems}
		e.sort()
		return nil, e
	}
	return list, nil
}

func (r *reader) solverProgram(f field) SolverProgram {
	s := SolverProgram{Name: f.key, File: r.file, Pos: f.pos}
	r.group(f.value, f.key, "a solver such as {command: [program, arg]}", []key{
		{"command", true, func(n ast.Node, path string) { s.Command = r.command(n, path) }},
		{"environment", false, func(n ast.Node, path string) { s.Environment = r.variables(n, path) }},
		{"version", false, r.text(&s.Version, "a version")},
		{"doc", false, r.text(&s.Doc, "what it is")},
	})
	return s
}

// command reads a program and its arguments.
func (r *reader) command(n ast.Node, path string) []string {
	const want = "words: a program and its arguments, such as [python3, solver.py]"
	var words []string
	for i, it := range r.items(n, path, want) {
		if w, ok := r.word(it, item(path, i), "a word"); ok {
			words = append(words, w.text)
		}
	}
	if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
		r.fail(position(n), path, "", "no program, want a list of %s", want)
	}
	for i, w := range words {
		at, err := filepath.Abs(filepath.Join(filepath.Dir(r.file), w))
		if err != nil || filepath.IsAbs(w) {
			continue
		}
		if i == 0 && strings.ContainsRune(filepath.ToSlash(w), '/') || i > 0 && isFile(at) {
			words[i] = at
		}
	}
	return words
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// variables reads NAME=value lines.
func (r *reader) variables(n ast.Node, path string) []string {
	var lines []string
	for i, it := range r.items(n, path, "variables such as [OMP_NUM_THREADS=1]") {
		w, ok := r.word(it, item(path, i), "NAME=value")
		if !ok {
			continue
		}
		if name, _, found := strings.Cut(w.text, "="); !found || !nameShape.MatchString(strings.TrimLeft(name, "_")) {
			r.fail(w.pos, item(path, i), w.text, "want NAME=value")
			continue
		}
		lines = append(lines, w.text)
	}
	return lines
}

// SolverError says what is wrong with a solver's entry that shows only when the solver is used.
func (s *SolverProgram) SolverError(err error) error {
	return &Problem{File: s.File, Pos: s.Pos, Path: s.Name, Message: err.Error()}
}
