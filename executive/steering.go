package executive

// A study as a whole is steered like its runs: by a registry, which other processes of the user reach by a socket under
// the study's certificates. Its name among the study's addresses is run.StudyAddress.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	steeringclient "github.com/peregrine-sim/peregrine/zoom/steer/client"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// steering is the steering of a running study.
type steering struct {
	live    *live.Settings
	clock   clock.Clock
	folder  string // of the study
	scratch string
	socket  string
	end     context.CancelFunc
	stop    func() // of the service
	scripts *script.Left
	work    sync.WaitGroup

	iterations atomic.Int64 // of Newton's method, for solves that are yet to begin; 0: its default

	mu         sync.Mutex
	registries map[string]*steer.Registry // of the study as a whole, and of the transients that go on
	acts       map[string][]event.Receipt // commands executed by transients, by case
	judge      *rules.Judge               // its rules are in force; nil: no runs yet
	ruled      []func(*rules.Judge) error // changes of the rules
}

// give passes a command from its rules to the study. The result is recorded.
func (t *steering) give(c steer.Command) {
	t.find(record.StudyAddress).Submit(c, unheard)
}

// find returns the registry of a name, or nil.
func (t *steering) find(name string) *steer.Registry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.registries[name]
}

// transient returns the registry of a case's starting transient, and a function to be called at its end. Other
// processes find it by the study's address.
func (s *Studies) transient(name string) (*steer.Registry, func()) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.folder == "" || name == record.StudyAddress || s.openSteering() != nil { // it can do without
		return nil, nil
	}
	t := s.steering
	r := s.newRegistry(name, func(a *event.Receipt) { t.did(name, a) })
	t.note(name, r)
	ctx, over := context.WithCancel(context.Background())
	var kept sync.WaitGroup
	held, err := t.begin(name, r)
	if err != nil {
		s.Record(event.Event{
			Kind: event.Warning, Case: name,
			Text: fmt.Sprintf("it begins without the commands that were stored for it: %v", err),
		})
	}
	if len(held) > 0 {
		kept.Go(func() { t.letGo(ctx, s.Clock, name, r, held) })
	}
	return r, func() {
		over()
		kept.Wait()
		t.note(name, nil)
	}
}

// begin gives a transient its stored commands of the study, and returns the commands that hold it.
func (t *steering) begin(name string, r *steer.Registry) (held []steer.Command, err error) {
	kept, err := t.kept()
	commands := record.PendingOf(kept, name)
	r.Given(commands)
	return slices.DeleteFunc(commands, func(c steer.Command) bool { return !record.Holds(c) }), err
}

// kept lists the stored commands of the study. Commands stored for all runs apply to the solvers' runs only, except
// commands that hold or release.
func (t *steering) kept() ([]record.Pending, error) {
	list, err := record.ReadPending(t.folder)
	return slices.DeleteFunc(list, func(f record.Pending) bool { return f.Runs == "*" && !record.Holding(f.Verb) }), err
}

// letGo releases a transient after the study has withdrawn its hold: the process that released it may have been killed
// before it reached the transient. It uses the same command, as a run's host does.
func (t *steering) letGo(ctx context.Context, clk clock.Clock, name string, r *steer.Registry, held []steer.Command) {
	for len(held) > 0 && clock.Sleep(ctx, clk, time.Second/2) == nil {
		kept, err := t.kept()
		held = slices.DeleteFunc(held, func(c steer.Command) bool {
			end, ended := record.EndOf(kept, name, c)
			if err != nil || !ended { // retry if it cannot be read now
				return false
			}
			r.Submit(end, unheard)
			return true
		})
	}
}

// done returns the executed commands that changed a case's transient.
func (t *steering) done(name string) []event.Receipt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.acts[name]
}

// did records a command that changed a transient.
func (t *steering) did(name string, a *event.Receipt) {
	if !remakes(a) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.acts == nil {
		t.acts = map[string][]event.Receipt{}
	}
	t.acts[name] = append(t.acts[name], *a)
}

// note notes the registry of a transient; nil: it has ended.
func (t *steering) note(name string, r *steer.Registry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.registries[name] = r
	if r == nil {
		delete(t.registries, name)
	} else {
		delete(t.acts, name)
	}
	names := slices.Sorted(maps.Keys(t.registries))
	names = slices.DeleteFunc(names, func(n string) bool { return n == record.StudyAddress })
	_ = record.WriteStudyAddress(t.folder, t.socket, names) // with a full disk other processes cannot find it
}

// newRegistry returns a registry whose commands the study's log records, and then done.
func (s *Studies) newRegistry(name string, done func(*event.Receipt)) *steer.Registry {
	r := steer.New(s.Clock)
	r.Compile = condition.Compile
	r.Record = func(x event.Receipt) {
		e := plugin.CommandEvent(x)
		e.Case = name
		s.Record(e)
		done(e.Act)
	}
	return r
}

