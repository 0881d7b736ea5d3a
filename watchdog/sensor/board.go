package sensor

// The sensors and threads of a run, and the switches of the sensors.

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Taker is a sensor in one thread, for one block. It is an alias of a type without a name: a package that must not
// import this one declares the same type.
type Taker = interface {
	On() bool
	Record(values ...float64)
}

// Board holds the sensors of a run. Its methods may be called from several goroutines.
type Board struct {
	run   string
	clock clock.Clock
	began time.Time
	epoch time.Time // began without its monotonic reading, which events do not have
	words int       // of a ring
	bell  *bell     // for a monitor that sleeps

	mu      sync.Mutex
	sensors map[string]*declared
	threads atomic.Pointer[[]*thread] // replaced under mu
}

// declared is a sensor and its setting; under the board's lock.
type declared struct {
	spec   *Spec
	on     bool
	every  int
	factor uint32 // by which the budget has lowered the rate
}

// rate returns the number of records for each one taken; 0: the sensor is off.
func (s *declared) rate() uint32 {
	if !s.on {
		return 0
	}
	return uint32(min(uint64(max(1, s.every))*uint64(s.factor), mostEvery))
}

// thread is a thread of the solver: one goroutine at a time records in it.
type thread struct {
	name      string
	ring      ring
	instances atomic.Pointer[[]*instance] // by their numbers; only grows
	lost      [8]atomic.Uint64            // records that found the ring full, by the place of their kind in Kinds
	lastLost  atomic.Int64                // time of the last of them, ns since the board's beginning
}

// ringWords is the size of a thread's ring: 256 KiB, 2,700 records of 8 numbers.
const ringWords = 32 << 10

// NewBoard returns the board of a run with its sensors, which are off. Its error is a *SpecError.
func NewBoard(run string, at clock.Clock, specs ...Spec) (*Board, error) {
	b := &Board{run: run, clock: at, began: at.Now(), words: ringWords, bell: newBell(),
		sensors: map[string]*declared{}}
	b.epoch = b.began.Round(0).UTC()
	b.threads.Store(&[]*thread{})
	for _, s := range specs {
		if err := s.Check(); err != nil {
			return nil, err
		}
		if b.sensors[s.Name] != nil {
			return nil, &SpecError{s.Name, "it is declared twice; rename one"}
		}
		b.sensors[s.Name] = &declared{spec: &s, every: s.Every, factor: 1}
	}
	return b, nil
}

// now is the time since the board's beginning, ns.
func (b *Board) now() int64 { return int64(b.clock.Now().Sub(b.began)) }

// Sensor returns a sensor in a thread of the solver, for a block; repeated calls return the same. Only that thread may
// call it. An undeclared name is a mistake in the solver: it panics.
func (b *Board) Sensor(name, of, block string) Taker {
	return b.instance(name, Origin{Thread: of, Block: block}, Tracing)
}

// instance returns a sensor at an origin, whose Spec and Run are filled in.
func (b *Board) instance(name string, at Origin, kinds ...Kind) *instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sensors[name]
	if s == nil {
		panic(fmt.Sprintf("run %s: unknown sensor %q%s; declare it in the solver's description", b.run, name,
			spell.Hint(name, slices.Sorted(maps.Keys(b.sensors)))))
	}
	if !slices.Contains(kinds, s.spec.Kind) {
		panic(fmt.Sprintf("run %s: sensor %q is declared as a %s, and is used as %s", b.run, name, s.spec.Kind, kinds))
	}
	at.Spec, at.Run = s.spec, b.run
	t := b.thread(at.Thread)
	list := *t.instances.Load()
	if k := slices.IndexFunc(list, func(i *instance) bool { return *i.origin == at }); k >= 0 {
		return list[k]
	}
	i := &instance{board: b, thread: t, number: uint32(len(list)), origin: &at,
		kind: slices.Index(recording.Kinds(), s.spec.Kind)}
	i.every.Store(s.rate())
	list = append(slices.Clip(list), i)
	t.instances.Store(&list)
	return i
}

// thread returns the thread of a name, a new one if necessary. The lock is held.
func (b *Board) thread(name string) *thread {
	list := *b.threads.Load()
	if k := slices.IndexFunc(list, func(t *thread) bool { return t.name == name }); k >= 0 {
		return list[k]
	}
	t := &thread{name: name, ring: newRing(b.words)}
	t.instances.Store(&[]*instance{})
	list = append(slices.Clip(list), t)
	b.threads.Store(&list)
	return t
}

// Switch switches a declared sensor on or off in all threads, present and future. On, it takes one record of every so
// many.
func (b *Board) Switch(name string, on bool, every int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sensors[name]
	s.on, s.every = on, every
	b.set(s)
}

// set brings all instances of a sensor to its rate. The lock is held.
func (b *Board) set(s *declared) {
	for i := range b.instances {
		if i.origin.Spec == s.spec {
			i.every.Store(s.rate())
		}
	}
}

// instances calls yield with each instance. The lock is held.
func (b *Board) instances(yield func(*instance) bool) {
	for _, t := range *b.threads.Load() {
		for _, i := range *t.instances.Load() {
			if !yield(i) {
				return
			}
		}
	}
}

// lost returns how many records found their ring full, by kind, and when the last did.
func (b *Board) lost() (by map[Kind]uint64, last time.Time) {
	by = map[Kind]uint64{}
	for _, t := range *b.threads.Load() {
		for k, kind := range recording.Kinds() {
			if n := t.lost[k].Load(); n > 0 {
				by[kind] += n
				if at := b.epoch.Add(time.Duration(t.lastLost.Load())); at.After(last) {
					last = at
				}
			}
		}
	}
	return by, last
}
