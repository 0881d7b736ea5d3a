package plugin

// The plugin's side of steering: each run has a registry. Clients see its objects and send it commands. The fate of
// each command is an event of the run, so that the run's record does not depend on the sender.

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
	"github.com/peregrine-sim/peregrine/zoom/steer/insitu"
)

// steerable makes the registry of a run. If the solver steers, it is the registry in its request; otherwise it holds
// the solver's controls.
func (s *server) steerable(run *session) error {
	r := steer.New(s.tenancy.clock)
	r.Record = func(x event.Receipt) { run.emit(CommandEvent(x)) }
	run.registry = r
	if !s.description.Steers {
		r.RefuseIterations()
		s.addControls(r, run.request.Numbers)
		return nil
	}
	r.Compile = condition.Compile
	run.request.Steer = r
	if len(s.description.Sensors) == 0 {
		return nil
	}
	sensing, err := newSensing(s.description.Sensors, run.request.Run, run.request.Folder, r, s.tenancy.clock, run.emit)
	if err != nil {
		return err
	}
	run.sensing, run.request.Sensors = sensing, sensing.board
	return nil
}

// addControls adds the controls of a solver that does not steer, with the values last set. They may be set at any time.
func (s *server) addControls(r *steer.Registry, values map[string]float64) {
	d := &s.description
	controller, able := s.solver.(Controller)
	for _, name := range d.Controls {
		q, effect := find(name, d.Settings), steer.Numerics
		if q == nil {
			q, effect = find(name, d.Inputs), steer.Answer
		}
		if q == nil || !able { // the description was not checked
			continue
		}
		last := steer.Value{}
		if x, known := values[name]; known {
			last = steer.FloatValue(x)
		} else if q.Default != nil {
			last = steer.FloatValue(*q.Default)
		}
		r.Add(steer.Object{
			Name: name, Type: steer.Float, Unit: q.Unit, Doc: q.Doc, Min: q.Min, Max: q.Max, Effect: effect,
			Operations: []steer.Operation{steer.Actuate},
		}, steer.Binding{
			Get: func() steer.Value { return last },
			Set: func(v steer.Value) error {
				if err := controller.SetControl(name, v.Number); err != nil {
					return err
				}
				last = v
				return nil
			},
			Confirm: func(context.Context) (int64, error) {
				return 0, &steer.UnconfirmedError{
					Reason: "its solver has accepted it, and does not say when it is done",
				}
			},
		})
	}
}

// begin gives the registry the commands and rules of the request. If the solver does not steer, its controls may be set
// from now on, until the run ends.
func (s *session) begin() {
	if s.request.Steer == nil {
		go s.registry.Attend(s.ctx)
		return
	}
	s.registry.Given(s.request.Commands)
	if s.request.Rules != "" {
		insitu.Board(s.request.Rules, s.request.Run, s.registry, s.emit)
	}
}

// CommandEvent returns the event that records the fate of a command.
func CommandEvent(r event.Receipt) event.Event {
	return event.Event{
		Kind: event.Command, Name: string(r.Verb), Text: describeReceipt(r), Act: &r,
		Values: map[string]float64{"iteration": float64(r.Iteration)},
	}
}

// describeReceipt describes the fate of a command for people: by whom, the objects, old and new values.
func describeReceipt(r event.Receipt) string {
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
	if r.State != event.Applied {
		fmt.Fprintf(&b, " %s", strings.ReplaceAll(string(r.State), "_", " "))
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, ": %s", r.Reason)
	}
	return b.String()
}

// commanded returns the run in progress, if it has the name or the name is empty.
func (s *server) commanded(name string) (*session, error) {
	run := s.tenancy.running()
	if run == nil || name != "" && name != run.request.Run {
		return nil, status.Error(codes.FailedPrecondition, ErrNotRunning.Error())
	}
	return run, nil
}

func (s *server) Objects(m *pb.ObjectsRequest, stream grpc.ServerStreamingServer[pb.ObjectsUpdate]) error {
	run, err := s.commanded(m.GetRun())
	if err != nil {
		return err
	}
	return follow(run.registry, m, stream)
}

// follow sends the objects, and their changes.
func follow(r *steer.Registry, m *pb.ObjectsRequest, stream grpc.ServerStreamingServer[pb.ObjectsUpdate]) error {
	r.Begun(stream.Context()) // an early caller gets all objects too
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

func (s *server) Steer(m *pb.SteerRequest, stream grpc.ServerStreamingServer[pb.SteerReply]) error {
	run, err := s.commanded(m.GetRun())
	if err != nil {
		return err
	}
	c, err := decodeCommand(m.GetCommand())
	if err != nil {
		return err
	}
	if c.Verb == steer.Stop && (c.Now || !s.description.Steers && c.At == 0 && c.When == "") {
		run.cancel(ErrStopped)
		done := event.Receipt{ID: c.ID, Verb: c.Verb, State: event.Applied, By: c.By, From: c.From,
			Time: s.tenancy.clock.Now().UTC()}
		return stream.Send(&pb.SteerReply{Receipt: done.Encode()})
	}
	return obey(run.registry, c, stream)
}

// obey gives a command to a registry, and sends its receipts.
func obey(r *steer.Registry, c steer.Command, stream grpc.ServerStreamingServer[pb.SteerReply]) error {
	ctx := stream.Context()
	if c.Holds {
		defer r.Leave(c.ID) // however this ends
	}
	receipts := make(chan event.Receipt, mostReceipts)
	r.Submit(c, func(x event.Receipt) { receipts <- x })
	for {
		select {
		case x := <-receipts:
			if err := stream.Send(&pb.SteerReply{Receipt: x.Encode()}); err != nil {
				return err
			}
			if x.State.Final() {
				if c.Holds && x.State == event.Applied {
					r.Stay(ctx, c.ID)
				}
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// free releases all holds of a run that is to be finished after its host has died: no client may come to release them.
func (s *session) free() {
	if r := s.request.Steer; r != nil && r.MayHold() {
		r.Submit(steer.Command{ID: "host-lost", Verb: steer.Release, By: "solver", Time: s.tenancy.clock.Now().UTC()},
			func(event.Receipt) {})
	}
}
