package run_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// setGain is a command to set the mock's gain at an iteration.
func setGain(id string, gain float64, at int64) steer.Command {
	return steer.Command{
		ID: id, Verb: steer.Set, At: at, Changes: []steer.Change{{Object: "gain", Value: steer.FloatValue(gain)}},
	}
}

func steeredJob(name string, commands ...steer.Command) run.Job {
	j := job(name, 3, "iterate 10")
	j.Request.Commands = commands
	return j
}

func keyOf(t *testing.T, s *study.Study, j run.Job) cache.Key {
	t.Helper()
	return must.Value(s.Key(j))(t)
}

// No request gets the answer of a run that was changed on its way. In its study that answer stands in for its point,
// also when the study goes on, and says so.
func TestSteeredAnswerHasItsOwnKey(t *testing.T) {
	kept := openCache(t, t.TempDir())
	first := newStudy(t, kept)
	plain := keyOf(t, first, steeredJob("a"))
	one, _ := evaluate(t, first, steeredJob("a", setGain("c", 0.25, 4)))
	o := one[0]
	if !o.OK() || len(o.Steered) != 1 || o.Steered[0].ID != "c" || o.Steered[0].Iteration != 4 ||
		o.Key == plain.String() || o.Solution != nil {
		t.Fatalf("%+v", o)
	}
	if _, found, _ := kept.Get(plain); found {
		t.Error("the cache has the answer under the key of the request")
	}
	var end plugin.Ending
	if err := plugin.ReadFile(o.Folder, plugin.ResultFile, &end); err != nil || len(end.Steered) != 1 {
		t.Errorf("the run folder says %+v, %v", end.Steered, err)
	}

	resumed := newStudy(t, kept)
	resumed.Pool.Host = first.Pool.Host
	two, runs := evaluate(t, resumed, steeredJob("a"))
	if runs != 0 || !two[0].Cached || two[0].Key != o.Key || len(two[0].Steered) != 1 || two[0].Solution != nil {
		t.Errorf("the study goes on: %d runs, %+v", runs, two[0])
	}
	three, runs := evaluate(t, newStudy(t, kept), steeredJob("a"))
	if runs != 1 || three[0].Key != plain.String() || three[0].Steered != nil {
		t.Errorf("another study: %d runs, %+v", runs, three[0])
	}
}

// The key holds what was done, to which values and when, in its order.
func TestSteeredKeys(t *testing.T) {
	seen := map[string]string{}
	for name, commands := range map[string][]steer.Command{
		"plain": nil, "one": {setGain("a", 0.25, 4)}, "value": {setGain("a", 0.3, 4)}, "later": {setGain("a", 0.25, 5)},
		"two": {setGain("a", 0.25, 4), setGain("b", 0.3, 5)}, "first": {setGain("a", 0.3, 0)},
		"first and later": {setGain("a", 0.3, 0), setGain("b", 0.25, 4)},
	} {
		out, runs := evaluate(t, newStudy(t, nil), steeredJob("a", commands...))
		if other, taken := seen[out[0].Key]; taken || runs != 1 || out[0].Key == "" {
			t.Errorf("%s: %d runs, key %q as of %q", name, runs, out[0].Key, other)
		}
		seen[out[0].Key] = name
	}
	same, _ := evaluate(t, newStudy(t, nil), steeredJob("a", setGain("another ID", 0.25, 4)))
	if seen[same[0].Key] != "one" {
		t.Errorf("who gave the command is in the key")
	}
	unchanged, _ := evaluate(t, newStudy(t, nil), steeredJob("a", setGain("a", 0.5, 4)))
	if unchanged[0].Steered != nil {
		t.Errorf("a change to what it was: %+v", unchanged[0].Steered)
	}
}

// What is done to a setting before the first iteration makes the run one of that request, with its key.
func TestSteeredBeforeTheFirstIteration(t *testing.T) {
	kept := openCache(t, t.TempDir())
	first := newStudy(t, kept)
	wanted := steeredJob("a")
	wanted.Request.Numbers["gain"] = 0.25
	one, _ := evaluate(t, first, steeredJob("a", setGain("c", 0.25, 0)))
	if one[0].Key != keyOf(t, first, wanted).String() || len(one[0].Steered) != 1 {
		t.Fatalf("%+v", one[0])
	}
	two, runs := evaluate(t, newStudy(t, kept), wanted)
	if runs != 0 || !two[0].Cached || two[0].Steered != nil || two[0].Key != one[0].Key {
		t.Errorf("%d runs, %+v", runs, two[0])
	}
}

