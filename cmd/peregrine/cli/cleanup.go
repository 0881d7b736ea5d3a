package cli

import (
	"context"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Cleanup is work that must be done before the program ends, however it ends, such as restoring the terminal.
type Cleanup struct {
	mu   sync.Mutex
	work func()
}

// Set replaces the work; nil is none.
func (c *Cleanup) Set(work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = work
}

// cleanupTime bounds the work: a terminal that hangs must not keep the program.
const cleanupTime = 2 * time.Second

// Run does the work once.
func (c *Cleanup) Run() {
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
