package plugin

// One run in the plugin's process. Its events and its result are sent to the host. If the host has died, the next host
// gets them when it attaches. If none comes, they are written into the run folder.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventpb "github.com/peregrine-sim/peregrine/watchdog/event/proto"
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
	broken   bool       // the stream has ended
	hostGone bool       // because the host died
	waits    bool       // and another one may attach
	turned   *sync.Cond // of mu: waits has changed
	hold     int        // number of the lease of the stream's host
	seq      int64
	sent     int64            // number of the last event that a host got, as far as known
	kept     []*eventpb.Event // the latest events, for the next host
	dropped  int              // number of events beyond the limit of the log
	log      *event.Log       // nil: the host lives, or the file cannot be written
	acts     []event.Receipt  // on which the answer may depend
	over     chan struct{}    // closed when the run has ended
	outcome  *pb.RunReply     // given to a stream, which does not tell whether the host has got it; nil: not yet
}

// Numbers of the latest events that are kept: while a host has the run, as many as may be on their way to it when it
// dies; and until another host comes.
const (
	keptSent    = 1 << 10
	keptWaiting = 1 << 14
)

func newSession(r Request, stream grpc.ServerStreamingServer[pb.RunReply], t *tenancy) *session {
	s := &session{request: r, stream: stream, tenancy: t, started: t.clock.Now(), over: make(chan struct{}),
		hold: t.lease.Holds()}
	s.turned = sync.NewCond(&s.mu)
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
	s.keep(wire)
	if !s.broken {
		if s.stream.Send(&pb.RunReply{Reply: &pb.RunReply_Event{Event: wire}}) == nil {
			s.sent = s.seq
			return
		}
		s.streamBroke(s.tenancy.orphaned(lossDelay))
		return
	}
	if s.hostGone && !s.waits {
		s.record(decodeEvent(wire, s.request))
	}
}

// keep keeps an event for the next host. The caller holds the lock.
func (s *session) keep(wire *eventpb.Event) {
	most := keptSent
	if s.waits {
		most = keptWaiting
	}
	if s.kept = append(s.kept, wire); len(s.kept) > 2*most { // seldom, as it moves them all
		s.kept = slices.Clone(s.kept[len(s.kept)-most:])
	}
}

// attach sends the rest of the run to another host, which knows the events up to a number. It returns when the run has
// ended, or that host has left. It reports whether the run waited for a host.
func (s *session) attach(stream grpc.ServerStreamingServer[pb.RunReply], seen int64) bool {
	s.mu.Lock()
	hold := s.tenancy.lease.Holds()
	if !s.waits && hold == s.hold { // with another lease the end of the former stream is yet to be noticed
		s.mu.Unlock()
		return false
	}
	s.stream, s.hold, s.broken, s.hostGone, s.waits = stream, hold, false, false, false
	outcome := s.outcome
	for _, wire := range s.kept {
		if wire.GetSeq() > seen && s.stream.Send(&pb.RunReply{Reply: &pb.RunReply_Event{Event: wire}}) != nil {
			break // hostLeft has why
		}
	}
	s.sent = s.seq
	if outcome != nil {
		_ = stream.Send(outcome) // another host may attach
	}
	s.turned.Broadcast()
	s.mu.Unlock()
	if outcome != nil {
		return true
	}
	defer context.AfterFunc(stream.Context(), func() { s.hostLeft(stream) })()
	select {
	case <-s.over:
	case <-stream.Context().Done():
	}
	return true
}

// hostLeft is called when a stream has ended. The end of the stream alone does not stop the solver: the host may have
// died, with terms to continue, and another one may have the run.
func (s *session) hostLeft(stream grpc.ServerStreamingServer[pb.RunReply]) {
	gone, by := s.tenancy.orphaned(lossDelay)
	s.mu.Lock()
	attached, gone := s.stream != stream, gone || s.tenancy.lease.Holds() != s.hold
	if !attached && gone && by.Wait > 0 {
		s.streamBroke(true, by)
	}
	s.mu.Unlock()
	switch {
	case attached || gone && by.Wait > 0:
	case !gone:
		s.cancel(ErrStopped)
	case !by.Finish:
		s.cancel(ErrHostLost)
	default:
		s.free()
	}
}

// delivered reports whether the outcome was given to a stream.
func (s *session) delivered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outcome != nil
}

// abandon ends the wait for another host.
func (s *session) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waits && s.broken {
		return
	}
	s.broken, s.hostGone, s.waits = true, true, false
	s.openLog()
	s.turned.Broadcast()
}

// streamBroke notes that the stream broke, and whether because the host died. The caller holds the lock.
func (s *session) streamBroke(gone bool, by Terms) {
	if s.broken {
		return
	}
	s.broken, s.hostGone, s.waits = true, gone, gone && by.Wait > 0
	if gone && !s.waits {
		s.openLog()
	}
}

// openLog begins to write events into the run folder, with those that no host has got. Only the process of a run whose
// host died does so: the event log has one writer at a time.
func (s *session) openLog() {
	if HasResult(s.request.Folder) { // a host has given this process up, and another may make the run
		return
	}
	log, err := event.Append(filepath.Join(s.request.Folder, EventsFile))
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // printed to the run's log file; the result is still written
		return
	}
	s.log = log
	for _, wire := range s.kept {
		if wire.GetSeq() > s.sent {
			s.record(decodeEvent(wire, s.request))
		}
	}
}

// record writes an event into the run folder.
func (s *session) record(e event.Event) {
	if s.log == nil {
		return
	}
	if e.Kind != event.Ended && s.log.Size() >= EventLimit {
		s.dropped++
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
	for !s.broken || s.waits {
		if s.waits {
			s.turned.Wait()
			continue
		}
		reply := &pb.RunReply{Reply: &pb.RunReply_Outcome{Outcome: encodeResult(res)}}
		if s.stream.Send(reply) == nil && s.stream.Context().Err() == nil {
			s.outcome = reply
			return nil
		}
		s.streamBroke(s.tenancy.orphaned(lossDelay))
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
	end := event.Event{
		Study: s.request.Study, Run: s.request.Run, Seq: s.seq, Time: ending.Ended,
		Source: event.Plugin, Kind: event.Ended, Class: res.Class,
	}
	if s.dropped > 0 {
		end.Text = fmt.Sprintf("%d events were not written", s.dropped)
	}
	s.record(end)
	if s.log != nil {
		if Lasting(ending.Wall) {
			_ = s.log.Sync()
		}
		_ = s.log.Close()
	}
	_, err := WriteFirstResult(s.request.Folder, ending)
	return err
}
