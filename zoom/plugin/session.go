package plugin

// One run in the plugin's process. Its events and its result are sent to the host. If the host has died, they are
// written into the run folder, where the next host finds them.

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
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

type session struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	request Request
	started time.Time
	tenancy *tenancy

	registry *steer.Registry // of objects to read and change; also in the request, if the solver steers
	sensing  *sensing        // nil: the solver has no sensors

	mu       sync.Mutex // one sender at a time, even if a solver emits from several goroutines
	stream   grpc.ServerStreamingServer[pb.RunReply]
	broken   bool // the stream has ended
	hostGone bool // because the host died
	seq      int64
	log      *event.Log      // nil: the host lives, or the file cannot be written
	acts     []event.Receipt // on which the answer may depend
}

func newSession(r Request, stream grpc.ServerStreamingServer[pb.RunReply], t *tenancy) *session {
	s := &session{request: r, stream: stream, tenancy: t, started: t.clock.Now()}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// close ends the registry and the sensors.
func (s *session) close() {
	s.registry.Close()
	if s.sensing == nil {
		return
	}
	if lost := s.sensing.close(); lost != nil { // the sensors' last findings are lost with it
		s.emit(event.Event{Kind: event.Warning, Text: "sensors: " + lost.Error()})
	}
}

// emit numbers an event and sends it to the host, or writes it into the run folder.
func (s *session) emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	e.Seq = s.seq
	if e.Act != nil && e.Act.Rule == "" && e.Act.Changes() {
		s.acts = append(s.acts, *e.Act)
	}
	if e.Time.IsZero() {
		e.Time = s.tenancy.clock.Now()
	}
	wire := e.Encode()
	if !s.broken && s.stream.Send(&pb.RunReply{Reply: &pb.RunReply_Event{Event: wire}}) != nil {
		s.streamBroke()
	}
	if s.hostGone {
		s.record(decodeEvent(wire, s.request))
	}
}

// streamBroke determines whether the stream broke because the host died. Only then does this process write to the run
// folder: its event log has one writer at a time.
func (s *session) streamBroke() {
	s.broken = true
	s.hostGone, _ = s.tenancy.orphaned(lossDelay)
	if !s.hostGone || HasResult(s.request.Folder) { // a host has given this process up, and another may make the run
		return
	}
	log, err := event.Append(filepath.Join(s.request.Folder, EventsFile))
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // printed to the run's log file; the result is still written
		return
	}
	s.log = log
}

// record writes an event into the run folder.
func (s *session) record(e event.Event) {
	if s.log == nil {
		return
	}
	if err := s.log.Write(e); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// finish sends the result to the host, or writes it into the run folder.
func (s *session) finish(res Result, d Description) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		err := s.stream.Send(&pb.RunReply{Reply: &pb.RunReply_Outcome{Outcome: encodeResult(res)}})
		if err == nil && s.stream.Context().Err() == nil {
			return nil
		}
		s.streamBroke()
	}
	if !s.hostGone {
		return nil // the host lives and cancelled the call: it writes the result itself
	}
	if err := d.CheckResult(res); err != nil { // in the host's place
		res.Class, res.Message = event.BadOutput, err.Error()
	}
	ending := NewEnding(res, s.started, s.tenancy.clock.Now(), event.Plugin, d)
	ending.Steered = s.acts
	if res.Class == event.Converged {
		ending.Solution = d.SolutionSum(s.request.Folder)
	}
	s.seq++
	s.record(event.Event{
		Study: s.request.Study, Run: s.request.Run, Seq: s.seq, Time: ending.Ended,
		Source: event.Plugin, Kind: event.Ended, Class: res.Class,
	})
	if s.log != nil {
		if Lasting(ending.Wall) {
			_ = s.log.Sync()
		}
		_ = s.log.Close()
	}
	_, err := WriteFirstResult(s.request.Folder, ending)
	return err
}
