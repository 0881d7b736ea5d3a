package agent

// The host's side of a connection.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hashicorp/yamux"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/version"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Node is another machine, seen by a host through its relay. Its methods may be called by several goroutines.
type Node struct {
	Facts *pb.Facts     // of the machine; not to be changed
	Build string        // of the relay's program, for people
	Left  []*pb.Process // started there by an earlier host, and alive when this host came

	terms   Terms
	session streams
	conn    *grpc.ClientConn
	client  pb.RelayClient
	ctx     context.Context // ends when the node is lost or let go; its cause is the reason
	end     context.CancelCauseFunc
	done    sync.WaitGroup // its goroutines; after Meet they begin under mu
	images  sync.Map       // contents of the images of programs that the node has, by the contents of the programs

	mu       sync.Mutex
	heard    time.Time
	trip     time.Duration // shortest round trip of a heartbeat
	offset   time.Duration // of the node's clock from the host's, by that heartbeat
	load     float64
	endsSoon bool
	called   string        // by the host; empty: by its own name
	warned   chan struct{} // closed when the node's block is about to be ended
}

var _ hosting.Node = (*Node)(nil)

// LostError is why a node was given up.
type LostError struct {
	Node string
	Why  error
}

func (e *LostError) Error() string { return fmt.Sprintf("node %s was lost: %v", e.Node, e.Why) }
func (e *LostError) Unwrap() error { return e.Why }

// LostMachine names the machine that was lost.
func (e *LostError) LostMachine() string { return e.Node }

// errLetGo ends a node that is needed no longer.
var errLetGo = errors.New("the host needs it no longer")

// Meet greets the relay at the other end of a connection. ctx bounds the greeting. The caller calls Close or Dismiss in
// the end, which close the connection; it is closed if Meet fails.
func Meet(ctx context.Context, conn io.ReadWriteCloser, terms Terms) (*Node, error) {
	terms = terms.WithDefaults()
	session, err := yamux.Client(conn, multiplex(terms.Lease))
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	n, err := newNode(session, terms)
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	if err := n.greet(ctx); err != nil {
		n.end(err)
		_ = n.conn.Close()
		_ = session.Close()
		return nil, err
	}
	n.done.Go(n.beat)
	n.done.Go(n.watch)
	n.done.Go(func() {
		select {
		case <-session.CloseChan():
			n.lose(errors.New("the connection to its relay broke"))
		case <-n.ctx.Done():
		}
	})
	return n, nil
}

// streams is a connection to a relay, which is divided into streams.
type streams interface {
	Open() (net.Conn, error)
	Close() error
}

func newNode(session streams, terms Terms) (n *Node, err error) {
	n = &Node{terms: terms, session: session, warned: make(chan struct{})}
	n.ctx, n.end = context.WithCancelCause(context.Background())
	// TLS is below, or ssh
	n.conn, err = grpc.NewClient("passthrough:relay", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			return open(session, callStream, "")
		}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageLimit), grpc.MaxCallSendMsgSize(messageLimit)))
	n.client = pb.NewRelayClient(n.conn)
	return n, err
}

// Visit returns the node of another host, which opens the streams. It sends no heartbeats, and has no Facts.
func Visit(name string, open func() (net.Conn, error)) (*Node, error) {
	n, err := newNode(visited(open), Terms{}.WithDefaults())
	n.called = name
	return n, err
}

type visited func() (net.Conn, error)

func (v visited) Open() (net.Conn, error) { return v() }
func (visited) Close() error              { return nil }

// Open opens a stream to the relay, for a visitor.
func (n *Node) Open() (net.Conn, error) { return n.session.Open() }

func (n *Node) greet(ctx context.Context) error {
	hello, err := n.client.Hello(ctx, &pb.HelloRequest{
		Version: Version, Lease: n.terms.Lease.Seconds(), Grace: n.terms.Grace.Seconds(),
		Peregrine: version.Read().Short(),
	})
	switch {
	case status.Code(err) == codes.FailedPrecondition:
		return errors.New(status.Convert(err).Message())
	case err != nil:
		return fmt.Errorf("no relay answers at the other end: %s", status.Convert(err).Message())
	case hello.GetVersion() != Version:
		return fmt.Errorf("the relay speaks version %d of the protocol, this host %d: let both be the same Peregrine",
			hello.GetVersion(), Version)
	}
	if err := sensible(hello.GetFacts()); err != nil {
		return err
	}
	n.Facts, n.Build, n.Left = hello.GetFacts(), hello.GetPeregrine(), hello.GetProcesses()
	n.heard = n.terms.Clock.Now()
	return nil
}

// mostName is the length of the longest name of a machine (RFC 1035, section 2.3.4).
const mostName = 255