// The time for which a run is held counts neither as hanging nor towards its limit. A study that is released lets it
// go on, also where whoever released it did not reach the run.
func TestHeldRun(t *testing.T) {
	p, at := without(t), clock.NewManual(clock.Real.Now())
	p.Clock, p.Limits.Hung, p.Limits.Wall = at, time.Minute, time.Minute
	study := p.Host.Folder()
	must.OK(t, record.HoldStart(study, true, "the test", clock.Real.Now()))
	acts, verbs := make(chan event.Receipt, 2), []string{}
	p.Observe = func(e event.Event) {
		if e.Kind == event.Command {
			verbs = append(verbs, e.Name)
			acts <- *e.Act
		}
	}
	go func() {
		if a := <-acts; !a.Held {
			t.Errorf("not held: %+v", a)
		}
		for range 60 {
			at.Advance(time.Minute)
		}
		noError(t, record.HoldStart(study, false, "the test", clock.Real.Now()))
		for { // until the host has seen it
			select {
			case <-acts:
				return
			case <-time.After(time.Millisecond):
				at.Advance(100 * time.Millisecond)
			}
		}
	}()
	out, err := p.Run(t.Context(), []run.Job{job("a", 3, "iterate 5")})
	if err != nil || !out[0].OK() || out[0].Wall < time.Hour {
		t.Fatal(err, out[0].Err, out[0].Wall)
	}
	if !slices.Equal(verbs, []string{"sync", "release"}) || out[0].Steered != nil {
		t.Errorf("%v, %v", verbs, out[0].Steered)
	}
}

// A release ends what holds the runs when it is given. That of a giver who is slow to reach a run, which the study
// has let go on meanwhile, or which began after it, does not end what holds the run further on.
func TestLateRelease(t *testing.T) {
	p, fake := newFake(t, nil)
	p.Clock = paced(t, 20*time.Millisecond)
	study := p.Host.Folder()
	must.OK(t, record.HoldStart(study, true, "the test", clock.Real.Now()))
	keep := func(c steer.Command) steer.Command {
		noError(t, (record.Pending{Runs: "*", Command: c}).Keep(study))
		return c
	}
	keep(steer.Command{ID: "later", Verb: steer.Pause, At: 3})
	p.Workers = 1
	acts := make(chan event.Event)
	p.Observe = func(e event.Event) {
		if e.Kind == event.Command {
			acts <- e
		}
	}
	var steered sync.WaitGroup
	steered.Go(func() {
		did := func(want steer.Verb, held bool) (folder string) {
			e := <-acts
			if e.Act.Verb != want || e.Act.Held != held {
				t.Errorf("%s: %+v; want %s, held %t", e.Run, e.Act, want, held)
			}
			return filepath.Join(study, e.Run)
		}
		did("sync", true)
		all := keep(steer.Command{ID: "all", Verb: steer.Release})
		did("release", false)
		for range 2 {
			folder := did("pause", true)
			if x := steerRun(t, fake.Registry(), folder, all); x.State != event.Applied || x.Iteration >= 3 {
				t.Errorf("the late release: %+v", x)
			}
			steerRun(t, fake.Registry(), folder, steer.Command{ID: "on", Verb: steer.Resume})
			did("resume", false)
		}
	})
	out, err := p.Run(t.Context(), []run.Job{job("a", 3, "iterate 5"), job("b", 4, "iterate 5")})
	steered.Wait()
	if err != nil || !out[0].OK() || !out[1].OK() {
		t.Fatal(err, out[0].Err, out[1].Err)
	}
}

