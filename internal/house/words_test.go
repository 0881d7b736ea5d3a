package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// pointing are ten words, with their forms, that point at a thing in place of naming it.
var pointing = []string{
	"that", "it", "what", "one", "which", "there", "those", "say says said", "nothing nobody somebody whoever",
	"goes gone stands",
}

// Comments point at things at most twice as often as those of Go's standard library.
func TestCommentsNameThings(t *testing.T) {
	testenv.Lint(t)
	library := must.Value(exec.Command("go", "env", "GOROOT").Output())(t)
	here, there := wordsOf(t, root), wordsOf(t, filepath.Join(strings.TrimSpace(string(library)), "src"))
	for _, forms := range pointing {
		ours, theirs := here.perThousand(forms), there.perThousand(forms)
		line := fmt.Sprintf("%-32s %6.2f in 1,000 words, standard library %6.2f: %5.1f times",
			forms, ours, theirs, ours/theirs)
		t.Log(line)
		if ours > 2*theirs {
			t.Error(line)
		}
	}
}

// words are the words of comments, and how often each is there.
type words map[string]int

func (w words) perThousand(forms string) float64 {
	sum := 0
	for _, f := range strings.Fields(forms) {
		sum += w[f]
	}
	all := 0
	for _, n := range w {
		all += n
	}
	return 1000 * float64(sum) / float64(all)
}

var word = regexp.MustCompile(`[a-z]+(?:'[a-z]+)?`)

// wordsOf counts the words of the comments below a folder. Tests, data, vendored and generated code are left out.
func wordsOf(t *testing.T, top string) words {
	t.Helper()
	w := words{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != top && (strings.HasPrefix(name, ".") && name != ".." || strings.HasPrefix(name, "_") ||
				name == "testdata" || name == "vendor" || name == "data" || name == "cmd" && top != root) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".pb.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(f) {
			return err
		}
		for _, g := range f.Comments {
			for _, x := range word.FindAllString(strings.ToLower(g.Text()), -1) {
				w[x]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}
