package sensor

// A thread of a solver, and its end of the ring.

import (
	"slices"
	"sync/atomic"
	"time"
)

// Thread is a thread of a solver: one goroutine at a time records in it. Create it with [Board.Thread].
type Thread struct {
	run, name string
	board     *Board
	ring      ring
	space     *bell // rung when the monitor has made room
	waited    atomic.Int64
	closed    atomic.Bool

	instances atomic.Pointer[[]*Instance] // by their numbers; only grows
	counting  atomic.Pointer[[]*Instance] // the instances with histograms

	claimed atomic.Bool   // by a reader of the ring
	due     atomic.Int64  // when a sampling sensor is to be read next; who claimed the thread writes it
	seen    atomic.Uint64 // the board's settings that due follows
	over    atomic.Bool   // closed, and all has been read
}

// Close ends the recording of the thread: windows of extended sensors end early. The thread itself calls it, or its
// owner after it has ended. Its records still reach the monitor.
func (t *Thread) Close() {
	if t.closed.Load() {
		return
	}
	for _, i := range *t.instances.Load() {
		i.end()
	}
	t.closed.Store(true)
	t.board.bell.ring()
	t.board.leave(t)
}

// wait returns when so many words fit in the ring, and the time it took. It fails if no monitor makes room.
func (t *Thread) wait(words uint64) (took time.Duration, ok bool) {
	start := t.board.now()
	for !t.fits(words) {
		t.space.asleep.Store(true)
		if t.fits(words) {
			break
		}
		if !t.board.attended.Load() {
			t.space.asleep.Store(false)
			return 0, false
		}
		t.board.bell.rouse()
		<-t.space.sound
	}
	t.space.asleep.Store(false)
	took = time.Duration(t.board.now() - start)
	t.waited.Add(int64(took))
	return took, true
}

// fits reports whether so many words fit.
func (t *Thread) fits(words uint64) bool {
	ok, _ := t.ring.room(words)
	return ok
}

// attach adds an instance; the board's lock is held.
func (t *Thread) attach(i *Instance) {
	if i.counts != nil {
		list := append(slices.Clip(*t.counting.Load()), i)
		t.counting.Store(&list)
	}
	list := append(slices.Clip(*t.instances.Load()), i)
	t.instances.Store(&list)
}
