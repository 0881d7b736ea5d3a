package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

const output = `goos: linux
pkg: example.org/zoom
BenchmarkWhole/fan-2         	       1	     98 ns/op	        25.00 runs	         0.2610 %rms
pkg: example.org/executive
BenchmarkZoomE3/one/absolute/map-2         	       1	         0.002000 %error	         4.000 runs
BenchmarkZoomE3/one/absolute/direct-2      	       1	         0.001000 %error	         5.000 runs
    bench_test.go:1: a log
PASS
ok  	example.org/executive	1.2s
`

// stepping is a clock that goes on by a second each time it is read.
type stepping struct {
	clock.Clock
	now time.Time
}

func (c *stepping) Now() time.Time {
	c.now = c.now.Add(time.Second)
	return c.now
}

func TestTable(t *testing.T) {
	var b strings.Builder
	failed, err := show(strings.NewReader(output), &b, &stepping{})
	if failed || err != nil {
		t.Fatal(failed, err)
	}
	text, ok := strings.CutPrefix(b.String(), output+"\n")
	if !ok {
		t.Fatalf("what was read is not passed on:\n%s", b.String())
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(rows)+1 {
		t.Fatalf("%d lines for %d rows", len(lines), len(rows))
	}
	want := map[string]string{
		"  map":                                        "4 5 12 to 18 1 s",
		"  true error, the worst of them":              "0.002 % 0.02 % 0.002 to 0.064 % 2 s",
		"one rating to 0.02 %, scalars: runs":          "not run 4 12 to 18",
		"whole map of the E3's fan to 0.5 % rms: runs": "25 28 69 1 s",
	}
	for i, r := range rows {
		rest, ok := strings.CutPrefix(lines[i+1], r.what)
		if !ok {
			t.Errorf("line %q is not of %q", lines[i+1], r.what)
		}
		if w, ok := want[r.what]; ok && strings.Join(strings.Fields(rest), " ") != w {
			t.Errorf("%q: want %q", lines[i+1], w)
		}
		delete(want, r.what)
	}
	if len(want) > 0 {
		t.Errorf("no rows %v", want)
	}
	if failed, _ := show(strings.NewReader("--- FAIL: BenchmarkA\nFAIL\n"), &b, &stepping{}); !failed {
		t.Error("a failure is none")
	}
}

// Each row has a benchmark of that name in a package with that end, which reports the metric.
func TestRowsHaveBenchmarks(t *testing.T) {
	found := make([]bool, len(rows))
	err := filepath.WalkDir("../..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		var functions, texts map[string]bool
		for i, r := range rows {
			if !strings.HasSuffix(filepath.ToSlash(dir), r.pkg) {
				continue
			}
			if functions == nil {
				functions, texts = inTests(t, dir)
			}
			bench, _, _ := strings.Cut(r.bench, "/")
			found[i] = found[i] || functions["Benchmark"+bench] && texts[r.metric]
		}
		return nil
	})
	must.OK(t, err)
	for i, r := range rows {
		if !found[i] {
			t.Errorf("%q: no package %s has a benchmark %s that reports %q", r.what, r.pkg, r.bench, r.metric)
		}
	}
}

// inTests returns the functions of a folder's tests, and the texts in them, among which are the metrics of benchmarks.
func inTests(t *testing.T, dir string) (functions, texts map[string]bool) {
	t.Helper()
	files := must.Value(filepath.Glob(filepath.Join(dir, "*_test.go")))(t)
	functions, texts = map[string]bool{}, map[string]bool{}
	for _, file := range files {
		f := must.Value(parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				functions[n.Name.Name] = true
			case *ast.BasicLit:
				texts[strings.Trim(n.Value, `"`)] = true
			}
			return true
		})
	}
	return functions, texts
}
