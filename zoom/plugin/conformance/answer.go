package conformance

// Checks of a plugin's description, answers, reports and files, by uninterrupted runs.

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

func (s *Subject) describes(t T) {
	p, _ := s.start(t) // checks it, too
	second, err := p.Client.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Description, second) {
		t.Errorf("its second description differs: %+v, then %+v", p.Description, second)
	}
	requests := map[string]plugin.Request{"Quick": s.Quick}
	if s.hasLong() {
		requests["Long"] = s.Long
	}
	for name, r := range requests {
		if err := p.Description.CheckRequest(r); err != nil {
			t.Errorf("it does not accept the request %s: %v", name, err)
		}
	}
}

func (s *Subject) answers(t T) {
	p := s.pool(t)
	var events []event.Event
	before := s.elsewhere()
	p.Observe = func(e event.Event) {
		if e.Source == event.Plugin && e.Run == "first" && e.Kind == event.Iteration {
			events = append(events, e)
		}
	}
	out, err := p.Run(context.Background(),
		[]run.Job{{Name: "first", Request: s.Quick}, {Name: "second", Request: s.Quick}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		if !o.OK() {
			t.Fatalf("%s: %s", o.Run, failure(&o))
		}
	}
	for _, name := range different(out[0].Result, out[1].Result) {
		t.Errorf("the same request gave another %s", name)
	}
	for _, path := range changed(before, s.elsewhere()) {
		t.Errorf("it wrote %s outside its run folder", path)
	}
	if len(events) == 0 {
		events = s.watched(t, out[0].Folder)
	}
	if len(events) > 0 || !s.Silent {
		s.checkIterations(t, events)
	}
	s.wrote(t, p.Host.Folder(), out[0].Folder)
}

// failure states why a run has no answer, with the last lines of its logs: its folder is removed after the checks.
func failure(o *run.Outcome) string {
	text := fmt.Sprintf("%s: %s", o.Class, o.Reason())
	logs, _ := filepath.Glob(filepath.Join(o.Folder, "*.log"))
	for _, path := range logs {
		lines := strings.Split(record.LogEnd(path), "\n")
		if lines = lines[max(0, len(lines)-5):]; lines[0] != "" && o.Folder != "" {
			text += fmt.Sprintf("\n%s ends with:\n  %s", filepath.Base(path), strings.Join(lines, "\n  "))
		}
	}
	return text
}

// different returns the names of the values that differ in two results, by a bit or more.
func different(a, b plugin.Result) (names []string) {
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	for _, name := range slices.Sorted(maps.Keys(a.Numbers)) {
		if v, there := b.Numbers[name]; !there || !same(a.Numbers[name], v) {
			names = append(names, fmt.Sprintf("%s: %v, then %v", name, a.Numbers[name], v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Arrays)) {
		if !slices.EqualFunc(a.Arrays[name], b.Arrays[name], same) {
			names = append(names, fmt.Sprintf("%s: %v, then %v", name, a.Arrays[name], b.Arrays[name]))
		}
	}
	if a.Class != b.Class || a.Message != b.Message {
		names = append(names, fmt.Sprintf("ending: %s %q, then %s %q", a.Class, a.Message, b.Class, b.Message))
	}
	if len(a.Numbers) != len(b.Numbers) || len(a.Arrays) != len(b.Arrays) {
		names = append(names, "set of values")
	}
	return names
}

// mostFiles is the largest number of files of Outside whose times are compared.
const mostFiles = 10_000

// elsewhere returns the times of change of the files in the folders of Outside.
func (s *Subject) elsewhere() map[string]time.Time {
	there := map[string]time.Time{}
	for _, folder := range s.Outside {
		_ = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
			if err != nil || len(there) > mostFiles {
				return filepath.SkipAll
			}
			if info, err := e.Info(); err == nil && !e.IsDir() {
				there[path] = info.ModTime()
			}
			return nil
		})
	}
	return there
}

// changed returns the paths of files that are new or have another time.
func changed(before, after map[string]time.Time) (paths []string) {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if was, there := before[path]; !there || !was.Equal(after[path]) {
			paths = append(paths, path)
		}
	}
	return paths
}

// watched returns the iterations in a run's files that the plugin describes.
func (s *Subject) watched(t T, folder string) (events []event.Event) {
	t.Helper()
	p, _ := s.start(t)
	for _, f := range p.Description.Files {
		found, _ := filepath.Glob(filepath.Join(folder, f.Pattern)) // its pattern was checked
		if !f.Watched() || len(found) == 0 {
			continue
		}
		text, err := intake.Read(found[0], intake.Limit{What: "a file of a run", Bytes: 256 << 20})
		if err != nil {
			t.Fatal(err)
		}
		parser := history.NewParser(&history.FileSpec{Folder: folder, File: f}, f.Pattern, history.State{},
			clock.Real.Now)
		var all []event.Event
		for line := range strings.Lines(string(text)) {
			all = append(all, parser.Parse(tail.Line{Text: []byte(strings.TrimRight(line, "\r\n"))})...)
		}
		for _, e := range append(all, parser.Flush()...) {
			if e.Kind == event.Iteration {
				events = append(events, e)
			}
		}
		if len(events) > 0 {
			return events
		}
	}
	return nil
}

