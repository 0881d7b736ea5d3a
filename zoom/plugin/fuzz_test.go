package plugin

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
	"google.golang.org/protobuf/proto"
)

var (
	someObjects = []steer.Listed{
		{Object: steer.Object{Number: 1, Name: "cfl", Type: steer.Float, Operations: steer.Operations},
			Value: steer.FloatValue(5)},
	}
	someEvent = CommandEvent(event.Receipt{
		ID: "a", State: event.Applied,
		Effects: []event.Done{{Object: "cfl", Old: steer.FloatValue(20), New: steer.FloatValue(5)}},
	})
)

// Whatever command comes, the registry carries it out or says what is wrong with it, and a receipt that can be sent
// and recorded.
func FuzzCommand(f *testing.F) {
	for _, c := range []steer.Command{
		{
			ID: "a", Verb: steer.Set, Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(5)},
				{Object: "limits.k4[1]", Value: steer.IntValue(1)}},
		},
		{
			ID: "b", Verb: steer.CallOf, When: "cfl > 3",
			Changes: []steer.Change{{Object: "call", Value: steer.TextValue("x")}},
		},
		{ID: "c", Verb: steer.Step, Steps: 3, Holds: true},
		{
			ID: "d", Verb: steer.Switch, Operation: steer.Write,
			Changes: []steer.Change{{Object: "cfl", Value: steer.BoolValue(false)}},
		},
	} {
		f.Add(encodeCommand(c))
	}
	f.Fuzz(func(t *testing.T, text string) {
		intaketest.Bounded(t, len(text), func() {
			c, _ := decodeCommand(text)
			commanded(t, c)
		})
	})
}

// commanded gives a command to a solver of one iteration.
func commanded(t *testing.T, c steer.Command) {
	r := steer.New(clock.Real)
	r.Compile = condition.Compile
	r.Record = func(x event.Receipt) {
		e := CommandEvent(x)
		if _, err := json.Marshal(e); err != nil {
			t.Error(err)
		}
		if _, err := proto.Marshal(e.Encode()); err != nil {
			t.Error(err)
		}
	}
	limits := steer.Value{Type: steer.Struct, Fields: []steer.Field{{Name: "k4", Value: steer.FloatValue(2)}}}
	r.Add(steer.Object{Name: "cfl", Type: steer.Float, Min: new(0.1), Operations: steer.Operations[:4]},
		new(steer.Gauge).Binding())
	r.Add(steer.Object{Name: "limits", Type: steer.Struct, Fields: []steer.Part{{Name: "k4", Type: steer.Float}},
		Operations: steer.Operations[:4]}, steer.Binding{
		Get: func() steer.Value { return limits }, Set: func(v steer.Value) error { limits = v; return nil },
	})
	r.Add(steer.Object{Name: "call", Type: steer.Text, Operations: steer.Operations[4:]}, steer.Binding{
		Call: func(_ context.Context, v steer.Value) (steer.Value, error) { return v, nil },
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a pause ends at once
	r.Obey(ctx, 0)
	final := 0
	r.Submit(c, func(x event.Receipt) {
		if x.State.Final() {
			final++
		}
	})
	r.Obey(ctx, 1)
	r.Close()
	if final != 1 {
		t.Fatalf("%+v has %d last receipts", c, final)
	}
}

// Whatever a plugin replies, it is a description, an event or a result that is checked.
func FuzzReply(f *testing.F) {
	d := Description{
		Name: "s", Version: "1", Fidelity: "f", Files: []history.File{{}},
		Inputs:  []Quantity{{Name: "x", Shape: Scalar}},
		Outputs: []Quantity{{Name: "y", Shape: Scalar}, {Name: "z", Shape: Profile}},
	}
	r := Result{Class: "converged", Numbers: map[string]float64{"y": 1}, Arrays: map[string][]float64{"z": {1, 2}}}
	for _, m := range []proto.Message{encodeDescription(d), encodeUpdate(steer.Update{Objects: someObjects}, nil)[0],
		&pb.RunReply{Reply: &pb.RunReply_Event{Event: someEvent.Encode()}},
		&pb.RunReply{Reply: &pb.RunReply_Outcome{Outcome: encodeResult(r)}}} {
		data := must.Value(proto.Marshal(m))(f)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			var of pb.Description
			if proto.Unmarshal(data, &of) == nil {
				got := decodeDescription(&of)
				_ = got.Check()
				_ = got.CheckResult(r)
				_ = got.CheckRequest(Request{Numbers: map[string]float64{"x": 1}})
			}
			var reply pb.RunReply
			if proto.Unmarshal(data, &reply) == nil {
				if o := reply.GetOutcome(); o != nil {
					_ = d.CheckResult(decodeResult(o))
				}
				if e := reply.GetEvent(); e != nil {
					got := decodeEvent(e, Request{})
					must.Value(json.Marshal(got))(t)
				}
			}
			var update pb.ObjectsUpdate
			if proto.Unmarshal(data, &update) == nil {
				for _, o := range update.GetObjects() {
					decodeObject(o)
				}
			}
		})
	})
}
