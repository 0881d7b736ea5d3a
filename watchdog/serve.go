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

// Serve is the main function of a watchdog process. It returns when the host's stream has ended. It prints no output
// before go-plugin's handshake and reads the certificates that the environment names.
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

	mu     sync.Mutex // also held where a watch begins, and where cancel ends them all
	leased bool

	finish map[uint64]chan struct{} // by watch; closed and forgotten when its files are complete. Of the stream
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
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
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

// Follow takes orders and sends the batches of all watches. The process has a single stream; its end ends the process.
func (s *server) Follow(stream grpc.BidiStreamingServer[proto.Order, proto.Batch]) error {
	s.mu.Lock()
	taken := s.leased
	s.leased = true
	s.mu.Unlock()
	if taken {
		return status.Error(codes.FailedPrecondition, "there is a host already")
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
	broken := make(chan error, 1)
	go func() { // ends with the stream
		for {
			o, err := stream.Recv()
			if err != nil {
				broken <- err
				return
			}
			s.take(o)
		}
	}()
	for {
		select {
		case b := <-s.out:
			if err := stream.Send(b); err != nil {
				return err
			}
		case err := <-broken:
			return err
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
}

// take begins a watch, or finishes it. It does not wait: the watch's last batch has the errors.
func (s *server) take(o *proto.Order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil { // close may wait already
		return
	}
	id := o.GetId()
	if o.GetFinish() {
		if finish := s.finish[id]; finish != nil {
			close(finish)
		}
		delete(s.finish, id)
		return
	}
	var spec history.FileSpec
	err := json.Unmarshal(o.GetSpec(), &spec)
	if err == nil {
		err = spec.Check()
	}
	from, fromErr := decodePositions(o.GetFrom())
	if err == nil {
		err = fromErr
	}
	finish := make(chan struct{})
	s.finish[id] = finish
	s.watch.Go(func() {
		if err != nil {
			_ = s.send(&proto.Batch{Id: id, Done: true, Error: err.Error()}) // fails only if the process ends
			return
		}
		s.follow(id, spec, from, finish)
	})
}

// follow runs a watch and sends a last batch when it is done.
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
		return errors.New("the host has ended")
	}
}
