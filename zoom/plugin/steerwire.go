package plugin

// Conversion between the types of steering and the messages of the protocol, in which values are JSON texts.

import (
	"encoding/json"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// encodeValue returns the text of a value; empty: it has none.
func encodeValue(v steer.Value) string {
	if v.Type == "" {
		return ""
	}
	text, err := v.MarshalJSON()
	if err != nil { // for example a struct that is too deep: no value of this package
		return ""
	}
	return valid(string(text))
}

// decodeValue is the inverse of encodeValue. A text that is not JSON becomes a text value.
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

// encodeCommand returns the JSON of a command.
func encodeCommand(c steer.Command) string {
	text, _ := json.Marshal(c) // cannot fail for such a struct
	return string(text)
}

// decodeCommand is the inverse of encodeCommand. With an error the command has no ID, so that it is refused.
func decodeCommand(text string) (c steer.Command, err error) {
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return steer.Command{}, status.Errorf(codes.InvalidArgument, "a command that is no JSON of one: %v", err)
	}
	return c, nil
}

// The size of one message, which must not exceed maxObjects.
const (
	objectsAtOnce = 500
	bytesAtOnce   = 4 << 20 // of values, after which the message is full
	mostValue     = 8 << 20 // bytes of a value; a larger value is left out
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

// typed converts a value to an object's type: JSON has only one kind of number, and only finite ones.
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
