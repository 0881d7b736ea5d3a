package plugin

// The plugin's side of steering: each run has a registry, whose objects are shown to clients and whose commands come
// from them. What became of each command is an event of the run, so that the run's record does not depend on who gave
// it.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
	"github.com/peregrine-sim/peregrine/zoom/steer/insitu"
)

// steerable makes the registry of a run.
func (s *server) steerable(run *session) error {
	if !s.description.Steers {
		return nil
	}
	r := steer.New(s.tenancy.clock)
	r.Compile = condition.Compile
	r.Record = func(x steer.Receipt) { run.emit(CommandEvent(x)) }
	run.request.Steer = r
	if len(s.description.Sensors) == 0 {
		return nil
	}
	sensing, err := newSensing(s.description.Sensors, run.request.Run, run.request.Folder, r, s.tenancy.clock, run.emit)
	if err != nil {
		return err
	}
	run.sensing, run.request.Sensors = sensing, sensing.solver
	return nil
}

// command gives the registry the commands that came with the request.
func (s *session) command() {
	if s.request.Steer == nil {
		return
	}
	s.request.Steer.Given(s.request.Commands)
}

// board has the run judge the rules that came with the request.
func (s *session) board() {
	if s.request.Steer != nil && s.request.Rules != "" {
		insitu.Board(s.request.Rules, s.request.Run, s.request.Steer, s.emit)
	}
}

// control has a solver that steers obey a command of the older kind. It returns when that was accepted.
func (s *session) control(c Command) error {
	x := steer.Command{ID: fmt.Sprintf("control %d", s.controls.Add(1)), By: "the host"}
	switch c.Verb {
	case Pause:
		x.Verb = steer.Pause
	case Resume:
		x.Verb = steer.Resume
	case Checkpoint: // the one without a name, from which the host has a run go on
		x.Verb, x.Changes = steer.CallOf, []steer.Change{{Object: steer.CheckpointFunction, Value: steer.TextValue("")}}
	case Set:
		x.Verb, x.Changes = steer.Set, []steer.Change{{Object: s.objectOf(c.Name), Value: steer.FloatValue(c.Value)}}
	}
	refused := make(chan string, mostReceipts)
	s.request.Steer.Submit(x, func(r steer.Receipt) {
		if r.State == steer.Accepted || r.State == steer.Refused || r.State == steer.Late {
			refused <- r.Reason
		}
	})
	if reason := <-refused; reason != "" {
		return status.Error(codes.InvalidArgument, reason)
	}
	return nil
}

// CommandEvent returns the event that records what became of a command.
func CommandEvent(r steer.Receipt) event.Event {
	return event.Event{
		Kind: event.Command, Name: string(r.Verb), Text: describeReceipt(r), Act: act(r),
		Values: map[string]float64{"iteration": float64(r.Iteration)},
	}
}

// describeReceipt says for people what became of a command: by whom, what, from which value to which.
func describeReceipt(r steer.Receipt) string {
	var b strings.Builder
	if r.By != "" {
		fmt.Fprintf(&b, "by %s: ", r.By)
	}
	b.WriteString(string(r.Verb))
	if r.Name != "" {
		fmt.Fprintf(&b, " %s", r.Name)
	}
	if r.Steps != 0 {
		fmt.Fprintf(&b, " %d", r.Steps)
	}
	const most = 8
	for i, d := range r.Effects {
		switch {
		case i == most:
			fmt.Fprintf(&b, " and %d more", len(r.Effects)-most)
		case i > most:
		case d.Old.Type == "":
			fmt.Fprintf(&b, " %s: %v", d.Object, d.New)
		default:
			fmt.Fprintf(&b, " %s %v -> %v", d.Object, d.Old, d.New)
		}
	}
	if r.State != steer.Applied {
		fmt.Fprintf(&b, " %s", strings.ReplaceAll(string(r.State), "_", " "))
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, ": %s", r.Reason)
	}
	return b.String()
}

// steered returns the registry of the run that goes on.
func (s *server) steered(name string) (*steer.Registry, error) {
	run := s.tenancy.running()
	switch {
	case !s.description.Steers:
		return nil, status.Errorf(codes.Unimplemented, "solver %s cannot be steered", s.description.Name)
	case run == nil || name != "" && name != run.request.Run:
		return nil, status.Error(codes.FailedPrecondition, ErrNotRunning.Error())
	}
	return run.request.Steer, nil
}

func (s *server) Objects(m *pb.ObjectsRequest, stream grpc.ServerStreamingServer[pb.ObjectsUpdate]) error {
	r, err := s.steered(m.GetRun())
	if err != nil {
		return err
	}
	return follow(r, m, stream)
}

// follow sends what may be seen and changed, and what becomes of that.
func follow(r *steer.Registry, m *pb.ObjectsRequest, stream grpc.ServerStreamingServer[pb.ObjectsUpdate]) error {
	r.Begun(stream.Context()) // who asks early is to see all objects
	every := time.Duration(min(max(m.GetEverySeconds(), 0), 1e6) * float64(time.Second))
	var known *had
	if m.GetBrief() {
		known = newHad()
	}
	return r.Watch(stream.Context(), m.GetWatch(), every, func(u steer.Update) error {
		for _, part := range encodeUpdate(u, known) {
			if err := stream.Send(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// mostReceipts is how many a command has: accepted, armed and the last.
const mostReceipts = 3

func (s *server) Steer(m *pb.SteerCommand, stream grpc.ServerStreamingServer[eventproto.Act]) error {
	r, err := s.steered(m.GetRun())
	if err != nil {
		return err
	}
	return obey(r, m, stream)
}

// obey gives a command to a registry, and sends its receipts.
func obey(r *steer.Registry, m *pb.SteerCommand, stream grpc.ServerStreamingServer[eventproto.Act]) error {
	c, ctx := decodeCommand(m), stream.Context()
	if c.Holds {
		defer r.Leave(c.ID) // however this ends
	}
	receipts := make(chan steer.Receipt, mostReceipts)
	r.Submit(c, func(x steer.Receipt) { receipts <- x })
	for {
		select {
		case x := <-receipts:
			if err := stream.Send(act(x).Encode()); err != nil {
				return err
			}
			if x.State.Final() {
				if c.Holds && x.State == steer.Applied {
					r.Stay(ctx, c.ID)
				}
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// objectOf returns the name of the object that a setting or input sets.
func (s *session) objectOf(setting string) string {
	for _, o := range s.request.Steer.List() {
		if o.Setting == setting {
			return o.Name
		}
	}
	return setting
}

// free lets a run go on whose host has died and that is to be finished: nobody may come who would.
func (s *session) free() {
	if r := s.request.Steer; r != nil && r.MayHold() {
		r.Submit(steer.Command{ID: "host-lost", Verb: steer.Release, By: "solver", Time: s.tenancy.clock.Now().UTC()},
			func(steer.Receipt) {})
	}
}
