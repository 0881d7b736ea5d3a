package cli

import (
	"context"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Cleanup is work that must be done before the program ends, however it ends, such as restoring the terminal. A nil
// Cleanup has no effect.
type Cleanup struct {
	mu   sync.Mutex
	work func()
}

type cleanupKey struct{}

// WithCleanup returns a context with its cleanup.
func WithCleanup(ctx context.Context) (context.Context, *Cleanup) {
	c := &Cleanup{}
	return context.WithValue(ctx, cleanupKey{}, c), c
}

// CleanupOf returns the cleanup of a context, or nil.
func CleanupOf(ctx context.Context) *Cleanup {
	c, _ := ctx.Value(cleanupKey{}).(*Cleanup)
	return c
}

// Set replaces the work; nil is none.
func (c *Cleanup) Set(work func()) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = work
}

// cleanupTime bounds the work: a terminal that hangs must not keep the program.
const cleanupTime = 2 * time.Second

// Run does the work once.
func (c *Cleanup) Run() {
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
	_ = clock.Sleep(ctx, clock.Real, cleanupTime) // until the work is done or the time is over
}
