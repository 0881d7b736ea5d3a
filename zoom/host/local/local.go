// Package local is the launcher that starts solvers as processes of this machine.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Name is the launcher's name.
const Name = hosts.Local

// CertificateDir is the folder of the certificates within a study's folder.
const CertificateDir = "certificate"

// Launcher starts processes on this machine, each in a new process group with a socket in a
// scratch folder that Close removes. Certificates stay in the study's folder. Control
// groups enforce allowances where this process can make them. Elsewhere the resident memory of the
// process and its descendants is read every 0.1 s, and cores are limited by their number.
type Launcher struct{ host *hosting.Host }

var _ launch.Launcher = (*Launcher)(nil)

// New returns the launcher of the study in a folder. With an empty folder it can only recover tasks. It makes no file
// before the first Start.
func New(study string) *Launcher {
	return &Launcher{hosting.NewHost(filepath.Join(study, CertificateDir))}
}

// Open is New in the form that launch.Registry needs.
func Open(study string) launch.Launcher { return New(study) }

// Name implements launch.Launcher.
func (*Launcher) Name() string { return Name }

// Scratch returns the folder of the sockets; it is empty before the first Start.
func (l *Launcher) Scratch() string { return l.host.Scratch() }

// Close implements launch.Launcher.
func (l *Launcher) Close() error { return l.host.Close() }

// Sweep removes scratch folders of launchers whose process was killed.
func Sweep() { hosting.Sweep() }

// Handle is the content of a launch.Handle.
type Handle struct {
	process.ID
	Socket       string `json:"socket"`
	Certificates string `json:"certificates"` // folder
}

// Start implements launch.Launcher.
func (l *Launcher) Start(ctx context.Context, o launch.TaskSpec) (launch.Task, error) {
	log, err := plugin.OpenLog(o.Folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the process holds a copy
	p, err := l.host.Start(ctx, hosting.Program{
		Handshake: plugin.Handshake, Command: o.Program.Command, Environment: o.Program.Environment, Log: log,
		Allowance: o.Allowance, LogLimit: o.LogLimit, MaxMessage: o.MaxMessage,
	})
	var command *hosting.CommandError
	if errors.As(err, &command) {
		return nil, &launch.ProgramError{Command: command.Command, Err: command.Err}
	}
	if err != nil {
		return nil, err
	}
	return &task{Process: p, handle: Handle{ID: p.ID, Socket: p.Address, Certificates: l.host.Certificates()}}, nil
}

// task is a process that this process, or another one, started.
type task struct {
	*hosting.Process
	handle Handle
}

func (t *task) Handle() launch.Handle          { return encode(t.handle) }
func (t *task) Place() launch.Location         { return place(t.handle.PID) }
func (t *task) Conn() grpc.ClientConnInterface { return t.Process.Conn }
func (t *task) Used() process.Usage            { return process.Used(t.handle.PID) }
func (t *task) Children() bool                 { return process.Children(t.handle.PID) }

// Turn implements launch.Task.
func (t *task) Turn(folder string) { t.Process.Turn(filepath.Join(folder, plugin.LogFile)) }

// place returns the location of a process of this machine.
func place(pid int) launch.Location { return launch.Location{PID: pid, Facts: process.ThisMachine()} }

func encode(h Handle) launch.Handle {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and a number
	}
	return text
}

// Attach implements launch.Launcher. The allowance of an attached task is not enforced where no control group does.
func (l *Launcher) Attach(_ context.Context, h launch.Handle) (launch.Task, error) {
	t := &task{}
	if err := json.Unmarshal(h, &t.handle); err != nil {
		return nil, fmt.Errorf("handle of launcher %s: %w", Name, err)
	}
	if !t.handle.Alive() {
		return nil, launch.ErrGone
	}
	var err error
	t.Process, err = hosting.NewHost(t.handle.Certificates).Attach(nil, hosting.Found(t.handle.ID),
		network(t.handle.Socket), t.handle.Socket)
	return t, err
}

// network returns the network of an address.
func network(address string) string {
	if filepath.IsAbs(address) {
		return "unix"
	}
	return "tcp"
}
