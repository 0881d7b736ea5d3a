package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// module is the prefix of this module's packages, which the tables omit.
const module = "github.com/peregrine-sim/peregrine/"

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // s
	FailedBuild                               string
}

// test is a running test or subtest.
type test struct {
	output strings.Builder
	parent bool // it has subtests: these count, and not the test itself
	below  bool // a subtest failed
}

// summary follows the events of all packages.
type summary struct {
	w                       io.Writer
	tests                   map[string]*test            // by package and name
	output                  map[string]*strings.Builder // of packages and of their builds
	seconds                 map[string]float64          // by package
	reasons                 map[string]int              // of skipped tests
	long                    map[string]bool             // "package test": the tests that are long or have a long form
	passed, failed, skipped int
	packages, broken        int
}

func newSummary(w io.Writer) *summary {
	return &summary{w: w, tests: map[string]*test{}, output: map[string]*strings.Builder{},
		seconds: map[string]float64{}, reasons: map[string]int{}, long: map[string]bool{}}
}

// line takes a line of go test's output. A line that is no event is printed unchanged.
func (s *summary) line(line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		fmt.Fprintf(s.w, "%s", line)
		return
	}
	switch {
	case strings.HasPrefix(e.Action, "build-"):
		s.keep(e.ImportPath, e.Output)
	case e.Test == "":
		s.packageEvent(e)
	default:
		s.testEvent(e)
	}
}

func (s *summary) keep(name, text string) {
	if s.output[name] == nil {
		s.output[name] = &strings.Builder{}
	}
	s.output[name].WriteString(text)
}

// packageEvent shows a package when it ends: go test's own line, and the whole output if the package failed.
func (s *summary) packageEvent(e event) {
	switch e.Action {
	case "output":
		s.keep(e.Package, e.Output)
		return
	case "pass", "fail":
	default:
		return
	}
	s.packages++
	s.seconds[e.Package] = e.Elapsed
	var text string
	if b := s.output[e.Package]; b != nil {
		text = b.String()
	}
	if e.Action == "fail" {
		s.broken++
		if b := s.output[e.FailedBuild]; b != nil {
			text = b.String() + text
		}
		for name, t := range s.tests { // a process that died leaves its tests without an end
			if pkg, test, _ := strings.Cut(name, "\x00"); pkg == e.Package && !t.parent {
				s.failed++
				fmt.Fprintf(s.w, "%s did not end:\n%s", test, t.output.String())
			}
		}
		fmt.Fprint(s.w, text)
	} else if last := lastLine(text); last != "" {
		fmt.Fprintln(s.w, last)
	}
	delete(s.output, e.Package)
}

// lastLine returns the last line of a text, which for a package is go test's verdict.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// testEvent counts a test that ends, and shows its output if it failed.
func (s *summary) testEvent(e event) {
	name := e.Package + "\x00" + e.Test
	switch e.Action {
	case "run":
		s.tests[name] = &test{}
		for p := range s.parents(e) {
			p.parent = true
		}
	case "output":
		if t := s.tests[name]; t != nil {
			t.output.WriteString(e.Output)
		}
		if strings.Contains(e.Output, ": "+testenv.LongTest) || strings.Contains(e.Output, ": "+testenv.LongForm) {
			whole, _, _ := strings.Cut(e.Test, "/")
			s.long[e.Package+" "+whole] = true
		}
	case "pass", "fail", "skip":
		t := s.tests[name]
		delete(s.tests, name)
		if t == nil {
			return
		}
		if e.Action == "fail" {
			fmt.Fprint(s.w, t.output.String())
			for p := range s.parents(e) {
				p.below = true
			}
		}
		switch {
		case t.parent && (e.Action != "fail" || t.below):
		case e.Action == "pass":
			s.passed++
		case e.Action == "fail":
			s.failed++
		default:
			s.skipped++
			s.reasons[reason(t.output.String())]++
		}
	}
}

