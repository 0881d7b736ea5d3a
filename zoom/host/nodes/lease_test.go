package nodes_test

// Blocks that their engine kills at the end of their time.

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// walled has blocks of a limited time, by a clock that is moved by hand. It records when each was requested and ended.
type walled struct {
	*inProcess
	at    *clock.Manual
	begun time.Time
	ends  time.Time // of the last block

	mu  sync.Mutex
	log []string
}

func (w *walled) note(what, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf("%v %s %s", clock.Since(w.at, w.begun), what, id))
}

func (w *walled) noted() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.log, ", ")
}

func (w *walled) Submit(ctx context.Context, r provider.Request, n int) ([]string, error) {
	ids, err := w.inProcess.Submit(ctx, r, n)
	for _, id := range ids {
		w.note("begins", id)
		w.at.AfterFunc(r.Time, func() { _ = w.inProcess.Cancel(context.Background(), id) }) // it never fails
	}
	return ids, err
}

func (w *walled) Cancel(ctx context.Context, id string) error {
	w.note("ends", id)
	return w.inProcess.Cancel(ctx, id)
}

// relay returns the relay of the first block.
func (w *walled) relay() *agent.Relay {
	w.inProcess.mu.Lock()
	defer w.inProcess.mu.Unlock()
	return w.blocks["b001"].relay
}

// ended returns when the last block ends.
func (w *walled) ended() time.Time {
	w.inProcess.mu.Lock()
	defer w.inProcess.mu.Unlock()
	return w.ends
}

// halting is a clock by hand, whose timers are of this machine's time: what a relay does before it ends is not cut off.
type halting struct {
	clock.Clock
	by *clock.Manual
}

func (h halting) Now() time.Time { return h.by.Now() }

// newWalled returns a fleet of one such block at a time, of four cores.
func newWalled(t *testing.T, limit time.Duration) (*walled, *nodes.Fleet) {
	t.Helper()
	w := &walled{inProcess: newInProcess(t), at: clock.NewManual(time.Unix(1_800_000_000, 0))}
	w.begun, w.clock, w.relays = w.at.Now(), w.at, halting{clock.Real, w.at}
	w.place = func(p *agent.NodeInfo) {
		w.ends = w.at.Now().Add(limit)
		p.Ends = w.ends
	}
	f := nodes.New(t.TempDir(), nodes.Config{
		Hosts: &hosts.Launcher{Name: "test", Cores: 4, Blocks: 1, Time: limit, Listen: []string{"127.0.0.1"}},
		Relay: []string{"relay"}, Clock: w.at,
		Terms: agent.Terms{Beat: time.Second, Lease: 100 * time.Hour, Grace: 100 * time.Hour},
		Open:  func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return w, nil },
	})
	t.Cleanup(func() { noError(t, w.wait(t, f.Close)) })
	return w, f
}

// wait has the clock move until a function has returned, by 50 ms for each 2 ms of this machine's time. Times of blocks
// are hours, so that what passes meanwhile does not count.
func (w *walled) wait(t *testing.T, f func() error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- f() }()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); w.at.Advance(50 * time.Millisecond) {
		select {
		case err := <-result:
			return err
		case <-time.After(2 * time.Millisecond):
		}
	}
	t.Fatalf("no end in a minute; %s", w.noted())
	return nil
}

// run places a task, and returns its end.
func (w *walled) run(t *testing.T, f *nodes.Fleet, name string, takes func() time.Duration) (slot string, end func()) {
	t.Helper()
	must.OK(t, w.wait(t, func() (err error) {
		slot, end, err = f.Place(t.Context(), launch.Need{Name: name, Cores: 1, Time: takes}, nil)
		return err
	}))
	return slot, end
}

// A run is placed in a block that has time for it; a block with too little time for any is given back, and the next is
// requested at once. A run that needs more than a block gets a fresh one.
func TestRunsHaveTimeInTheirBlock(t *testing.T) {
	t.Parallel()
	w, f := newWalled(t, 60*time.Hour)
	hours := func(n int) func() time.Duration { return func() time.Duration { return time.Duration(n) * time.Hour } }
	for i, c := range []struct {
		takes func() time.Duration
		runs  time.Duration // h
		want  string
	}{
		{nil, 28, "node-b001"},       // nothing is known
		{hours(28), 28, "node-b001"}, // in 31 hours
		{hours(28), 10, "node-b002"}, // in 3 hours
		{hours(1000), 1, "node-b003"},
		{hours(1000), 1, "node-b003"}, // in 59 hours
	} {
		slot, end := w.run(t, f, fmt.Sprint(i), c.takes)
		if slot != c.want {
			t.Errorf("run %d is on %s, want %s; %s", i, slot, c.want, w.noted())
		}
		w.at.Advance(c.runs * time.Hour)
		end()
	}
}

