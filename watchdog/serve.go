package watchdog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

const (
	// ConnectTime is the longest wait of a watchdog for its host's stream.
	ConnectTime = 15 * time.Second
	// ShutdownTime is the longest time between the break of the stream and the end of the
	// process, even if a file system does not respond.
	ShutdownTime = time.Second
)

// Serve is the main function of a watchdog process. It returns when the host's stream has
// ended. It prints nothing before go-plugin's handshake and reads the certificates that the
// environment names.
func Serve() {
	s := newServer(clock.Real)
	s.wake = tail.NewWaker(s.clock, func(text string) { fmt.Fprintln(os.Stderr, "watchdog: "+text) })
	hosting.Serve(hosting.Service{
		Handshake: handshake, Lease: &s.lease, Patience: ConnectTime,
		Register: func(r grpc.ServiceRegistrar) { proto.RegisterWatchdogServer(r, s) },
	})
	s.close()
}

// server is the state of a watchdog process.
type server struct {
	proto.UnimplementedWatchdogServer
	clock  clock.Clock
	wake   *tail.Waker
	ctx    context.Context // ends with the lease
	cancel context.CancelFunc
	out    chan *proto.Batch
	lease  hosting.Lease
	watch  sync.WaitGroup

	mu     sync.Mutex
	leased bool
	finish map[uint64]chan struct{} // closed: the files are complete; nil: closed already
}

func newServer(c clock.Clock) *server {
	ctx, cancel := context.WithCancel(context.Background())
	return &server{
		clock: c, ctx: ctx, cancel: cancel,
		out:    make(chan *proto.Batch),
		finish: map[uint64]chan struct{}{},
	}
}

// close ends all watches and waits for them, for ShutdownTime at most: a file system may not
// respond.
func (s *server) close() {
	s.cancel()
	done := make(chan struct{})
	go func() { // outlives close only if the process ends next
		s.watch.Wait()
		_ = s.wake.Close() // the process ends
		close(done)
	}()
	late := s.clock.NewTimer(ShutdownTime)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}

// Events sends the batches of all watches. There is one stream; its end ends the process.
func (s *server) Events(_ *proto.EventsRequest, stream grpc.ServerStreamingServer[proto.Batch]) error {
	s.mu.Lock()
	taken := s.leased
	s.leased = true
	s.mu.Unlock()
	if taken {
		return status.Error(codes.FailedPrecondition, "the stream of events has a reader already")
	}
	end := s.lease.Take()
	defer func() { // however the stream ends, the process ends with it
		end()
		s.cancel()
		s.lease.Stop()
	}()
	if err := stream.SendHeader(nil); err != nil { // confirms the lease
		return err
	}
	for {
		select {
		case b := <-s.out:
			if err := stream.Send(b); err != nil {
				return err
			}
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
}

// Watch starts to follow files. If there is a watch of that id it does nothing.
func (s *server) Watch(_ context.Context, r *proto.WatchRequest) (*proto.WatchReply, error) {
	var spec history.FileSpec
	if err := json.Unmarshal(r.GetSpec(), &spec); err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "file description: %v", err)
	}
	if err := spec.Check(); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	from, err := decodePositions(r.GetFrom())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.finish[r.GetId()]; known || s.ctx.Err() != nil {
		return &proto.WatchReply{}, nil
	}
	finish := make(chan struct{})
	s.finish[r.GetId()] = finish
	s.watch.Go(func() { s.follow(r.GetId(), spec, from, finish) })
	return &proto.WatchReply{}, nil
}

// follow runs one watch and sends a last batch when it is done.
func (s *server) follow(id uint64, spec history.FileSpec, from []history.FilePosition, finish chan struct{}) {
	err := history.Follow(s.ctx, spec, from, finish, s.clock, s.wake, func(b history.Batch) error {
		m, err := encode(id, b)
		if err != nil {
			return err
		}
		return s.send(m)
	})
	done := &proto.Batch{Id: id, Done: true}
	if err != nil {
		done.Error = err.Error()
	}
	_ = s.send(done) // fails only if the process ends
}

func (s *server) send(m *proto.Batch) error {
	select {
	case s.out <- m:
		return nil
	case <-s.ctx.Done():
		return errors.New("the host has gone")
	}
}

// Finish marks the files of a watch as complete.
func (s *server) Finish(_ context.Context, r *proto.FinishRequest) (*proto.FinishReply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	finish, known := s.finish[r.GetId()]
	if !known {
		return nil, status.Errorf(codes.NotFound, "no watch %d", r.GetId())
	}
	if finish != nil {
		close(finish)
		s.finish[r.GetId()] = nil
	}
	return &proto.FinishReply{}, nil
}
