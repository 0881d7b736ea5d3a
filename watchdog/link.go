package watchdog

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// link is a watchdog process and the connection to it.
type link struct {
	process *hosting.Process
	stream  grpc.BidiStreamingClient[proto.Order, proto.Batch]
	cancel  context.CancelFunc // of the stream

	sending sync.Mutex // of orders
}

// connect starts a process and opens its stream.
func (p *Process) connect(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, ConnectTime)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("watchdog: not started: %w", err)
	}
	started, err := p.config.Host.Start(ctx, hosting.Program{
		Handshake: handshake, Command: p.config.Command, Contents: p.config.Contents,
		Environment: p.config.Environment, Log: p.config.Log,
	})
	if err == nil {
		l := &link{process: started}
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
	if l.stream, err = proto.NewWatchdogClient(l.process.Conn).Follow(life); err != nil {
		return err
	}
	header, err := l.stream.Header() // comes when the process holds the stream, which is its lease
	if err == nil && header == nil {
		_, err = l.stream.Recv() // no header: the stream has failed, with this error
	}
	return err
}

// close ends the process, waits for it and returns a description of its end.
func (l *link) close(grace time.Duration) string {
	l.process.Stop(grace)
	l.cancel()
	return l.process.Ending().Text
}

// watchOrder returns the order to watch files, from the given positions on.
func watchOrder(id uint64, spec *history.FileSpec, from []history.FilePosition) (*proto.Order, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	o := &proto.Order{Id: id, Spec: data}
	for _, at := range from {
		position, err := encodePosition(at)
		if err != nil {
			return nil, err
		}
		o.From = append(o.From, position)
	}
	return o, nil
}

// finishOrder returns the order to read the files of a watch to their ends.
func finishOrder(id uint64) *proto.Order { return &proto.Order{Id: id, Finish: true} }

// orderTime is how long a process may refuse orders. It reads no file for them, so a process that does not take them
// hangs.
const orderTime = 10 * time.Second

// send gives orders to the process. It returns no error: if the process has ended or hangs, its stream ends, and its
// successor gets the orders.
func (l *link) send(at clock.Clock, orders ...*proto.Order) {
	l.sending.Lock()
	defer l.sending.Unlock()
	l.sendLocked(at, orders)
}

func (l *link) sendLocked(at clock.Clock, orders []*proto.Order) {
	defer at.AfterFunc(orderTime, l.cancel).Stop()
	for _, o := range orders {
		if l.stream.Send(o) != nil {
			return
		}
	}
}
