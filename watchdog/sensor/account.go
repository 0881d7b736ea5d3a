package sensor

// What a sensor costs its thread, and what it loses there.

import (
	"slices"
	"sync/atomic"
)

// account is what an instance has cost and lost. Its thread writes it; monitors and people read it.
type account struct {
	filtered meter // records that a filter looked at
	traced   meter // records that went to the ring, or should have
	waited   atomic.Int64
	dropped  atomic.Uint64
	thinned  atomic.Uint64
}

// A meter times one call of timedOf: two more readings of the clock for each would be most of what it
// measures.
const timedOf = 64

// meter measures what calls of one sort take. They should be of one sort: it takes the median of the last
// that were timed. A thread that lost its processor in the middle of one, for milliseconds, says nothing of
// what a call costs; a mean would.
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

// took says how long the call took, ns.
func (m *meter) took(cost int64) {
	m.costs[m.calls/timedOf%uint64(len(m.costs))].Store(max(1, cost))
	m.known.Store(m.calls)
}

// each is what a call takes, ns; 0 before the first.
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
