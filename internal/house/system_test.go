package house

// The module on systems on which its tests do not run.

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The module and its tests type-check on the other systems that the program is for. Everything is read from its source,
// function bodies of this module only, and nothing is compiled.
func TestTypesOnOtherSystems(t *testing.T) {
	testenv.Lint(t)
	for _, c := range []struct{ system, processor string }{{"darwin", "arm64"}, {"windows", "amd64"}} {
		t.Run(c.system, func(t *testing.T) {
			typeCheck(t, c.system, c.processor)
		})
	}
}

// unit is what `go list -test` says of a package, or of one with its tests.
type unit struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ Main bool }
}

// typeCheck checks the types of every package of the module and of its tests.
func typeCheck(t *testing.T, system, processor string) {
	list := exec.Command("go", "list", "-test", "-deps",
		"-json=ImportPath,Dir,GoFiles,SFiles,ImportMap,Standard,Module", "./...")
	list.Dir, list.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	list.Stderr = os.Stderr
	out := must.Value(list.StdoutPipe())(t)
	must.OK(t, list.Start())
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	fset := token.NewFileSet()
	own := 0
	for units := json.NewDecoder(out); ; { // a package comes after those that it imports
		var u unit
		if err := units.Decode(&u); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if u.ImportPath == "unsafe" || strings.HasSuffix(u.ImportPath, ".test") { // the latter is made by go test
			continue
		}
		ours := u.Module != nil && u.Module.Main
		if ours {
			own++
		}
		config := types.Config{
			Importer:         importFunc(func(path string) (*types.Package, error) { return u.imported(known, path) }),
			Sizes:            types.SizesFor("gc", processor),
			IgnoreFuncBodies: !ours,
			Error:            func(err error) { t.Error(err) },
		}
		files := must.Value(u.parse(fset, ours))(t)
		pkg, err := config.Check(u.ImportPath, fset, files, nil)
		if err != nil {
			t.Fatalf("%s: %v", u.ImportPath, err)
		}
		known[u.ImportPath] = pkg
	}
	if err := list.Wait(); err != nil || own < 100 {
		t.Fatalf("%d packages of the module; go list: %v", own, err)
	}
}

type importFunc func(path string) (*types.Package, error)

func (i importFunc) Import(path string) (*types.Package, error) { return i(path) }

// imported returns a package that the unit imports: for a test it may be one with its tests, for the standard library
// a vendored one.
func (u *unit) imported(known map[string]*types.Package, path string) (*types.Package, error) {
	if mapped, ok := u.ImportMap[path]; ok {
		path = mapped
	}
	if p := known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not known before %s", path, u.ImportPath)
}

// parse reads the unit's files. A function without a body must be in assembly.
func (u *unit) parse(fset *token.FileSet, ours bool) (files []*ast.File, err error) {
	for _, name := range u.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(u.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && ours && d.Body == nil && len(u.SFiles) == 0 {
				return nil, fmt.Errorf("%s: %s has no body, and its package no assembly for this system",
					fset.Position(d.Pos()), d.Name.Name)
			}
		}
		files = append(files, f)
	}
	return files, nil
}
