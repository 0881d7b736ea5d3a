package format

import (
	"errors"
	"io"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// sensorsReader turns the records of a file of sensors into those of a trace. A run is a process.
type sensorsReader struct {
	take    func(trace.Record)
	seq     map[string]uint64
	called  map[callKey]float64 // times of calls that have not been completed, s
	last    map[*sensor.Origin]uint64
	missing int64 // numbers of records
	newest  trace.Record
	summary *sensor.Summary
}

// callKey identifies a receive for which its thread does not wait.
type callKey struct {
	from  *sensor.Origin
	count float64
}

// readSensors reads a file of a [sensor.Writer]. A file without an end is told, and read as far as it is whole.
// It ends where stop is set.
func readSensors(from io.Reader, take func(trace.Record), tell func(trace.Problem), stop *error) error {
	r := &sensorsReader{take: take, seq: map[string]uint64{}, called: map[callKey]float64{},
		last: map[*sensor.Origin]uint64{}}
	err := sensor.NewReader(from).Read(func(b sensor.Batch) error {
		for i := range b.Records {
			r.record(&b.Records[i])
		}
		if b.Summary != nil {
			r.summary = b.Summary
		}
		return *stop
	})
	if bad, ok := errors.AsType[*sensor.CodeError](err); ok {
		tell(trace.Problem{Line: bad.Offset, Message: bad.Err.Error() + "; the records before are read"})
		err = nil
	}
	switch {
	case err != nil:
		return err
	case r.summary != nil:
		r.end(r.summary)
	case len(r.last) > 0 && r.missing > 0:
		lost := trace.Record{Time: r.newest.Time, Process: r.newest.Process, Kind: trace.Lost, Count: r.missing,
			Name: "numbers are missing in a file without a summary"}
		r.give(lost)
	}
	return nil
}

// seconds is a time since 1970, s.
func seconds(nanos int64) float64 { return float64(nanos) / 1e9 }

func (s *sensorsReader) give(r trace.Record) {
	s.seq[r.Process]++
	r.Seq, r.Measured = s.seq[r.Process], r.Time
	s.newest = r
	s.take(r)
}

func (s *sensorsReader) record(x *sensor.Record) {
	o := x.From
	s.missing += int64(x.Sequence - s.last[o] - 1)
	s.last[o] = x.Sequence
	r := trace.Record{Time: seconds(x.Time.UnixNano()), Process: process(o), Thread: o.Thread, Name: o.Spec.Name,
		Values: sensorValues(x)}
	switch o.Spec.Kind {
	case sensor.Tracing:
		r.Kind = trace.Count
	case sensor.Marker:
		r.Kind = trace.Marker
	case sensor.Region:
		r.Kind = trace.Enter
		if x.Step == sensor.Leave {
			r.Kind = trace.Leave
		}
	case sensor.Fork, sensor.Join:
		r.Kind, r.From, r.To = trace.Fork, process(o), o.Peer
		if o.Spec.Kind == sensor.Join {
			r.Kind = trace.Join
		}
	case sensor.Send, sensor.Receive:
		s.message(&r, x)
	}
	s.give(r)
}

// process names the process of an origin: the main thread of a run is the run, others are "run/thread".
func process(o *sensor.Origin) string {
	if o.Thread == "" || o.Thread == "main" {
		return o.Run
	}
	return o.Run + "/" + o.Thread
}

// message fills in the record of a message.
func (s *sensorsReader) message(r *trace.Record, x *sensor.Record) {
	o := x.From
	r.Type, r.Bytes, r.Count, r.Values = o.Type, int64(x.Values[0]), int64(x.Values[1]), nil
	if r.From, r.To = process(o), o.Peer; o.Spec.Kind == sensor.Receive {
		r.From, r.To = o.Peer, process(o)
	}
	key := callKey{o, x.Values[1]}
	switch begun := x.Step == sensor.Enter; {
	case o.Spec.Kind == sensor.Send && begun:
		r.Kind, r.Name = trace.Send, ""
	case o.Spec.Kind == sensor.Send:
		r.Kind, r.Name = trace.Leave, trace.Sending
	case begun:
		r.Kind, r.Name = trace.Enter, trace.Receiving
	case x.Step == sensor.Called:
		r.Kind, r.Name = trace.Call, ""
		s.called[key] = r.Time
	default:
		r.Kind, r.Name = trace.Receive, ""
		if at, ok := s.called[key]; ok && x.Step == sensor.Whole {
			r.Values = map[string]any{trace.CalledAt: at}
			delete(s.called, key)
		}
	}
}

func sensorValues(x *sensor.Record) map[string]any {
	values := map[string]any{}
	if x.From.Block != "" {
		values["block"] = x.From.Block
	}
	for i, f := range x.From.Spec.Fields {
		switch f.Form {
		case "", sensor.Float32:
			values[f.Name] = jsonNumber(x.Values[i])
		case sensor.Text:
			values[f.Name] = x.Text
		default:
			values[f.Name] = x.Int
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

// jsonNumber is a number, or a text for one that JSON cannot have.
func jsonNumber(x float64) any {
	if x-x != 0 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return x
}

// end passes on a summary: the losses, and from when to when the file is complete.
func (s *sensorsReader) end(sum *sensor.Summary) {
	at := max(seconds(sum.To.UnixNano()), s.newest.Time)
	for _, l := range sum.Lost {
		s.give(trace.Record{Time: at, Process: s.newest.Process, Kind: trace.Lost, Name: l.Why, Count: int64(l.Count),
			Values: map[string]any{"kind": string(l.Kind)}})
	}
	s.give(trace.Record{Time: at, Process: s.newest.Process, Kind: trace.Marker, Name: trace.SummaryName,
		Values: map[string]any{"made": int64(sum.Made), "written": int64(sum.Written), "why": sum.Why,
			trace.CompleteFrom: seconds(sum.From.UnixNano()), trace.CompleteTo: seconds(sum.To.UnixNano())}})
}
