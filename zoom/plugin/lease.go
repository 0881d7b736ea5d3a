package plugin

// No orphans: a plugin holds a stream to its host, and knows by the stream's
// end that the host is gone. The kernel closes the socket of a process that dies in any
// way, so this works where signals on a parent's death do not (those
// follow the parent's thread).

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// DefaultGrace is how long a run may take to its next checkpoint after its
// host has died.
const DefaultGrace = 10 * time.Second

// Terms say what a plugin does when its host dies.
type Terms struct {
	Finish bool          // let the run come to its end and leave its result in the run folder
	Grace  time.Duration // otherwise: time to the next checkpoint; 0: DefaultGrace
}

// leases knows whether there is a host, and ends the process when there is
// none and nothing is left to do.
type leases struct {
	clock  clock.Clock
	mu     sync.Mutex
	stop   func()
	last   int // number of the last lease; 0: none yet
	terms  Terms
	bye    bool          // the host sent us home; that the lease breaks then means nothing
	broken bool          // the last lease broke
	gone   chan struct{} // closed when broken
	run    *session      // nil: nothing runs
}

// serve begins to wait for a host. stop ends the service, and with it Serve.
func (l *leases) serve(stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop = stop
	l.clock.AfterFunc(noHostTimeout, l.quitIfNone)
}

// open begins a lease and returns its number. It replaces the one before.
func (l *leases) open(t Terms) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.Grace <= 0 {
		t.Grace = DefaultGrace
	}
	l.last++
	l.terms, l.broken, l.gone = t, false, make(chan struct{})
	return l.last
}

// broke ends lease number n, unless a later one took its place.
func (l *leases) broke(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n != l.last || l.broken || l.bye {
		return
	}
	l.broken = true
	close(l.gone)
	switch {
	case l.run == nil:
		go l.stop() // not from here: it waits for this call
	case !l.terms.Finish:
		l.run.cancel(ErrHostLost)
		l.clock.AfterFunc(l.terms.Grace, abandon)
	}
}

// begin and end frame a run. begin reports false while another run goes on.
func (l *leases) begin(s *session) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.run != nil {
		return false
	}
	l.run = s
	return true
}

func (l *leases) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.run = nil
	if l.broken {
		go l.stop() // not from here: it waits for this call
	}
}

// running returns the run that goes on, or nil.
func (l *leases) running() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run
}

// orphaned waits a moment for the lease to break, and reports whether it did
// and whether the run is to be finished. A dead host's streams break in any order.
func (l *leases) orphaned(wait time.Duration) (gone, finish bool) {
	l.mu.Lock()
	signal, terms := l.gone, l.terms
	l.mu.Unlock()
	if signal == nil {
		return false, false
	}
	late := l.clock.NewTimer(wait)
	defer late.Stop()
	select {
	case <-signal:
	case <-late.C:
		select {
		case <-signal: // both at once
		default:
			return false, false
		}
	}
	return true, terms.Finish
}

// noticeDismissal sees go-plugin's Shutdown call pass.
func (l *leases) noticeDismissal(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if strings.HasSuffix(info.FullMethod, "GRPCController/Shutdown") {
		l.mu.Lock()
		l.bye = true
		l.mu.Unlock()
	}
	return next(ctx, req)
}

func (l *leases) dismissed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bye
}

// quitIfNone ends the service of a plugin that never had a host.
func (l *leases) quitIfNone() {
	l.mu.Lock()
	none, stop := l.last == 0, l.stop
	l.mu.Unlock()
	if none {
		stop()
	}
}

// abandon ends a process whose solver did not reach a checkpoint in time.
func abandon() {
	removeSocket()
	os.Exit(3)
}
