package plugin

// One run in the plugin's process. What it tells goes to the host or, if the
// host is gone, into the run folder, where the next host finds it.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

type session struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	request Request
	started time.Time
	tenancy *tenancy

	mu     sync.Mutex // one sender at a time, also if a solver emits from several goroutines
	stream grpc.ServerStreamingServer[pb.RunReply]
	broken bool // the stream is of no use any more
	alone  bool // and the host is gone
	seq    int64
	log    *event.Log // nil: not alone, or not writable
}

func newSession(r Request, stream grpc.ServerStreamingServer[pb.RunReply], t *tenancy) *session {
	s := &session{request: r, stream: stream, tenancy: t, started: t.clock.Now()}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// emit tells an event.
func (s *session) emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	e.Seq = s.seq
	if e.Time.IsZero() {
		e.Time = s.tenancy.clock.Now()
	}
	wire := e.Encode()
	if !s.broken && s.stream.Send(&pb.RunReply{Reply: &pb.RunReply_Event{Event: wire}}) != nil {
		s.lose()
	}
	if s.alone {
		s.keep(received(wire, s.request))
	}
}

// lose finds out whether a stream broke because the host died. Only then is
// the run folder ours to write: its event log has one writer at a time.
func (s *session) lose() {
	s.broken = true
	s.alone, _ = s.tenancy.orphaned(lossDelay)
	if !s.alone {
		return
	}
	log, err := event.Append(filepath.Join(s.request.Folder, EventsFile))
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // goes to the run's log; the result counts more
		return
	}
	s.log = log
}

func (s *session) keep(e event.Event) {
	if s.log == nil {
		return
	}
	if err := s.log.Write(e); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// finish tells the result.
func (s *session) finish(res Result, d Description) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		err := s.stream.Send(&pb.RunReply{Reply: &pb.RunReply_Outcome{Outcome: outcome(res)}})
		if err == nil && s.stream.Context().Err() == nil {
			return nil
		}
		s.lose()
	}
	if !s.alone {
		return nil // the host hung up on this run, and writes what it wants
	}
	if err := d.CheckResult(res); err != nil { // nobody else will
		res.Class, res.Message = event.BadOutput, err.Error()
	}
	ending := NewEnding(res, s.started, s.tenancy.clock.Now(), event.Plugin, d)
	s.seq++
	s.keep(event.Event{
		Study: s.request.Study, Run: s.request.Run, Seq: s.seq, Time: ending.Ended,
		Source: event.Plugin, Kind: event.Ended, Class: res.Class,
	})
	if s.log != nil {
		_ = s.log.Close()
	}
	return WriteFile(s.request.Folder, ResultFile, ending)
}
