package event

// Conversion between events and protobuf messages.

import (
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event/proto"
)

// named are the kinds of event that a solver may give a name.
var named = []Kind{Command, Sensed, Message, Finding, Would}

// Encode returns the message of an event without study, run, source and file, which the receiver knows. In texts, bytes
// that are not UTF-8 are replaced; Fortran programs write such bytes.
func (e *Event) Encode() *proto.Event {
	m := &proto.Event{
		Seq: e.Seq, TimeNanos: e.Time.UnixNano(), Kind: valid(string(e.Kind)),
		Values: values(e.Values), Arrays: Arrays(e.Arrays), Text: valid(e.Text), Line: valid(e.Line),
	}
	if slices.Contains(named, e.Kind) {
		m.Name, m.Severity = valid(e.Name), valid(e.Severity)
	}
	if e.Act != nil {
		m.Receipt = e.Act.Encode()
	}
	if o := e.Sensor; o != nil {
		m.Sensor = &proto.SensorRecord{Thread: valid(o.Thread), Block: valid(o.Block), Sequence: o.Sequence,
			Perturbation: o.Perturbation}
	}
	for _, name := range e.NonFinite {
		m.NonFinite = append(m.NonFinite, valid(name))
	}
	return m
}

// Decode returns the event of a message.
func Decode(m *proto.Event) Event {
	e := Event{
		Seq: m.GetSeq(), Time: time.Unix(0, m.GetTimeNanos()).UTC(), Kind: Kind(m.GetKind()),
		Values: m.GetValues(), Arrays: FromArrays(m.GetArrays()), NonFinite: m.GetNonFinite(), Text: m.GetText(),
		Line: m.GetLine(),
	}
	if slices.Contains(named, e.Kind) {
		e.Name, e.Severity = m.GetName(), m.GetSeverity()
	}
	switch o := m.GetSensor(); {
	case e.Kind == Command && m.GetReceipt() != "":
		if r, err := DecodeReceipt(m.GetReceipt()); err == nil {
			e.Act = &r
		} else {
			e.Text = strings.TrimPrefix(e.Text+"; "+err.Error(), "; ")
		}
	case e.Kind == Sensed && o != nil:
		e.Sensor = &Sensor{Thread: o.GetThread(), Block: o.GetBlock(), Sequence: o.GetSequence(),
			Perturbation: o.GetPerturbation()}
	}
	return e
}

// Arrays returns the messages of arrays, by name.
func Arrays(m map[string][]float64) map[string]*proto.Array {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]*proto.Array, len(m))
	for name, v := range m {
		out[valid(name)] = &proto.Array{Values: v}
	}
	return out
}

// FromArrays is the inverse of Arrays.
func FromArrays(m map[string]*proto.Array) map[string][]float64 {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string][]float64, len(m))
	for name, a := range m {
		out[name] = a.GetValues()
	}
	return out
}

// values returns numbers with names that are valid in a message.
func values(m map[string]float64) map[string]float64 {
	for name := range m {
		if valid(name) != name {
			out := make(map[string]float64, len(m))
			for name, v := range m {
				out[valid(name)] = v
			}
			return out
		}
	}
	return m
}

// valid replaces bytes that are not UTF-8; a message cannot hold them.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