// sensible reports why the facts of a relay are none.
func sensible(f *pb.Facts) error {
	name := f.GetNode()
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == filepath.Separator }
	switch {
	case name == "":
		return errors.New("the relay does not say where it is")
	case len(name) > mostName || strings.ContainsFunc(name, odd):
		return fmt.Errorf("the relay says that its node is called %.40q", name)
	case f.GetCores() < 0 || f.GetMemory() < 0 || math.IsNaN(f.GetEnds()):
		return fmt.Errorf("the relay of %s says that it has %d cores and %d bytes of memory until %v", name,
			f.GetCores(), f.GetMemory(), f.GetEnds())
	}
	return nil
}

// Name returns the node's name, or the name given by Call.
func (n *Node) Name() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.called != "" {
		return n.called
	}
	return n.Facts.GetNode()
}

// Call has errors name the node so: a machine may have several relays.
func (n *Node) Call(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.called = name
}

// Done is closed when the node is lost or let go.
func (n *Node) Done() <-chan struct{} { return n.ctx.Done() }

// Err returns the reason why the node is lost or let go; nil: it is neither.
func (n *Node) Err() error { return context.Cause(n.ctx) }

// Warned is closed when the node's block is about to be ended.
func (n *Node) Warned() <-chan struct{} { return n.warned }

// Heard is when the node was last heard of, by the host's clock.
func (n *Node) Heard() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard
}

// Offset returns the lead of the node's clock over the host's, and the round trip of the heartbeat that measured it:
// the error is at most half the round trip.
func (n *Node) Offset() (offset, trip time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.offset, n.trip
}

// lose gives the node up.
func (n *Node) lose(why error) {
	if why != errLetGo { //nolint:errorlint // it is never wrapped
		why = &LostError{n.Name(), why}
	}
	n.mu.Lock()
	n.end(why)
	n.mu.Unlock()
	_ = n.session.Close() // the streams of all processes break with it
}

// beat keeps the lease.
func (n *Node) beat() {
	stream, err := n.client.Beat(n.ctx)
	if err != nil {
		n.lose(errors.New(status.Convert(err).Message()))
		return
	}
	n.done.Go(func() { n.listen(stream) })
	for number := int64(1); ; number++ {
		if stream.Send(&pb.Pulse{Number: number, Time: unix(n.terms.Clock.Now())}) != nil {
			return // the stream has ended: listen gets its reason, Send does not
		}
		now := n.terms.Clock.Now()
		if clock.Sleep(n.ctx, n.terms.Clock, now.Add(n.terms.Beat).Truncate(n.terms.Beat/beatSlots).Sub(now)) != nil {
			return
		}
	}
}

// beatSlots is the number of moments in a beat's time at which heartbeats are sent, the same for all nodes. A host of
// many nodes that wakes once for some dozens of heartbeats takes a third of the processor time of single wake-ups.
const beatSlots = 8

// watch gives the node up after silence for the time of the lease.
func (n *Node) watch() {
	for n.Err() == nil {
		silent := clock.Since(n.terms.Clock, n.Heard())
		if silent >= n.terms.Lease {
			n.lose(fmt.Errorf("nothing was heard of its relay for %v", silent.Round(time.Second/10)))
			return
		}
		_ = clock.Sleep(n.ctx, n.terms.Clock, n.terms.Lease-silent) // Err has why
	}
}

// offsetPulses is the number of heartbeats after which the clocks are compared anew: they drift.
const offsetPulses = 60

// listen takes the answers to heartbeats. Each has the host's number, and the host sends one at a time, so the shortest
// round trip bounds the clock's offset best.
func (n *Node) listen(stream grpc.BidiStreamingClient[pb.Pulse, pb.Pulse]) {
	for {
		p, err := stream.Recv()
		if err != nil {
			n.lose(errors.New("its relay ended: " + status.Convert(err).Message()))
			return
		}
		now := n.terms.Clock.Now()
		n.mu.Lock()
		n.heard, n.load = now, p.GetLoad()
		if trip := now.Sub(fromUnix(p.GetEcho())); trip >= 0 && (n.trip == 0 || trip < n.trip ||
			p.GetNumber()%offsetPulses == 0) {
			n.trip, n.offset = trip, fromUnix(p.GetTime()).Add(trip/2).Sub(now)
		}
		if p.GetEndsSoon() && !n.endsSoon {
			n.endsSoon = true
			close(n.warned)
		}
		n.mu.Unlock()
	}
}

// Close lets the node go. The node waits for another host for the grace time.
func (n *Node) Close() {
	n.lose(errLetGo)
	_ = n.conn.Close()
	n.done.Wait()
}

// Dismiss ends the relay with all its processes, and lets the node go.
func (n *Node) Dismiss(ctx context.Context) {
	_, _ = n.client.Leave(ctx, &pb.LeaveRequest{}) // a relay that does not get it ends after the grace time
	n.Close()
}

// Dial implements hosting.Node.
func (n *Node) Dial(_ context.Context, network, address string) (net.Conn, error) {
	return open(n.session, dialStream, network+":"+address)
}
