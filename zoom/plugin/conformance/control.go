package conformance

// Checks of a long run on command: stop, settings, pause, checkpoint, and the loss of its host.

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

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
		t.Fatalf("it ended before it could be stopped: %v, %s", err, failure(&out[0]))
	}
	if out[0].Class != event.Killed || strings.Contains(out[0].Result.Message, "did not stop") {
		t.Errorf("on the command to stop: %s: %s", out[0].Class, out[0].Result.Message)
	}
}

// long runs Long until the test ends. It returns after the first event. The number returned by work grows while the
// solver computes: by its reports, except receipts of commands, and by the bytes written into its folder.
func (s *Subject) long(t T) (p *attempt.Process, folder string, work func() int64) {
	t.Helper()
	var events atomic.Int64
	p, folder = s.begin(t, func(e event.Event) {
		if e.Kind != event.Command {
			events.Add(1)
		}
	}, func(*plugin.Request) {})
	return p, folder, func() int64 { return events.Load() + written(folder) }
}

// written returns the size of all files in a folder, in bytes. A file that is removed meanwhile counts as empty.
func written(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// begin runs Long, as edited by ask, until the test ends. It returns after the first event.
func (s *Subject) begin(t T, observe func(event.Event), ask func(*plugin.Request)) (p *attempt.Process, folder string) {
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
	p, folder, work := s.long(t)
	d := &p.Description
	r := d.WithDefaults(s.Long)
	h := &helm{t: t, s: s, process: p, folder: folder}
	objects := map[string]string{} // by the name of their setting
	if d.Steers {
		for _, o := range h.list() {
			objects[o.Setting] = o.Name
		}
	}
	// obeys gives a command. The solver must obey if its description declares that it can.
	obeys := func(c steer.Command, able bool) bool {
		t.Helper()
		list := h.give(c)
		x := list[len(list)-1]
		done := x.State == event.Applied || x.State == event.Unconfirmed
		if able && !done {
			t.Errorf("%s %v is %s (%s), which its description says it can do", c.Verb, c.Changes, x.State, x.Reason)
		}
		return done
	}
	change := func(name string, value float64) steer.Command {
		name = cmp.Or(objects[name], name)
		return steer.Command{Verb: steer.Set, Changes: []steer.Change{{Object: name, Value: steer.FloatValue(value)}}}
	}
	for _, name := range d.Controls {
		obeys(change(name, r.Numbers[name]), true)
	}
	if obeys(change("no_such_parameter", 1), false) {
		t.Error("it sets a parameter that does not exist")
	}
	if obeys(steer.Command{Verb: steer.Pause}, d.Pauses) {
		if !d.Pauses {
			t.Error("it pauses, which its description does not say")
		}
		pause(s.grace() / 10) // the present iteration may end
		before := work()
		pause(s.grace() / 20)
		if work() != before {
			t.Error("paused, it continues")
		}
		obeys(steer.Command{Verb: steer.Resume}, true)
		if !s.soon(func() bool { return work() != before }) {
			t.Error("resumed, it does not continue")
		}
	}
	found := checkpoints(d, folder)
	for _, path := range found() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	obeys(steer.Command{Verb: steer.Checkpoint}, d.Checkpoints)
	if d.Checkpoints && !s.soon(func() bool { return len(found()) > 0 }) {
		t.Error("it wrote no checkpoint on command")
	}
	if err := p.Client.Stop(t.Context(), "run"); err != nil {
		t.Errorf("on the command to stop: %v", err)
	}
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

// soon reports whether a condition holds, now or within ten grace times: a busy machine may be late.
func (s *Subject) soon(holds func() bool) bool {
	for end := clock.Real.Now().Add(10 * s.grace()); clock.Real.Now().Before(end); pause(10 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

// endsAlone checks that a process ends without its host. It takes a lease in place of the host's lease and breaks it,
// as the host's death would.
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
