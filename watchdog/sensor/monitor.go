package sensor

// The goroutine that reads the rings of a board's threads.

import (
	"runtime"
	"sync"
	"time"
)

// Monitor reads the records of a board in its own goroutine, and passes them on. It sleeps while the threads record no
// numbers.
type Monitor struct {
	board  *Board
	take   func(Batch)
	budget *budget
	basket basket
	busy   bool // it has found records since it dozed
	done   chan struct{}
	ended  sync.WaitGroup
}

// NewMonitor starts the monitor of a board, which has a single monitor at a time. It calls take with each batch in
// turn. A batch is lent until take returns. Close ends the monitor.
func NewMonitor(b *Board, take func(Batch)) *Monitor { return startMonitor(b, take, budgetShare) }

func startMonitor(b *Board, take func(Batch), share float64) *Monitor {
	m := &Monitor{board: b, take: take, budget: newBudget(b, share), done: make(chan struct{})}
	m.ended.Go(m.run)
	return m
}

// Close ends the monitor once it has handed on the records that were made before. It is called once.
func (m *Monitor) Close() {
	close(m.done)
	m.ended.Wait()
	for m.read() {
	}
}

// linger is how many times a monitor looks for records in vain before it sleeps: to be woken costs a thread
// microseconds, to look some ten nanoseconds a thread of the monitor's own time.
const linger = 64

func (m *Monitor) run() {
	for idle, armed := 0, false; !m.isDone(); {
		found := m.read()
		m.review()
		switch {
		case found:
			idle, m.busy = 0, true
			if armed {
				m.board.bell.asleep.Store(false)
				armed = false
			}
		case idle < linger:
			idle++
			runtime.Gosched()
		case m.busy:
			m.doze()
			idle, m.busy = 0, false
		case !armed: // and then once more round: records that came before are not announced
			m.board.bell.asleep.Store(true)
			armed = true
		default:
			m.wait(time.Duration(m.budget.due - m.board.now()))
			m.board.bell.asleep.Store(false)
			idle, armed = 0, false
		}
	}
}

func (m *Monitor) isDone() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// dozeTime is how long a monitor dozes after it has found records: so threads pay for a wake at most once in that time,
// and each wake of the monitor takes a processor from them, as does each write to a file.
const dozeTime = 10 * time.Millisecond

// doze waits for dozeTime, or until a ring is half full.
func (m *Monitor) doze() {
	m.board.bell.dozing.Store(true)
	defer m.board.bell.dozing.Store(false)
	for _, t := range *m.board.threads.Load() {
		if t.ring.waiting() > uint64(len(t.ring.words))/2 {
			return // it was half full before a thread could wake the monitor
		}
	}
	m.wait(dozeTime)
}

// wait waits for the bell, at most for a time.
func (m *Monitor) wait(most time.Duration) {
	timer := m.board.clock.NewTimer(most)
	defer timer.Stop()
	select {
	case <-m.board.bell.sound:
	case <-timer.C:
	case <-m.done:
	}
}

// review compares the cost of sensors with the budget, if it is due, and passes on the changes.
func (m *Monitor) review() {
	if now := m.board.now(); now >= m.budget.due {
		m.take(Batch{Events: m.budget.review(now)}) // also without events, for those who wait for a time
	}
}

// read passes on a batch of each thread with new records, and reports whether any had some.
func (m *Monitor) read() (found bool) {
	for _, t := range *m.board.threads.Load() {
		if t.ring.waiting() == 0 {
			continue
		}
		start := m.board.now()
		m.basket.fill(t, m.board.epoch)
		m.budget.read(len(m.basket.records), m.board.now()-start)
		m.take(Batch{Records: m.basket.records})
		m.basket.empty()
		found = true
	}
	return found
}

// basket holds records until they have been handed on.
type basket struct {
	records []Record
	values  []float64
}

// mostTaken is how many records a batch has.
const mostTaken = 1024

func (b *basket) empty() { b.records, b.values = b.records[:0], b.values[:0] }

// add completes a record whose values were appended from a place on.
func (b *basket) add(r Record, from int) {
	r.Values = b.values[from:len(b.values):len(b.values)]
	b.records = append(b.records, r)
}

// fill moves records from a thread's ring to the basket.
func (b *basket) fill(t *thread, epoch time.Time) {
	tail, head := t.ring.tail.Load(), t.ring.head.Load()
	instances := *t.instances.Load() // after tail: it has all writers
	for head < tail && len(b.records) < mostTaken {
		h := t.ring.header(head)
		i, from := instances[h.who], len(b.values)
		r := Record{From: i.origin, Time: epoch.Add(time.Duration(h.time)), Sequence: h.sequence, Step: h.step}
		if form := i.form(); form == "" || form == Float32 {
			b.values, head = t.ring.values(h, b.values)
		} else {
			head = t.ring.marked(h, form, &r)
		}
		b.add(r, from)
		i.recorded++
	}
	t.ring.head.Store(head)
}
