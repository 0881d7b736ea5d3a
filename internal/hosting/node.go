package hosting

// The machines of processes. A host starts its plugins on a Node: on this machine, or on another behind a relay, which
// starts them there as its own.

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-plugin/runner"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Node is a machine on which plugins run. Its methods may be called by several goroutines.
type Node interface {
	// Spawn starts a command in its own process group. ctx bounds the call. A CommandError reports that the program is
	// missing on the node.
	Spawn(ctx context.Context, c NodeProcess) (Body, error)

	// Dial connects to a plugin's address on the node.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
}

// NodeProcess describes a process for a Node. To its environment the node adds that of Environment, and the places of
// the certificates, the sockets' folder and the host.
type NodeProcess struct {
	Args []string
	// required contents of Args, as defined in package launch of the pool; empty: any. For nodes of other machines
	Contents     []string
	Environment  []string
	Certificates *certificate.Store // nil: none
	Input        *os.File           // its standard input, on this machine; nil: none
	Log          *os.File           // its standard error, on this machine; nil: nowhere
	LogPath      string             // its standard error, by a path on the node, which appends to it; empty: Log
	LogLimit     int64              // most bytes of the log; the middle is cut out of a longer log. 0: any number
	Allowance    process.Allowance  // for the process with all its descendants
}

// Body is a process on its Node. Its owner calls Free in the end. Its methods may be called by several goroutines.
type Body interface {
	ID() process.ID        // on its machine
	Stdout() io.ReadCloser // its output; with a single reader

	Look()           // records its descendants, before it is asked to end
	Terminate()      // asks its group to end
	Kill()           // ends it with all its descendants
	Turn(log string) // reports that it now prints into another log, with the limit of the first

	Used() process.Usage // until now; of an ended process its whole time, and its last observed memory
	Children() bool
	Done() <-chan struct{} // closed when it and its group have ended, or when its state cannot be known
	Ending() Ending        // when Done is closed
	Free()                 // frees the resources of an ended process
}

// Ending is how a process ended.
type Ending struct {
	Text  string // for people, such as "exit status 7"
	Fault bool   // by itself, or by a signal that only its own fault raises, not killed from outside
	Full  bool   // by force, with all its descendants: it used more memory than allowed
	Crowd bool   // by force, for they were more processes than they may be
	Lost  bool   // its machine, or the way to it, was lost: the process may live
}

// Machine is the Node that this machine is. The zero value is ready for use.
type Machine struct {
	name  string // in the names of control groups
	clock clock.Clock

	mu      sync.Mutex
	system  *system
	started int // number of processes so far
}

var _ Node = (*Machine)(nil)

// NewMachine returns this machine, for a program that starts processes for another host. The name is unique among the
// processes of this machine.
func NewMachine(name string, at clock.Clock) *Machine { return &Machine{name: name, clock: at} }

// Spawn implements Node.
func (m *Machine) Spawn(_ context.Context, c NodeProcess) (Body, error) {
	environment := append(Environment(), c.Environment...)
	if c.Certificates != nil {
		environment = append(environment, c.Certificates.Environment()...)
	}
	c.Environment = append(environment, selfLine())
	if c.Log == nil && c.LogPath != "" {
		log, err := folder.Edit(c.LogPath, os.O_APPEND)
		if err != nil {
			return nil, err
		}
		defer func() { _ = log.Close() }() // the process holds a copy
		c.Log = log
	}
	b, err := startChild(c, m.confine(c.Allowance), clock.Or(m.clock))
	if err != nil {
		return nil, err
	}
	return b, nil
}

// confine prepares the limits of the next process.
func (m *Machine) confine(a process.Allowance) *confined {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.system == nil {
		m.system = realSystem(clock.Or(m.clock))
	}
	m.started++
	return m.system.confine(m.name, m.started, a)
}

// Dial implements Node.
func (*Machine) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

// bodyRunner runs a command on a node for go-plugin.
type bodyRunner struct {
	node    Node
	clock   clock.Clock
	command NodeProcess
	done    chan struct{} // closed when the body's is; never for a process that never started

	network, address string // of the plugin, from its handshake; set before any dial

	mu       sync.Mutex
	body     Body        // nil: not started
	doomed   bool        // killed before it started
	stopping atomic.Bool // Stop ends it, after its grace
}

var _ runner.Runner = (*bodyRunner)(nil)

func (r *bodyRunner) Start(ctx context.Context) error {
	body, err := r.node.Spawn(ctx, r.command)
	if err != nil {
		return err
	}
	go func() { // ends with the process
		<-body.Done()
		close(r.done)
	}()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body = body
	if r.doomed {
		body.Kill()
	}
	return nil
}

// started returns the process; nil before its start.
func (r *bodyRunner) started() Body {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body
}

// kill ends the process, even before its start.
func (r *bodyRunner) kill() {
	r.mu.Lock()
	body := r.body
	r.doomed = true
	r.mu.Unlock()
	if body != nil {
		body.Kill()
	}
}

func (r *bodyRunner) Wait(context.Context) error {
	<-r.done
	return errors.New(r.started().Ending().Text) // go-plugin only logs it
}

// Kill is called by go-plugin for a start that failed, and two seconds after it has asked the process to end.
func (r *bodyRunner) Kill(context.Context) error {
	if !r.stopping.Load() {
		r.kill()
	}
	if r.started() != nil {
		<-r.done
	}
	return nil
}

// exited reports whether the process ends within d.
func (r *bodyRunner) exited(d time.Duration) bool {
	t := r.clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.done:
		return true
	case <-t.C:
		return false
	}
}

func (r *bodyRunner) Stdout() io.ReadCloser { return r.started().Stdout() }

// Stderr: the log has it
func (r *bodyRunner) Stderr() io.ReadCloser           { return io.NopCloser(strings.NewReader("")) }
func (r *bodyRunner) Name() string                    { return r.command.Args[0] }
func (r *bodyRunner) Diagnose(context.Context) string { return "" }
func (r *bodyRunner) ID() string {
	if body := r.started(); body != nil {
		return strconv.Itoa(body.ID().PID)
	}
	return ""
}

func (r *bodyRunner) PluginToHost(network, address string) (string, string, error) {
	r.network, r.address = network, address
	return network, address, nil
}

func (r *bodyRunner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// The part of the host's environment that a plugin gets. A solver whose answer depended on an unrecorded variable could
// not be cached, and a plugin must not see secrets of the user's shell.

// passed are the variables that every plugin gets, if they are set.
var passed = []string{
	"PATH", "HOME", "USER", "TMPDIR", "TZ", "LANG", // and LC_*
	"GORACE", "GOCOVERDIR", // of programs that were built for a test
	"SystemRoot", "USERPROFILE", "TEMP", "TMP", "PATHEXT", // Windows starts few programs without
}

// Environment returns the variables of this process that a plugin's process gets:
// PATH, HOME, USER, TMPDIR, TZ, LANG, LC_*, GORACE and GOCOVERDIR, and on Windows SystemRoot,
// USERPROFILE, TEMP, TMP and PATHEXT.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return !strings.HasPrefix(name, "LC_") && !slices.Contains(passed, name)
	})
}
