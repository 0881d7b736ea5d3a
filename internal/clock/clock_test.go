package clock_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

var start = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

func TestManualFiresInOrder(t *testing.T) {
	m := clock.NewManual(start)
	late, early := m.NewTimer(3*time.Second), m.NewTimer(time.Second)
	m.Advance(999 * time.Millisecond)
	select {
	case <-early.C:
		t.Fatal("fired before its time")
	default:
	}
	m.Advance(5 * time.Second)
	got := []time.Time{<-early.C, <-late.C}
	if want := []time.Time{start.Add(time.Second), start.Add(3 * time.Second)}; !slices.Equal(got, want) {
		t.Errorf("fired at %v, want %v", got, want)
	}
	if late.Stop() {
		t.Error("a timer that has fired was pending")
	}
	if want := start.Add(5999 * time.Millisecond); !m.Now().Equal(want) {
		t.Errorf("it is %v, want %v", m.Now(), want)
	}
}

func TestManualStop(t *testing.T) {
	m := clock.NewManual(start)
	timer := m.NewTimer(time.Second)
	if !timer.Stop() || timer.Stop() {
		t.Error("Stop reports whether the timer was pending")
	}
	m.Advance(time.Minute)
	select {
	case <-timer.C:
		t.Error("a stopped timer fired")
	default:
	}
}

func TestManualTickerDropsTicks(t *testing.T) {
	m := clock.NewManual(start)
	tick := m.NewTicker(time.Second)
	m.Advance(10 * time.Second)
	if got := <-tick.C; !got.Equal(start.Add(time.Second)) {
		t.Errorf("first tick at %v", got)
	}
	m.Advance(time.Second)
	if got := <-tick.C; !got.Equal(start.Add(11 * time.Second)) {
		t.Errorf("the tick after the dropped ones came at %v", got)
	}
	tick.Stop()
	m.Advance(time.Minute)
	select {
	case <-tick.C:
		t.Error("a stopped ticker ticked")
	default:
	}
}

func TestManualSleep(t *testing.T) {
	m := clock.NewManual(start)
	done := make(chan error)
	go func() { done <- clock.Sleep(t.Context(), m, time.Hour) }()
	must.OK(t, m.AwaitPending(t.Context(), 1))
	m.Advance(time.Hour)
	must.OK(t, <-done)

	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { done <- clock.Sleep(ctx, m, time.Hour) }()
	must.OK(t, m.AwaitPending(t.Context(), 1))
	why := errors.New("enough")
	cancel(why)
	if err := <-done; err != why {
		t.Errorf("error %v, want the cause", err)
	}
	if err := m.AwaitPending(ctx, 1); err != why {
		t.Errorf("error %v: the ended sleep still waits", err)
	}
}

func TestManualAfterFunc(t *testing.T) {
	m := clock.NewManual(start)
	called := make(chan struct{})
	m.AfterFunc(time.Second, func() { close(called) })
	stopped := m.AfterFunc(time.Second, func() { t.Error("a stopped function was called") })
	stopped.Stop()
	m.Advance(time.Second)
	<-called
	at := make(chan struct{})
	m.AfterFunc(0, func() { close(at) })
	<-at
}

func TestReal(t *testing.T) {
	c := clock.Or(nil)
	before := c.Now()
	must.OK(t, clock.Sleep(t.Context(), c, time.Millisecond))
	if d := clock.Since(c, before); d < time.Millisecond {
		t.Errorf("slept %v", d)
	}
	tick := c.NewTicker(time.Millisecond)
	<-tick.C
	<-tick.C
	tick.Stop()
	called := make(chan struct{})
	c.AfterFunc(time.Millisecond, func() { close(called) })
	<-called
}
