package watchdog_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// short is a temporary folder whose path leaves room for a socket.
func short(t testing.TB) string {
	t.Helper()
	dir := must.Value(os.MkdirTemp("", "pgt"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// study is a started watchdog with a goroutine that reads its events.
type study struct {
	*watchdog.Process
	t       testing.TB
	scratch string
	runs    string
	reader  sync.WaitGroup
	mu      sync.Mutex
	events  []event.Event
}

func start(t testing.TB, change func(*watchdog.Config)) *study {
	t.Helper()
	s := &study{t: t, scratch: short(t), runs: t.TempDir()}
	t.Setenv("TMPDIR", s.scratch)
	host := hosting.NewHost(filepath.Join(t.TempDir(), "pki"))
	c := config(host)
	if change != nil {
		change(&c)
	}
	var err error
	if s.Process, err = watchdog.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.reader.Go(func() {
		for e := range s.Events() {
			s.mu.Lock()
			s.events = append(s.events, e)
			s.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		s.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
		s.reader.Wait()
		if left, _ := os.ReadDir(s.scratch); len(left) > 0 {
			t.Errorf("left in the scratch folder: %v", left)
		}
	})
	return s
}

func (s *study) spec(run string) history.FileSpec {
	folder := filepath.Join(s.runs, run)
	must.OK(s.t, os.MkdirAll(folder, 0o755))
	return history.FileSpec{
		Study: "study", Run: run, Folder: folder, Interval: 2 * time.Millisecond,
		File: history.File{Pattern: "history.dat", Format: history.Columns, Columns: []string{"iteration", "residual"}},
	}
}

// write appends lines first to last of a history.
func (s *study) write(run string, first, last int) {
	s.t.Helper()
	f, err := os.OpenFile(filepath.Join(s.runs, run, "history.dat"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "%d %g\n", i, 1/float64(i))
	}
	must.Value(f.Write(b.Bytes()))(s.t)
}

func (s *study) unwatch(run string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	must.OK(s.t, s.Unwatch(ctx, run))
}

// await waits until the events that came satisfy ok.
func (s *study) await(what string, ok func([]event.Event) bool) []event.Event {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		s.mu.Lock()
		events := append([]event.Event(nil), s.events...)
		s.mu.Unlock()
		if ok(events) {
			return events
		}
	}
	s.t.Fatalf("waited in vain for %s", what)
	return nil
}

func iterations(events []event.Event, run string) []int {
	var got []int
	for _, e := range events {
		if e.Run == run && e.Kind == event.Iteration {
			got = append(got, int(e.Values["iteration"]))
		}
	}
	return got
}

func upTo(n int) []int {
	var want []int
	for i := 1; i <= n; i++ {
		want = append(want, i)
	}
	return want
}

// complete says whether the iterations of a run are there; its events may lag
// behind Unwatch by the channel's length.
func complete(run string, n int) func([]event.Event) bool {
	return func(events []event.Event) bool { return len(iterations(events, run)) >= n }
}

// write2 makes the run's folder first.
func (s *study) write2(run string, first, last int) {
	s.t.Helper()
	s.spec(run)
	s.write(run, first, last)
}
