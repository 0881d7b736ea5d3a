package sensor

// The monitors' end of a thread's ring, and the numbers that they sample.

import (
	"math"
	"time"
)

// basket holds the records until a sink has taken them.
type basket struct {
	records []Record
	values  []float64
}

// mostTaken is how many records a sink gets at a time.
const mostTaken = 1024

func (b *basket) empty() { b.records, b.values = b.records[:0], b.values[:0] }

// add completes a record whose values were appended from a place on.
func (b *basket) add(r Record, from int) {
	r.Values = b.values[from:len(b.values):len(b.values)]
	b.records = append(b.records, r)
}

// claim gives the thread to one of several readers. It reads the records in the order of their writing, and passes them
// on before it returns the thread: so they stay in order.
func (t *Thread) claim() bool { return !t.claimed.Load() && t.claimed.CompareAndSwap(false, true) }

func (t *Thread) giveBack() { t.claimed.Store(false) }

// read moves records from the ring to the basket. It reports whether the ring was more than half full, and whether more
// records follow.
func (t *Thread) read(to *basket) (full, more bool) {
	tail, head := t.ring.tail.Load(), t.ring.head.Load()
	if tail == head {
		return false, false
	}
	full = tail-head > uint64(len(t.ring.words))/2
	instances := *t.instances.Load() // after tail: it has all writers
	for head < tail && len(to.records) < mostTaken {
		h := t.ring.header(head)
		i, from := instances[h.who], len(to.values)
		to.values, head = t.ring.values(h, to.values)
		to.add(Record{
			From: i.origin, Time: t.board.epoch.Add(time.Duration(h.time)), Sequence: h.sequence,
			Perturbation: time.Duration(h.perturbation),
		}, from)
		i.reader.recorded.Add(1)
	}
	t.ring.head.Store(head)
	t.space.ring()
	return full, head < tail
}

// count moves the summaries of histograms to the basket.
func (t *Thread) count(to *basket, now int64, closed bool) {
	for _, i := range *t.counting.Load() {
		for ok := true; ok; { // a closed thread may leave two: an ended window, and the rest
			from := len(to.values)
			if to.values, ok = i.counts.take(closed, to.values); ok {
				i.made(to, now, from)
			}
		}
	}
}

// made adds a record that a monitor has made for an instance.
func (i *Instance) made(to *basket, now int64, from int) {
	i.reader.sequence++
	i.reader.recorded.Add(1)
	to.add(Record{From: i.origin, Time: i.thread.board.epoch.Add(time.Duration(now)), Sequence: i.reader.sequence},
		from)
}

// sample reads the due sensors, or with last all, and sets the next due time.
func (t *Thread) sample(to *basket, now int64, last bool) {
	settings := t.board.settings.Load()
	if now < t.due.Load() && t.seen.Load() == settings && !last {
		return
	}
	due := int64(math.MaxInt64)
	for _, i := range *t.instances.Load() {
		interval := i.interval.Load()
		if interval == 0 {
			continue
		}
		if now >= i.reader.last+interval || last && now > i.reader.last {
			i.reader.last = now
			from, ok := len(to.values), false
			if to.values, ok = i.cells.read(to.values); ok {
				i.made(to, now, from)
			}
		}
		due = min(due, i.reader.last+interval)
	}
	t.due.Store(due)
	t.seen.Store(settings)
}
