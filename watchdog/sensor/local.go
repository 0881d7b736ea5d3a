package sensor

// The local monitors of a process.

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Local is the local monitors of a process: goroutines that read the rings of its threads, and the values of its
// sampling sensors, and pass both to a sink. The first of them sleeps while no records come. If it finds a ring more
// than half full, others help it, until they have no more work.
//
// A sink that blocks here makes threads with [Wait] sensors wait. Put a [Central] between.
type Local struct {
	board  *Board
	sink   Sink
	most   int
	budget *budget
	ctx    context.Context // of the sink
	cancel context.CancelFunc
	done   chan struct{}
	failed atomic.Bool

	mu      sync.Mutex
	working int // goroutines
	peak    int
	err     error
	wait    sync.WaitGroup
}

// LocalOptions are the options of NewLocal.
type LocalOptions struct {
	Most   int     // monitors at a time; 0: half of the processors, at least one
	Budget float64 // of a thread's time that sensors may take; 0: DefaultBudget; negative: any
}

// NewLocal starts the local monitors of a board. Close ends them. A board has the monitors of a single Local at a time.
func NewLocal(b *Board, to Sink, o LocalOptions) (*Local, error) {
	if !b.attended.CompareAndSwap(false, true) {
		return nil, errors.New(
			"sensors: the board has a local monitor; close that first, or join another sink to its central one")
	}
	if o.Most <= 0 {
		o.Most = max(1, runtime.GOMAXPROCS(0)/2)
	}
	l := &Local{board: b, sink: to, most: o.Most, budget: newBudget(b, o.Budget), done: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.help()
	return l, nil
}

// Close ends the monitors once they have read all earlier records. Threads that wait for room continue, without their
// records. If ctx ends, the sink's context ends. Its error is the sink's.
func (l *Local) Close(ctx context.Context) error {
	defer l.cancel()
	defer context.AfterFunc(ctx, l.cancel)()
	l.mu.Lock()
	closed := l.isClosed()
	if !closed {
		close(l.done)
	}
	l.mu.Unlock()
	l.wait.Wait()
	if closed {
		return l.err
	}
	l.board.attended.Store(false)
	d := drainer{Local: l, last: true}
	for _, t := range *l.board.threads.Load() {
		t.space.strike()
		for more := true; more; {
			_, more = d.thread(t, l.board.now())
		}
		if t.closed.Load() {
			l.board.leave(t)
		}
	}
	return l.err
}

func (l *Local) isClosed() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// Peak is the greatest number of monitors that have worked at a time.
func (l *Local) Peak() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peak
}

// help starts another monitor, up to the limit.
func (l *Local) help() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.working == l.most || l.isClosed() {
		return
	}
	d := &drainer{Local: l, first: l.working == 0, from: l.working}
	l.working++
	l.peak = max(l.peak, l.working)
	l.wait.Go(d.run)
}

// leave ends a helper without work. It rings the bell, because the first monitor may sleep over records in a thread
// that this one had claimed.
func (l *Local) leave() {
	l.mu.Lock()
	l.working--
	l.mu.Unlock()
	l.board.bell.ring()
}

// give hands a batch to the sink, unless that has failed.
func (l *Local) give(b Batch) {
	if l.failed.Load() {
		return
	}
	if err := l.sink.Take(l.ctx, b); err != nil && l.failed.CompareAndSwap(false, true) {
		l.mu.Lock()
		l.err = err
		l.mu.Unlock()
	}
}

// drainer is a monitor.
type drainer struct {
	*Local
	first  bool // it sleeps where others leave, and looks after the budget
	busy   bool // it has found records since it dozed
	last   bool // it reads the rest
	from   int  // first thread of its sweeps: monitors with the same first thread would meet all the way
	basket basket
}

// linger is the number of sweeps without records before a monitor sleeps: a wake costs a thread microseconds, a sweep
// some ten nanoseconds a thread of the monitor's own time.
const linger = 64

func (d *drainer) run() {
	for idle, armed := 0, false; !d.isClosed(); {
		found, next := d.sweep()
		switch {
		case found:
			idle, d.busy = 0, true
			if armed {
				d.board.bell.asleep.Store(false)
				armed = false
			}
		case idle < linger:
			idle++
			runtime.Gosched()
		case !d.first:
			d.leave()
			return
		case d.busy:
			d.doze()
			idle, d.busy = 0, false
		case !armed: // then one more sweep: earlier records do not ring
			d.board.bell.asleep.Store(true)
			armed = true
		default:
			d.sleep(next)
			idle, armed = 0, false
		}
	}
}

// dozeTime is how long a monitor dozes after it has found records: so threads pay for a wake at most once in that time,
// some thousandths of their time. Go's timers are not much finer.
const dozeTime = time.Millisecond

// doze waits for dozeTime, or until a ring is half full.
func (d *drainer) doze() {
	d.board.bell.dozing.Store(true)
	defer d.board.bell.dozing.Store(false)
	for _, t := range *d.board.threads.Load() {
		if t.ring.tail.Load()-t.ring.head.Load() > uint64(len(t.ring.words))/2 {
			return // it was so before anybody could be woken
		}
	}
	timer := d.board.clock.NewTimer(dozeTime)
	defer timer.Stop()
	select {
	case <-d.board.bell.sound:
	case <-timer.C:
	case <-d.done:
	}
}

// sleep waits until something is recorded, or due.
func (d *drainer) sleep(until int64) {
	defer d.board.bell.asleep.Store(false)
	var due <-chan time.Time
	if until < math.MaxInt64 {
		timer := d.board.clock.NewTimer(time.Duration(until - d.board.now()))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-d.board.bell.sound:
	case <-due:
	case <-d.done:
	}
}

// sweep reads all threads once. It reports whether it found records, and when the next sample is due.
func (d *drainer) sweep() (found bool, next int64) {
	threads := *d.board.threads.Load()
	now := d.board.now()
	next = math.MaxInt64
	for k := range threads {
		t := threads[(k+d.from)%len(threads)]
		if !t.claim() {
			continue
		}
		any, _ := d.thread(t, now)
		t.giveBack()
		found = found || any
		next = min(next, t.due.Load())
	}
	if d.first {
		review := d.budget.due
		if now >= review {
			if events := d.budget.review(now); events != nil {
				d.give(Batch{Events: events})
			}
			review = d.budget.due
		}
		next = min(next, review)
	}
	return found, next
}

// thread reads a claimed thread, and passes on its records.
func (d *drainer) thread(t *Thread, now int64) (found, more bool) {
	closed := t.closed.Load() // read before the ring: then no record follows the present ones
	full, more := t.read(&d.basket)
	if !more {
		t.count(&d.basket, now, closed)
		t.sample(&d.basket, now, closed || d.last)
	}
	if full {
		d.help()
	}
	if n := len(d.basket.records); n > 0 {
		d.give(Batch{Records: d.basket.records})
		d.budget.read(n, d.board.now()-now)
		d.basket.empty()
		found = true
	}
	if closed && !more && !t.over.Load() {
		t.over.Store(true)
		d.board.leave(t)
	}
	return found, more
}
