package agent

// The node's side of a connection: its streams, the host's greetings and heartbeats, and the lease.

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/yamux"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/version"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Serve serves a host over a connection. It returns if the connection breaks, if the host is silent for the time of the
// lease, if the host dismisses the relay, or if ctx ends. The connection is closed then.
func (r *Relay) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	session, err := yamux.Server(conn, multiplex(DefaultLease))
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	calls := &listener{streams: make(chan net.Conn), closed: ctx, address: session.Addr()}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(messageLimit), grpc.MaxSendMsgSize(messageLimit))
	greeted := make(chan struct{}, 1)
	pb.RegisterRelayServer(server, &served{Relay: r, end: end, greeted: greeted})
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(calls) }) // ends with ctx
	heads := make(chan struct{}, mostHeads)
	r.hear()
	wg.Go(func() { r.watchHost(ctx, end, greeted) })
	for {
		stream, err := session.Accept()
		if err != nil {
			end(errors.New("the connection broke"))
			break
		}
		select {
		case heads <- struct{}{}:
			wg.Go(func() { r.take(ctx, stream, calls, func() { <-heads }) })
		default:
			_ = stream.Close() // too many streams without a head
		}
	}
	_ = session.Close()
	server.Stop()
	wg.Wait()
	r.orphan()
	return context.Cause(ctx)
}

// orphan closes the standard input of the relay's processes, since their host has left. A process with a lease knows
// this already; a process that is just starting ends.
func (r *Relay) orphan() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bodies {
		_ = b.host.Close() // an error means that it is closed
	}
}

// headTime is the time in which a stream must send its head. mostHeads is the largest number of streams without a head.
// The number is bounded because yamux lets the readers of all streams spin at the end of a connection until it has
// closed each.
const (
	headTime  = 10 * time.Second
	mostHeads = 256
)

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// take reads the head of a stream and passes the stream on to its receiver. It calls known when the head has been read.
func (r *Relay) take(ctx context.Context, stream net.Conn, calls *listener, known func()) {
	late := r.clock.AfterFunc(headTime, func() { _ = stream.Close() })
	// At the end of a session yamux lets the readers of its streams spin, which may keep it from closing the streams.
	awake := context.AfterFunc(ctx, func() { _ = stream.SetReadDeadline(longAgo) })
	kind, network, address, err := kindOf(stream)
	late.Stop()
	awake()
	known()
	switch {
	case err == nil && kind == callStream:
		select {
		case calls.streams <- stream:
			return
		case <-ctx.Done():
		}
	case err == nil && kind == dialStream && r.mine(network, address):
		if plugin, err := r.machine.Dial(ctx, network, address); err == nil {
			defer context.AfterFunc(ctx, func() { _ = plugin.Close() })()
			Join(stream, plugin)
			return
		}
	}
	_ = stream.Close()
}

// mine reports whether an address belongs to a process of this relay: a socket in the relay's folder, or a port of this
// machine that the process has announced. A host reaches no other address through the relay.
func (r *Relay) mine(network, address string) bool {
	if network == "unix" {
		return strings.HasPrefix(filepath.Clean(address), r.scratch+string(filepath.Separator))
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil || network != "tcp" || !net.ParseIP(host).IsLoopback() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bodies {
		if b.announced.says(network, address) {
			return true
		}
	}
	return false
}

// hear records that the host was heard now.
func (r *Relay) hear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = r.clock.Now()
}

// watchHost gives the host up after silence for the time of the lease. The host may change that time in its greeting.
func (r *Relay) watchHost(ctx context.Context, end context.CancelCauseFunc, changed <-chan struct{}) {
	for {
		r.mu.Lock()
		left := r.lease - clock.Since(r.clock, r.heard)
		r.mu.Unlock()
		if left <= 0 {
			end(errors.New("the host is silent"))
			return
		}
		late := r.clock.NewTimer(left)
		select {
		case <-late.C:
		case <-changed:
		case <-ctx.Done():
		}
		late.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// served is the service of one connection.
type served struct {
	*Relay
	end     context.CancelCauseFunc // of the connection
	greeted chan<- struct{}         // receives when the lease has changed
}

// Hello implements the service.
func (s *served) Hello(_ context.Context, q *pb.HelloRequest) (*pb.HelloReply, error) {
	if q.GetVersion() != Version {
		return nil, status.Errorf(codes.FailedPrecondition,
			"this relay speaks version %d of the protocol, the host %d: let both be the same Peregrine", Version,
			q.GetVersion())
	}
	r := s.Relay
	if r.agree(q.GetLease(), q.GetGrace()) {
		select {
		case s.greeted <- struct{}{}:
		default: // the change is already signalled
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	reply := &pb.HelloReply{Version: Version, Peregrine: version.Read().Short(), Facts: r.facts}
	for _, b := range r.bodies {
		reply.Processes = append(reply.Processes, b.message())
	}
	slices.SortFunc(reply.Processes, func(a, b *pb.Process) int { return int(a.Number) - int(b.Number) })
	return reply, nil
}

// Beat implements the service.
func (s *served) Beat(stream grpc.BidiStreamingServer[pb.Pulse, pb.Pulse]) error {
	for {
		p, err := stream.Recv()
		if err != nil {
			return err
		}
		s.hear()
		answer := &pb.Pulse{Number: p.GetNumber(), Time: unix(s.clock.Now()), Echo: p.GetTime(), Load: process.Load()}
		s.mu.Lock()
		answer.EndsSoon = s.endsSoon
		s.mu.Unlock()
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// Leave implements the service.
func (s *served) Leave(context.Context, *pb.LeaveRequest) (*pb.LeaveReply, error) {
	s.mu.Lock()
	s.dismissed = true
	s.mu.Unlock()
	s.clock.AfterFunc(leaveTime, func() { s.end(errDismissed) })
	return &pb.LeaveReply{}, nil
}

var errDismissed = errors.New("the host dismissed the relay")
