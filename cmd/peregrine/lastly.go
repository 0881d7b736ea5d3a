package main

// What has to be done before the program ends, however it ends.

import (
	"context"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// lastly is that, of a command's context. A nil one does nothing.
type lastly struct {
	mu   sync.Mutex
	work func()
}

type lastlyKey struct{}

// lastlyOf returns that of a context, or nil.
func lastlyOf(ctx context.Context) *lastly {
	l, _ := ctx.Value(lastlyKey{}).(*lastly)
	return l
}

// set replaces what is to be done; nil is nothing.
func (l *lastly) set(work func()) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.work = work
}

// leaveTime bounds how long it may take: who wants to end the program at once does not wait for a terminal that hangs.
const leaveTime = 2 * time.Second

// run does it.
func (l *lastly) run() {
	if l == nil {
		return
	}
	l.mu.Lock()
	work := l.work
	l.work = nil
	l.mu.Unlock()
	if work == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	timer := clock.Real.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
