package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// play runs events through a summary and returns what it prints.
func play(t *testing.T, code int, events ...event) string {
	t.Helper()
	var b strings.Builder
	s := newSummary(&b)
	for _, e := range events {
		line := must.Value(json.Marshal(e))(t)
		s.line(append(line, '\n'))
	}
	s.close(90*time.Second, code)
	return b.String()
}

func lastOf(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// Subtests count, and not the tests that hold them; a skipped subtest does not pass with its parent.
func TestLastLineCountsLeaves(t *testing.T) {
	out := play(t, 0,
		event{Action: "run", Package: "p", Test: "TestA"},
		event{Action: "run", Package: "p", Test: "TestA/x"},
		event{Action: "run", Package: "p", Test: "TestA/y"},
		event{Action: "pass", Package: "p", Test: "TestA/x"},
		event{
			Action: "output", Package: "p", Test: "TestA/y",
			Output: "    a_test.go:7: lacks clips (apt-get install clips)\n",
		},
		event{Action: "skip", Package: "p", Test: "TestA/y"},
		event{Action: "pass", Package: "p", Test: "TestA"},
		event{Action: "run", Package: "p", Test: "TestB"},
		event{Action: "output", Package: "p", Test: "TestB", Output: "    b_test.go:9: long: starts a cluster\n"},
		event{Action: "skip", Package: "p", Test: "TestB"},
		event{Action: "output", Package: "p", Output: "ok  \tp\t0.2s\n"},
		event{Action: "pass", Package: "p", Elapsed: 0.2})
	want := "1 tests in 1 packages passed, none failed, in 1m30s; " +
		"skipped: 1 long (make test-long), 1 that lack a program or data."
	if got := lastOf(out); got != want {
		t.Errorf("last line\n%s\nwant\n%s", got, want)
	}
	for _, line := range []string{
		"ok  \tp\t0.2s\n", "     0.2 s  p\n", "       1  lacks clips (apt-get install clips)\n",
	} {
		must.Contain(t, out, line)
	}
}

// Whatever goes wrong shows in the last line, with what was printed above it.
func TestLastLineOfFailures(t *testing.T) {
	failing := event{Action: "output", Package: "p", Test: "TestA", Output: "a_test.go:1: wrong\n"}
	for _, c := range []struct {
		name   string
		code   int
		events []event
		shown  string
		last   string
	}{
		{
			"a test", 1,
			[]event{
				{Action: "run", Package: "p", Test: "TestA"}, failing, {Action: "fail", Package: "p", Test: "TestA"},
				{Action: "fail", Package: "p"}}, "a_test.go:1: wrong",
			"FAILED: 1 tests in 1 of 1 packages; 0 tests passed"},
		{
			"a process that dies", 1,
			[]event{{Action: "run", Package: "p", Test: "TestA"}, failing, {Action: "fail", Package: "p"}},
			"TestA did not end:\na_test.go:1: wrong", "FAILED: 1 tests in 1 of 1 packages"},
		{
			"a build", 1, []event{{Action: "build-output", ImportPath: "p [p.test]", Output: "undefined: x\n"},
				{Action: "build-fail", ImportPath: "p [p.test]"},
				{Action: "fail", Package: "p", FailedBuild: "p [p.test]"}}, "undefined: x",
			"FAILED: 0 tests in 1 of 1 packages"},
		{"a wrong flag", 2, nil, "", "NOT FINISHED: go test ended with status 2"},
		{
			"a parent alone", 1,
			[]event{{Action: "run", Package: "p", Test: "T"}, {Action: "run", Package: "p", Test: "T/x"},
				{Action: "pass", Package: "p", Test: "T/x"},
				{Action: "fail", Package: "p", Test: "T"}, {Action: "fail", Package: "p"}}, "",
			"FAILED: 1 tests in 1 of 1 packages; 1 tests passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := play(t, c.code, c.events...)
			if !strings.Contains(out, c.shown) || !strings.HasPrefix(lastOf(out), c.last) {
				t.Errorf("printed\n%s\nwant %q and in the end %q", out, c.shown, c.last)
			}
		})
	}
}

// Coverage is compared by package; a package whose short tests cover too little is named.
func TestCoverageIsComparedByPackage(t *testing.T) {
	covered := func(run int) map[string]share {
		text := "mode: set\n"
		for i := range 50 {
			text += fmt.Sprintf("%sa/b/c.go:%d.1,%d.9 2 %d\n", module, i, i, min(1, max(0, run-i)))
		}
		p := profile{}
		must.OK(t, p.read(strings.NewReader(text)))
		must.OK(t, p.read(strings.NewReader(strings.ReplaceAll(text, " 2 1", " 2 0")))) // what ran once, ran
		return p.packages()
	}
	for _, c := range []struct {
		short int
		want  []string
	}{{40, nil}, {38, nil}, {37, []string{"a/b"}}} {
		var b strings.Builder
		if got := compare(&b, covered(c.short), covered(40)); !slices.Equal(got, c.want) {
			t.Errorf("%d of 50 blocks, against 40: %q is behind, want %q", c.short, got, c.want)
		}
		if row := fmt.Sprintf("100 statements  short %5.1f %%  all  80.0 %%",
			2*float64(c.short)); !strings.Contains(b.String(), row) {
			t.Errorf("no row %q in\n%s", row, b.String())
		}
	}
	if err := (profile{}).read(strings.NewReader("mode: set\nnonsense\n")); err == nil ||
		!strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v, want one that names line 2", err)
	}
}

// The tests that are long or have a long form are run by name, whatever subtest said so.
func TestLongTestsAreChosen(t *testing.T) {
	s := newSummary(io.Discard)
	for _, e := range []event{
		{Action: "run", Package: "p", Test: "TestA"},
		{Action: "run", Package: "p", Test: "TestA/x"},
		{Action: "output", Package: "p", Test: "TestA/x", Output: "    a_test.go:7: " + testenv.LongForm + "\n"},
		{Action: "pass", Package: "p", Test: "TestA/x"},
		{Action: "run", Package: "p", Test: "TestB"},
		{Action: "output", Package: "p", Test: "TestB", Output: "    b_test.go:7: it takes long: a second\n"},
		{Action: "run", Package: "q", Test: "TestC"},
		{Action: "output", Package: "q", Test: "TestC", Output: "    c_test.go:7: " + testenv.LongTest + "a cluster\n"},
		{Action: "skip", Package: "q", Test: "TestC"},
	} {
		line := must.Value(json.Marshal(e))(t)
		s.line(line)
	}
	file := filepath.Join(t.TempDir(), "bin", "long")
	must.OK(t, writeLeft(file, s.long))
	args := must.Value(chosen(file, []string{"-vet=off"}))(t)
	if want := []string{"-vet=off", "-run", "^(TestA|TestC)$", "p", "q"}; !slices.Equal(args, want) {
		t.Errorf("arguments %q, want %q", args, want)
	}
	if _, err := chosen(file+"er", nil); err == nil || !strings.Contains(err.Error(), "make test writes it") {
		t.Errorf("error %v of a file that is not there", err)
	}
}
