package march

import (
	"context"
	"sync"
)

// Helm lets other goroutines steer a run: hold it, have it save its state, change its
// settings. Its zero value is ready. The run's observer calls Orders at each report.
type Helm struct {
	mu     sync.Mutex
	change *sync.Cond
	held   bool
	save   bool
	set    map[string]float64
}

func (h *Helm) order(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.change == nil {
		h.change = sync.NewCond(&h.mu)
	}
	f()
	h.change.Broadcast()
}

// Pause holds the run at its next report.
func (h *Helm) Pause() { h.order(func() { h.held = true }) }

// Resume lets it go on.
func (h *Helm) Resume() { h.order(func() { h.held = false }) }

// Checkpoint orders a saved solution at the next report, or now if the run is held.
func (h *Helm) Checkpoint() { h.order(func() { h.save = true }) }

// Set changes a setting at the next report.
func (h *Helm) Set(name string, value float64) {
	h.order(func() {
		if h.set == nil {
			h.set = map[string]float64{}
		}
		h.set[name] = value
	})
}

// Clear forgets all orders, for another run.
func (h *Helm) Clear() { h.order(func() { h.held, h.save, h.set = false, false, nil }) }

// Orders is called by a run's observer. It hands changed settings to apply, blocks
// while the run is held, and returns what the observer is to return: Stop once ctx has
// ended, Checkpoint after an order for one. A held run obeys orders as they come; after
// a checkpoint it goes on to the next report and waits there.
func (h *Helm) Orders(ctx context.Context, apply func(name string, value float64)) Command {
	h.order(func() {}) // makes change
	stop := context.AfterFunc(ctx, func() { h.order(func() {}) })
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		for name, value := range h.set {
			apply(name, value)
		}
		h.set = nil
		switch {
		case ctx.Err() != nil:
			return Stop
		case h.save:
			h.save = false
			return Checkpoint
		case !h.held:
			return Continue
		}
		h.change.Wait()
	}
}
