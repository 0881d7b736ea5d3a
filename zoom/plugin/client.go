package plugin

// The host's side of the protocol.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// Client calls one plugin. Its errors are those of gRPC, with their codes.
type Client struct {
	rpc pb.SolverClient
}

// MaxMessage bounds what a host takes from a plugin in one message, bytes: a
// plugin gone mad must not take the host's memory with it.
const MaxMessage = 256 << 20

// ErrNoOutcome tells that a plugin ended its stream without saying how the run ended.
var ErrNoOutcome = errors.New("the plugin ended its stream without an outcome")

// NewClient calls a plugin over a connection, which stays its owner's to close.
func NewClient(conn grpc.ClientConnInterface) *Client { return &Client{rpc: pb.NewSolverClient(conn)} }

// Describe asks the plugin what it is.
func (c *Client) Describe(ctx context.Context) (Description, error) {
	d, err := c.rpc.Describe(ctx, &pb.DescribeRequest{})
	if err != nil {
		return Description{}, err
	}
	return description(d), nil
}

// Run asks for one operating point and calls emit for each event, in order and
// from the caller's goroutine. It returns ErrNoOutcome if the stream ended in
// order but without a result. The result is as the plugin sent it: check it with
// Description.CheckResult.
func (c *Client) Run(ctx context.Context, r Request, emit func(event.Event)) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Run(ctx, runRequest(r))
	if err != nil {
		return Result{}, err
	}
	for {
		reply, err := stream.Recv()
		if err == io.EOF {
			return Result{}, ErrNoOutcome
		}
		if err != nil {
			return Result{}, err
		}
		if o := reply.GetOutcome(); o != nil {
			drain(stream, cancel)
			return result(o), nil
		}
		if e := reply.GetEvent(); e != nil {
			emit(received(e, r))
		}
	}
}

// drain waits a moment for the stream to end in order: a plugin that is hung up
// on with its outcome just sent would have to think that its host died.
func drain(stream grpc.ServerStreamingClient[pb.RunReply], cancel func()) {
	late := clock.Real.AfterFunc(time.Second, cancel)
	defer late.Stop()
	for {
		if _, err := stream.Recv(); err != nil {
			return
		}
	}
}

// Control passes a command to the run that goes on. A Stop whose answer is lost
// because the process has ended by then has done its work, and is no error.
func (c *Client) Control(ctx context.Context, cmd Command) error {
	_, err := c.rpc.Control(ctx, &pb.Command{Verb: verbs[cmd.Verb], Name: cmd.Name, Value: cmd.Value})
	if cmd.Verb == Stop && status.Code(err) == codes.Unavailable {
		return nil
	}
	return err
}

// Lease ties the plugin to this process on the given terms until release is
// called or the process ends. It returns when the plugin has agreed, or fails when wait ends.
func (c *Client) Lease(wait context.Context, t Terms) (release func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer context.AfterFunc(wait, cancel)()
	stream, err := c.rpc.Lease(ctx, &pb.LeaseRequest{Finish: t.Finish, GraceSeconds: t.Grace.Seconds()})
	if err == nil {
		_, err = stream.Recv()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("the plugin takes no lease: %w", err)
	}
	return cancel, nil
}
