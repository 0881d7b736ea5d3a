package sensor

import "sync/atomic"

// bell wakes a sleeping monitor. While no monitor sleeps it costs one load.
//
// A wake takes a thread microseconds, far more than a record. So a monitor that has found records recently only dozes,
// by a timer: a record does not wake it then, but a ring that is half full does.
type bell struct {
	_      pad
	asleep atomic.Bool
	dozing atomic.Bool
	_      pad
	sound  chan struct{}
}

func newBell() *bell { return &bell{sound: make(chan struct{}, 1)} }

// ring wakes a sleeper. A monitor sets asleep before it looks for work a last time, so that no record is overlooked.
func (b *bell) ring() {
	if b.asleep.Load() {
		b.wake(&b.asleep)
	}
}

// rouse wakes a monitor that sleeps or dozes.
func (b *bell) rouse() {
	b.ring()
	if b.dozing.Load() {
		b.wake(&b.dozing)
	}
}

func (b *bell) wake(from *atomic.Bool) {
	if from.CompareAndSwap(true, false) {
		select {
		case b.sound <- struct{}{}:
		default: // a sound is left for the monitor already
		}
	}
}
