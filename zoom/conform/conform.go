// Package conform holds a solver's plugin to the contract of package plugin: that it does what the host and its users rely on.
//
// The suite is for tests, by plugintest.Conform, and for the verb `plugin check`, by Run.
package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/local"
)

// T is what a check needs of a test; *[testing.T] is one.
type T interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	TempDir() string
	Cleanup(func())
	Context() context.Context
}

// Check is one thing that a plugin must do.
type Check struct {
	Name string
	Run  func(*Subject, T)
}

// Checks returns all of them:
//
//   - its description has no mistakes and is the same each time;
//   - it converges on Quick, twice to the same bits, with finite values as described;
//   - if it describes exit_W, it answers the flow of Quick, given in place of the throttle, with that flow and throttle;
//   - it reports iterations that rise, with a residual, itself or in the files that it describes;
//   - it writes the files that it describes, and none outside its run folder;
//   - if it says that it is reusable, one process makes run after run, with the answers of fresh ones to the last bit, and prints into
//     the log of each;
//   - it refuses a request without values, and still answers after that;
//   - it stops on command, in time;
//   - it accepts the controls that it names and no others; paused it reports nothing, resumed
//     it continues, and on command it writes a checkpoint;
//   - it ends when its host is gone, and removes its socket;
//   - if it says that it steers, it lists its objects, and does with each what its operations say, at the iterations that commands name (of
//     one that is steered from outside: not before them): see steer.go. What else it may be commanded it does or refuses, with a reason;
//   - its sensors, switched on, find what they declare; if it says that it judges rules, it does what those of a request want: see sense.go.
//
// Those of Long are skipped where there is none.
func Checks() []Check {
	return []Check{
		{"description", (*Subject).describes},
		{"answer", (*Subject).answers},
		{"exit flow", (*Subject).holdsFlow},
		{"reuse", (*Subject).reuses},
		{"refusal", (*Subject).refuses},
		{"stop", (*Subject).stops},
		{"control", (*Subject).controls},
		{"host lost", (*Subject).endsAlone},
		{"objects", (*Subject).objects},
		{"actuate", (*Subject).actuates},
		{"arm", (*Subject).arms},
		{"hold", (*Subject).holds},
		{"function", (*Subject).functions},
		{"sensor", (*Subject).senses},
		{"rule", (*Subject).judges},
	}
}

// Subject is a solver's plugin under test.
type Subject struct {
	Program launch.Program
	Quick   plugin.Request // converges as fast as possible
	Long    plugin.Request // runs for minutes; without values: there is none
	Grace   time.Duration  // in which it must reach a checkpoint; default 3 s
	Silent  bool           // it need not report iterations
	Whole   bool           // it steers by Go's registry: it refuses no kind of command
	Apart   bool           // a program that knows nothing of it: what is done at an iteration is done when its lines show that, and it may be further
	Outside []string       // folders in which nothing may change while it runs
}

// grace is the time that the plugin has.
func (s *Subject) grace() time.Duration {
	if s.Grace == 0 {
		return 3 * time.Second
	}
	return s.Grace
}

