package plugin

// The host's side of steering.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// maxObjects is the largest message about a run's objects, bytes.
const maxObjects = 16 << 20

// Objects calls update in the caller's goroutine with all objects of a run, then with each change. It returns when the
// run is over (without an error), ctx ends or the process ends. The error is [ErrNotRunning] if the run is not in
// progress in the process.
func (c *Client) Objects(ctx context.Context, run string, update func(steer.Update)) error {
	return c.Watch(ctx, run, nil, 0, update)
}

// Watch is Objects, and has the solver read the values of the named objects at the given interval, at its safe points.
// names are names of objects, or of places in them; none: all.
func (c *Client) Watch(ctx context.Context, run string, names []string, every time.Duration,
	update func(steer.Update)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Objects(ctx, &pb.ObjectsRequest{Run: run, Watch: names, EverySeconds: every.Seconds(),
		Brief: true}, grpc.MaxCallRecvMsgSize(maxObjects))
	if err != nil {
		return explain(err)
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

// Steer gives a command to a run and calls report in the caller's goroutine with each receipt. After the last receipt
// it returns without an error. A command that Holds lasts until its hold is released or ctx ends. An error before the
// last receipt means that the command's fate is unknown here; the run's events record it.
func (c *Client) Steer(ctx context.Context, cmd steer.Command, run string, report func(event.Receipt)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Steer(ctx, &pb.SteerRequest{Run: valid(run), Command: encodeCommand(cmd)})
	if err != nil {
		return explain(err)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			return ended(err)
		}
		r, err := event.DecodeReceipt(m.GetReceipt())
		if err != nil {
			return err
		}
		report(r)
	}
}

// Give gives a command to a run and returns at its first receipt: without an error if the run has taken the command.
// If the process ends before it answers a Stop that is for now, the command has had its effect.
func (c *Client) Give(ctx context.Context, cmd steer.Command, run string) error {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	var first event.Receipt
	err := c.Steer(ctx, cmd, run, func(r event.Receipt) {
		if first.State == "" {
			first = r
		}
		enough()
	})
	switch first.State {
	case "":
		if cmd.Now && status.Code(err) == codes.Unavailable {
			return nil
		}
		return err
	case event.Refused, event.Late:
		return errors.New(first.Reason)
	}
	return nil
}

// Stop ends a run now, with its present values; an empty name means the run in progress.
func (c *Client) Stop(ctx context.Context, run string) error {
	return c.Give(ctx, steer.Command{ID: "stop", Verb: steer.Stop, Now: true}, run)
}

func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return explain(err)
}

// explain converts the errors of a run that is not in progress, and of a process with another version of the protocol.
func explain(err error) error {
	switch s := status.Convert(err); {
	case s.Code() == codes.FailedPrecondition:
		return ErrNotRunning
	case s.Code() == codes.Unimplemented: // whose text each language's gRPC has in its own words
		return fmt.Errorf("it does not know this call of version %d of the plugin protocol (%s): use the Peregrine "+
			"that started it, or end it", ProtocolVersion, s.Message())
	}
	return err
}
