package plugin

// Conversion between the types of steering and the messages of the protocol. Values are JSON texts there.

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// encodeValue returns the text of a value; empty: it is none.
func encodeValue(v steer.Value) string {
	if v.Type == "" {
		return ""
	}
	text, err := v.MarshalJSON()
	if err != nil { // a struct too deep, say: not a value of this package's user
		return ""
	}
	return valid(string(text))
}

// decodeValue is the inverse of encodeValue. A text that is no JSON is a text.
func decodeValue(text string) steer.Value {
	var v steer.Value
	if text == "" {
		return v
	}
	if json.Unmarshal([]byte(text), &v) != nil {
		return steer.TextValue(text)
	}
	return v
}

func encodeCommand(c steer.Command, run string) *pb.SteerCommand {
	m := &pb.SteerCommand{
		Id: valid(c.ID), Verb: valid(string(c.Verb)), Operation: valid(string(c.Operation)), Name: valid(c.Name),
		Steps: c.Steps,
		At:    c.At, When: valid(c.When), Until: c.Until, Holds: c.Holds, By: valid(c.By), From: valid(c.From),
		Run: valid(run),
	}
	if !c.Time.IsZero() {
		m.TimeNanos = c.Time.UnixNano()
	}
	for _, x := range c.Changes {
		m.Changes = append(m.Changes, &pb.SteerChange{
			Object: valid(x.Object), Number: x.Number, Value: encodeValue(x.Value), Expect: encodeValue(x.Expect),
			Seen: encodeValue(x.Seen),
		})
	}
	return m
}

func decodeCommand(m *pb.SteerCommand) steer.Command {
	c := steer.Command{
		ID: m.GetId(), Verb: steer.Verb(m.GetVerb()), Operation: steer.Operation(m.GetOperation()), Name: m.GetName(),
		Steps: m.GetSteps(),
		At:    m.GetAt(), When: m.GetWhen(), Until: m.GetUntil(), Holds: m.GetHolds(), By: m.GetBy(), From: m.GetFrom(),
	}
	if n := m.GetTimeNanos(); n != 0 {
		c.Time = time.Unix(0, n).UTC()
	}
	for _, x := range m.GetChanges() {
		c.Changes = append(c.Changes, steer.Change{
			Object: x.GetObject(), Number: x.GetNumber(), Value: decodeValue(x.GetValue()),
			Expect: decodeValue(x.GetExpect()), Seen: decodeValue(x.GetSeen()),
		})
	}
	return c
}

// act returns a receipt as an event has it.
func act(r steer.Receipt) *event.Act {
	a := &event.Act{
		ID: r.ID, State: string(r.State), Verb: string(r.Verb), Name: r.Name, Operation: string(r.Operation),
		Iteration: r.Iteration,
		File:      r.File, Reason: r.Reason, Steps: r.Steps, Held: r.Held, By: r.By, From: r.From, Rule: r.Rule,
		Time: r.Time,
	}
	for _, d := range r.Effects {
		a.Effects = append(a.Effects, event.Done{
			Object: d.Object, Number: d.Number, Effect: string(d.Effect), Setting: d.Setting,
			Old: rawValue(d.Old), New: rawValue(d.New), Seen: rawValue(d.Seen), Argument: rawValue(d.Argument),
		})
	}
	return a
}

func rawValue(v steer.Value) json.RawMessage {
	if text := encodeValue(v); text != "" {
		return json.RawMessage(text)
	}
	return nil
}

// ReceiptOf returns the receipt that an event holds.
func ReceiptOf(a *event.Act) steer.Receipt {
	r := steer.Receipt{
		ID: a.ID, State: steer.State(a.State), Verb: steer.Verb(a.Verb), Name: a.Name,
		Operation: steer.Operation(a.Operation), Iteration: a.Iteration,
		File: a.File, Reason: a.Reason, Steps: a.Steps, Held: a.Held, By: a.By, From: a.From, Rule: a.Rule,
		Time: a.Time,
	}
	for _, d := range a.Effects {
		r.Effects = append(r.Effects, steer.Done{
			Object: d.Object, Number: d.Number, Effect: steer.Effect(d.Effect), Setting: d.Setting,
			Old: decodeValue(string(d.Old)), New: decodeValue(string(d.New)), Seen: decodeValue(string(d.Seen)),
			Argument: decodeValue(string(d.Argument)),
		})
	}
	return r
}

// What goes in one message, which its receiver takes up to maxObjects.
const (
	objectsAtOnce = 500
	bytesAtOnce   = 4 << 20 // of values, after which no further object follows
	mostValue     = 8 << 20 // bytes of one value; a larger one is left out
)

// encodeUpdate returns the messages of an update.
func encodeUpdate(u steer.Update, had *had) (list []*pb.ObjectsUpdate) {
	objects, numbers, to := had.changed(u)
	for {
		m := &pb.ObjectsUpdate{Version: u.Version, Lost: u.Lost, Changed: numbers, To: to}
		numbers, to = nil, nil
		for bytes := 0; len(objects) > 0 && len(m.Objects) < objectsAtOnce &&
			bytes < bytesAtOnce; objects = objects[1:] {
			o := encodeObject(objects[0])
			bytes += len(o.Value)
			m.Objects = append(m.Objects, o)
		}
		list = append(list, m)
		if m.More = len(objects) > 0; !m.More {
			m.Gone = u.Gone
			return list
		}
	}
}

func encodeObject(o steer.Listed) *pb.Object {
	m := &pb.Object{
		Number: o.Number, Name: o.Name, Type: string(o.Type), Unit: valid(o.Unit), Doc: valid(o.Doc), Min: o.Min,
		Max:    o.Max,
		Effect: string(o.Effect), Setting: valid(o.Setting), Value: encodeValue(o.Value),
	}
	if len(m.Value) > mostValue {
		m.Value = ""
	}
	for _, n := range o.Shape {
		m.Shape = append(m.Shape, int32(n))
	}
	for _, f := range o.Fields {
		m.Fields = append(m.Fields, &pb.Part{Name: valid(f.Name), Type: string(f.Type), Unit: valid(f.Unit),
			Min: f.Min, Max: f.Max})
	}
	for _, op := range o.Operations {
		m.Operations = append(m.Operations, string(op))
	}
	return m
}

func decodeObject(m *pb.Object) steer.Listed {
	o := steer.Listed{Object: steer.Object{
		Number: m.GetNumber(), Name: m.GetName(), Type: steer.Type(m.GetType()), Unit: m.GetUnit(), Doc: m.GetDoc(),
		Min: m.Min, Max: m.Max,
		Effect: steer.Effect(m.GetEffect()), Setting: m.GetSetting(),
	}}
	for _, n := range m.GetShape() {
		o.Shape = append(o.Shape, int(n))
	}
	for _, f := range m.GetFields() {
		o.Fields = append(o.Fields, steer.Part{Name: f.GetName(), Type: steer.Type(f.GetType()), Unit: f.GetUnit(),
			Min: f.Min, Max: f.Max})
	}
	for _, op := range m.GetOperations() {
		o.Operations = append(o.Operations, steer.Operation(op))
	}
	o.Value = typed(o.Type, decodeValue(m.GetValue()))
	return o
}

// typed returns a value as an object of a type has it: JSON knows but one kind of number, and none that is not finite.
func typed(t steer.Type, v steer.Value) steer.Value {
	switch {
	case t == steer.Float && v.Type == steer.Int:
		v.Type = steer.Float
	case t == steer.Float && v.Type == steer.Text:
		if x, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return steer.FloatValue(x)
		}
	}
	return v
}
