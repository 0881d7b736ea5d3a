package sensor

import "sync/atomic"

// bell wakes a monitor that sleeps. While nobody sleeps it costs one load.
type bell struct {
	_      pad
	asleep atomic.Bool
	_      pad
	sound  chan struct{}
}

func newBell() *bell { return &bell{sound: make(chan struct{}, 1)} }

// ring wakes who sleeps. Whoever is about to says so first and looks for work then, so that nothing is
// overlooked.
func (b *bell) ring() {
	if b.asleep.Load() {
		b.wake()
	}
}

func (b *bell) wake() {
	if b.asleep.CompareAndSwap(true, false) {
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
