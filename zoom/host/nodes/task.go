package nodes

// Solvers on nodes: the tasks that this host starts, and tasks of other hosts. These are reached through the host that
// the relay has called, if that is on this machine.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Start implements launch.Launcher.
func (f *Fleet) Start(ctx context.Context, o launch.TaskSpec) (launch.Task, error) {
	m, err := f.member(o.Slot)
	if err != nil {
		return nil, err
	}
	t := &task{fleet: f, member: m}
	if err = t.move(ctx, o.Folder); err == nil {
		err = t.start(ctx, o)
	}
	if ctx.Err() == nil && m.node.Err() == nil { // neither is the node's fault
		f.noteStart(m, err)
	}
	if err == nil {
		f.watching.enter(t.folderHere(), m, t.folderThere())
		f.spawn(t.mourn)
		return t, nil
	}
	if lost := m.node.Err(); lost != nil {
		return nil, lost
	}
	return nil, err
}

func (t *task) start(ctx context.Context, o launch.TaskSpec) error {
	contents, err := launch.Contents(o.Program.Command)
	if err != nil {
		return &launch.ProgramError{Command: o.Program.Command, Err: err}
	}
	t.Process, err = t.member.host.Start(ctx, hosting.Program{
		Handshake: plugin.Handshake, Command: o.Program.Command, Contents: contents, Environment: o.Program.Environment,
		LogPath: path.Join(t.folderThere(), plugin.LogFile), LogLimit: o.LogLimit,
		Allowance: o.Allowance, MaxMessage: o.MaxMessage,
	})
	return err
}

// task is a solver's process on a node.
type task struct {
	*hosting.Process
	fleet  *Fleet
	member *member
	text   launch.Handle // nil: this host started it, or has taken it over

	fetching sync.Mutex // held while a file comes

	mu          sync.Mutex
	stopped     bool
	mirror      context.CancelFunc // ends the mirror of the run's checkpoint; nil: none
	here, there string             // the run's folder
	moveErr     error              // why the node has no folder
}

var _ launch.Remote = (*task)(nil)

// mourn records a process that ended by itself.
func (t *task) mourn() {
	select {
	case <-t.Done():
	case <-t.fleet.ctx.Done():
		return
	}
	t.mu.Lock()
	run, stopped := filepath.Base(t.here), t.stopped
	t.mu.Unlock()
	if e := t.Ending(); !stopped && (e.Fault || e.Lost) {
		t.fleet.noteDeath(t.member, run)
	}
}

// move makes the folder of a run where the task works.
func (t *task) move(ctx context.Context, folder string) error {
	there := folder
	var err error
	if !t.member.shared {
		name := filepath.Base(filepath.Dir(folder)) + "/" + filepath.Base(folder)
		if there, _, err = t.member.node.MakeFolder(ctx, name); err != nil {
			there = ""
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.here, t.there, t.moveErr = folder, there, err
	return err
}

func (t *task) folderHere() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.here
}

func (t *task) folderThere() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.there
}

// moveTime is the time limit of the work on a node between two runs.
const moveTime = 30 * time.Second

// Turn implements launch.Task.
func (t *task) Turn(folder string) {
	ctx, cancel := context.WithTimeout(t.fleet.ctx, moveTime)
	defer cancel()
	t.fleet.watching.exit(t.folderHere())
	if t.move(ctx, folder) == nil { // Carry has the error
		t.Process.Turn(path.Join(t.folderThere(), plugin.LogFile))
		t.fleet.watching.enter(folder, t.member, t.folderThere())
	}
}

// Place implements launch.Task.
func (t *task) Place() launch.Location {
	return launch.Location{Machine: t.member.name, PID: t.Process.ID.PID, Block: t.member.block,
		Facts: t.member.facts()}
}

// Handle implements launch.Task.
func (t *task) Handle() launch.Handle {
	if t.text != nil {
		return t.text
	}
	text, err := json.Marshal(Handle{
		Node: t.member.name, Boot: t.member.node.Facts.GetBoot(), Block: t.member.block, Process: t.Process.ID,
		Number: t.Process.Number(), Network: t.Process.Network, Address: t.Process.Address,
		Bridge: t.fleet.bridge.path(),
		Relay:  process.ID{PID: int(t.member.node.Facts.GetPid()), Mark: t.member.node.Facts.GetMark()},
		Host:   process.Self(), HostBoot: process.ThisMachine().Boot, Study: t.fleet.study,
		Lease: (t.fleet.lease()).Seconds(),
	})
	if err != nil {
		panic(err) // strings and numbers
	}
	return text
}

