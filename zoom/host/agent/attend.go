package agent

// A relay to which hosts connect: another process on its machine, such as a bridge started by ssh, connects them to its
// socket.

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// errAlone reports that no host has connected.
var errAlone = errors.New("no host has connected")

// Attend serves each host that connects to a listener. The listener is on this machine and accepts only the relay's
// user. Attend ends as CallHome does, or with the time of its block, which no other process ends there, and closes the
// listener. A new host replaces the previous one: it knows that the earlier connection is useless, even if it has not
// broken.
func (r *Relay) Attend(ctx context.Context, at net.Listener, log func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if ends := r.facts.GetEnds(); ends > 0 {
		left := fromUnix(ends).Sub(r.clock.Now())
		defer r.clock.AfterFunc(left-provider.Warning(left), r.Warn).Stop()
		defer r.clock.AfterFunc(left, cancel).Stop()
	}
	come, closed := make(chan net.Conn), make(chan error, 1)
	go func() { closed <- admit(ctx, at, come) }()
	err := r.serveAll(ctx, log, func(ctx context.Context) (io.ReadWriteCloser, error) {
		late := r.clock.NewTimer(min(mostWait, r.terms().Grace))
		defer late.Stop()
		select {
		case conn := <-come:
			return conn, nil
		case <-late.C:
			return nil, errAlone
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	cancel()
	return errors.Join(err, at.Close(), <-closed)
}

// admit passes connections on, and closes the previous one. It ends when the listener is closed.
func admit(ctx context.Context, at net.Listener, come chan<- net.Conn) error {
	var former net.Conn
	for {
		conn, err := at.Accept()
		if former != nil {
			_ = former.Close() // its server notices
		}
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		}
		former = conn
		select {
		case come <- conn:
		case <-ctx.Done():
		}
	}
}
