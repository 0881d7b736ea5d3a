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
	Peer   string // Send, Receive: the other end; Fork, Join: the process that begins or has ended
	Type   int64  // Send, Receive: of the messages
}

// Step is a record's part of a thing that takes time.
type Step uint8

const (
	Whole  Step = iota // the thing takes no time
	Enter              // its begin
	Leave              // its end
	Called             // the begin of a receive for which the thread does not wait
)

// Record is the numbers of a thread with their time.
type Record struct {
	From     *Origin
	Time     time.Time
	Sequence uint64 // of its origin, from 1; a number that is missing was lost
	Step     Step
	Values   []float64 // of From.Spec.Fields
	Int      int64     // of a marker of integers, in place of Values
	Text     string    // of a marker of texts, in place of Values
}

// Event returns the record as an event, without a number in a stream.
func (r *Record) Event() event.Event {
	e := event.Event{
		Run: r.From.Run, Source: event.Plugin, Time: r.Time, Kind: event.Sensed, Name: r.From.Spec.Name,
		Values: make(map[string]float64, len(r.Values)),
		Sensor: &event.Sensor{Thread: r.From.Thread, Block: r.From.Block, Sequence: r.Sequence},
	}
	for i, f := range r.From.Spec.Fields {
		switch f.Form {
		case "", Float32:
			e.Values[f.Name] = r.Values[i]
		case Text:
			e.Text = r.Text
		default:
			e.Values[f.Name] = float64(r.Int)
		}
	}
	e.Finite()
	return e
}

// Batch is a number of records, each origin's records in the order of their numbers, and the monitor's events.
type Batch struct {
	Records []Record
	Events  []event.Event // a rate that the budget changed
	Summary *Summary      // at the end of a file
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

// Summary is the last record of a file.
type Summary struct {
	Why     string    `json:"why"`     // recording ended
	Made    uint64    `json:"made"`    // records that sensors made while they were on
	Written uint64    `json:"written"` // of them
	Lost    []Loss    `json:"lost"`
	From    time.Time `json:"from"` // between From and To no record is missing
	To      time.Time `json:"to"`
}

// form is that of a marker's field; empty: the records have numbers.
func (o *Origin) form() Form {
	if o.Spec.Kind != Marker {
		return ""
	}
	return o.Spec.Fields[0].Form
}

// Loss is a number of records of a kind that a file lacks.
type Loss struct {
	Kind  Kind   `json:"kind"`
	Why   string `json:"why"`
	Count uint64 `json:"count"`
}
