package cli

import (
	"context"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Environment is the part of the world that all verbs share. The context of a command line carries it.
type Environment struct {
	Clock   clock.Clock
	Cleanup Cleanup
}

type environmentKey struct{}

// WithEnvironment returns a context with an environment of its own.
func WithEnvironment(ctx context.Context, at clock.Clock) (context.Context, *Environment) {
	e := &Environment{Clock: at}
	return context.WithValue(ctx, environmentKey{}, e), e
}

// EnvironmentOf returns the environment of a context; without one, a new one with the real clock.
func EnvironmentOf(ctx context.Context) *Environment {
	if e, ok := ctx.Value(environmentKey{}).(*Environment); ok {
		return e
	}
	return &Environment{Clock: clock.Real}
}

// Clock returns the clock of a command.
func Clock(cmd *cobra.Command) clock.Clock { return EnvironmentOf(cmd.Context()).Clock }

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
