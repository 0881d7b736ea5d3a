package sensor

// The sensors and threads of a process.

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Board holds the sensors of a process. Its methods may be called from several goroutines.
type Board struct {
	clock    clock.Clock
	began    time.Time
	epoch    time.Time // began without its monotonic reading, because events have none
	words    int       // of a ring
	bell     *bell     // for a local monitor that sleeps
	attended atomic.Bool
	settings atomic.Uint64 // changes of them

	mu      sync.Mutex
	sensors map[string]*Sensor
	threads atomic.Pointer[[]*Thread] // replaced under mu
	rules   []rule
}

// now is the time since the board's beginning, ns.
func (b *Board) now() int64 { return int64(b.clock.Now().Sub(b.began)) }

// BoardOptions are the options of NewBoard.
type BoardOptions struct {
	Clock clock.Clock // nil: the real clock
	Ring  int         // of a thread, bytes; rounded up to a power of two; 0: 256 KiB, 2,700 records of 8 numbers
}

// NewBoard returns a board without sensors.
func NewBoard(o BoardOptions) *Board {
	at := clock.Or(o.Clock)
	b := &Board{clock: at, began: at.Now(), bell: newBell(), sensors: map[string]*Sensor{}}
	b.epoch = b.began.Round(0).UTC()
	b.threads.Store(&[]*Thread{})
	if o.Ring <= 0 {
		o.Ring = 256 << 10
	}
	for b.words = leastRing; 8*b.words < o.Ring; {
		b.words *= 2
	}
	return b
}

// leastRing is the size of a ring for the largest record, words.
const leastRing = 128

// Sensor is a declared sensor.
type Sensor struct {
	board  *Board
	spec   *Spec
	factor uint32 // by which the budget has lowered the rate; under the board's lock
}

// Declare adds sensors. A repeated declaration of the same sensor has no effect. Its error is a *SpecError.
func (b *Board) Declare(specs ...Spec) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range specs {
		if err := s.Check(); err != nil {
			return err
		}
		spec := s.declared()
		if old := b.sensors[s.Name]; old == nil {
			b.sensors[s.Name] = &Sensor{board: b, spec: spec, factor: 1}
		} else if !old.spec.equal(spec) {
			return &SpecError{s.Name, "it has been declared before, otherwise; choose another name"}
		}
	}
	return nil
}

// Sensor returns a declared sensor. Its error names the nearest declared name.
func (b *Board) Sensor(name string) (*Sensor, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.sensors[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("there is no sensor %q%s", name, spell.Hint(name, slices.Sorted(maps.Keys(b.sensors))))
}

// Thread adds a thread of a run. Close it at its end.
func (b *Board) Thread(run, name string) *Thread {
	t := &Thread{run: run, name: name, board: b, ring: newRing(b.words), space: newBell()}
	t.instances.Store(&[]*Instance{})
	t.counting.Store(&[]*Instance{})
	b.mu.Lock()
	defer b.mu.Unlock()
	list := append(slices.Clip(*b.threads.Load()), t)
	b.threads.Store(&list)
	return t
}

// leave removes a closed thread after all its records have been read, or if no monitor reads them.
func (b *Board) leave(t *Thread) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.attended.Load() && !t.over.Load() {
		return
	}
	list := slices.DeleteFunc(slices.Clone(*b.threads.Load()), func(o *Thread) bool { return o == t })
	b.threads.Store(&list)
}

// In returns the sensor's instance in a thread, for a block; the same for the same.
func (s *Sensor) In(t *Thread, block string) *Instance {
	b := s.board
	b.mu.Lock()
	defer b.mu.Unlock()
	list := *t.instances.Load()
	if i := slices.IndexFunc(list, func(i *Instance) bool {
		return i.origin.Spec == s.spec && i.origin.Block == block
	}); i >= 0 {
		return list[i]
	}
	i := &Instance{
		origin: &Origin{Spec: s.spec, Run: t.run, Thread: t.name, Block: block}, thread: t, number: uint32(len(list)),
		width: len(s.spec.Fields), full: s.spec.Full,
	}
	switch {
	case s.spec.sampling():
		i.cells = newCells(s.spec)
	case s.spec.Filter.Op == Histogram:
		i.counts = newHistogram(s.spec)
	case s.spec.Kind == Extended:
		i.sieve = newSieve(s.spec)
	}
	i.reader.last = t.board.now()
	b.set(i, s.factor)
	t.attach(i)
	b.bell.ring()
	return i
}
