package study

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// steeredStudy is a study of the E3's fan, begun held, whose runs a test steers by command lines.
type steeredStudy struct {
	*testing.T
	dir, name string
	first     string // of its runs
	out       string // what it printed, when it has ended
	ended     chan error
}

// beginHeld begins it and waits for its first run.
func beginHeld(t *testing.T, dir, name string) *steeredStudy {
	return beginStudy(t, dir, name, "run", filepath.Join(dir, "examples", "e3.yaml"), "--case", "takeoff", "--json")
}

// beginStudy begins a study by a command line, held, and waits for its first run.
func beginStudy(t *testing.T, dir, name string, command ...string) *steeredStudy {
	t.Helper()
	s := &steeredStudy{T: t, dir: dir, name: name, ended: make(chan error, 1)}
	program(t) // the goroutine must not end the test
	go func() {
		out, err := verb(t, append(command, "--study", name, "--held", "--cache", filepath.Join(dir, name+"-cache"),
			"--work", s.work())...)
		s.out = out
		s.ended <- err
	}()
	s.until(func() bool {
		out, err := verb(t, "steer", "list", name, "--json", "--work", s.work())
		var list []struct{ Run string }
		if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list) == 0 {
			return false
		}
		s.first = list[0].Run
		return true
	})
	return s
}

func (s *steeredStudy) work() string { return filepath.Join(s.dir, "work") }

// until waits for something that is to come.
func (s *steeredStudy) until(is func() bool) {
	s.Helper()
	if !programtest.Comes(s, is) {
		s.Fatal("it did not come")
	}
}

// steer gives a command to a run of the study; of no name: to the study.
func (s *steeredStudy) steer(run string, verbs ...string) string {
	s.Helper()
	address := s.name
	if run != "" {
		address += "/" + run
	}
	args := append([]string{"steer", verbs[0], address}, verbs[1:]...)
	out, err := verb(s.T, append(args, "--work", s.work())...)
	if err != nil {
		s.Fatalf("%v: %v", args, err)
	}
	return out
}

// sensor switches on a sensor of a run, which changes no answer.
func (s *steeredStudy) sensor(run string) {
	s.Helper()
	sensor := func(do string, args ...string) string {
		args = append([]string{"steer", "sensor", do, s.name + "/" + run, "--work", s.work()}, args...)
		return must.Value(verb(s.T, args...))(s)
	}
	sensor("on", "history", "--every", "5")
	if out := sensor("list"); !regexp.MustCompile(`sensors\.history\.every +5`).MatchString(out) || strings.Contains(out, "cfl") {
		s.Error(out)
	}
}

// result is that of a run, without what differs from machine to machine.
func (s *steeredStudy) result(run string) (end plugin.Ending) {
	s.Helper()
	must.OK(s, plugin.ReadFile(filepath.Join(s.work(), s.name, run), plugin.ResultFile, &end))
	return end
}

// keys are those under which the study's steered answers are kept, by run.
func (s *steeredStudy) keys() map[string]string {
	s.Helper()
	by := map[string]string{}
	for line := range strings.Lines(programtest.Read(s.T, filepath.Join(s.work(), s.name, "steered.jsonl"))) {
		var in struct{ Run, By string }
		must.OK(s, json.Unmarshal([]byte(line), &in))
		by[in.Run] = in.By
	}
	return by
}

