package run

// A host starts plugins and keeps what all of them share: certificates, which
// outlive it in the study's folder, and the scratch folder for sockets, which does not.

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// CertificateDir is the folder of the certificates within a study's folder.
const CertificateDir = "certificate"

// Host starts the plugins of one study.
type Host struct {
	MaxMessage int // most bytes in one message from or to a plugin; default plugin.MaxMessage

	folder  string
	certs   *certificate.Store
	tls     *tls.Config
	scratch string
	close   sync.Once

	watcher Watcher // nil: none
	router  *router
	mu      sync.Mutex
	streams map[string]*stream // of the runs that go on, by run
}

// NewHost prepares a study's folder, which it makes if need be, and a scratch
// folder; those of hosts that were killed it clears away. Close it in the end.
func NewHost(folder string) (*Host, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("folder of the study: %w", err)
	}
	h := &Host{MaxMessage: plugin.MaxMessage, folder: folder, streams: map[string]*stream{}}
	if h.certs, err = certificate.Open(filepath.Join(folder, CertificateDir)); err != nil {
		return nil, err
	}
	if h.tls, err = h.certs.Host(); err != nil {
		return nil, err
	}
	SweepScratch()
	if h.scratch, err = makeScratch(); err != nil {
		return nil, err
	}
	return h, nil
}

// Folder is the study's folder.
func (h *Host) Folder() string { return h.folder }

// Certificates are those of the study, for the watchdog to share.
func (h *Host) Certificates() *certificate.Store { return h.certs }

// Close ends Follow and removes the scratch folder. The pools have ended before.
func (h *Host) Close() error {
	var err error
	h.close.Do(func() {
		h.stopFollowing()
		err = os.RemoveAll(h.scratch)
	})
	return err
}

// Process is a plugin that runs. Its owner calls Stop in the end.
type Process struct {
	Client      *plugin.Client
	Description plugin.Description
	PID         int

	child   *child
	manager *goplugin.Client
	sockets string // folder
	release func()
}

// Start starts a plugin, shakes hands, takes a lease on the terms given, and
// asks the plugin to describe itself. What the plugin prints goes to folder/solver.log, and
// folder/process.json says who it is. When ctx ends, or limit passes, the attempt is broken off.
// Errors: LaunchError if there is no such command, StartError otherwise.
func (h *Host) Start(ctx context.Context, l Launcher, folder string, t plugin.Terms, limit time.Duration) (*Process, error) {
	if err := os.MkdirAll(h.scratch, 0o700); err != nil { // temporary folders get cleaned
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(folder, plugin.LogFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(l.Command[0], l.Command[1:]...)
	cmd.Env = append(cmd.Env, l.Env...)
	p := &Process{child: newChild(cmd, log)}
	p.manager = goplugin.NewClient(h.clientConfig(p, cmd, limit))

	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Nothing in go-plugin's start takes a context; the end of the process ends it.
	kill := context.AfterFunc(ctx, func() { p.child.signal(syscall.SIGKILL) })
	defer kill()
	if err := p.connect(ctx, t); err != nil {
		p.Stop(0)
		_ = log.Close()
		if launch, ok := err.(*LaunchError); ok {
			return nil, launch
		}
		return nil, &StartError{Command: l.Command, Log: tail(folder), Late: ctx.Err(), Err: err}
	}
	return p, h.record(p, l, folder)
}

func (h *Host) clientConfig(p *Process, cmd *exec.Cmd, limit time.Duration) *goplugin.ClientConfig {
	return &goplugin.ClientConfig{
		HandshakeConfig:  plugin.Handshake,
		VersionedPlugins: plugin.HostPlugins(),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		TLSConfig:        h.tls,
		StartTimeout:     limit,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: h.scratch},
		GRPCDialOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(h.MaxMessage), grpc.MaxCallSendMsgSize(h.MaxMessage))},
		Logger: hclog.NewNullLogger(),
		RunnerFunc: func(_ hclog.Logger, filled *exec.Cmd, sockets string) (runner.Runner, error) {
			cmd.Env = append(filled.Env, append(h.certs.Environment(), cmd.Env...)...)
			p.sockets = sockets
			return p.child, nil
		},
	}
}

// connect does what must be done before the first run.
func (p *Process) connect(ctx context.Context, t plugin.Terms) error {
	if _, err := p.manager.Start(); err != nil {
		return err
	}
	p.PID = p.child.started()
	protocol, err := p.manager.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(plugin.Kind)
	if err != nil {
		return err
	}
	p.Client = raw.(*plugin.Client)
	if p.release, err = p.Client.Lease(t); err != nil {
		return err
	}
	if p.Description, err = p.Client.Describe(ctx); err != nil {
		return err
	}
	return p.Description.Check()
}

// Stop ends the process: it asks, and after grace sends SIGTERM and then SIGKILL to the
// whole group. It returns when the process, its group and its socket are gone.
func (p *Process) Stop(grace time.Duration) {
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		p.manager.Kill() // asks first; blocks as long as the plugin does not answer
	}()
	if p.child.started() != 0 {
		if !p.child.exited(grace) {
			p.child.signal(syscall.SIGTERM)
			if grace == 0 || !p.child.exited(termGrace) {
				p.child.signal(syscall.SIGKILL)
			}
		}
		<-p.child.done
	}
	if p.release != nil {
		p.release()
	}
	<-asked
	p.child.close()
	if p.sockets != "" { // go-plugin leaves it where the start failed
		_ = os.RemoveAll(p.sockets)
	}
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.child.done }

// termGrace is the time between SIGTERM and SIGKILL.
const termGrace = 500 * time.Millisecond

// StartError tells why a plugin that could be started did not become usable.
type StartError struct {
	Command []string
	Log     string // last lines of what it printed
	Late    error  // context.DeadlineExceeded if it was too slow, context.Canceled if it was broken off
	Err     error
}

func (e *StartError) Error() string {
	text := fmt.Sprintf("solver %s did not come up: %v", e.Command[0], e.Err)
	if e.Late != nil {
		text += fmt.Sprintf(" (%v)", e.Late)
	}
	if e.Log != "" {
		text += "; it printed: " + e.Log
	}
	return text
}

func (e *StartError) Unwrap() error { return e.Err }