func (t *task) Conn() grpc.ClientConnInterface { return t.Process.Conn }
func (t *task) Skew() time.Duration            { ahead, _ := t.member.node.Offset(); return ahead }
func (t *task) Leaving() <-chan struct{}       { return t.member.leaving }

// Outlasted implements launch.Remote.
func (t *task) Outlasted(began time.Time) bool {
	f, m := t.fleet, t.member
	f.mu.Lock()
	defer f.mu.Unlock()
	return m.lease.whole(began) && m.lease.rest(f.clock.Now()) <= 0
}

// Stop implements launch.Task.
func (t *task) Stop(grace time.Duration) {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	t.endMirror()
	t.Process.Stop(grace)
	if t.text != nil {
		t.member.node.Close()
		return
	}
	t.fleet.watching.exit(t.folderHere())
}

// Release implements launch.Task.
func (t *task) Release() {
	t.Process.Release()
	if t.text != nil {
		t.member.node.Close()
	}
}

// endMirror lets the checkpoint of the run be.
func (t *task) endMirror() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mirror != nil {
		t.mirror()
		t.mirror = nil
	}
}

// UnknownError reports a task whose state is unknown.
type UnknownError struct {
	Node  string
	Until time.Time // by then it has ended, if no host takes it over
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("whether its process on %s lives is not known; it has ended by %s, unless another host takes "+
		"it over", e.Node, e.Until.Format(time.TimeOnly))
}

// Attach implements launch.Launcher.
func (f *Fleet) Attach(ctx context.Context, h launch.Handle) (launch.Task, error) {
	var handle Handle
	if err := json.Unmarshal(h, &handle); err != nil {
		return nil, fmt.Errorf("handle of launcher %s: %w", f.Name(), err)
	}
	f.mu.Lock()
	m := f.holder(&handle)
	f.mu.Unlock()
	if m != nil {
		t, err := f.attach(ctx, m, &handle)
		if err != nil {
			return nil, err
		}
		f.spawn(t.mourn)
		return t, nil
	}
	if handle.HostBoot == process.ThisMachine().Boot && handle.Host.Alive() {
		return f.attachThrough(ctx, &handle, h)
	}
	info, err := os.Stat(filepath.Join(handle.Study, signFile))
	if err != nil {
		return nil, launch.ErrGone
	}
	until := info.ModTime().Add(time.Duration(handle.Lease * float64(time.Second)))
	if f.clock.Now().Before(until) {
		return nil, &UnknownError{handle.Node, until}
	}
	return nil, launch.ErrGone
}

// attach connects to a task on a node.
func (f *Fleet) attach(ctx context.Context, m *member, h *Handle) (*task, error) {
	body, err := m.node.Attach(ctx, h.Number)
	switch {
	case errors.Is(err, agent.ErrEnded):
		return nil, launch.ErrGone
	case err != nil:
		return nil, err
	}
	t := &task{fleet: f, member: m}
	t.Process, err = m.host.Attach(m.node, body, h.Network, h.Address)
	return t, err
}

// attachThrough connects to a task through the host that started it, which lives on this machine.
func (f *Fleet) attachThrough(ctx context.Context, h *Handle, text launch.Handle) (launch.Task, error) {
	node, err := agent.Visit(h.Node, h.visit)
	if err != nil {
		return nil, err
	}
	visitor := &Fleet{config: f.config, clock: f.clock, study: h.Study, ctx: f.ctx}
	m := &member{node: node, host: visitor.hostOn(node), name: h.Node, block: h.Block, shared: true}
	t, err := visitor.attach(ctx, m, h)
	if err == nil {
		t.text = text
		return t, nil
	}
	node.Close()
	if errors.Is(err, launch.ErrGone) {
		return nil, err
	}
	if conn, verr := h.visit(); errors.Is(verr, errAbsent) {
		return nil, launch.ErrGone
	} else if verr == nil {
		_ = conn.Close()
	}
	return nil, fmt.Errorf("process %d, which started it, does not say whether it lives: %w", h.Host.PID, err)
}
