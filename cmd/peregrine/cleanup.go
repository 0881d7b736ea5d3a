package main

import (
	"context"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// cleanup is work that has to be done before the program ends, however it ends, such as leaving the terminal as it was.
// A nil one does nothing.
type cleanup struct {
	mu   sync.Mutex
	work func()
}

type cleanupKey struct{}

// withCleanup returns a context with its cleanup.
func withCleanup(ctx context.Context) (context.Context, *cleanup) {
	c := &cleanup{}
	return context.WithValue(ctx, cleanupKey{}, c), c
}

// cleanupOf returns the cleanup of a context, or nil.
func cleanupOf(ctx context.Context) *cleanup {
	c, _ := ctx.Value(cleanupKey{}).(*cleanup)
	return c
}

// set replaces the work; nil is none.
func (c *cleanup) set(work func()) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = work
}

// cleanupTime bounds the work: a terminal that hangs must not keep the program.
const cleanupTime = 2 * time.Second

// run does the work once.
func (c *cleanup) run() {
	if c == nil {
		return
	}
	c.mu.Lock()
	work := c.work
	c.work = nil
	c.mu.Unlock()
	if work == nil {
		return
	}
	ctx, done := context.WithCancel(context.Background())
	go func() {
		defer done()
		work()
	}()
	_ = clock.Sleep(ctx, clock.Real, cleanupTime) // until one of both is over
}