// parents returns the running tests of which an event's test is a subtest.
func (s *summary) parents(e event) iter.Seq[*test] {
	return func(yield func(*test) bool) {
		for at := strings.LastIndexByte(e.Test, '/'); at >= 0; at = strings.LastIndexByte(e.Test[:at], '/') {
			if t := s.tests[e.Package+"\x00"+e.Test[:at]]; t != nil && !yield(t) {
				return
			}
		}
	}
}

// stated matches a reason of internal/testenv to skip a test, after the file and line that testing prints.
var stated = regexp.MustCompile(`(?m)\.go:\d+: (` +
	strings.Join([]string{testenv.LongTest, testenv.LintTest, testenv.SoakTest, testenv.Lacks,
		testenv.Unsupported, testenv.Manual}, "|") + `)(.*)$`)

// reason returns the reason for which a test was skipped. All long tests have the same reason.
func reason(output string) string {
	found := stated.FindAllStringSubmatch(output, -1)
	if len(found) == 0 {
		return "no reason given"
	}
	switch last := found[len(found)-1]; last[1] {
	case testenv.LongTest:
		return "long (make test-long)"
	case testenv.LintTest:
		return "of the source as a whole (make lint)"
	case testenv.SoakTest:
		return "soak tests (make soak)"
	default:
		return last[1] + last[2]
	}
}

// slowest is how many packages the table shows.
const slowest = 5

// close prints the slowest packages and the last line. code is the exit status of go test.
func (s *summary) close(wall time.Duration, code int) {
	slow := slices.SortedFunc(maps.Keys(s.seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.seconds[b], s.seconds[a]), cmp.Compare(a, b))
	})
	fmt.Fprintln(s.w, "\nslowest packages:")
	for _, name := range slow[:min(slowest, len(slow))] {
		fmt.Fprintf(s.w, "%8.1f s  %s\n", s.seconds[name], strings.TrimPrefix(name, module))
	}
	if s.skipped > 0 {
		fmt.Fprintln(s.w, "skipped:")
		for _, why := range slices.SortedFunc(maps.Keys(s.reasons), func(a, b string) int {
			return cmp.Or(s.reasons[b]-s.reasons[a], cmp.Compare(a, b))
		}) {
			fmt.Fprintf(s.w, "%8d  %s\n", s.reasons[why], why)
		}
	}
	fmt.Fprintf(s.w, "\n%s\n", s.verdict(wall, code))
}

// verdict is the last line.
func (s *summary) verdict(wall time.Duration, code int) string {
	var b strings.Builder
	switch {
	case s.failed+s.broken > 0:
		fmt.Fprintf(&b, "FAILED: %d tests in %d of %d packages; %d tests passed", s.failed, s.broken, s.packages,
			s.passed)
	case code != 0:
		fmt.Fprintf(&b, "NOT FINISHED: go test ended with status %d; %d tests passed", code, s.passed)
	default:
		fmt.Fprintf(&b, "%d tests in %d packages passed, none failed", s.passed, s.packages)
	}
	fmt.Fprintf(&b, ", in %v", wall.Round(time.Second))
	if s.skipped > 0 {
		groups := map[string]int{}
		for why, n := range s.reasons {
			groups[group(why)] += n
		}
		parts := make([]string, 0, len(groups))
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			parts = append(parts, fmt.Sprintf("%d %s", groups[name], name))
		}
		fmt.Fprintf(&b, "; skipped: %s", strings.Join(parts, ", "))
	}
	return b.String() + "."
}

// group is a reason's kind, for the last line.
func group(why string) string {
	for _, g := range []struct{ prefix, name string }{
		{"long", "long (make test-long)"}, {"of the source", "of the source (make lint)"}, {"soak", "soak (make soak)"},
		{testenv.Lacks, "that lack a program or data"}, {testenv.Unsupported, "for other systems or solvers"},
		{testenv.Manual, "started by hand"},
	} {
		if strings.HasPrefix(why, g.prefix) {
			return g.name
		}
	}
	return "without a reason"
}
