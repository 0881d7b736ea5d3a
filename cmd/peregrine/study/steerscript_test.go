package study

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// pageScript is the script of the help page, as a file.
func pageScript(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(programtest.Read(t, "../help/steer.md"), "```python\n")
	text, _, ended := strings.Cut(rest, "```")
	if !ended {
		t.Fatal("the page has no script")
	}
	file := filepath.Join(t.TempDir(), "look.star")
	programtest.Write(t, file, text)
	return file
}

// The script of the help page does on runs of a solver what it says, in the client and left in the process that works
// on the study.
func TestScriptOfThePage(t *testing.T) {
	testenv.Long(t, "runs two studies")
	t.Parallel()
	file, dir := pageScript(t), t.TempDir()
	halved := regexp.MustCompile(`fan-n100\.0-k\+\d+  set cfl 20 -> 10: applied at iteration 50  by (.*)\n`)
	for _, c := range []struct{ study, by string }{{"client", ""}, {"left", "script look-3"}} {
		s := beginStudy(t, dir, c.study, "run", "../../../executive/testdata/zoomed.yaml", "--case", "cruise", "--json")
		if c.by == "" {
			out := s.steer("", "script", file)
			if want := "cfl 20 -> 10 at iteration 50\n"; strings.Count(out, want) == 0 ||
				!strings.Contains(out, "release look: applied at iteration 50\n") {
				t.Errorf("it prints %s", out)
			}
		} else {
			s.leave(file)
		}
		must.OK(t, <-s.ended)
		log := s.steer("", "log")
		found := halved.FindAllStringSubmatch(log, -1)
		if len(found) == 0 {
			t.Errorf("%s: no CFL number was halved:\n%s", c.study, log)
		}
		for _, f := range found {
			if c.by != "" && f[1] != c.by {
				t.Errorf("%s: by %s, want %s", c.study, f[1], c.by)
			}
		}
	}
}

// leave leaves a script with the study, beside others that end in other ways.
func (s *steeredStudy) leave(file string) {
	s.Helper()
	endless := filepath.Join(s.dir, "endless.star")
	programtest.Write(s.T, endless, "while True:\n    sleep(0.1)\n")
	for range 2 { // the second ends with the study
		s.steer("", "script", endless, "--leave")
	}
	s.steer("study", "call", "script.stop", "endless-1")
	s.until(func() bool {
		list := s.steer("study", "get", "scripts")
		return strings.Contains(list,
			"endless-1 has ended, 0 commands: stopped on command; endless-2 goes on, 0 commands")
	})
	if out := s.steer("", "script", file, "--leave"); !strings.Contains(out, `study  call script "look-3": applied`) {
		s.Errorf("it prints %s", out)
	}
}
