package sensor

// The central monitor: from where records come to where they are wanted.

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Central passes its records to the sinks that have joined. Each sees all records or a selection. Sinks join and leave
// at any time. Each has its own queue and its own goroutine. A sink that is too slow loses records and gets their
// number; no other part waits for it. Its zero value has no sinks. Close it at the end.
//
// It is a [Sink]: a [Local] monitor gives to it directly, those of other processes by a [Writer] there and a [Reader]
// here.
type Central struct {
	mu      sync.Mutex
	closed  bool
	streams atomic.Pointer[[]*Stream] // replaced under mu
	pool    sync.Pool                 // of *shared
}

// StreamOptions are the options of Central.Join.
type StreamOptions struct {
	Only  Selector // the zero Selector: all records
	Queue int      // records that may wait for the sink; 0: DefaultQueue
}

// DefaultQueue is how many records may wait for a sink: of 8 numbers each they take 9 MB.
const DefaultQueue = 1 << 16

// Stream is a sink's membership of a central monitor.
type Stream struct {
	central *Central
	sink    Sink
	only    Selector
	most    int
	ctx     context.Context // of the sink
	cancel  context.CancelFunc
	wake    chan struct{} // has 1 when the queue has changed
	done    chan struct{} // closed when the sink has been called for the last time
	total   atomic.Uint64 // lost

	mu      sync.Mutex
	known   map[*Origin]bool // whether it is selected
	queue   []waiting
	queued  int    // records in queue that are selected
	lost    uint64 // after the last in queue
	leaving bool
	err     error
}

// shared is a batch that waits for several sinks.
type shared struct {
	basket
	batch Batch
	users atomic.Int32
}

// waiting is a batch in a stream's queue.
type waiting struct {
	*shared
	lost uint64 // by this stream, ahead of it
}

// Join adds a sink, which sees all later records.
func (c *Central) Join(to Sink, o StreamOptions) (*Stream, error) {
	if err := o.Only.check(); err != nil {
		return nil, err
	}
	if o.Queue <= 0 {
		o.Queue = DefaultQueue
	}
	s := &Stream{
		central: c, sink: to, only: o.Only, most: o.Queue, wake: make(chan struct{}, 1), done: make(chan struct{}),
		known: map[*Origin]bool{},
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("sensors: the central monitor is closed")
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	list := append(slices.Clone(c.list()), s)
	c.streams.Store(&list)
	go s.run()
	return s, nil
}

func (c *Central) list() []*Stream {
	if p := c.streams.Load(); p != nil {
		return *p
	}
	return nil
}

// Take implements [Sink]. It never waits. Several goroutines may call it at the same time.
func (c *Central) Take(_ context.Context, b Batch) error {
	var copied *shared
	for _, s := range c.list() {
		s.offer(b, &copied)
	}
	if copied != nil {
		copied.release(c)
	}
	return nil
}

// Close lets all sinks leave. Its error is theirs.
func (c *Central) Close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	list := c.list()
	c.mu.Unlock()
	for _, s := range list {
		s.leave()
	}
	var all error
	for _, s := range list {
		all = errors.Join(all, s.Leave(ctx))
	}
	return all
}

// forget takes a stream from the list.
func (c *Central) forget(s *Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(c.list()), func(o *Stream) bool { return o == s })
	c.streams.Store(&list)
}

// share copies a lent batch; the copy lasts until all users have released it.
func (c *Central) share(b Batch) *shared {
	s, _ := c.pool.Get().(*shared)
	if s == nil {
		s = &shared{}
	}
	s.users.Store(1)
	for _, r := range b.Records {
		from := len(s.values)
		s.values = append(s.values, r.Values...)
		s.add(r, from)
	}
	s.batch = Batch{Records: s.records, Events: slices.Clone(b.Events), Lost: b.Lost}
	return s
}

func (s *shared) release(c *Central) {
	if s.users.Add(-1) > 0 {
		return
	}
	s.empty()
	s.batch = Batch{}
	c.pool.Put(s)
}

// offer puts a batch into the queue, if it has room and the batch has selected records. It shares the copy with other
// streams.
func (s *Stream) offer(b Batch, copied **shared) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving {
		return
	}
	n := s.selected(b.Records)
	if n == 0 && len(b.Events) == 0 && b.Lost == 0 {
		return
	}
	if s.queued > 0 && s.queued+n > s.most || len(s.queue) >= s.most {
		s.lose(uint64(n+len(b.Events)) + b.Lost)
		return
	}
	if *copied == nil {
		*copied = s.central.share(b)
	}
	(*copied).users.Add(1)
	s.queue = append(s.queue, waiting{*copied, s.lost})
	s.queued, s.lost = s.queued+n, 0
	s.stir()
}