// newScripts returns the scripts that users may leave here. They reach the study's runs as their users do.
func (s *Studies) newScripts() *script.Left {
	work, study := filepath.Split(s.folder)
	machine, _ := os.Hostname()
	return &script.Left{
		Clock: s.Clock, Record: s.Record,
		Helm: func(name string) script.Helm {
			return script.Study{Name: study, Client: &steeringclient.Client{
				Work: filepath.Clean(work), Launchers: Launchers(), Clock: s.Clock, By: "script " + name,
				From: fmt.Sprintf("the study's process %d on %s", os.Getpid(), machine),
			}}
		},
	}
}

// openSteering registers, once, the visible and adjustable quantities of the study.
func (s *Studies) openSteering() (err error) {
	if s.steering != nil {
		return nil
	}
	r := s.newRegistry("", func(*event.Receipt) {})
	t := &steering{
		live: live.New(), clock: s.Clock, folder: s.folder,
		registries: map[string]*steer.Registry{record.StudyAddress: r},
	}
	if err := t.live.Continue(s.folder); err != nil {
		return err
	}
	t.register(r, s.Settings.Workers)
	t.scripts = s.newScripts()
	t.scripts.Register(r)
	certs, err := certificate.Open(filepath.Join(s.folder, local.CertificateDir))
	if err != nil {
		return err
	}
	if t.scratch, err = hosting.MakeScratch(); err != nil {
		return err
	}
	t.socket = filepath.Join(t.scratch, "steer")
	at, err := net.Listen("unix", t.socket)
	if err != nil {
		return errors.Join(err, os.RemoveAll(t.scratch))
	}
	if t.stop, err = plugin.ServeRegistries(at, certs, t.find); err != nil {
		return errors.Join(err, at.Close(), os.RemoveAll(t.scratch))
	}
	if err = record.WriteStudyAddress(s.folder, t.socket, nil); err != nil { // for example a full disk
		t.stop()
		return errors.Join(err, os.RemoveAll(t.scratch))
	}
	ctx, end := context.WithCancel(context.Background())
	t.end = end
	t.work.Go(func() { r.Attend(ctx) })
	s.steering = t
	return nil
}

// close ends it with the study.
func (t *steering) close() error {
	t.scripts.Close() // they use the service
	t.stop()
	t.end()
	t.work.Wait()
	return errors.Join(record.RemoveStudyAddress(t.folder), os.RemoveAll(t.scratch))
}

// branch repeats a run from one of its checkpoints. The argument is a run.Branching, the value the name of the new run.
func (t *steering) branch(_ context.Context, v steer.Value) (steer.Value, error) {
	var w branch.Wanted
	if err := json.Unmarshal([]byte(v.Text), &w); err != nil {
		return steer.Value{}, fmt.Errorf("branches are made by peregrine steer branch: %w", err)
	}
	w.Time = t.clock.Now().UTC()
	name, err := t.live.Branch(w)
	return steer.TextValue(name), err
}

// register registers the objects of a study. The settings give its number of workers; 0: the number of the machine's
// cores.
func (t *steering) register(r *steer.Registry, workers int) {
	c := t.live
	one, most := 1.0, float64(max(runtime.NumCPU(), workers))
	change := []steer.Operation{steer.Read, steer.Actuate}
	r.Add(steer.Object{Name: "workers", Type: steer.Int, Min: &one, Max: &most, Effect: steer.Monitor,
		Operations: change, Doc: "runs at a time on this machine; a smaller number ends no run"}, steer.Binding{
		Get: func() steer.Value {
			n := c.Workers()
			n = cmp.Or(n, workers)
			n = cmp.Or(n, runtime.GOMAXPROCS(0))
			return steer.IntValue(int64(n))
		},
		Set: func(v steer.Value) error { c.SetWorkers(int(v.Number)); return nil },
	})
	r.Add(steer.Object{Name: "hold", Type: steer.Bool, Effect: steer.Monitor, Operations: change,
		Doc: "no run starts; running ones continue"}, steer.Binding{
		Get: func() steer.Value { return steer.BoolValue(c.Held()) },
		Set: func(v steer.Value) error { c.Hold(v.Bool); return nil },
	})
	t.requests(r)
	call(r, "first", steer.Monitor, "has the runs start first whose names match, such as fan-n100*", c.First)
	call(r, "drop", steer.Answer, "leaves the runs out whose names match and that have not started", c.Drop)
	r.Add(steer.Object{Name: branch.Verb, Type: steer.Text, Effect: steer.Answer,
		Operations: []steer.Operation{steer.Call},
		Doc:        "makes a run a second time from one of its checkpoints; peregrine steer branch calls it"},
		steer.Binding{Call: t.branch})
}

// unheard drops receipts that no caller waits for: the log has the last ones.
func unheard(event.Receipt) {}

// remakes reports whether a replay must repeat an act. That includes setting an input to its present value: the value
// is constant from then on.
func remakes(a *event.Receipt) bool {
	return a.State == event.Applied && slices.Contains([]steer.Verb{steer.Set, steer.Poke, steer.Stop},
		steer.Verb(a.Verb))
}
