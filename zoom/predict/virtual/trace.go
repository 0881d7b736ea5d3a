package virtual

import (
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
)

// Thread of each record, and type of each message.
const (
	thread      = "-1"
	messageType = 1
)

// recorder writes the trace of the processors. A nil recorder writes nothing.
type recorder struct {
	to     format.Writer
	names  []string
	record trace.Record
	failed error // the first error
}

func newRecorder(to format.Writer, processors int) *recorder {
	r := &recorder{to: to, names: make([]string, processors)}
	for i := range r.names {
		r.names[i] = strconv.Itoa(i)
	}
	return r
}

func (r *recorder) write(at float64, processor int32, rest trace.Record) {
	if r.failed != nil {
		return
	}
	r.record = rest
	r.record.Time, r.record.Measured, r.record.Process, r.record.Thread = at, at, r.names[processor], thread
	r.failed = r.to.Write(&r.record)
}

func (r *recorder) send(at float64, from, to int32, bytes int64) {
	if r != nil {
		r.write(at, from, trace.Record{Kind: trace.Send, From: r.names[from], To: r.names[to], Type: messageType,
			Bytes: bytes})
	}
}

func (r *recorder) sent(at float64, from int32) {
	if r != nil {
		r.write(at, from, trace.Record{Kind: trace.Leave, Name: trace.Sending})
	}
}

func (r *recorder) receive(at float64, to int32) {
	if r != nil {
		r.write(at, to, trace.Record{Kind: trace.Enter, Name: trace.Receiving, To: r.names[to], Type: messageType})
	}
}

func (r *recorder) received(at float64, to, from int32, bytes int64) {
	if r != nil {
		r.write(at, to, trace.Record{Kind: trace.Receive, From: r.names[from], To: r.names[to], Type: messageType,
			Bytes: bytes})
	}
}

func (r *recorder) enterIdle(at float64, processor int32) {
	if r != nil {
		r.write(at, processor, trace.Record{Kind: trace.Enter, Name: trace.Idle})
	}
}

func (r *recorder) leaveIdle(at float64, processor int32) {
	if r != nil {
		r.write(at, processor, trace.Record{Kind: trace.Leave, Name: trace.Idle})
	}
}
