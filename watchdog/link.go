package watchdog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// link is one watchdog process and the connection to it.
type link struct {
	process *hosting.Process
	rpc     proto.WatchdogClient
	stream  grpc.ServerStreamingClient[proto.Batch]
	cancel  context.CancelFunc // of the stream
}

// connect starts a process and opens its stream.
func (p *Process) connect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, ConnectTime)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("watchdog: not started: %w", err)
	}
	started, err := p.config.Host.Start(ctx, hosting.Program{
		Handshake: handshake, Command: p.config.Command, Environment: p.config.Environment, Log: p.config.Log,
	})
	if err == nil {
		l := &link{process: started, rpc: proto.NewWatchdogClient(started.Conn)}
		if err = l.open(ctx, p.ctx); err == nil {
			return l, nil
		}
		l.close(0) // it has no files to finish
	}
	return nil, fmt.Errorf("watchdog: cannot start %q: %w", p.config.Command, err)
}

// open opens the stream until ctx ends. The stream ends with life.
func (l *link) open(ctx, life context.Context) (err error) {
	life, l.cancel = context.WithCancel(life)
	defer context.AfterFunc(ctx, l.cancel)()
	if l.stream, err = l.rpc.Events(life, &proto.EventsRequest{}); err != nil {
		return err
	}
	header, err := l.stream.Header() // comes when the process holds the stream, which is its lease
	if err == nil && header == nil {
		_, err = l.stream.Recv() // no header: the stream has failed, with this error
	}
	return err
}

// isGone reports whether a call failed because the process died, not because of a wrong
// request or because ctx ended.
func isGone(ctx context.Context, err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled:
		return ctx.Err() == nil
	}
	return false
}

// close ends the process, waits for it and returns how it ended.
func (l *link) close(grace time.Duration) string {
	l.process.Stop(grace)
	l.cancel()
	return l.process.Ending().Text
}

// watch makes the process watch files, from the given positions on.
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

// finish makes the process read the files of a watch to their ends.
func (l *link) finish(ctx context.Context, id uint64) error {
	_, err := l.rpc.Finish(ctx, &proto.FinishRequest{Id: id})
	return err
}