func (s *Subject) host(t T) *run.Host {
	t.Helper()
	h, err := run.NewHost(t.TempDir(), launch.Registry{local.Name: local.Open}, local.Name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (s *Subject) start(t T) (*run.Process, string) {
	t.Helper()
	h := s.host(t)
	folder := filepath.Join(h.Folder(), "run")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(context.Background(), s.Program, folder, plugin.Terms{Grace: s.grace()}, run.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(s.grace()) })
	return p, folder
}

func (s *Subject) pool(t T) *run.Pool {
	return &run.Pool{Host: s.host(t), Program: s.Program, Study: "conformance", Workers: 1, Limits: run.Limits{Grace: s.grace()}}
}

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
	out, err := p.Run(context.Background(), []run.Job{{Name: "first", Request: s.Quick}, {Name: "second", Request: s.Quick}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		if !o.OK() {
			t.Fatalf("%s: %v", o.Run, o.Err)
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

// different returns the names of the values in which two results differ by a bit.
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

// mostFiles bounds what is looked at in a folder where nothing is to change.
const mostFiles = 10_000

// elsewhere is what stands in the folders where nothing is to change: when each file was changed.
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

// changed are the files that are not as they were.
func changed(before, after map[string]time.Time) (paths []string) {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if was, there := before[path]; !there || !was.Equal(after[path]) {
			paths = append(paths, path)
		}
	}
	return paths
}

// watched are the iterations in the files of a run that the plugin describes.
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
		parser := history.NewParser(&history.FileSpec{Folder: folder, File: f}, f.Pattern, history.State{}, clock.Real.Now)
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

// hasLong reports whether there is a request that takes long.
func (s *Subject) hasLong() bool { return len(s.Long.Numbers)+len(s.Long.Arrays)+len(s.Long.Texts) > 0 }

// needLong skips a check where there is none.
func (s *Subject) needLong(t T) {
	t.Helper()
	if !s.hasLong() {
		t.Skip("no request that takes long is given")
	}
}

// reuses has one process make several runs, where the description allows that.
func (s *Subject) reuses(t T) {
	d, _ := s.start(t)
	if !d.Description.Reusable {
		t.Skip("it does not say that it is reusable")
	}
	fresh := s.pool(t)
	fresh.Fresh = true
	want, err := fresh.Run(t.Context(), []run.Job{{Name: "fresh", Request: s.Quick}})
	if err != nil || !want[0].OK() {
		t.Fatal(err, want[0].Err)
	}
	p := s.pool(t)
	got, err := p.Run(t.Context(), []run.Job{{Name: "first", Request: s.Quick}, {Name: "second", Request: s.Quick}, {Name: "third", Request: s.Quick}})
	if err != nil {
		t.Fatal(err)
	}
	pids := map[int]bool{}
	for _, o := range got {
		if !o.OK() {
			t.Fatalf("%s: %v", o.Run, o.Err)
		}
		for _, name := range different(want[0].Result, o.Result) {
			t.Errorf("%s: another answer than that of a fresh process: %s", o.Run, name)
		}
		r, err := run.ReadRecord(o.Folder)
		if err != nil {
			t.Fatal(err)
		}
		pids[r.Process.PID] = true
		s.wrote(t, p.Host.Folder(), o.Folder)
	}
	if len(pids) != 1 {
		t.Errorf("%d processes made the runs: one ended after a run, grew by much memory, or left a process running", len(pids))
	}
}

// holdsFlow gives a solver that can hold the flow which leaves that of Quick, in place of its throttle.
func (s *Subject) holdsFlow(t T) {
	p, _ := s.start(t)
	if !zoom.HoldsFlow(&p.Description) {
		t.Skip("it describes no exit_W, or no throttle to which that comes")
	}
	run := func(r plugin.Request) plugin.Result {
		t.Helper()
		out, err := s.pool(t).Run(t.Context(), []run.Job{{Name: "flow", Request: r}})
		if err != nil || !out[0].OK() {
			t.Fatalf("%v, %v", err, out[0].Err)
		}
		return out[0].Result
	}
	want := run(s.Quick)
	r := s.Quick
	r.Numbers = maps.Clone(r.Numbers)
	delete(r.Numbers, zoom.InThrottle)
	r.Numbers[zoom.InExitFlow] = want.Numbers[zoom.OutW]
	got := run(r)
	for _, c := range []struct {
		what         string
		is, was, tol float64
	}{
		{"flow", got.Numbers[zoom.OutW], want.Numbers[zoom.OutW], 5e-4},
		{"throttle", got.Numbers[zoom.OutThrottle], s.Quick.Numbers[zoom.InThrottle], 5e-3},
		{"pressure ratio", got.Numbers[zoom.OutPR], want.Numbers[zoom.OutPR], 2e-3},
	} {
		if !(math.Abs(c.is/c.was-1) <= c.tol) {
			t.Errorf("%s %.6g by exit_W, %.6g by throttle", c.what, c.is, c.was)
		}
	}
}

// checkIterations checks that iterations rise and have residuals. A program that knows nothing of it may print times instead, and residuals of its
// equations alone, as OpenFOAM does.
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
	for _, e := range list {
		if n := e.Name(); !slices.Contains([]string{"first", "second", "third", local.CertificateDir}, n) {
			t.Errorf("it wrote %q outside its run folder", n)
		}
	}
}

func (s *Subject) refuses(t T) {
	p, folder := s.start(t)
	res, err := p.Client.Run(context.Background(), plugin.Request{Study: "s", Run: "r", Folder: folder}, func(event.Event) {})
	if err == nil && res.Class == event.Converged {
		t.Error("it converged on a request without values")
	}
	if _, err := p.Client.Describe(context.Background()); err != nil {
		t.Errorf("after a bad request it does not answer: %v", err)
	}
}

func (s *Subject) stops(t T) {
	s.needLong(t)
	p := s.pool(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.Observe = func(e event.Event) {
		if e.Source == event.Plugin {
			cancel()
		}
	}
	out, err := p.Run(ctx, []run.Job{{Name: "long", Request: s.Long}})
	if err != context.Canceled {
		t.Fatalf("it ended before it could be stopped: %v, %v", err, out[0].Err)
	}
	if out[0].Class != event.Killed || strings.Contains(out[0].Result.Message, "did not stop") {
		t.Errorf("on the command to stop: %s: %s", out[0].Class, out[0].Result.Message)
	}
}

// long runs Long until the test ends. It returns when the first event has come, with a
// counter of all events.
func (s *Subject) long(t T) (p *run.Process, folder string, events *atomic.Int64) {
	t.Helper()
	events = &atomic.Int64{}
	p, folder = s.begin(t, func(event.Event) { events.Add(1) }, func(*plugin.Request) {})
	return p, folder, events
}

// begin runs Long until the test ends, with commands that are given before. It returns when the first event has come.
func (s *Subject) begin(t T, observe func(event.Event), ask func(*plugin.Request)) (p *run.Process, folder string) {
	t.Helper()
	s.needLong(t)
	p, folder = s.start(t)
	r := p.Description.WithDefaults(s.Long)
	r.Study, r.Run, r.Folder = "conformance", "run", folder
	ask(&r)
	ctx, cancel := context.WithCancel(context.Background())
	reported, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() { // ends with ctx, at the test's end
		_, err := p.Client.Run(ctx, r, func(e event.Event) {
			observe(e)
			select {
			case reported <- struct{}{}:
			default:
			}
		})
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case <-reported:
	case err := <-ended:
		ended <- err
		t.Fatalf("Long ended at once: %v", err)
	}
	return p, folder
}

func (s *Subject) controls(t T) {
	p, folder, events := s.long(t)
	d := &p.Description
	r := d.WithDefaults(s.Long)
	ctx := context.Background()
	send := func(c plugin.Command, able bool) {
		t.Helper()
		if err := p.Client.Control(ctx, c); (err == nil) != able {
			t.Errorf("%s %s: %v, accepted by its description: %t", c.Verb, c.Name, err, able)
		}
	}
	for _, name := range d.Controls {
		send(plugin.Command{Verb: plugin.Set, Name: name, Value: r.Numbers[name]}, true)
	}
	send(plugin.Command{Verb: plugin.Set, Name: "no_such_parameter", Value: 1}, false)
	send(plugin.Command{Verb: plugin.Pause}, d.Pauses)
	if d.Pauses {
		pause(s.grace() / 10) // the present iteration may end
		before := events.Load()
		pause(s.grace() / 20)
		if n := events.Load(); n > before {
			t.Errorf("paused, it reported %d events", n-before)
		}
	}
	send(plugin.Command{Verb: plugin.Resume}, d.Pauses)
	if before := events.Load(); d.Pauses && !s.soon(func() bool { return events.Load() > before }) {
		t.Error("resumed, it does not continue")
	}
	found := checkpoints(d, folder)
	for _, path := range found() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	send(plugin.Command{Verb: plugin.Checkpoint}, d.Checkpoints)
	if d.Checkpoints && !s.soon(func() bool { return len(found()) > 0 }) {
		t.Error("it wrote no checkpoint on command")
	}
	send(plugin.Command{Verb: plugin.Stop}, true)
}

// checkpoints returns a function that lists the checkpoints in a run folder.
func checkpoints(d *plugin.Description, folder string) func() []string {
	return func() (paths []string) {
		for _, f := range d.Files {
			if f.Format == plugin.SolutionFormat {
				found, err := filepath.Glob(filepath.Join(folder, f.Pattern))
				if err == nil {
					paths = append(paths, found...)
				}
			}
		}
		return paths
	}
}

func pause(d time.Duration) { _ = clock.Sleep(context.Background(), clock.Real, d) }

// soon waits until a condition holds, for the time that a plugin may take.
func (s *Subject) soon(holds func() bool) bool {
	for end := clock.Real.Now().Add(s.grace()); clock.Real.Now().Before(end); pause(10 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

// endsAlone takes another lease, which replaces the host's, and breaks it, as the death of
// the host would.
func (s *Subject) endsAlone(t T) {
	p, _, _ := s.long(t)
	var at local.Handle
	if err := json.Unmarshal(p.Task.Handle(), &at); err != nil {
		t.Fatal(err)
	}
	release, err := p.Client.Lease(t.Context(), plugin.Terms{Grace: s.grace()})
	if err != nil {
		t.Fatal(err)
	}
	release()
	select {
	case <-p.Done():
	case <-clock.Real.NewTimer(s.grace() + 5*time.Second).C:
		t.Fatalf("%v after its host was gone it still runs", s.grace()+5*time.Second)
	}
	if _, err := os.Stat(at.Socket); err == nil {
		t.Errorf("it left its socket %s", at.Socket)
	}
}
