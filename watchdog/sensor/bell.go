package sensor

import "sync/atomic"

// bell wakes a monitor that sleeps. While nobody sleeps it costs one load.
//
// To wake somebody takes a thread microseconds, far more than a record. So a monitor that has found something of late
// only dozes, by a timer: a record does not wake it then, but a ring that is half full does.
type bell struct {
	_      pad
	asleep atomic.Bool
	dozing atomic.Bool
	_      pad
	sound  chan struct{}
}

func newBell() *bell { return &bell{sound: make(chan struct{}, 1)} }

// ring wakes who sleeps. Whoever is about to says so first and looks for work then, so that nothing is overlooked.
func (b *bell) ring() {
	if b.asleep.Load() {
		b.wake(&b.asleep)
	}
}

// rouse wakes who sleeps or dozes.
func (b *bell) rouse() {
	b.ring()
	if b.dozing.Load() {
		b.wake(&b.dozing)
	}
}

func (b *bell) wake(from *atomic.Bool) {
	if from.CompareAndSwap(true, false) {
		b.strike()
	}
}

// strike leaves a sound for who waits, or comes to wait.
func (b *bell) strike() {
	select {
	case b.sound <- struct{}{}:
	default:
	}
}
