package watchdog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// link is one watchdog process and the connection to it.
type link struct {
	client *plugin.Client
	cmd    *exec.Cmd
	pid    int
	rpc    proto.WatchdogClient
	stream grpc.ServerStreamingClient[proto.Batch]
	cancel context.CancelFunc // of the stream
}

// connect starts a process and opens its stream.
func (p *Process) connect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, ConnectTime)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("watchdog: not started: %w", err)
	}
	deadline, _ := ctx.Deadline()
	cmd := exec.Command(p.config.Command[0], p.config.Command[1:]...)
	cmd.Env = append(append(os.Environ(), p.config.Env...), plugin.EnvUnixSocketDir+"="+p.scratch)
	stderr := p.config.Stderr
	if stderr == nil {
		stderr = io.Discard
	}
	l := &link{cmd: cmd, client: plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  Handshake,
		VersionedPlugins: map[int]plugin.PluginSet{ProtocolVersion: {service: &grpcPlugin{}}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              cmd,
		SkipHostEnv:      true, // Cmd.Env has it, in front of what is ours
		TLSConfig:        p.config.TLS,
		StartTimeout:     deadline.Sub(p.config.Clock.Now()),
		Stderr:           stderr,
		Logger:           hclog.NewNullLogger(),
	})}
	if err := l.open(ctx, p.ctx); err != nil {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // it has nothing to finish; if it has ended already, so much the better
		}
		l.close()
		return nil, fmt.Errorf("watchdog: cannot start %q: %w", p.config.Command, err)
	}
	return l, nil
}

// open completes the handshake until ctx ends, and opens the stream, which ends
// with life.
func (l *link) open(ctx, life context.Context) error {
	protocol, err := l.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(service)
	if err != nil {
		return err
	}
	l.pid = l.cmd.Process.Pid
	l.rpc = raw.(proto.WatchdogClient)
	life, l.cancel = context.WithCancel(life)
	defer context.AfterFunc(ctx, l.cancel)()
	if l.stream, err = l.rpc.Events(life, &proto.EventsRequest{}); err != nil {
		return err
	}
	header, err := l.stream.Header() // comes when the process has the stream, hence its lease
	if err == nil && header == nil {
		_, err = l.stream.Recv() // no header: the stream has failed, and this says why
	}
	return err
}

// isGone reports whether a call failed because the process died, and not
// because of what it was asked or because the caller has given up.
func isGone(ctx context.Context, err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled:
		return ctx.Err() == nil
	}
	return false
}

// close ends the process, waits for it and says how it ended.
func (l *link) close() string {
	if l.cancel != nil {
		l.cancel()
	}
	l.client.Kill()
	if l.cmd.ProcessState == nil {
		return "not started"
	}
	return l.cmd.ProcessState.String()
}

func (l *link) watch(ctx context.Context, id uint64, spec *history.FileSpec, from []history.FilePosition) error {
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	r := &proto.WatchRequest{Id: id, Spec: data}
	for _, at := range from {
		position, err := encodePosition(at)
		if err != nil {
			return err
		}
		r.From = append(r.From, position)
	}
	_, err = l.rpc.Watch(ctx, r)
	return err
}

func (l *link) finish(ctx context.Context, id uint64) error {
	_, err := l.rpc.Finish(ctx, &proto.FinishRequest{Id: id})
	return err
}

// maxSocketFolder leaves room for the socket's own name within the 108 bytes
// of sockaddr_un (104 on the BSDs).
const maxSocketFolder = 80

// scratchFolder makes a private folder with a path that is short enough for a socket.
func scratchFolder(parent string) (string, error) {
	parents := []string{parent}
	if parent == "" {
		parents = []string{os.TempDir(), "/tmp"}
	}
	for _, parent := range parents {
		dir, err := os.MkdirTemp(parent, "pgw")
		if err != nil {
			return "", fmt.Errorf("watchdog: folder for the socket: %w", err)
		}
		if len(dir) <= maxSocketFolder {
			return dir, nil
		}
		if err := os.Remove(dir); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("watchdog: folder for the socket: the path of %s has more than %d bytes, too long for a socket; choose a shorter one (TMPDIR)", parents[0], maxSocketFolder)
}
