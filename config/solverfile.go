package config

// The file solvers.yaml and the section `solvers` of an engine file: the user's own flow solvers, which a zoom may name
// like a built-in solver.

import (
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

var solversForm = document.Form{What: "a file of solvers", Begins: "the name of one", Bytes: 1 << 20, Words: 30_000}

// LoadSolvers reads a file of solvers; see [ParseSolvers]. A relative path of a program is resolved against the file's
// folder, and so is an argument that names a file there: a script stays the same wherever the program runs.
func LoadSolvers(path string, taken []string) ([]SolverProgram, error) {
	data, err := intake.Read(path, solversForm.Limit())
	if err != nil {
		return nil, err
	}
	return ParseSolvers(path, data, taken)
}

// ParseSolvers reads the text of a file of solvers, whose name it uses in messages. It refuses the names in taken. If
// the file has problems the error is an [*document.Errors] with all of them.
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
		case !nameShape().MatchString(f.Key):
			r.Fail(f.Pos, path, f.Key, "a name of a solver is letters, digits and _, first a letter")
		case slices.Contains(taken, f.Key):
			r.Fail(f.Pos, path, f.Key, "the name is taken: %s is built in", f.Key)
		}
		list = append(list, r.solverProgram(f, document.Join(path, f.Key)))
	}
	return list
}

// SolversSchema returns the JSON Schema of a file of solvers.
func SolversSchema() *jsonschema.Schema {
	s := (&reader{}).solversSchema()
	s.Description = solversDoc
	return document.Titled("Peregrine solvers", s)
}

const solversDoc = "Flow solvers of one's own, by name."

func (r *reader) solversSchema() *jsonschema.Schema {
	const doc = "A program that serves the solver protocol, by command, or the description of any program, by external."
	return document.NamedSchema(nameShape(), document.Object(doc, r.solverKeys(new(SolverProgram), new(document.Word))))
}

// engineSolvers reads the section `solvers` of an engine file. It may define a name that is also in the user's solver
// file, so that an engine file means the same for every user.
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
	r.Group(f.Value, path, "a solver such as {command: [program, arg]}", r.solverKeys(&s, &described))
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

func (r *reader) solverKeys(s *SolverProgram, described *document.Word) []document.Key {
	external := r.Scalar("the file of a description", func(w document.Word, _ string) { *described = w })
	variable := document.Rule{Shape: variableShape(), Fault: "want NAME=value"}
	return []document.Key{
		r.Optional("command", "Program and arguments, never through a shell; a path is relative to the file.",
			r.Command(&s.Command)),
		r.Optional("external", "Description of any program; its path is relative to the file.", external),
		r.Optional("licence", "The licence that each run of the solver needs.", r.licence(&s.Licence)),
		r.Optional("environment", "Variables, in addition to those of every solver.",
			r.Texts(&s.Environment, "variables such as [OMP_NUM_THREADS=1]", "NAME=value", variable)),
		r.Optional("version", "Version of the software behind the program: answers of another version are not used.",
			r.Text(&s.Version, "a version")),
		r.Optional("doc", "Description of the solver.", r.Text(&s.Doc, "a description")),
	}
}

// variableShape is NAME=value.
var variableShape = regex.Lazy(`^_*[A-Za-z][A-Za-z0-9_]*=`)

// Licences of solvers, of which a machine has a fixed number.

// licence is the licence that runs of a solver need.
func (r *reader) licence(dst **Licence) document.Value {
	schema := func() *jsonschema.Schema {
		return document.Object("", r.licenceKeys(new(Licence), new(document.Word)))
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) { *dst = r.readLicence(n, path) }}
}

func (r *reader) licenceKeys(l *Licence, name *document.Word) []document.Key {
	of := r.Whole(nil, 1, "")
	of.Read = r.Count(&l.Of, 1, 10_000).Read
	named := r.Scalar("a name such as acme_cfd", func(w document.Word, _ string) { *name = w })
	named.Schema = r.Shaped(nil, "", document.Rule{Shape: nameShape()}).Schema
	return []document.Key{
		r.Required("name", "Solvers that name the same licence share it.", named),
		r.Optional("of", "How many there are on this machine, for all studies.", of),
		r.Optional("folder",
			"Folder of the locks by which they are counted; default: licences in the folder of the cache.",
			r.Text(&l.Folder, "the path of a folder that all who share the licences can write")),
		r.Optional("free", "Command that asks the licence server; the last whole number that it prints is how many "+
			"are free.",
			r.Command(&l.Free)),
	}
}

func (r *reader) readLicence(n ast.Node, path string) *Licence {
	l := &Licence{Pos: document.Position(n)}
	before := len(r.Problems)
	var name document.Word
	r.Group(n, path, "a licence such as {name: acme_cfd, of: 4}", r.licenceKeys(l, &name))
	l.Name = name.Text
	switch {
	case len(r.Problems) > before:
	case !nameShape().MatchString(l.Name):
		r.Fail(name.Pos, document.Join(path, "name"), l.Name,
			"a name of a licence is letters, digits and _, first a letter")
	case l.Of == 0 && l.Free == nil:
		r.Fail(l.Pos, path, "", "neither of, their number, nor free, a command that asks the licence server")
	}
	if l.Folder != "" && !filepath.IsAbs(l.Folder) {
		l.Folder = filepath.Join(filepath.Dir(r.File), l.Folder)
	}
	return l
}
