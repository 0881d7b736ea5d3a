package house

// The source of this module with its types.

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
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

// file is the path of the file within the module.
func (s source) file(p token.Pos) string { return s.path + "/" + s.name(p) }

var once struct {
	sync.Once
	packages []source
}

// checked returns every package of this module for the system of this test.
// Imports are read from the compiler's files, so that only our own is parsed.
func checked(t *testing.T) []source {
	t.Helper()
	once.Do(func() { once.packages = check(t) })
	if once.packages == nil {
		t.Fatal("the packages could not be read: see the first test")
	}
	return once.packages
}

func check(t *testing.T) []source {
	all := goList(t, "", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
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
		if !p.ours() {
			continue
		}
		path, _ := inModule(p.ImportPath)
		s := source{path: path, fset: fset}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
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
