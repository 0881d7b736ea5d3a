package hosting

// The host's side: starting a plugin, shaking hands, and ending it.

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Host starts plugins. It may be used by several goroutines.
type Host struct {
	Clock clock.Clock // default: the real clock
	Node  Node        // where its plugins run; default: this machine

	folder string // of the certificates

	mu      sync.Mutex
	certs   *certificate.Store // nil: no plugin was started yet
	tls     *tls.Config
	scratch string
	closed  bool
	here    Machine
}

// NewHost returns a host with certificates in a folder. Other hosts, at the same time or later, may share the folder to
// reach its plugins. No file is made before the first Start. Close it at the end.
func NewHost(certificates string) *Host { return &Host{folder: certificates} }

// Certificates is the folder of the certificates.
func (h *Host) Certificates() string { return h.folder }

// Scratch is the folder of the sockets, empty before the first Start.
func (h *Host) Scratch() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.scratch
}

// Close removes the scratch folder. All processes must have been stopped before. Close sweeps once more after killed
// hosts: their plugins may have lived when this host began.
func (h *Host) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.scratch == "" {
		return nil
	}
	err := os.RemoveAll(h.scratch)
	sweep()
	return err
}

// sweep removes the remains of killed hosts.
func sweep() {
	Sweep()
	process.SweepCages()
}

// prepare makes the shared files of all processes, and removes the remains of killed hosts.
func (h *Host) prepare() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed { // who starts a plugin late must not make the folder once more
		return errors.New("the host has been closed")
	}
	if h.scratch != "" {
		return os.MkdirAll(h.scratch, 0o700) // temporary folders get cleaned
	}
	certs, err := certificate.Open(h.folder)
	if err != nil {
		return err
	}
	t, err := certs.Host()
	if err != nil {
		return err
	}
	sweep()
	scratch, err := MakeScratch()
	if err != nil {
		return err
	}
	h.certs, h.tls, h.scratch = certs, t, scratch
	_, h.here.name, _ = strings.Cut(filepath.Base(scratch), scratchPrefix)
	h.here.clock = clock.Or(h.Clock)
	if h.Node == nil {
		h.Node = &h.here
	}
	return nil
}

// Program describes a plugin to start.
type Program struct {
	Handshake   goplugin.HandshakeConfig // protocol of the plugin; its cookie is no secret
	Command     []string                 // program and arguments; not empty
	Contents    []string                 // of Command, on another machine; see Command.Contents
	Environment []string                 // NAME=value lines besides Environment's
	Log         *os.File                 // its standard error; nil: nowhere. The caller closes it after Start
	LogPath     string                   // its standard error, by a path on Host.Node; empty: Log
	// most bytes in Log; the middle is cut out of a longer log. 0: any number
	LogLimit   int64
	Allowance  process.Allowance // limits for it and all its descendants
	MaxMessage int               // most bytes in a message from or to it; 0: any number
}

// Process is a plugin that runs, or ran. Its owner calls Stop in the end.
type Process struct {
	ID      process.ID
	Network string           // of Address: unix or tcp
	Address string           // where it listens on its machine: a socket's path, or host:port on systems without
	Conn    *grpc.ClientConn // closed by Stop

	runner  *bodyRunner
	manager *goplugin.Client // nil: another host started it
	sockets string           // folder
}

// Start starts a plugin and shakes hands. It returns when the plugin accepts calls. It returns an error if the plugin
// fails or ctx ends; its process has then ended. A CommandError reports a missing program.
func (h *Host) Start(ctx context.Context, program Program) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := h.prepare(); err != nil {
		return nil, err
	}
	p := &Process{
		runner: &bodyRunner{node: h.Node, clock: clock.Or(h.Clock), done: make(chan struct{}), command: NodeProcess{
			Args: program.Command, Contents: program.Contents, Certificates: h.certs, Log: program.Log,
			LogPath: program.LogPath, LogLimit: program.LogLimit, Allowance: program.Allowance,
		}}}
	p.manager = goplugin.NewClient(h.config(ctx, p, program))
	// go-plugin's start takes no context; the end of the process ends it.
	defer context.AfterFunc(ctx, p.runner.kill)()
	if err := p.connect(); err != nil {
		p.Stop(0)
		return nil, errors.Join(otherVersion(err, program.Handshake.ProtocolVersion), h.full())
	}
	return p, nil
}

// otherVersion adds the advice for a plugin with another version of the protocol than this program.
func otherVersion(err error, own uint) error {
	var version uint
	const words = "incompatible API version with plugin. Plugin version: %d"
	if n, _ := fmt.Sscanf(err.Error(), words, &version); n == 0 { // go-plugin's error has no type
		return err
	}
	advice := "build the plugin for that version"
	if version > own {
		advice = "use a newer Peregrine"
	}
	return fmt.Errorf("it speaks version %d of the plugin protocol, and this program version %d: %s (peregrine help "+
		"plugins)",
		version, own, advice)
}

// full returns the fault of the machine that prevents all plugins from making sockets, if any: a plugin reports it only
// as text.
func (h *Host) full() error {
	dir, err := os.MkdirTemp(h.scratch, "room")
	if fault.Is(err) {
		return err
	}
	_ = os.Remove(dir)
	return nil
}

// startTime bounds a start whose context has no deadline: go-plugin needs a limit.
const startTime = time.Minute

