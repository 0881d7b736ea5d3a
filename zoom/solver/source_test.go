package solver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

const module = "github.com/peregrine-sim/peregrine/"

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
	h, seen := sha256.New(), map[string]bool{}
	for _, p := range b.packages {
		writePackage(t, h, module+p, seen)
	}
	for _, name := range b.files {
		write(t, h, name)
	}
	mod := must.Value(os.ReadFile("../../go.mod"))(t)
	for _, line := range strings.Split(string(mod), "\n") {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, numeric) && slices.ContainsFunc(slices.Collect(maps.Keys(seen)),
			func(p string) bool { return strings.HasPrefix(p, name) }) {
			fmt.Fprintln(h, strings.TrimSpace(line))
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// numeric is how the names of modules begin that compute.
const numeric = "gonum.org/"

// writePackage adds what a package of this module imports of it, and then the package, in the order of `go list -deps`.
func writePackage(t *testing.T, h hash.Hash, name string, seen map[string]bool) {
	path, ours := strings.CutPrefix(name, module)
	if seen[name] {
		return
	}
	seen[name] = true
	if !ours {
		return
	}
	system := build.Default // one hash for all systems
	system.GOOS, system.GOARCH, system.CgoEnabled = "linux", "amd64", false
	p := must.Value(system.ImportDir(filepath.Join("../..", path), 0))(t)
	for _, name := range p.Imports {
		writePackage(t, h, name, seen)
	}
	if strings.HasPrefix(path, "internal/") {
		return
	}
	for _, name := range p.GoFiles {
		write(t, h, filepath.Join(p.Dir, name))
	}
}

// write adds the code of a file.
func write(t *testing.T, h hash.Hash, path string) {
	fset := token.NewFileSet()
	f := must.Value(parser.ParseFile(fset, path, nil, parser.SkipObjectResolution))(t)
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
	must.OK(t, printer.Fprint(&text, fset, f))
	for _, word := range bytes.Fields(text.Bytes()) { // the printer keeps blank lines of the source
		fmt.Fprintf(h, "%s ", word)
	}
}