// steerRun gives a run a command, as another process does, and returns the last receipt.
func steerRun(t *testing.T, launchers launch.Registry, folder string, c steer.Command) (last event.Receipt) {
	t.Helper()
	client, task, err := record.Attach(t.Context(), record.ReadRun(t.Context(), folder, launchers), launchers)
	if err != nil {
		t.Error(err)
		return last
	}
	defer task.Release()
	noError(t, client.Steer(t.Context(), c, filepath.Base(folder), func(x event.Receipt) { last = x }))
	return last
}

// Commands that a study keeps are given to the runs that they mean, in their order, and to no other.
func TestFutureCommands(t *testing.T) {
	p := without(t)
	for _, f := range []record.Pending{
		{Runs: "a*", Command: setGain("one", 0.25, 2)},
		{Runs: "*", Command: steer.Command{ID: "hold", Verb: steer.Pause}},
		{Runs: "a1", Command: setGain("two", 0.3, 3)},
		{Runs: "*", Command: steer.Command{ID: "go", Verb: steer.Resume}},
	} {
		must.OK(t, f.Keep(p.Host.Folder()))
	}
	out := runAll(t, p, job("a1", 3, "iterate 5"), job("a2", 4, "iterate 5"), job("b", 5, "iterate 5"))
	for i, want := range [][]string{{"one", "two"}, {"one"}, nil} {
		got := convert.All(out[i].Steered, func(a event.Receipt) string { return a.ID })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("run %s: %s", out[i].Run, diff)
		}
	}
}

// Releases and resumes take back what was to be held, but for what is to be held later, and stand in its place.
func TestFutureOf(t *testing.T) {
	list := []record.Pending{
		{Runs: "*", Command: steer.Command{ID: "s", Verb: steer.Sync, Name: "x"}},
		{Runs: "fan-*", Command: steer.Command{ID: "p", Verb: steer.Pause}},
		{Runs: "fan-*", Command: steer.Command{ID: "l", Verb: steer.Pause, At: 5}},
		{Runs: "fan-1", Command: steer.Command{ID: "r", Verb: steer.Release, Name: "x"}},
		{Runs: "fan-2", Command: steer.Command{ID: "q", Verb: steer.Resume}},
		{Runs: "fan-3", Command: steer.Command{ID: "e", Verb: steer.Release}},
		{Runs: "fan-2", Command: steer.Command{ID: "a", Verb: steer.Release, At: 9}},
	}
	for name, want := range map[string]string{"hpt": "s", "fan-1": "plr", "fan-1~2": "plr", "fan-2": "slqa",
		"fan-3": "le", "fan-4": "spl"} {
		got := ""
		for _, c := range record.PendingOf(list, name) {
			got += c.ID
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		for _, f := range list {
			end, ended := record.EndOf(list, name, f.Command)
			if held := strings.Contains(want, f.ID); record.Holds(f.Command) && record.Matches(f.Runs, name) &&
				(held == ended || ended && !strings.Contains(want, end.ID)) {
				t.Errorf("%s: %s is ended by %q", name, f.ID, end.ID)
			}
		}
	}
}

// A run made again with its commands is the same; one whose record says otherwise is not.
func TestReplay(t *testing.T) {
	p := without(t)
	out, err := p.Run(t.Context(),
		[]run.Job{steeredJob("a", setGain("x", 0.9, 0), setGain("y", 0.25, 4), setGain("z", 0.75, 4))})
	if err != nil || len(out[0].Steered) != 3 {
		t.Fatalf("%v, %+v", err, out[0])
	}
	r, err := pool.Replay(t.Context(), p.Host, p.Program, "a")
	if err != nil || r.Difference != "" || r.Commands != 3 || r.Iterations != 10 || r.Run != "a-replay" {
		t.Fatalf("%+v, %v", r, err)
	}
	var end plugin.Ending
	folder := filepath.Join(p.Host.Folder(), "a")
	must.OK(t, plugin.ReadFile(folder, plugin.ResultFile, &end))
	end.Numbers["y"] += 1e-15
	must.OK(t, plugin.WriteResult(folder, end))
	if r, err = pool.Replay(t.Context(), p.Host, p.Program, "a"); err != nil ||
		r.Difference != "y is 9.000000000000002 and 9" {
		t.Errorf("%+v, %v", r, err)
	}
}