// lose counts lost records. The lock is held.
func (s *Stream) lose(n uint64) {
	s.lost += n
	s.total.Add(n)
}

// stir has the sink's goroutine look around.
func (s *Stream) stir() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// selected returns how many records are selected. The lock is held.
func (s *Stream) selected(records []Record) int {
	if s.only == (Selector{}) {
		return len(records)
	}
	n := 0
	var last *Origin
	wanted := false
	for i := range records {
		if o := records[i].From; o != last {
			last, wanted = o, s.wants(o)
		}
		if wanted {
			n++
		}
	}
	return n
}

// wants reports whether the records of an origin are selected. The lock is held.
func (s *Stream) wants(o *Origin) bool {
	wanted, ok := s.known[o]
	if !ok {
		wanted = s.only.matches(o)
		s.known[o] = wanted
	}
	return wanted
}

// Lost is how many records the sink has lost because it was too slow.
func (s *Stream) Lost() uint64 { return s.total.Load() }

// Done is closed when the sink is called no more: it has left, or failed.
func (s *Stream) Done() <-chan struct{} { return s.done }

// Leave ends the stream once its sink has taken its queue. If ctx ends before, the sink's context ends and the rest is
// lost. Its error is the sink's.
func (s *Stream) Leave(ctx context.Context) error {
	s.leave()
	defer context.AfterFunc(ctx, s.cancel)()
	<-s.done
	return s.err
}

func (s *Stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
	s.stir()
}

// run calls the sink.
func (s *Stream) run() {
	defer close(s.done)
	defer s.cancel()
	var queue []waiting
	var chosen []Record
	for last := false; !last && s.ctx.Err() == nil; {
		queue, last = s.next(queue[:0])
		for _, w := range queue {
			if s.ctx.Err() != nil {
				s.refuse(w)
				continue
			}
			batch := w.batch
			batch.Records, chosen = s.choose(batch.Records, chosen[:0])
			batch.Lost += w.lost
			s.put(batch)
			w.release(s.central)
		}
		if lost := s.behind(); lost > 0 && s.ctx.Err() == nil {
			s.put(Batch{Lost: lost})
		}
	}
	s.central.forget(s)
	for _, w := range s.rest() {
		s.refuse(w)
	}
}

// rest ends the queue and returns the batches that the sink has not taken.
func (s *Stream) rest() []waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queue
	s.queue, s.queued, s.leaving = nil, 0, true
	return queue
}

// next waits for queued batches. It reports last if the stream leaves.
func (s *Stream) next(into []waiting) (queue []waiting, last bool) {
	for {
		s.mu.Lock()
		queue, last = append(into, s.queue...), s.leaving
		clear(s.queue)
		s.queue, s.queued = s.queue[:0], 0
		lost := s.lost > 0
		s.mu.Unlock()
		if len(queue) > 0 || lost || last {
			return queue, last
		}
		select {
		case <-s.wake:
		case <-s.ctx.Done():
			return queue, true
		}
	}
}

// behind returns the number of records lost after the last of an empty queue: the sink gets it even if no batch
// follows.
func (s *Stream) behind() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) > 0 {
		return 0
	}
	lost := s.lost
	s.lost = 0
	return lost
}

// choose returns the selected records, in the slice into if they are not all.
func (s *Stream) choose(records, into []Record) (chosen, lent []Record) {
	if s.only == (Selector{}) {
		return records, into
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		if s.wants(r.From) {
			into = append(into, r)
		}
	}
	return into, into
}

// put calls the sink. A sink that fails leaves.
func (s *Stream) put(b Batch) {
	if err := s.sink.Take(s.ctx, b); err != nil {
		s.mu.Lock()
		s.err, s.leaving = err, true
		s.mu.Unlock()
		s.cancel()
	}
}

// refuse counts a batch that its sink does not want any more.
func (s *Stream) refuse(w waiting) {
	s.mu.Lock()
	s.lose(uint64(s.selected(w.batch.Records)))
	s.mu.Unlock()
	w.release(s.central)
}