// reuses checks a process that makes several runs, if the description allows reuse.
func (s *Subject) reuses(t T) {
	d, _ := s.start(t)
	if !d.Description.Reusable {
		t.Skip("the description does not state that it is reusable")
	}
	fresh := s.pool(t)
	fresh.Fresh = true
	want, err := fresh.Run(t.Context(), []run.Job{{Name: "fresh", Request: s.Quick}})
	if err != nil || !want[0].OK() {
		t.Fatal(err, failure(&want[0]))
	}
	p := s.pool(t)
	got, err := p.Run(t.Context(), []run.Job{{Name: "first", Request: s.Quick}, {Name: "second", Request: s.Quick},
		{Name: "third", Request: s.Quick}})
	if err != nil {
		t.Fatal(err)
	}
	pids := map[int]bool{}
	for _, o := range got {
		if !o.OK() {
			t.Fatalf("%s: %s", o.Run, failure(&o))
		}
		for _, name := range different(want[0].Result, o.Result) {
			t.Errorf("%s: another answer than that of a fresh process: %s", o.Run, name)
		}
		r, err := record.Read(o.Folder)
		if err != nil {
			t.Fatal(err)
		}
		pids[r.Process.PID] = true
		s.wrote(t, p.Host.Folder(), o.Folder)
	}
	if len(pids) != 1 {
		t.Errorf("%d processes made the runs: one ended after a run, grew by much memory, or left a process running",
			len(pids))
	}
}

// holdsFlow checks a solver that takes the exit flow in place of the throttle. Given the flow of Quick's answer, it
// finds Quick's throttle.
func (s *Subject) holdsFlow(t T) {
	p, _ := s.start(t)
	if !machine.HoldsFlow(&p.Description) {
		t.Skip("the description lacks the input exit_W in place of the throttle, or the output throttle")
	}
	run := func(r plugin.Request) plugin.Result {
		t.Helper()
		out, err := s.pool(t).Run(t.Context(), []run.Job{{Name: "flow", Request: r}})
		if err != nil || !out[0].OK() {
			t.Fatalf("%v, %s", err, failure(&out[0]))
		}
		return out[0].Result
	}
	want := run(s.Quick)
	r := s.Quick
	r.Numbers = maps.Clone(r.Numbers)
	delete(r.Numbers, machine.InThrottle)
	r.Numbers[machine.InExitFlow] = want.Numbers[machine.OutW]
	got := run(r)
	for _, c := range []struct {
		what         string
		is, was, tol float64
	}{
		{"flow", got.Numbers[machine.OutW], want.Numbers[machine.OutW], 5e-4},
		{"throttle", got.Numbers[machine.OutThrottle], s.Quick.Numbers[machine.InThrottle], 5e-3},
		{"pressure ratio", got.Numbers[machine.OutPR], want.Numbers[machine.OutPR], 2e-3},
	} {
		if !(math.Abs(c.is/c.was-1) <= c.tol) {
			t.Errorf("%s %.6g by exit_W, %.6g by throttle", c.what, c.is, c.was)
		}
	}
}

// checkIterations checks that iterations rise and have residuals. A program that is steered from outside may print
// times instead of iterations, and residuals of single equations only, as OpenFOAM does.
func (s *Subject) checkIterations(t T, events []event.Event) {
	t.Helper()
	if len(events) == 0 {
		t.Error("it reported no iteration")
	}
	last := math.Inf(-1)
	for _, e := range events {
		n, ok := e.Values["iteration"]
		if !ok && s.Apart {
			n, ok = e.Values["time"]
		}
		if !ok || n <= last {
			t.Fatalf("iteration %g after %g (there: %t)", n, last, ok)
		}
		last = n
		_, resides := e.Values["residual"]
		for name := range e.Values {
			resides = resides || s.Apart && strings.HasPrefix(name, "residual_")
		}
		if !resides {
			t.Fatalf("iteration %g has no residual", n)
		}
	}
}

// wrote checks that the described files exist, and no others outside the run folder.
func (s *Subject) wrote(t T, study, folder string) {
	t.Helper()
	p, _ := s.start(t)
	for _, f := range p.Description.Files {
		found, err := filepath.Glob(filepath.Join(folder, f.Pattern))
		if err != nil || len(found) == 0 {
			t.Errorf("it describes a file %q, which does not exist (%v)", f.Pattern, err)
		}
	}
	list, err := os.ReadDir(study)
	if err != nil {
		t.Fatal(err)
	}
	ours := []string{"first", "second", "third", local.CertificateDir, record.TextsDir}
	for _, e := range list {
		if n := e.Name(); !slices.Contains(ours, n) {
			t.Errorf("it wrote %q outside its run folder", n)
		}
	}
}

func (s *Subject) refuses(t T) {
	p, folder := s.start(t)
	res, err := p.Client.Run(context.Background(), plugin.Request{Study: "s", Run: "r", Folder: folder},
		func(event.Event) {})
	if err == nil && res.Class == event.Converged {
		t.Error("it converged on a request without values")
	}
	if _, err := p.Client.Describe(context.Background()); err != nil {
		t.Errorf("after a bad request it does not answer: %v", err)
	}
}
