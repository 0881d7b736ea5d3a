package config

// The file solvers.yaml and the section `solvers` of an engine file: flow solvers of the user's own, which a zoom may
// name like one that is built in.

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

var solversForm = document.Form{What: "a file of solvers", Begins: "the name of one", Bytes: 1 << 20, Words: 30_000}

// LoadSolvers reads a file of solvers; see [ParseSolvers]. A relative path of a program is
// resolved against the file's folder, and so is an argument that names a file there: a script
// stays the same wherever the program runs.
func LoadSolvers(path string, taken []string) ([]SolverProgram, error) {
	data, err := intake.Read(path, solversForm.Limit())
	if err != nil {
		return nil, err
	}
	return ParseSolvers(path, data, taken)
}

// ParseSolvers reads the text of a file of solvers, whose name stands in messages. Names
// in taken are not to be given. If anything is wrong the error is an [*document.Errors] with all of it.
//
//	NAME:
//	  command: [program, arg, ...]    # never through a shell
//	  environment: [NAME=value, ...]
//	  version: text
//	  doc: text
//	  licence: {name: NAME, of: 4, folder: PATH, free: [program, arg, ...]}
//	NAME:
//	  external: FILE                  # describes any program
func ParseSolvers(file string, data []byte, taken []string) ([]SolverProgram, error) {
	r := &reader{Reader: document.NewReader(file, solversForm)}
	var list []SolverProgram
	if root := r.Tree(data); root != nil {
		list = r.solverPrograms(root, "", taken)
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return list, nil
}

// solverPrograms reads solvers by name.
func (r *reader) solverPrograms(n ast.Node, path string, taken []string) (list []SolverProgram) {
	for _, f := range r.Fields(n, path, "solvers: NAME: {command: [program, arg]}") {
		switch {
		case !nameShape.MatchString(f.Key):
			r.Fail(f.Pos, path, f.Key, "a name of a solver is letters, digits and _, first a letter")
		case slices.Contains(taken, f.Key):
			r.Fail(f.Pos, path, f.Key, "the name is taken: %s is built in", f.Key)
		}
		list = append(list, r.solverProgram(f, document.Join(path, f.Key)))
	}
	return list
}

// engineSolvers reads the section `solvers` of an engine file. It may define a name that the user's solver file has,
// too, so that an engine file means the same for every user.
func (r *reader) engineSolvers(n ast.Node, path string) {
	r.engine.Solvers = r.solverPrograms(n, path, r.cat.Builtin)
	for _, s := range r.engine.Solvers {
		if s.Licence != nil && s.Licence.Free != nil {
			r.Fail(s.Licence.Pos, document.Join(s.Path, "licence"), "",
				"a command that asks a licence server stands in the user's own file of solvers alone: whoever trusts "+
					"an engine file was not shown it")
		}
	}
}

// solverNames are the solvers that a zoom of this engine can name; none: any.
func (r *reader) solverNames() []string {
	names := slices.Clone(r.cat.Solvers)
	for _, s := range r.engine.Solvers {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

func (r *reader) solverProgram(f document.Field, path string) SolverProgram {
	s := SolverProgram{Name: f.Key, File: r.File, Path: path, Pos: f.Pos}
	before := len(r.Problems)
	var described document.Word
	r.Group(f.Value, path, "a solver such as {command: [program, arg]}", []document.Key{
		document.Optional("command", func(n ast.Node, path string) { s.Command = r.Command(n, path) }),
		document.Optional("external", func(n ast.Node, path string) {
			described, _ = r.Word(n, path, "the file of a description")
		}),
		document.Optional("environment", func(n ast.Node, path string) { s.Environment = r.variables(n, path) }),
		document.Optional("licence", func(n ast.Node, path string) { s.Licence = r.licence(n, path) }),
		document.Optional("version", r.Text(&s.Version, "a version")),
		document.Optional("doc", r.Text(&s.Doc, "what it is")),
	})
	switch {
	case len(r.Problems) > before:
	case described.Text == "" && s.Command == nil:
		r.Fail(document.Position(f.Value), path, "", "no key command, or external")
	case described.Text == "":
	case s.Command != nil || s.Environment != nil || s.Version != "":
		r.Fail(described.Pos, document.Join(path, "external"), described.Text,
			"command, environment and version stand in the description")
	default:
		s.External = described.Text
		if !filepath.IsAbs(s.External) {
			s.External = filepath.Join(filepath.Dir(r.File), s.External)
		}
	}
	return s
}

// variables reads NAME=value lines.
func (r *reader) variables(n ast.Node, path string) []string {
	var lines []string
	for i, it := range r.Items(n, path, "variables such as [OMP_NUM_THREADS=1]") {
		w, ok := r.Word(it, document.Item(path, i), "NAME=value")
		if !ok {
			continue
		}
		if name, _, found := strings.Cut(w.Text, "="); !found || !nameShape.MatchString(strings.TrimLeft(name, "_")) {
			r.Fail(w.Pos, document.Item(path, i), w.Text, "want NAME=value")
			continue
		}
		lines = append(lines, w.Text)
	}
	return lines
}
