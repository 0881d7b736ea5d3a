package solver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"hash"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/peregrine-sim/peregrine/"

// listed is a package as `go list` describes it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	Standard        bool
	Module          *struct{ Path, Version string }
}

// The version of a solver's code is part of its cache keys. If the code changed without a
// decision on the version, the cache would return answers of the old code.
func TestCodeHasAVersion(t *testing.T) {
	for _, b := range builtins {
		if got := sources(t, b); got != b.sources {
			t.Errorf(`the code of solver %s has changed.
If an answer of it may change by a bit, raise the version in its entry. In any case put there
	sources: %q`, b.name, got)
		}
	}
}

// sources hashes a solver's packages and files and what the packages import of this module,
// without comments, layout, tests and the hash itself, and the versions of numerical packages of
// other modules. It leaves out internal/, which does not contribute to an answer.
func sources(t *testing.T, b builtin) string {
	h := sha256.New()
	others := map[string]bool{}
	for _, p := range imported(t, b.packages) {
		path, ours := strings.CutPrefix(p.ImportPath, module)
		switch {
		case ours && !strings.HasPrefix(path, "internal/"):
			for _, name := range p.GoFiles {
				write(t, h, filepath.Join(p.Dir, name))
			}
		case numeric(p):
			others[p.Module.Path+" "+p.Module.Version] = true
		}
	}
	for _, name := range b.files {
		write(t, h, name)
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		fmt.Fprintln(h, name)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// imported lists packages of this module and all that they import.
func imported(t *testing.T, packages []string) (list []listed) {
	if len(packages) == 0 { // a solver that is whole in its file
		return nil
	}
	args := []string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,Standard,Module"}
	for _, p := range packages {
		args = append(args, module+p)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0") // one hash for all systems
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// numeric reports whether a package is of a numerical module.
func numeric(p listed) bool { return p.Module != nil && strings.HasPrefix(p.Module.Path, "gonum.org/") }

// write adds the code of a file.
func write(t *testing.T, h hash.Hash, path string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool { // no comments, also none that hang on nodes
		switch n := n.(type) {
		case *ast.File:
			n.Doc, n.Comments = nil, nil
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.FuncDecl:
			n.Doc = nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ImportSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.KeyValueExpr: // the hash of a builtin's entry
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "sources" {
				n.Value = ast.NewIdent("_")
			}
		}
		return true
	})
	var text bytes.Buffer
	if err := printer.Fprint(&text, fset, f); err != nil {
		t.Fatal(err)
	}
	for _, word := range bytes.Fields(text.Bytes()) { // the printer keeps blank lines of the source
		fmt.Fprintf(h, "%s ", word)
	}
}
