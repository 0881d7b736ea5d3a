// Package clock abstracts time. Code that measures, waits or stamps takes a Clock. A program passes the real clock. A
// test passes a clock that it moves by hand, so a test of a five-minute limit takes no time, and its result does not
// depend on the load of the machine.
package clock

import (
	"context"
	"time"
)

// Clock is a source of time. Its methods may be called from several goroutines.
type Clock interface {
	// Now is the present time.
	Now() time.Time
	// NewTimer returns a timer that sends the time on its channel once, d from now.
	NewTimer(d time.Duration) *Timer
	// AfterFunc calls f in a goroutine of its own, d from now. Its timer has no channel.
	AfterFunc(d time.Duration, f func()) *Timer
	// NewTicker returns a timer that sends the time every d, which is positive. Unread ticks are dropped.
	NewTicker(d time.Duration) *Timer
}

// Timer is a pending wait. C is nil for a timer of AfterFunc.
type Timer struct {
	C    <-chan time.Time
	stop func() bool
}

// Stop ends the timer. It reports whether the timer was pending. If a timer of AfterFunc was not pending, its function
// was called, and may not have returned.
func (t *Timer) Stop() bool { return t.stop() }

// Since is the time that has passed since t.
func Since(c Clock, t time.Time) time.Duration { return c.Now().Sub(t) }

// Sleep waits for d. Its error is the cause of ctx, if that ends before.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Or returns c, or the real clock if c is nil: the default of options.
func Or(c Clock) Clock {
	if c == nil {
		return Real
	}
	return c
}

// Never is a timer that does not fire.
func Never() *Timer { return &Timer{stop: func() bool { return true }} }
