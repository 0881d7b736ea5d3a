package sensor

// Records, and batches of them.

import (
	"iter"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Origin is the origin of records. Records of the same sensor, thread and block share it.
type Origin struct {
	Spec   *Spec
	Run    string
	Thread string
	Block  string // of the mesh, or another part of which a thread has several; may be empty
}

// Record is the numbers of a thread with their time.
type Record struct {
	From     *Origin
	Time     time.Time
	Sequence uint64    // of its origin, from 1; a number that is missing was lost
	Values   []float64 // of From.Spec.Fields
}

// Event returns the record as an event, without a number in a stream.
func (r *Record) Event() event.Event {
	e := event.Event{
		Run: r.From.Run, Source: event.Plugin, Time: r.Time, Kind: event.Sensed, Name: r.From.Spec.Name,
		Values: make(map[string]float64, len(r.Values)),
		Sensor: &event.Sensor{Thread: r.From.Thread, Block: r.From.Block, Sequence: r.Sequence},
	}
	for i, f := range r.From.Spec.Fields {
		e.Values[f.Name] = r.Values[i]
	}
	e.Finite()
	return e
}

// Batch is a number of records, each origin's records in the order of their numbers, and the monitor's events.
type Batch struct {
	Records []Record
	Events  []event.Event // a rate that the budget changed
}

// All returns the monitor's events, then each record as an event.
func (b Batch) All() iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for _, e := range b.Events {
			if !yield(e) {
				return
			}
		}
		for i := range b.Records {
			if !yield(b.Records[i].Event()) {
				return
			}
		}
	}
}
