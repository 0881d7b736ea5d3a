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

// next returns the record to be filled in. A nil recorder has none.
func (r *recorder) next(at float64, processor int32, kind trace.Kind) *trace.Record {
	if r == nil {
		return nil
	}
	r.record = trace.Record{Time: at, Measured: at, Process: r.names[processor], Thread: thread, Kind: kind}
	return &r.record
}

func (r *recorder) write() {
	if r.failed == nil {
		r.failed = r.to.Write(&r.record)
	}
}

// message writes the begin of a send, or the end of a receive.
func (r *recorder) message(at float64, processor int32, kind trace.Kind, from, to int32, bytes int64) {
	if x := r.next(at, processor, kind); x != nil {
		x.From, x.To, x.Type, x.Bytes = r.names[from], r.names[to], messageType, bytes
		r.write()
	}
}

// region writes the begin or the end of a region.
func (r *recorder) region(at float64, processor int32, kind trace.Kind, name string) {
	if x := r.next(at, processor, kind); x != nil {
		x.Name = name
		r.write()
	}
}

// receive writes the begin of a receive.
func (r *recorder) receive(at float64, to int32) {
	if x := r.next(at, to, trace.Enter); x != nil {
		x.Name, x.To, x.Type = trace.Receiving, r.names[to], messageType
		r.write()
	}
}
