package sensor

// The side of a sensor that the solver's thread calls, and the measurement of its cost.

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// instance is a sensor in one thread, for one block. It is a [Taker].
type instance struct {
	origin *Origin
	board  *Board
	thread *thread
	number uint32
	kind   int // place of its kind in Kinds
	_      pad

	every atomic.Uint32 // one of every so many records is taken; 0: the sensor is off. The board writes it
	_     pad

	skipped  uint32 // the thread's alone
	sequence uint64 // the thread's alone
	open     uint64 // the thread's alone: bits of the things that it is in, of which 1 has its begin recorded
	messages uint64 // the thread's alone: of a channel, recorded or not
	cost     meter  // of records that went to the ring, or found it full
	_        pad

	recorded uint64 // records that reached the monitor, for the monitor alone
}

// On implements [Taker]. A thread asks where numbers are costly to make.
func (i *instance) On() bool { return i.every.Load() != 0 }

// Record implements [Taker]: it takes a number for each field of the sensor. It does not keep the slice.
func (i *instance) Record(values ...float64) {
	every := i.every.Load()
	if every == 0 {
		return
	}
	if fields := i.origin.Spec.Fields; len(values) != len(fields) {
		panic(fmt.Sprintf("sensor %s: a record of %d numbers, it has %d fields: %s", i.origin.Spec.Name, len(values),
			len(fields), names(fields)))
	}
	if i.isTurn(every) {
		i.put(Whole, values)
	}
}

// isTurn reports whether a record is the one of so many that is taken.
func (i *instance) isTurn(every uint32) bool {
	if i.skipped++; i.skipped < every {
		return false
	}
	i.skipped = 0
	return true
}

// put writes a record to the ring. If the ring is full, the record is lost.
func (i *instance) put(step Step, values []float64) {
	at, timed, ok := i.begin(len(values))
	if ok {
		i.thread.ring.put(i.number, step, at, i.sequence, values)
		i.board.bell.ring()
	}
	if timed { // between two readings of the clock, of which every call makes the first
		i.cost.took(i.board.now() - at)
	}
}

// begin counts a record of so many words, and reports whether its cost is measured and whether the ring has room.
func (i *instance) begin(words int) (at int64, timed, ok bool) {
	at = i.board.now()
	i.sequence++
	timed = i.cost.next()
	ok, crowded := i.thread.ring.room(uint64(headWords + words))
	if crowded {
		i.board.bell.rouse()
	}
	if !ok {
		i.thread.lost[i.kind].Add(1)
		i.thread.lastLost.Store(at)
	}
	return at, timed, ok
}

// form is that of a marker's field; empty: the records have numbers.
func (i *instance) form() Form { return i.origin.form() }

// meter measures the cost of a call. It takes the median of the last calls that were timed: a thread that lost its
// processor for milliseconds in the middle of a call would spoil a mean.
type meter struct {
	calls uint64        // the thread's alone
	known atomic.Uint64 // calls up to the last that was timed
	costs [16]atomic.Int64
}

// timedOf is the number of calls for each timed one: two more readings of the clock for each call would be most of the
// measured cost.
const timedOf = 64

// next counts a call and reports whether it is to be timed.
func (m *meter) next() bool {
	m.calls++
	return m.calls%timedOf == 1
}

// took records the duration of the call, ns.
func (m *meter) took(cost int64) {
	m.costs[m.calls/timedOf%uint64(len(m.costs))].Store(max(1, cost))
	m.known.Store(m.calls)
}

// each is the cost of a call, ns; 0 before the first.
func (m *meter) each() int64 {
	var list []int64
	for i := range m.costs {
		if c := m.costs[i].Load(); c > 0 {
			list = append(list, c)
		}
	}
	if list == nil {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}
