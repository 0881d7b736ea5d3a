package house

// The packages of this module, as their files show them.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

const module = "github.com/peregrine-sim/peregrine"

// root is the module's folder, as seen from this package's tests.
const root = "../.."

// folder is a package with all of its files, for whatever system they are.
type folder struct {
	path                 string // within the module
	files                int    // that are no tests
	imports, testImports []string
	uses                 []use
}

// use is a name of another package at its place.
type use struct {
	file string // within the module
	line int
	name string // such as "os.Open"; a package is named by its path
}

// allImports returns what the package and its tests import.
func (f folder) allImports() []string { return slices.Concat(f.imports, f.testImports) }

// followed are the packages of the standard library whose uses are read.
var followed = []string{"os", "path/filepath", "syscall", "time"}

var folders = sync.OnceValues(readFolders)

// everyFolder returns the packages of this module; their files are read once.
func everyFolder(t *testing.T) []folder {
	t.Helper()
	list := must.Value(folders())(t)
	if len(list) < 10 {
		t.Fatalf("%d packages only", len(list))
	}
	return list
}

func readFolders() ([]folder, error) {
	found := map[string]*folder{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (name == "testdata" || strings.ContainsAny(name[:1], "._")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		within, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		within = filepath.ToSlash(within)
		if found[within] == nil {
			found[within] = &folder{path: within}
		}
		return found[within].read(file)
	})
	var list []folder
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[name])
	}
	return list, err
}

// read notes what a file imports and, if it is no test, what it uses.
func (f *folder) read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.ImportsOnly)
	if err != nil {
		return err
	}
	test := strings.HasSuffix(file, "_test.go")
	if !test {
		f.files++
	}
	packages := map[string]string{} // paths of the followed ones by their names in the file
	for _, i := range parsed.Imports {
		of, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		if test {
			f.testImports = append(f.testImports, of)
			continue
		}
		f.imports = append(f.imports, of)
		if slices.Contains(followed, of) {
			name := path.Base(of)
			if i.Name != nil {
				name = i.Name.Name
			}
			packages[name] = of
		}
	}
	if len(packages) == 0 {
		return nil
	}
	if packages["."] != "" {
		return fmt.Errorf("%s imports %s without a name", file, packages["."])
	}
	// The parser connects names with what the file declares; a package's name stays without.
	if parsed, err = parser.ParseFile(fset, file, text, 0); err != nil {
		return err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && packages[x.Name] != "" {
				at := path.Join(f.path, filepath.Base(file))
				f.uses = append(f.uses, use{at, fset.Position(s.Pos()).Line, packages[x.Name] + "." + s.Sel.Name})
			}
		}
		return true
	})
	return nil
}

// inModule returns a package's path within this module, and whether it has one.
func inModule(path string) (string, bool) {
	return strings.CutPrefix(path, module+"/")
}

// top returns the top-level folder of a path within the module.
func top(path string) string {
	folder, _, _ := strings.Cut(path, "/")
	return folder
}

// matches reports whether a path is what the pattern names: a path, or all
// paths from one downwards if the pattern ends with "/...".
func matches(pattern, path string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == folder || strings.HasPrefix(path, folder+"/")
	}
	return path == pattern
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
}
