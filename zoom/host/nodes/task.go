package nodes

// Solvers on nodes.

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Start implements launch.Launcher.
func (f *Fleet) Start(ctx context.Context, o launch.Order) (launch.Task, error) {
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
		f.work.Go(t.mourn)
		return t, nil
	}
	if lost := m.node.Err(); lost != nil {
		return nil, lost
	}
	return nil, err
}

// hostOn starts processes on a node.
func (f *Fleet) hostOn(n *agent.Node) *hosting.Host {
	h := hosting.NewHost(filepath.Join(f.study, local.CertificateDir))
	h.Node, h.Clock = n, f.clock
	return h
}

func (t *task) start(ctx context.Context, o launch.Order) error {
	contents, err := launch.Contents(o.Program.Command)
	if err != nil {
		return &launch.ProgramError{Command: o.Program.Command, Err: err}
	}
	t.process, err = t.member.host.Start(ctx, hosting.Program{
		Handshake: plugin.Handshake, Command: o.Program.Command, Contents: contents, Environment: o.Program.Environment,
		LogPath: path.Join(t.folderThere(), plugin.LogFile), LogLimit: o.LogLimit,
		Allowance: process.Allowance(o.Allowance), MaxMessage: o.MaxMessage,
	})
	return err
}

// task is a solver's process on a node.
type task struct {
	fleet   *Fleet
	member  *member
	process *hosting.Process

	fetching sync.Mutex // held while a file comes

	mu          sync.Mutex
	stopped     bool
	mirror      context.CancelFunc // ends the mirror of the run's checkpoint; nil: there is none
	here, there string             // the run's folder
	moveErr     error              // why there is no folder there
}

var _ launch.Remote = (*task)(nil)

// mourn notes a process that ended by itself.
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
		if there, err = t.member.node.MakeFolder(ctx, name); err != nil {
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

// moveTime bounds what is done on a node between two runs.
const moveTime = 30 * time.Second

// Turn implements launch.Task.
func (t *task) Turn(folder string) {
	ctx, cancel := context.WithTimeout(t.fleet.ctx, moveTime)
	defer cancel()
	t.fleet.watching.exit(t.folderHere())
	if t.move(ctx, folder) == nil { // Carry has the error
		t.process.Turn(path.Join(t.folderThere(), plugin.LogFile))
		t.fleet.watching.enter(folder, t.member, t.folderThere())
	}
}

// Place implements launch.Task.
func (t *task) Place() launch.Place {
	return launch.Place{Machine: t.member.name, PID: t.process.ID.PID, Block: t.member.block, Facts: t.member.facts()}
}

// Handle implements launch.Task.
func (t *task) Handle() launch.Handle {
	text, err := json.Marshal(Handle{
		Node: t.member.name, Boot: t.member.node.Facts.GetBoot(), Block: t.member.block, Process: t.process.ID,
		Number: t.process.Number(), Network: t.process.Network, Address: t.process.Address,
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

func (t *task) Conn() grpc.ClientConnInterface { return t.process.Conn }
func (t *task) Used() process.Usage            { return t.process.Used() }
func (t *task) Children() bool                 { return t.process.Children() }
func (t *task) Done() <-chan struct{}          { return t.process.Done() }
func (t *task) Ending() launch.Ending          { return launch.Ending(t.process.Ending()) }
func (t *task) Release()                       { _ = t.process.Conn.Close() } // an error means that it is closed
func (t *task) Skew() time.Duration            { ahead, _ := t.member.node.Offset(); return ahead }
func (t *task) Leaving() <-chan struct{}       { return t.member.leaving }

// Stop implements launch.Task.
func (t *task) Stop(grace time.Duration) {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	t.endMirror()
	t.process.Stop(grace)
	t.fleet.watching.exit(t.folderHere())
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
