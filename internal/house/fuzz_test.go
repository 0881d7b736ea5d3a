package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The Makefile names every fuzz test, and none that is not there.
func TestFuzzTargetsAreNamed(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	var want []string
	for _, f := range everyFolder(t) {
		for _, file := range must.Value(filepath.Glob(filepath.Join(root, filepath.FromSlash(f.path), "*_test.go")))(
			t) {
			for _, m := range declared.FindAllSubmatch(must.Value(os.ReadFile(file))(t), -1) {
				want = append(want, path.Clean(f.path)+":"+string(m[1]))
			}
		}
	}
	text := string(must.Value(os.ReadFile(filepath.Join(root, "Makefile")))(t))
	_, list, found := strings.Cut(text, "\nFUZZ = ")
	list, _, _ = strings.Cut(list, "\n\n")
	if !found {
		t.Fatal("the Makefile has no FUZZ")
	}
	got := strings.Fields(strings.ReplaceAll(list, "\\\n", " "))
	slices.Sort(got)
	slices.Sort(want)
	must.Equal(t, want, got)
}
