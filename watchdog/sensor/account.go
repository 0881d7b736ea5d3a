package sensor

// A sensor's cost to its thread, and its lost records.

import (
	"slices"
	"sync/atomic"
)

// account is the cost and the losses of an instance. Its thread writes it; monitors and users read it.
type account struct {
	filtered meter // records that a filter looked at
	traced   meter // records that went to the ring, or should have
	waited   atomic.Int64
	dropped  atomic.Uint64
	thinned  atomic.Uint64
}

// A meter times one call of timedOf: two more readings of the clock for each would be most of the measured time.
const timedOf = 64

// meter measures the duration of calls of a single sort. It takes the median of the last timed calls. If a thread loses
// its processor in the middle of a call, for milliseconds, this duration is not the cost of a call; a mean would
// include it.
type meter struct {
	calls uint64        // the thread's
	known atomic.Uint64 // calls up to the last that was timed
	costs [16]atomic.Int64
}

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

// each returns the duration of a call, ns; 0 before the first.
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
