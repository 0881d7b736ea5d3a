package clock

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Manual is a clock for tests. Its time changes only by Advance.
type Manual struct {
	mu      sync.Mutex
	now     time.Time
	pending []*wait
	changed chan struct{} // closed, and replaced, when the number of pending waits changes
}

// wait is a timer that has not fired.
type wait struct {
	at    time.Time
	every time.Duration // 0: once
	fire  func(now time.Time)
}

// NewManual returns a clock with the time at.
func NewManual(at time.Time) *Manual {
	return &Manual{now: at, changed: make(chan struct{})}
}

// Now implements Clock.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance moves the clock by d, which is not negative, and fires the timers that become due, in the order of time.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	end := m.now.Add(d)
	for {
		w := m.next()
		if w == nil || w.at.After(end) {
			break
		}
		m.now = w.at
		if w.every > 0 {
			w.at = w.at.Add(w.every)
		} else {
			m.remove(w)
		}
		w.fire(m.now)
	}
	m.now = end
}

// AwaitPending returns when at least n timers and tickers wait for this clock. A test calls it before Advance, so that
// the tested code is ready. Its error is the cause of ctx.
func (m *Manual) AwaitPending(ctx context.Context, n int) error {
	for {
		m.mu.Lock()
		enough, changed := len(m.pending) >= n, m.changed
		m.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// NewTimer implements Clock.
func (m *Manual) NewTimer(d time.Duration) *Timer { return m.channel(d, 0) }

// NewTicker implements Clock.
func (m *Manual) NewTicker(d time.Duration) *Timer {
	if d <= 0 {
		panic("clock: a ticker's interval is positive")
	}
	return m.channel(d, d)
}

// AfterFunc implements Clock.
func (m *Manual) AfterFunc(d time.Duration, f func()) *Timer {
	return &Timer{stop: m.add(d, 0, func(time.Time) { go f() })}
}

func (m *Manual) channel(d, every time.Duration) *Timer {
	c := make(chan time.Time, 1)
	return &Timer{C: c, stop: m.add(d, every, func(now time.Time) {
		select {
		case c <- now:
		default:
		}
	})}
}

// add begins a wait and returns a function that ends it.
func (m *Manual) add(d, every time.Duration, fire func(time.Time)) (stop func() bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d <= 0 {
		fire(m.now)
		return func() bool { return false }
	}
	w := &wait{at: m.now.Add(d), every: every, fire: fire}
	m.pending = append(m.pending, w)
	m.announce()
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.remove(w)
	}
}

// next is the pending wait that falls due first; of several the oldest.
func (m *Manual) next() *wait {
	var first *wait
	for _, w := range m.pending {
		if first == nil || w.at.Before(first.at) {
			first = w
		}
	}
	return first
}

func (m *Manual) remove(w *wait) bool {
	i := slices.Index(m.pending, w)
	if i < 0 {
		return false
	}
	m.pending = slices.Delete(m.pending, i, i+1)
	m.announce()
	return true
}

func (m *Manual) announce() {
	close(m.changed)
	m.changed = make(chan struct{})
}
