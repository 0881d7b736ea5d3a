package log_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/filelock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, c clock.Clock, folder string, observe func(event.Event)) *log.Log {
	t.Helper()
	if observe == nil {
		observe = func(event.Event) {}
	}
	l := log.New(c, observe)
	must.OK(t, l.Open(folder))
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func read(t *testing.T, folder string) []event.Event {
	t.Helper()
	return must.Value(log.Read(folder))(t)
}

// Several goroutines may close a log at once.
func TestClosedSeveralTimesAtOnce(t *testing.T) {
	for range 50 {
		l := open(t, clock.NewManual(start), t.TempDir(), nil)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// An event is in the file before anyone gets it, and numbers go on where the study does.
func TestWrittenFirst(t *testing.T) {
	folder := t.TempDir()
	seen := 0
	l := open(t, clock.NewManual(start), folder, func(e event.Event) {
		seen++
		if got := read(t, folder); len(got) != seen || got[seen-1].Seq != e.Seq {
			t.Errorf("event %d is passed on and not written", e.Seq)
		}
	})
	l.Record(event.Event{Kind: event.StudyBegun})
	l.Record(event.Event{Kind: event.Planned, Name: "a"})
	must.OK(t, l.Close())
	l = open(t, clock.NewManual(start), folder, nil)
	if e := l.Record(event.Event{Kind: event.StudyBegun}); e.Seq != 3 || e.Study != filepath.Base(folder) ||
		!e.Time.Equal(start) {
		t.Errorf("it goes on with %+v", e)
	}
}

// Iterations stay in the run's log, progress is kept once a second, and what is not
// finite does not damage the file.
func TestKeeps(t *testing.T) {
	folder, c := t.TempDir(), clock.NewManual(start)
	passed := 0
	l := open(t, c, folder, func(event.Event) { passed++ })
	for range 30 {
		l.Record(event.Event{Kind: event.Progress, Name: "slam", Values: map[string]float64{"t": 1}})
		c.Advance(100 * time.Millisecond)
	}
	l.Record(event.Event{Source: event.Host, Run: "a", Seq: 1, Kind: event.Started})
	l.Record(event.Event{Source: event.Plugin, Run: "a", Seq: 1, Kind: event.Iteration})
	nan := 0.0
	l.Record(event.Event{Kind: event.Estimate, Values: map[string]float64{"error": nan / nan, "x": 1}})
	var kinds []event.Kind
	events := read(t, folder)
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	want := []event.Kind{event.Progress, event.Progress, event.Progress, event.Started, event.Estimate}
	must.Equal(t, want, kinds)
	if last := events[len(events)-1]; !slices.Equal(last.NonFinite, []string{"error"}) || last.Values["x"] != 1 {
		t.Errorf("%+v", last)
	}
	if passed != 33 {
		t.Errorf("%d events were passed on, want all 33", passed)
	}
}

func TestNewerFormat(t *testing.T) {
	folder := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(folder, log.FileName), []byte("{\"format\":99}\n"), 0o644))
	var format *event.FormatError
	if err := log.New(nil, nil).Open(folder); !errors.As(err, &format) {
		t.Errorf("error %v; want a FormatError", err)
	}
	if log.Busy(folder) {
		t.Error("the refused study stays locked")
	}
}

// Processes that make studies of an engine at the same moment get folders of their own.
func TestMake(t *testing.T) {
	work := filepath.Join(t.TempDir(), "work")
	var mu sync.Mutex
	names := map[string]bool{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			folder, err := log.Make(work, "E3 (fan).v2", start)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || log.CheckName(filepath.Base(folder)) != nil {
				t.Errorf("%s: %v", folder, err)
			}
			names[filepath.Base(folder)] = true
		})
	}
	all.Wait()
	if len(names) != 20 || !names["e3-fan-v2-20261122-1"] || !names["e3-fan-v2-20261122-20"] {
		t.Errorf("%d names: %v", len(names), names)
	}
	for _, bad := range []string{"", ".hidden", "a/b", "..", "-x"} {
		if _, err := log.Named(work, bad); err == nil {
			t.Errorf("a study may be called %q", bad)
		}
	}
	must.OK(t, os.WriteFile(filepath.Join(work, "taken"), nil, 0o644))
	if _, err := log.Named(work, "taken"); err == nil || fault.Is(err) {
		t.Errorf("a study with the name of a file: %v", err)
	}
	must.OK(t, os.Symlink(filepath.Join(work, "missing"), filepath.Join(work, "link")))
	_, made := log.Make(filepath.Join(work, "link"), "e", start)
	_, named := log.Named(filepath.Join(work, "link"), "s")
	for _, err := range []error{made, named} {
		if !fault.Is(err) {
			t.Errorf("a work folder that cannot be made: %v", err)
		}
	}
}

const killed = "PEREGRINE_TEST_LOG"

