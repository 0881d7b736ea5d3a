package plugin

// What becomes of a run when the host dies: it ends at the next checkpoint, or comes to its
// end and leaves its result in the run folder. The process ends when nothing is left to do.

import (
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
)

// DefaultGrace is how long a run may take to its next checkpoint after its
// host has died.
const DefaultGrace = 10 * time.Second

// Terms say what a plugin does when its host dies.
type Terms struct {
	Finish bool          // let the run come to its end and leave its result in the run folder
	Grace  time.Duration // otherwise: time to the next checkpoint; 0: DefaultGrace
}

// tenancy joins the lease to the run that goes on.
type tenancy struct {
	lease hosting.Lease
	clock clock.Clock
	exit  func(code int) // ends a process whose solver reached no checkpoint in time

	mu    sync.Mutex
	terms Terms    // of the last lease
	run   *session // nil: nothing runs
}

// open begins a lease, which replaces the one before, and returns what ends it.
func (t *tenancy) open(terms Terms) (end func()) {
	if terms.Grace <= 0 {
		terms.Grace = DefaultGrace
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.terms = terms
	end1 := t.lease.Take()
	return func() {
		if end1() {
			t.broke()
		}
	}
}

// broke ends, or lets finish, what runs without a host.
func (t *tenancy) broke() {
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

// begin and end frame a run. begin reports false while another run goes on.
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

// running returns the run that goes on, or nil.
func (t *tenancy) running() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.run
}

// orphaned waits a moment for the host to be lost, and reports whether it is
// and whether the run is to be finished.
func (t *tenancy) orphaned(wait time.Duration) (gone, finish bool) {
	t.mu.Lock()
	terms := t.terms
	t.mu.Unlock()
	if !t.lease.Wait(wait) {
		return false, false
	}
	return true, terms.Finish
}
