package plugin

// The host's side of steering.

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// maxObjects bounds one message about a run's objects, bytes.
const maxObjects = 16 << 20

// Objects calls update in the caller's goroutine with all objects of a run, then with each change, until the run is over (without an error), ctx
// ends or the process is gone. A run that does not go on in the process is [ErrNotRunning].
func (c *Client) Objects(ctx context.Context, run string, update func(steer.Update)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Objects(ctx, &pb.ObjectsRequest{Run: run}, grpc.MaxCallRecvMsgSize(maxObjects))
	if err != nil {
		return notRunning(err)
	}
	var u steer.Update
	for {
		m, err := stream.Recv()
		if err != nil {
			return ended(err)
		}
		for _, o := range m.GetObjects() {
			u.Objects = append(u.Objects, decodeObject(o))
		}
		u.Version, u.Gone, u.Lost = m.GetVersion(), m.GetGone(), m.GetLost()
		if !m.GetMore() {
			update(u)
			u = steer.Update{}
		}
	}
}

// Steer gives a command to a run and calls report in the caller's goroutine with each receipt; after the last it returns without an error. A
// command that Holds goes on until its hold is released or ctx ends. Without a last receipt there is an error: whether the command was done
// is not known then; the run's events say it.
func (c *Client) Steer(ctx context.Context, cmd steer.Command, run string, report func(steer.Receipt)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
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