// kill -9 loses nothing that was acknowledged, wherever it strikes.
func TestKill(t *testing.T) {
	if folder := os.Getenv(killed); folder != "" {
		l := open(t, nil, folder, nil)
		for n := 0; ; n++ {
			e := l.Record(event.Event{Kind: event.Planned, Name: fmt.Sprint(n)})
			fmt.Println(e.Seq)
		}
	}
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), killed+"="+folder)
	out := must.Value(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	var last int64
	for last < 500 {
		must.Value(fmt.Fscan(out, &last))(t)
	}
	must.OK(t, cmd.Process.Kill())
	for { // what it had acknowledged by then
		var seq int64
		if _, err := fmt.Fscan(out, &seq); err != nil {
			break
		}
		last = max(last, seq)
	}
	_ = cmd.Wait()
	events := read(t, folder)
	if n := int64(len(events)); n < last-1 { // the last number may be half of one
		t.Errorf("%d events are left of %d", n, last)
	}
	for i, e := range events {
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
	l := open(t, nil, folder, nil) // and the study can go on
	if e := l.Record(event.Event{Kind: event.StudyBegun}); e.Seq != int64(len(events))+1 {
		t.Errorf("it goes on with event %d after %d", e.Seq, len(events))
	}
}

// The answers that a study knew of when it began stay those of its log, also when it is taken up and there are others.
func TestKnownStays(t *testing.T) {
	folder := t.TempDir()
	var recorded []event.Event
	for i, there := range [][]string{{"a", "b"}, {"c"}} {
		l := open(t, nil, folder, func(e event.Event) { recorded = append(recorded, e) })
		for range 2 {
			if got := l.Known("fan", "group", there); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("time %d: %v", i, got)
			}
		}
		if got := l.Known("hpc", "group", nil); len(got) > 0 {
			t.Errorf("time %d: %v of a component without any", i, got)
		}
		must.OK(t, l.Close())
	}
	if len(recorded) != 2 {
		t.Errorf("recorded %+v", recorded)
	}
}

// Whoever only looks at a study's lock does not keep others from it; whoever has it for longer does.
func TestLookIsNoWork(t *testing.T) {
	for _, c := range []struct {
		name string
		take func(*os.File) (bool, error)
		held time.Duration
		busy bool
	}{
		{"a look", func(f *os.File) (bool, error) { held, err := filelock.Held(f); return !held, err },
			50 * time.Millisecond, false},
		{"a short hold", filelock.Try, 50 * time.Millisecond, false},
		{"a long hold", filelock.Try, time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				folder := t.TempDir()
				f := must.Value(os.Create(filepath.Join(folder, ".lock")))(t)
				if free, err := c.take(f); err != nil || !free {
					t.Fatal(free, err)
				}
				time.AfterFunc(c.held, func() { _ = f.Close() })
				l := log.New(nil, func(event.Event) {})
				var busy *log.BusyError
				if err := l.Open(folder); c.busy != errors.As(err, &busy) || !c.busy && err != nil {
					t.Errorf("%v", err)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				time.Sleep(c.held)
			})
		})
	}
}

// Nobody can begin a study while somebody acts on its being idle.
func TestIdle(t *testing.T) {
	folder := t.TempDir()
	called, err := log.Idle(folder, func() error {
		var busy *log.BusyError
		if err := log.New(nil, nil).Open(folder); !errors.As(err, &busy) {
			t.Errorf("it was begun: %v", err)
		}
		return nil
	})
	if err != nil || !called {
		t.Errorf("%t, %v", called, err)
	}
	l := open(t, nil, folder, nil)
	var busy *log.BusyError
	if err := log.New(nil, nil).Open(folder); !errors.As(err, &busy) || !log.Busy(folder) {
		t.Errorf("error %v; want that it is busy", err)
	}
	if called, err := log.Idle(folder, func() error { t.Error("it is not idle"); return nil }); err != nil || called {
		t.Errorf("%t, %v", called, err)
	}
	if removed, _, err := log.Remove(folder, anything); err != nil || removed {
		t.Errorf("a busy study was removed: %t, %v", removed, err)
	}
	must.OK(t, l.Close())
	if removed, _, err := log.Remove(folder, anything); err != nil || !removed {
		t.Errorf("%t, %v", removed, err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder is there")
	}
	if removed, _, err := log.Remove(folder, anything); err != nil || removed {
		t.Errorf("a second time: %t, %v", removed, err)
	}
}

func anything(fs.DirEntry) bool { return true }

// What no study made stays, and so does its folder; a link to a folder is not followed.
func TestRemoveLeavesWhatItDidNotMake(t *testing.T) {
	work, elsewhere := t.TempDir(), t.TempDir()
	folder := must.Value(log.Named(work, "s"))(t)
	must.OK(t, open(t, nil, folder, nil).Close())
	for _, path := range []string{filepath.Join(elsewhere, "kept"), filepath.Join(folder, "notes")} {
		must.OK(t, os.WriteFile(path, nil, 0o600))
	}
	must.OK(t, os.Symlink(elsewhere, filepath.Join(folder, "made")))
	removed, left, err := log.Remove(folder, func(e fs.DirEntry) bool { return e.Name() != "notes" })
	if err != nil || !removed || !slices.Equal(left, []string{"notes"}) {
		t.Errorf("%t, %v, %v", removed, left, err)
	}
	entries := must.Value(os.ReadDir(folder))(t)
	if len(entries) != 1 || entries[0].Name() != "notes" {
		t.Errorf("the folder holds %v", entries)
	}
	link := filepath.Join(work, "link")
	must.OK(t, os.Symlink(elsewhere, link))
	if removed, _, err := log.Remove(link, anything); err == nil || removed {
		t.Errorf("a link: %t, %v", removed, err)
	}
	must.Value(os.Stat(filepath.Join(elsewhere, "kept")))(t)
}