func (h *Host) config(ctx context.Context, p *Process, program Program) *goplugin.ClientConfig {
	limit := startTime
	if deadline, ok := ctx.Deadline(); ok {
		limit = deadline.Sub(clock.Real.Now())
	}
	most := program.MaxMessage
	most = cmp.Or(most, math.MaxInt32)
	return &goplugin.ClientConfig{
		HandshakeConfig:  program.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{int(program.Handshake.ProtocolVersion): {}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		TLSConfig:        h.tls,
		StartTimeout:     limit,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: h.scratch},
		GRPCDialOptions:  []grpc.DialOption{quiet(), messages(most), grpc.WithContextDialer(p.dial)},
		Logger:           hclog.NewNullLogger(),
		RunnerFunc: func(_ hclog.Logger, filled *exec.Cmd, sockets string) (runner.Runner, error) {
			p.runner.command.Environment = append(
				program.Environment[:len(program.Environment):len(program.Environment)], filled.Env...)
			p.sockets = sockets
			return p.runner, nil
		},
	}
}

func messages(most int) grpc.DialOption {
	return grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(most), grpc.MaxCallSendMsgSize(most))
}

// connect starts the process and opens the connection.
func (p *Process) connect() error {
	if _, err := p.manager.Start(); err != nil {
		return err
	}
	p.ID = p.runner.started().ID()
	protocol, err := p.manager.Client()
	if err != nil {
		return err
	}
	p.Network, p.Address = p.runner.network, p.runner.address
	p.Conn = protocol.(*goplugin.GRPCClient).Conn // AllowedProtocols has no other
	return nil
}

// dial connects to the plugin, on whatever machine it is.
func (p *Process) dial(ctx context.Context, _ string) (net.Conn, error) {
	return p.runner.node.Dial(ctx, p.runner.network, p.runner.address)
}

// Turn reports that the process now works for another run and prints into another log. The limit of the first log
// applies to it, too. The file need not exist yet.
func (p *Process) Turn(log string) { p.runner.started().Turn(log) }

// Number is the number of the process on another machine's relay; 0 on this machine.
func (p *Process) Number() uint64 {
	if b, ok := p.runner.started().(interface{ Number() uint64 }); ok {
		return b.Number()
	}
	return 0
}

// Done is closed when the process and its group have ended.
func (p *Process) Done() <-chan struct{} { return p.runner.done }

// Ending returns how the process ended. Done must be closed.
func (p *Process) Ending() Ending { return p.runner.started().Ending() }

// Used returns the use of the process until now, or until its end; see Body.
func (p *Process) Used() process.Usage { return p.runner.started().Used() }

// Children reports whether processes live that it started, as far as known.
func (p *Process) Children() bool { return p.runner.started().Children() }

// Stop ends the process: it asks, and after grace sends SIGTERM and then SIGKILL to the whole group. It returns when
// the process and its group have ended and its socket is removed. It may be called more than once, but not by two
// goroutines at the same time.
func (p *Process) Stop(grace time.Duration) {
	body := p.runner.started()
	p.runner.stopping.Store(body != nil)
	if body != nil {
		body.Look()
	}
	killReturned := make(chan struct{})
	go func() {
		defer close(killReturned)
		if p.manager == nil {
			p.shutdown()
			return
		}
		p.manager.Kill() // asks first; blocks as long as the plugin does not answer
	}()
	if body != nil {
		if !p.runner.exited(grace) {
			body.Terminate()
			if grace == 0 || !p.runner.exited(termGrace) {
				body.Kill()
			}
		}
		<-p.runner.done
	}
	<-killReturned
	if body != nil {
		body.Free()
	}
	if p.sockets != "" { // go-plugin leaves it where the start failed
		_ = os.RemoveAll(p.sockets)
	}
}

// Release closes the connection; the plugin continues.
func (p *Process) Release() {
	_ = p.Conn.Close() // an error means that it is closed
	if p.manager == nil {
		p.runner.started().Free()
	}
}

// termGrace is the time between SIGTERM and SIGKILL.
const termGrace = 500 * time.Millisecond

// Find returns the path of a program as Start finds it: a name without a slash is looked for
// in PATH.
func Find(program string) (string, error) { return exec.LookPath(program) }

// Dial reaches a plugin that another host started, by its address and the folder of that host's certificates. It makes
// no call yet. Close the connection when done; the plugin continues.
func Dial(address, certificates string) (*grpc.ClientConn, error) {
	target := address
	if info, err := os.Stat(address); err == nil && info.Mode()&os.ModeSocket != 0 {
		target = "unix:" + address
	}
	return dial(target, certificates)
}

// quiet makes a connection without a read buffer: of possibly thousands of connections most are quiet. TLS below reads
// more than a frame at once. Writes wait in memory that all connections share.
func quiet() grpc.DialOption { return grpc.WithReadBufferSize(0) }

func dial(target, certificates string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	certs, err := certificate.Find(certificates)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(errors.New("the certificates are gone"), err)
	}
	if err != nil {
		return nil, err
	}
	t, err := certs.Host()
	if err != nil {
		return nil, err
	}
	options = append(options, quiet(), grpc.WithTransportCredentials(credentials.NewTLS(t)), messages(math.MaxInt32))
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, fmt.Errorf("plugin at %s: %w", target, err)
	}
	return conn, nil
}
