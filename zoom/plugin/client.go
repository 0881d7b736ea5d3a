package plugin

// The host's side of the protocol.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// Client calls one plugin. Its errors are gRPC errors, with their codes.
type Client struct {
	rpc  pb.SolverClient
	most atomic.Int64 // bytes in one reply of Run; 0: not described yet

	traffic atomic.Int64 // bytes of all requests and replies of Run
}

// maxDescription bounds a plugin's description, bytes.
const maxDescription = 4 << 20

// ErrNoOutcome reports that a plugin ended its stream without an outcome of the run.
var ErrNoOutcome = errors.New("the plugin ended its stream without an outcome")

// NewClient returns a client of the plugin at the other end of a connection. The caller
// closes the connection.
func NewClient(conn grpc.ClientConnInterface) *Client { return &Client{rpc: pb.NewSolverClient(conn)} }

// Describe returns the plugin's description. It limits the replies of later Runs to Description.MaxReply.
func (c *Client) Describe(ctx context.Context) (Description, error) {
	reply, err := c.rpc.Describe(ctx, &pb.DescribeRequest{}, grpc.MaxCallRecvMsgSize(maxDescription))
	if err != nil {
		return Description{}, explain(err)
	}
	d := decodeDescription(reply)
	c.most.Store(int64(d.MaxReply()))
	return d, nil
}

// Traffic returns the bytes of all requests and replies of Run until now.
func (c *Client) Traffic() int64 { return c.traffic.Load() }

// Bound sets a further limit of a Run's replies, bytes. Call it after Describe.
func (c *Client) Bound(reply int) { c.most.Store(min(c.most.Load(), int64(reply))) }

// Run runs a request and calls emit for each event, in order and from the caller's goroutine. It returns ErrNoOutcome
// if the stream ends without an error but also without an outcome. The result is unchecked: check it with
// Description.CheckResult.
func (c *Client) Run(ctx context.Context, r Request, emit func(event.Event)) (Result, error) {
	return c.run(ctx, r, encodeRequest(r), emit)
}

// Attach is Run for a run that continues for a dead host. It emits the events after number seen. Take the lease first.
func (c *Client) Attach(ctx context.Context, r Request, seen int64, emit func(event.Event)) (Result, error) {
	return c.run(ctx, r, &pb.RunRequest{Run: r.Run, Attach: true, Seen: seen}, emit)
}

func (c *Client) run(ctx context.Context, r Request, q *pb.RunRequest, emit func(event.Event)) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	most := int(c.most.Load())
	most = cmp.Or(most, MaxMessage)
	c.traffic.Add(int64(proto.Size(q)))
	stream, err := c.rpc.Run(ctx, q, grpc.MaxCallRecvMsgSize(most))
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
		c.traffic.Add(int64(proto.Size(reply)))
		if o := reply.GetOutcome(); o != nil {
			drain(stream, cancel)
			return decodeResult(o), nil
		}
		if e := reply.GetEvent(); e != nil {
			emit(decodeEvent(e, r))
		}
	}
}

// drain waits for the plugin to end the stream, for at most a second. If the host ended the stream right after the
// outcome, the plugin would take this for the host's death.
func drain(stream grpc.ServerStreamingClient[pb.RunReply], cancel func()) {
	late := clock.Real.AfterFunc(time.Second, cancel)
	defer late.Stop()
	for {
		if _, err := stream.Recv(); err != nil {
			return
		}
	}
}

// Lease ties the plugin to this process on the given terms until release is called or this
// process ends. It returns when the plugin has confirmed the lease, or fails when wait ends.
func (c *Client) Lease(wait context.Context, t Terms) (release func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer context.AfterFunc(wait, cancel)()
	stream, err := c.rpc.Lease(ctx, &pb.LeaseRequest{Finish: t.Finish, GraceSeconds: t.Grace.Seconds(),
		WaitSeconds: t.Wait.Seconds()})
	if err == nil {
		_, err = stream.Recv()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("the plugin takes no lease: %w", err)
	}
	return cancel, nil
}

// The limit of an answer's size. A faulty plugin must not exhaust the host's memory, so the limit follows from the
// plugin's description.

// MaxMessage is the largest message between a host and a plugin, bytes. The plugin's description sets a lower limit for
// its replies; see Description.MaxReply.
const MaxMessage = 256 << 20

const (
	maxText     = 1 << 20 // bytes of a text or of a file's name
	replyMargin = 4 << 20 // bytes, for names, the message and the content of a solver's events
)

// MaxReply is how many bytes a reply of the solver has at most: its outputs, each as large as its
// shape can be, and 4 MiB. Replies are events, and the answer.
func (d *Description) MaxReply() int {
	most := replyMargin
	for _, q := range d.Outputs {
		switch q.Shape {
		case Scalar:
			most += 8
		case Profile:
			most += 8 * MaxProfile
		default:
			most += maxText
		}
	}
	return min(most, MaxMessage)
}
