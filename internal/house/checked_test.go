package house

// The source of this module with its types.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// source is a package's non-test files and what their identifiers mean.
type source struct {
	path  string // within the module
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// name is that of the file that holds a position.
func (s source) name(p token.Pos) string { return filepath.Base(s.fset.Position(p).Filename) }

var once struct {
	sync.Once
	packages []source
}

// checked returns every package of this module for the system of this test.
// Imports are read from the compiler's files, so that only our own is parsed.
func checked(t *testing.T) []source {
	t.Helper()
	testenv.Lint(t)
	once.Do(func() { once.packages = check(t) })
	if once.packages == nil {
		t.Fatal("the packages could not be read: see the first test")
	}
	return once.packages
}

// listed is what `go list` prints for a package.
type listed struct {
	ImportPath, Dir string
	Export          string // file with the types of a compiled package
	GoFiles         []string
	Module          *struct{ Path string }
}

func goList(t *testing.T) (all []listed) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p listed
		must.OK(t, dec.Decode(&p))
		all = append(all, p)
	}
	return all
}

func check(t *testing.T) []source {
	all := goList(t)
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s has no export data", path)
		}
		return os.Open(exports[path])
	})
	var packages []source
	for _, p := range all {
		if p.Module == nil || p.Module.Path != module {
			continue
		}
		path, _ := inModule(p.ImportPath)
		s := source{path: path, fset: fset}
		for _, name := range p.GoFiles {
			f := must.Value(parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))(t)
			s.files = append(s.files, f)
		}
		if err := s.resolve(p.ImportPath, imports); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		packages = append(packages, s)
	}
	return packages
}

// resolve finds what each identifier means.
func (s *source) resolve(path string, imports types.Importer) error {
	s.info = &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports}
	var err error
	s.pkg, err = config.Check(path, s.fset, s.files, s.info)
	return err
}