// A run that was changed, saved, changed once more and sent back goes on as the next attempt, to the last bit as one
// that only had the first change; so does its replay from the beginning. Sent back with a change of its own it
// answers for that, too.
func TestRewind(t *testing.T) {
	testenv.Long(t, "runs two studies")
	t.Parallel()
	dir := e3With(t, "runs: 3, settings: {"+coarseFan+"}")
	gone := beginHeld(t, dir, "gone")
	r := gone.first
	gone.steer(r, "set", "cfl=15", "--at", "100", "--no-wait")
	gone.steer(r, "checkpoint", "here", "--at", "200", "--no-wait")
	gone.steer(r, "set", "cfl=12", "--at", "230", "--no-wait")
	gone.steer(r, "pause", "--at", "250", "--future") // it holds the first attempt alone
	gone.steer("", "release")
	gone.until(func() bool { return strings.Contains(gone.steer(r, "get", "iteration"), "= 250") })
	if out, err := verb(t, "steer", "rewind", "gone/"+r, "there", "--work", gone.work()); err == nil {
		t.Errorf("it goes back to a checkpoint that there is not: %s", out)
	}
	gone.steer(r, "rewind", "here")
	straight := beginHeld(t, dir, "straight")
	straight.steer(r, "set", "cfl=15", "--at", "100", "--no-wait")
	straight.sensor(r)
	straight.steer("", "release")
	for _, s := range []*steeredStudy{gone, straight} {
		must.OK(t, <-s.ended)
	}
	first, second, want := gone.result(r), gone.result(r+"~2"), straight.result(r)
	if first.Class != "killed" || len(second.Steered) != 1 || second.Steered[0].Iteration != 100 {
		t.Errorf("the first attempt ended %s; the second answers for %+v", first.Class, second.Steered)
	}
	if diff := cmp.Diff(want.Result, second.Result); diff != "" {
		t.Errorf("gone back it gives another answer:\n%s", diff)
	}
	if a, b := gone.keys()[r+"~2"], straight.keys()[r]; a == "" || a != b {
		t.Errorf("its answer is kept under %q, that of the straight run under %q", a, b)
	}
	if log, err := os.ReadFile(filepath.Join(straight.work(), "straight", r, plugin.EventsFile)); err != nil ||
		!strings.Contains(string(log), `"kind":"sensed"`) {
		t.Errorf("its sensor found nothing: %v", err)
	}
	if out, err := verb(t, "steer", "replay", "straight/"+r, "--json", "--work", straight.work()); err != nil ||
		!strings.Contains(out, `"same":true`) {
		t.Errorf("%s, %v", out, err)
	}
}

// A run and a branch of it both go on: the one as if nothing had been, the other to the last bit as a run that had
// the branch's change at the checkpoint. The records of both, the list and the results say what belongs to what.
func TestBranch(t *testing.T) {
	testenv.Long(t, "runs three studies")
	t.Parallel()
	dir := e3With(t, "runs: 3, settings: {"+coarseFan+"}")
	both := beginHeld(t, dir, "both")
	r := both.first
	both.shown()
	both.steer(r, "set", "cfl=15", "--at", "100", "--no-wait")
	both.steer(r, "checkpoint", "here", "--at", "200", "--no-wait")
	both.steer(r, "pause", "--at", "220", "--no-wait")
	both.steer("", "release")
	both.until(func() bool { return strings.Contains(both.steer(r, "get", "iteration"), "= 220") })
	for want, args := range map[string][]string{
		"no checkpoint \"heer\", did you mean here?": {r, "heer"}, "no object \"cffl\"": {r, "here", "cffl=3"},
		"no run \"fan\"": {"fan", "here"}, "want one run": {"fan-*", "here"},
	} {
		args = append([]string{"steer", "branch", "both/" + args[0]}, append(args[1:], "--work", both.work())...)
		out, err := verb(t, args...)
		if f, _ := errors.AsType[*failure](err); f == nil || f.code != cli.BadInput || !strings.Contains(f.text, want) {
			t.Errorf("%v: %s, %v; want %q", args, out, err, want)
		}
	}
	for range 2 { // the second time it is known
		var x struct{ State, Branch, Verb, Name string }
		if out := both.steer(r, "branch", "here", "cfl=12", "--json", "--id", "mine"); json.Unmarshal([]byte(out),
			&x) != nil || x.Branch != r+"-b1" || x.State != "applied" || x.Verb != "branch" {
			t.Errorf("%s", out)
		}
	}
	both.steer(r, "resume")
	first, second := beginHeld(t, dir, "first"), beginHeld(t, dir, "second")
	for _, s := range []*steeredStudy{first, second} {
		s.steer(r, "set", "cfl=15", "--at", "100", "--no-wait")
		if s == second {
			s.steer(r, "set", "cfl=12", "--at", "200", "--no-wait")
		}
		s.steer("", "release")
	}
	for _, s := range []*steeredStudy{both, first, second} {
		must.OK(t, <-s.ended)
	}
	if diff := cmp.Diff(first.result(r).Result, both.result(r).Result); diff != "" {
		t.Errorf("beside its branch it gives another answer:\n%s", diff)
	}
	if diff := cmp.Diff(second.result(r).Result, both.result(r+"-b1").Result); diff != "" {
		t.Errorf("the branch gives another answer than a run that was changed so:\n%s", diff)
	}
	both.told(r)
	out, err := verb(t, "steer", "replay", "both/"+r+"-b1", "--json", "--work", both.work())
	if err != nil || !strings.Contains(out, `"same":true`) {
		t.Errorf("%s, %v", out, err)
	}
	if out, err = verb(t, "steer", "branch", "both/"+r, "here", "--work", both.work()); err == nil ||
		!strings.Contains(err.Error(), "no process works on the study") {
		t.Errorf("%s, %v", out, err)
	}
}

