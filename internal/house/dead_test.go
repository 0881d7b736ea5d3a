package house

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

//go:embed exported.txt
var exportedText string

// Sections of exported.txt.
const (
	forPrograms = "for other programs"
	forTests    = "for tests"
	undecided   = "to be used or removed"
)

// exported is an entry of exported.txt: a function or method that the program
// never calls and that stays nevertheless, or all of a package's if the name is "*".
type exported struct {
	line                 int
	section              string
	folder, name, reason string // the folder is the package's path within the module
}

func (e exported) String() string { return e.folder + "." + e.name }

// covers reports whether the entry is about the function.
func (e exported) covers(d dead) bool {
	return e.folder == d.folder && (e.name == "*" || e.name == d.name)
}

func parseExported(text string) ([]exported, error) {
	var entries []exported
	section := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			if !slices.Contains([]string{forPrograms, forTests, undecided}, section) {
				return nil, fmt.Errorf("exported.txt:%d: there is no section %s", i+1, line)
			}
			continue
		}
		name, reason, _ := strings.Cut(line, ":")
		slash := strings.LastIndexByte(name, '/') + 1
		dot := strings.IndexByte(name[slash:], '.')
		if section == "" || dot < 0 {
			return nil, fmt.Errorf(
				"exported.txt:%d: want package.Function or package.Type.Method under a section, have %q", i+1, line)
		}
		e := exported{line: i + 1, section: section, folder: name[:slash+dot], name: name[slash+dot+1:],
			reason: strings.TrimSpace(reason)}
		if e.reason == "" && section != undecided {
			return nil, fmt.Errorf("exported.txt:%d: %s has no reason; write it after a colon", i+1, e)
		}
		if section == undecided && e.name == "*" {
			return nil, fmt.Errorf("exported.txt:%d: %s: name each function that is %s", i+1, e, undecided)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// TestExportedForOthers holds what is exported for other programs to have an Example,
// and what is for tests to be in a package that tests import, or whole packages for tests.
func TestExportedForOthers(t *testing.T) {
	entries := must.Value(parseExported(exportedText))(t)
	testers := map[string]bool{} // packages of this module that tests import
	for _, f := range everyFolder(t) {
		imports := f.testImports
		if slices.ContainsFunc(entries,
			func(e exported) bool { return e.section == forTests && e.folder == f.path && e.name == "*" }) {
			imports = f.allImports()
		}
		for _, path := range imports {
			if folder, ok := inModule(path); ok && folder != f.path {
				testers[folder] = true
			}
		}
	}
	for _, e := range entries {
		switch e.section {
		case forPrograms:
			if !hasExample(t, e) {
				kind, _, _ := strings.Cut(e.name, ".")
				t.Errorf("exported.txt:%d: %s has no Example: write ExampleX for what other programs do with it, X "+
					"being %s, or nothing for the whole package", e.line, e, kind)
			}
		case forTests:
			if !testers[e.folder] {
				t.Errorf("exported.txt:%d: no test of another package imports %s", e.line, e.folder)
			}
		}
	}
}

// hasExample reports whether the tests of the entry's package have an Example of the
// package, or of the entry's function or type.
func hasExample(t *testing.T, e exported) bool {
	t.Helper()
	files := must.Value(filepath.Glob(filepath.Join(root, e.folder, "*_test.go")))(t)
	kind, _, _ := strings.Cut(e.name, ".")
	for _, file := range files {
		f := must.Value(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if subject, is := strings.CutPrefix(fn.Name.Name, "Example"); is {
				subject, _, _ = strings.Cut(subject, "_")
				if subject == "" || subject == kind {
					return true
				}
			}
		}
	}
	return false
}

// dead is a function that no program of this module reaches.
type dead struct{ folder, name, at string }

// TestNothingIsUnreachable compares what the program cmd/deadcode found, as JSON in the file
// that PEREGRINE_DEADCODE names, with exported.txt. `make lint` writes that file.
func TestNothingIsUnreachable(t *testing.T) {
	file := os.Getenv("PEREGRINE_DEADCODE")
	if file == "" {
		testenv.OnlyManual(t, "PEREGRINE_DEADCODE")
	}
	data := must.Value(os.ReadFile(file))(t)
	found, err := parseDead(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	entries := must.Value(parseExported(exportedText))(t)
	for _, problem := range compare(found, entries) {
		t.Error(problem)
	}
}

func parseDead(data []byte) ([]dead, error) {
	var packages []struct {
		Path  string
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal(data, &packages); err != nil {
		return nil, err
	}
	var found []dead
	for _, p := range packages {
		folder, _ := inModule(p.Path)
		for _, f := range p.Funcs {
			found = append(found, dead{folder, f.Name, fmt.Sprintf("%s:%d", f.Position.File, f.Position.Line)})
		}
	}
	return found, nil
}

// compare returns what is unreachable and not listed, and what is listed and not unreachable.
func compare(found []dead, entries []exported) []string {
	var problems []string
	used := map[int]bool{}
	for _, d := range found {
		i := slices.IndexFunc(entries, func(e exported) bool { return e.covers(d) })
		if i < 0 {
			problems = append(problems,
				fmt.Sprintf(
					"%s: the program never calls %s.%s: remove it, or give it a reason in internal/house/exported.txt",
					d.at, d.folder, d.name))
			continue
		}
		used[i] = true
	}
	for i, e := range entries {
		if !used[i] {
			problems = append(problems,
				fmt.Sprintf("exported.txt:%d: %s is used by the program, or is gone: take it from the list", e.line, e))
		}
	}
	return problems
}

func TestExportedList(t *testing.T) {
	entries, err := parseExported(
		"# why\n[for other programs]\na/b.F: they need it\n[for tests]\nc.*: figures\n[to be used or removed]\n" +
			"a/b.T.M\n")
	must.OK(t, err)
	found := []dead{{"a/b", "F", "f.go:1"}, {"c", "G", "g.go:2"}, {"c", "H", "g.go:3"}, {"a/b", "new", "f.go:9"}}
	want := []string{
		"f.go:9: the program never calls a/b.new: remove it, or give it a reason in internal/house/exported.txt",
		"exported.txt:7: a/b.T.M is used by the program, or is gone: take it from the list",
	}
	if got := compare(found, entries); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for text, want := range map[string]string{
		"[for other programs]\na/b.F\n": "exported.txt:2: a/b.F has no reason; write it after a colon",
		"a/b.F: x\n":                    `exported.txt:1: want package.Function or package.Type.Method under a section, have "a/b.F: x"`,
		"[for fun]\n":                   "exported.txt:1: there is no section [for fun]",
		"[to be used or removed]\na/b.*: x\n": "exported.txt:2: a/b.*: name each function that is to be used or " +
			"removed",
	} {
		if _, err := parseExported(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
