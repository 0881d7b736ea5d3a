package sensor

// The part that a solver's thread calls.

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Instance is a sensor in a thread, for a block. The nil *Instance is switched off.
type Instance struct {
	origin *Origin
	thread *Thread
	number uint32
	width  int // numbers a record
	full   Full
	cells  *cells     // of a sampling sensor
	sieve  *sieve     // of an extended sensor
	counts *histogram // of a histogram
	_      pad

	// The monitor's to the thread.
	every    atomic.Uint32 // one of every so many records is looked at; 0: none, it is off
	interval atomic.Int64  // of a sampling sensor; 0: it is off
	_        pad

	// The thread's alone.
	skipped  uint32
	thin     thinning
	sequence uint64
	_        pad

	account account
	_       pad
	reader  reader
}

// On reports whether records are wanted. A thread asks where they are costly to make.
func (i *Instance) On() bool { return i != nil && i.every.Load() != 0 }

// Record takes the numbers of a record, one for each field of the sensor. It does not keep the slice. Only the
// instance's thread may call it.
func (i *Instance) Record(values ...float64) {
	if i != nil && i.every.Load() != 0 { // so much the compiler puts where it is called
		i.record(values)
	}
}

func (i *Instance) record(values []float64) {
	if len(values) != i.width {
		panic(fmt.Sprintf("sensor %s: a record of %d numbers, it has %d fields: %s",
			i.origin.Spec.Name, len(values), i.width, names(i.origin.Spec.Fields)))
	}
	if i.cells != nil {
		i.cells.record(values)
		return
	}
	if every := i.every.Load(); every > 1 {
		if i.skipped++; i.skipped < every {
			return
		}
		i.skipped = 0
	}
	if i.origin.Spec.Kind == Extended {
		passed, ok := i.filter(values)
		if !ok {
			return
		}
		values = passed
	}
	i.trace(values)
}

// filter takes a record to the instance's filter, and reports whether something is to be recorded.
func (i *Instance) filter(values []float64) (out []float64, ok bool) {
	start, timed := int64(0), i.account.filtered.next()
	if timed {
		start = i.thread.board.now()
	}
	if i.sieve != nil {
		out, ok = i.sieve.pass(values)
	} else if i.counts.count(values) {
		i.thread.board.bell.ring()
	}
	if timed {
		i.account.filtered.took(i.thread.board.now() - start)
	}
	return out, ok
}

// trace puts a record into the ring.
func (i *Instance) trace(values []float64) {
	at := i.thread.board.now()
	i.sequence++
	timed := i.account.traced.next()
	i.put(at, values)
	if timed { // between two readings of the clock, of which every call makes the first
		i.account.traced.took(i.thread.board.now() - at)
	}
}

// put writes a record to the ring, or follows the sensor's setting for a full ring.
func (i *Instance) put(at int64, values []float64) {
	t := i.thread
	if i.full == Thin && i.thin.skip(&t.ring) {
		i.account.thinned.Add(1)
		return
	}
	var waited time.Duration
	words := uint64(headWords + len(values))
	ok, crowded := t.ring.room(words)
	if crowded {
		t.board.bell.rouse()
	}
	if !ok {
		if i.full == Wait {
			waited, ok = t.wait(words)
		}
		if !ok {
			i.account.dropped.Add(1)
			return
		}
		i.account.waited.Add(int64(waited))
	}
	t.ring.put(i.number, at, i.sequence, int64(waited), values)
	t.board.bell.ring()
}

// end records the rest of a window.
func (i *Instance) end() {
	if i.sieve != nil && i.every.Load() != 0 {
		if values, ok := i.sieve.rest(); ok {
			i.trace(values)
		}
	}
}

// thinning passes one of factor records, and fewer of them the fuller the ring is.
type thinning struct {
	factor, skipped uint32 // factor 0 means 1
}

// mostThinned is the greatest factor: one record of a thousand still shows that the thread is alive.
const mostThinned = 1 << 10

func (t *thinning) skip(r *ring) bool {
	if t.skipped++; t.skipped < t.factor {
		return true
	}
	t.skipped = 0
	switch used, all := r.used(), uint64(len(r.words)); {
	case used > all/2:
		t.factor = min(max(2, 2*t.factor), mostThinned)
	case used < all/8:
		t.factor /= 2
	}
	return false
}

// reader is the data of the monitor that has claimed an instance's thread.
type reader struct {
	recorded atomic.Uint64 // records that reached the monitor
	last     int64         // when it was sampled, since the board's beginning, ns
	sequence uint64        // of records that are made here: samples and histograms
}