// shown checks what may be changed of the study as a whole.
func (s *steeredStudy) shown() {
	s.Helper()
	var list []struct{ Name string }
	must.OK(s, json.Unmarshal([]byte(s.steer("study", "list", "--json")), &list))
	names := map[string]bool{}
	for _, o := range list {
		names[o.Name] = true
	}
	for _, name := range []string{"workers", "hold", "branch", "add", "usable", "unusable", "limits.wall",
		"limits.hung", "solve.max_iterations"} {
		if !names[name] {
			s.Errorf("the study has no %s: %v", name, names)
		}
	}
	s.steer("study", "set", "limits.hung=3 min", "solve.max_iterations=80")
	if out := s.steer("study", "get", "limits.hung", "solve.max_iterations"); !strings.Contains(out,
		"limits.hung = 180 s") || !strings.Contains(out, "iterations = 80") {
		s.Errorf("%s", out)
	}
	if out, err := verb(s.T, "steer", "call", s.name+"/study", "add", "fan n=97.3 % throttle=1", "--work",
		s.work()); err == nil || !strings.Contains(out, "takes runs on its lines, at 91.5, ") {
		s.Errorf("%s, %v", out, err)
	}
}

// told checks what lists and results say of a run's branch.
func (s *steeredStudy) told(r string) {
	s.Helper()
	var results struct {
		Cases []struct {
			Zoom map[string]struct {
				Branches []struct{ Run, Parent, Class string }
			}
		}
		Warnings []struct {
			Rule, Run string
			Evidence  []string
		}
	}
	must.OK(s, json.Unmarshal([]byte(s.out), &results))
	branches, warned := results.Cases[0].Zoom["fan"].Branches, 0
	for _, w := range results.Warnings {
		if w.Rule == "zoom_branch" && w.Run == r+"-b1" && strings.Contains(strings.Join(w.Evidence, "\n"), " beside ") {
			warned++
		}
	}
	if len(branches) != 1 || branches[0].Run != r+"-b1" || branches[0].Parent != r ||
		branches[0].Class != "converged" || warned != 1 {
		s.Errorf("the results say %+v, and warn %d times", branches, warned)
	}
	for _, c := range [][3]string{
		{"list", s.name, `"parent": "` + r + `"`}, {"show", s.name + "/" + r, `"` + r + `-b1"`},
		{"show", s.name + "/" + r + "-b1", `"checkpoint": "here"`},
	} {
		if out, err := verb(s.T, "runs", c[0], c[1], "--json", "--work", s.work()); err != nil ||
			!strings.Contains(out, c[2]) {
			s.Errorf("runs %s %s lacks %s: %s, %v", c[0], c[1], c[2], out, err)
		}
	}
}
