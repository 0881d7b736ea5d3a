package plugin

// The lease ties a plugin to its host. When the host dies, the plugin's run waits for another host while it goes on.
// Without one it stops at the next checkpoint, or finishes and leaves its result in the run folder, by the terms of the
// lease. Then the process ends.

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
	Wait   time.Duration // time for which the run continues until another host takes the lease
}

// tenancy applies the terms of the latest lease to the current run.
type tenancy struct {
	lease hosting.Lease
	clock clock.Clock
	exit  func(code int) // ends the process of a solver that reached no checkpoint in time

	mu    sync.Mutex
	terms Terms    // of the last lease
	run   *session // nil: no run
	last  *session // that has ended, with an outcome that its host may not have got; nil: none
	waits int      // number of the latest wait for another host
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
	case t.run == nil && (t.last == nil || t.terms.Wait <= 0 || HasResult(t.last.request.Folder)):
		t.lease.Stop() // a host that has the outcome leaves it as the result
	case t.terms.Wait > 0:
		t.waits++
		n := t.waits
		t.clock.AfterFunc(t.terms.Wait, func() { t.noHost(n) })
	case !t.terms.Finish:
		t.leave()
	}
}

// leave stops the run at its next checkpoint, and ends the process if it reaches none in time.
func (t *tenancy) leave() {
	t.run.cancel(ErrHostLost)
	t.clock.AfterFunc(t.terms.Grace, func() { t.exit(3) })
}

// noHost ends wait number n for another host, if none has come.
func (t *tenancy) noHost(n int) {
	t.mu.Lock()
	run := t.run
	if n != t.waits || !t.lease.Lost() {
		t.mu.Unlock()
		return
	}
	if run == nil {
		t.lease.Stop()
		t.mu.Unlock()
		return
	}
	t.terms.Wait = 0
	if !t.terms.Finish {
		t.leave()
	}
	t.mu.Unlock()
	run.abandon()
}

// begin notes the start of a run. It returns false while another run is in progress.
func (t *tenancy) begin(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil {
		return false
	}
	t.run, t.last = s, nil
	return true
}

func (t *tenancy) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last = nil; t.terms.Wait > 0 && t.run.delivered() {
		t.last = t.run
	}
	t.run = nil
	if t.lease.Lost() && t.last == nil {
		t.lease.Stop()
	}
}

// named returns the run of a name that is in progress, or was the last one; nil: neither.
func (t *tenancy) named(run string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range []*session{t.run, t.last} {
		if s != nil && s.request.Run == run {
			return s
		}
	}
	return nil
}

// running returns the run in progress, or nil.
func (t *tenancy) running() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.run
}

// orphaned waits for the loss of the host and reports whether it is lost. The terms then determine the run's fate.
func (t *tenancy) orphaned(wait time.Duration) (gone bool, by Terms) {
	gone = t.lease.Wait(wait)
	t.mu.Lock()
	defer t.mu.Unlock()
	return gone, t.terms
}
