package sensor

// The records that reach monitors and sinks.

import (
	"context"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Origin is the origin of records. Records of an instance share it.
type Origin struct {
	Spec   *Spec
	Run    string
	Thread string
	Block  string // of the mesh, or whatever a thread has several of; may be empty
}

// Record is a record with its implicit fields: its type, which is From.Spec, time, thread, sequence and perturbation.
type Record struct {
	From         *Origin
	Time         time.Time
	Sequence     uint64        // of its instance, from 1; missing numbers were dropped, thinned or lost on the way
	Perturbation time.Duration // time for which the thread waited for room in its ring
	Values       []float64     // in the order of From.Spec.Output
}

// Event returns the record as an event, whose number in its stream is left to who writes it.
func (r *Record) Event() event.Event {
	e := event.Event{
		Run: r.From.Run, Source: event.Plugin, Time: r.Time, Kind: r.From.Spec.Event, Name: r.From.Spec.Name,
		Values: make(map[string]float64, len(r.Values)),
		Sensor: &event.Sensor{Thread: r.From.Thread, Block: r.From.Block, Sequence: r.Sequence,
			Perturbation: r.Perturbation.Seconds()},
	}
	for i, f := range r.From.Spec.Output() {
		e.Values[f.Name] = r.Values[i]
	}
	e.Finite()
	return e
}

// Batch is the unit that a sink takes at a time.
type Batch struct {
	Records []Record      // of each instance in the order of their numbers
	Events  []event.Event // of the monitor: a rate that the budget changed
	Lost    uint64        // records that this sink lost before these because it was too slow
}

// Sink takes records: a rule, a display, a file, a client in another process. The batch is lent until Take returns, and
// must not be changed; a sink copies the parts that it keeps. A sink that blocks ends when ctx does. After an error it
// gets no more.
type Sink interface {
	Take(ctx context.Context, b Batch) error
}

// Func is a function as a sink.
type Func func(ctx context.Context, b Batch) error

// Take implements Sink.
func (f Func) Take(ctx context.Context, b Batch) error { return f(ctx, b) }

// Events returns a sink that passes on each record as an event, and the events of the monitors.
func Events(take func(event.Event) error) Sink {
	return Func(func(_ context.Context, b Batch) error {
		for _, e := range b.Events {
			if err := take(e); err != nil {
				return err
			}
		}
		for i := range b.Records {
			if err := take(b.Records[i].Event()); err != nil {
				return err
			}
		}
		return nil
	})
}
