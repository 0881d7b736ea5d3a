package house

// What the go command knows about the packages of this module.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/peregrine-sim/peregrine"

// root is the module's folder, as seen from this package's tests.
const root = "../.."

// listed is what `go list` prints for a package.
type listed struct {
	ImportPath                         string
	Dir                                string
	Export                             string // file with the types of a compiled package
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
	Module                             *struct{ Path string }
}

// ours reports whether the package belongs to this module.
func (p listed) ours() bool { return p.Module != nil && p.Module.Path == module }

// allImports returns what the package and its tests import.
func (p listed) allImports() []string {
	return slices.Concat(p.Imports, p.TestImports, p.XTestImports)
}

// systems are those that Peregrine is built for.
var systems = []string{"linux", "darwin", "windows"}

// everywhere returns the imports of each package of this module, once for each system.
func everywhere(t *testing.T) []listed {
	t.Helper()
	var packages []listed
	for _, system := range systems {
		packages = append(packages, goList(t, system, "-json=ImportPath,Imports,TestImports,XTestImports", "./...")...)
	}
	return packages
}

// goList runs `go list` with the arguments, for an operating system if goos is not empty.
func goList(t *testing.T, goos string, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	if goos != "" {
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	var packages []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages only", len(packages))
	}
	return packages
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
	for _, p := range patterns {
		if matches(p, path) {
			return true
		}
	}
	return false
}

// plural is "1 file", "2 files".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
