package plugin

// The lease ties a plugin to its host. When the host dies, the plugin's run stops at the next checkpoint, or finishes
// and leaves its result in the run folder, by the terms of the lease. Then the process ends.

import (
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
)

// DefaultGrace is the time in which a run must reach its next checkpoint after the death of its host.
const DefaultGrace = 10 * time.Second

// Terms define how a plugin behaves when its host dies.
type Terms struct {
	Finish bool          // finish the run and write its result into the run folder
	Grace  time.Duration // if Finish is false: time to the next checkpoint; 0: DefaultGrace
}

// tenancy applies the terms of the latest lease to the current run.
type tenancy struct {
	lease hosting.Lease
	clock clock.Clock
	exit  func(code int) // ends the process of a solver that reached no checkpoint in time

	mu    sync.Mutex
	terms Terms    // of the last lease
	run   *session // nil: no run
}

// open begins a lease, which replaces the previous one, and returns the function to call when it ends.
func (t *tenancy) open(terms Terms) (end func()) {
	if terms.Grace <= 0 {
		terms.Grace = DefaultGrace
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.terms = terms
	release := t.lease.Take()
	return func() {
		if release() {
			t.hostLost()
		}
	}
}

// hostLost applies the terms: it stops the run or lets it finish, or ends the service if no run is in progress.
func (t *tenancy) hostLost() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.run == nil:
		t.lease.Stop()
	case !t.terms.Finish:
		t.run.cancel(ErrHostLost)
		t.clock.AfterFunc(t.terms.Grace, func() { t.exit(3) })
	}
}

// begin notes the start of a run. It returns false while another run is in progress.
func (t *tenancy) begin(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil {
		return false
	}
	t.run = s
	return true
}

func (t *tenancy) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run = nil
	if t.lease.Lost() {
		t.lease.Stop()
	}
}

// running returns the run in progress, or nil.
func (t *tenancy) running() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.run
}

// orphaned waits for the loss of the host and reports whether it is lost and whether the
// run is to be finished.
func (t *tenancy) orphaned(wait time.Duration) (gone, finish bool) {
	t.mu.Lock()
	terms := t.terms
	t.mu.Unlock()
	if !t.lease.Wait(wait) {
		return false, false
	}
	return true, terms.Finish
}