// The runs of a node leave it shortly before its block ends, or at once if its engine takes it away before. An engine
// that warns a minute early does not shorten the block. The last run that leaves gives the block back.
func TestNodeIsLeft(t *testing.T) {
	t.Parallel()
	const limit = 60 * time.Hour
	for name, c := range map[string]struct {
		before time.Duration // the end of the block
		warned bool
		early  bool // it is left for that
	}{
		"never warned": {before: limit / 2},
		"warned":       {before: provider.Warning(limit) + provider.Early/2, warned: true},
		"preempted":    {before: limit / 2, warned: true, early: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newWalled(t, limit)
			slot, end := w.run(t, f, "first", nil)
			began := w.at.Now()
			var task launch.Task
			must.OK(t, w.wait(t, func() (err error) {
				task, err = f.Start(t.Context(), launch.TaskSpec{Program: mocked(t), Slot: slot, Folder: t.TempDir()})
				return err
			}))
			remote := task.(launch.Remote)
			leaves := func() error { <-remote.Leaving(); return nil }
			ends := w.ended()
			w.at.Advance(ends.Add(-c.before).Sub(w.at.Now()))
			if c.warned {
				w.relay().Warn()
			}
			if !c.early {
				for range 100 { // some heartbeats, which bring the warning
					w.at.Advance(50 * time.Millisecond)
					time.Sleep(time.Millisecond)
				}
				select {
				case <-remote.Leaving():
					t.Errorf("it is left after %v", clock.Since(w.at, began))
				default:
				}
				w.at.Advance(ends.Add(-provider.Warning(limit)).Sub(w.at.Now()))
			}
			must.OK(t, w.wait(t, leaves))
			if remote.Outlasted(began) == c.early || remote.Outlasted(began.Add(limit/2)) {
				t.Errorf("outlasted: %t", remote.Outlasted(began))
			}
			task.Stop(0)
			end()
			if slot, end := w.run(t, f, "second", nil); slot != "node-b002" {
				t.Errorf("the next is on %s; %s", slot, w.noted())
			} else {
				end()
			}
		})
	}
}

// Blocks whose time is over when their nodes come get no run; some in a row end the study.
func TestNodesComeTooLate(t *testing.T) {
	t.Parallel()
	w, f := newWalled(t, 10_000*time.Hour) // only their relays say that they end
	w.place = func(p *agent.NodeInfo) { p.Ends = w.at.Now() }
	ended := make(chan error, 1)
	go func() {
		_, _, err := f.Place(t.Context(), launch.Need{Name: "r", Cores: 1}, nil)
		ended <- err
	}()
	err := await(w.at, ended)
	if err == nil || !strings.Contains(err.Error(), "the last one: its time was over before a solver started") {
		t.Errorf("error %v", err)
	}
}

// A lost node says how many runs were under way there, also if all of them know of its loss before.
func TestLostNodeNamesItsRuns(t *testing.T) {
	t.Parallel()
	w, f := newWalled(t, 60*time.Hour)
	lost := make(chan string, 1)
	f.Report(func(e event.Event) {
		if e.Kind == event.NodeLost {
			lost <- e.Text
		}
	})
	for i := range 3 {
		slot, end := w.run(t, f, fmt.Sprint(i), nil)
		must.OK(t, w.wait(t, func() error {
			task, err := f.Start(t.Context(), launch.TaskSpec{Program: mocked(t), Slot: slot, Folder: t.TempDir()})
			if err == nil {
				go func() { <-task.Done(); task.Stop(0); end() }() // ends with the task
			}
			return err
		}))
	}
	must.OK(t, w.inProcess.Cancel(t.Context(), "b001"))
	w.at.Advance(101 * time.Hour)
	var text string
	must.OK(t, w.wait(t, func() error { text = <-lost; return nil }))
	if !strings.HasSuffix(text, "; 3 runs were under way there") {
		t.Errorf("it says %q", text)
	}
}
