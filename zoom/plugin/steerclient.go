package plugin

// The host's side of steering.

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// maxObjects bounds one message about a run's objects, bytes.
const maxObjects = 16 << 20

// Objects calls update in the caller's goroutine with all objects of a run, then with each change, until the run is
// over (without an error), ctx ends or the process is gone. A run that does not go on in the process is
// [ErrNotRunning]. Of a solver that does not steer the objects are its controls, without the values that this client
// has not given it; then only ctx ends the call.
func (c *Client) Objects(ctx context.Context, run string, update func(steer.Update)) error {
	return c.Watch(ctx, run, nil, 0, update)
}

// Watch is Objects, and has the solver look at the values of some of them every so often, at its safe points. Names
// are those of objects, or of places in them; none: all.
func (c *Client) Watch(ctx context.Context, run string, names []string, every time.Duration,
	update func(steer.Update)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if steers, err := c.steers(ctx); err != nil || !steers {
		if err != nil {
			return err
		}
		return c.controls.follow(ctx, update)
	}
	stream, err := c.rpc.Objects(ctx, &pb.ObjectsRequest{Run: run, Watch: names, EverySeconds: every.Seconds(),
		Brief: true}, grpc.MaxCallRecvMsgSize(maxObjects))
	if err != nil {
		return notRunning(err)
	}
	var u steer.Update
	known := newHad()
	for {
		m, err := stream.Recv()
		if err != nil {
			return ended(err)
		}
		u.Objects = known.update(u.Objects, m)
		u.Version, u.Gone, u.Lost = m.GetVersion(), m.GetGone(), m.GetLost()
		if !m.GetMore() {
			update(u)
			u = steer.Update{}
		}
	}
}

// Steer gives a command to a run and calls report in the caller's goroutine with each receipt; after the last it
// returns without an error. A command that Holds goes on until its hold is released or ctx ends. Without a last
// receipt there is an error: whether the command was done is not known then; the run's events say it. A solver that
// does not steer takes what Control has; the last receipt is [steer.Unconfirmed] then, since nothing says when it was
// done, and no event records it.
func (c *Client) Steer(ctx context.Context, cmd steer.Command, run string, report func(steer.Receipt)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if steers, err := c.steers(ctx); err != nil || !steers {
		if err != nil {
			return err
		}
		return c.control(ctx, cmd, run, report)
	}
	stream, err := c.rpc.Steer(ctx, encodeCommand(cmd, run))
	if err != nil {
		return notRunning(err)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return ended(err)
		}
		report(ReceiptOf(event.DecodeAct(m)))
	}
}

// steers reports whether the solver does, which its description says.
func (c *Client) steers(ctx context.Context) (bool, error) {
	d := c.controls.described()
	if d == nil {
		if _, err := c.Describe(ctx); err != nil {
			return false, err
		}
		d = c.controls.described()
	}
	return d.Steers, nil
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return notRunning(err)
}

// notRunning names the error of a run that does not go on.
func notRunning(err error) error {
	if status.Code(err) == codes.FailedPrecondition {
		return ErrNotRunning
	}
	return err
}
