package hosting

// No orphans: a plugin holds a stream to its host, and the stream's end shows that the host has ended. The kernel
// closes the socket of a process that dies in any way. Signals on a parent's death are less reliable (they follow the
// parent's thread).

import (
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Lease is a plugin's knowledge of its host. The zero value is ready for use.
type Lease struct {
	mu        sync.Mutex
	stop      func()
	last      int // number of the last hold; 0: none yet
	dismissed bool
	lost      bool          // the last hold broke
	gone      chan struct{} // closed when it did; nil: no hold yet
}

// Take begins a hold, which replaces the hold before. The handler of the stream that the host keeps open calls it, and
// end when the stream has ended. end reports whether the host is lost: no later hold has replaced this one, and the
// host had not dismissed the plugin.
func (l *Lease) Take() (end func() (lost bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	n := l.last
	l.lost, l.gone = false, make(chan struct{})
	return func() bool { return l.end(n) }
}

func (l *Lease) end(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n != l.last || l.lost || l.dismissed {
		return false
	}
	l.lost = true
	close(l.gone)
	return true
}

// Holds returns the number of the present hold. Another number than before means that another host has come.
func (l *Lease) Holds() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Lost reports whether the host is lost.
func (l *Lease) Lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Wait waits for a while for the loss of the host, and reports whether it is lost. A dead host's streams break in any
// order, so the handler of another stream may be the first to notice. It returns false at once if no host has taken the
// lease yet.
func (l *Lease) Wait(while time.Duration) bool {
	l.mu.Lock()
	gone := l.gone
	l.mu.Unlock()
	if gone == nil {
		return false
	}
	late := clock.Real.NewTimer(while)
	defer late.Stop()
	select {
	case <-gone:
		return true
	case <-late.C:
		return l.Lost()
	}
}

// Stop ends the service, and with it Serve. It does not wait, so that a handler may call it.
func (l *Lease) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		go l.stop() // it waits for the handlers
	}
}

// Await begins to wait for a host, for as long as patience, or until gone reports that the host has ended. stop ends
// the service: it is called when no host comes, and by Stop. Serve calls Await.
func (l *Lease) Await(stop func(), patience time.Duration, gone func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop = stop
	at := clock.Real
	late := at.Now().Add(patience)
	var look func()
	look = func() {
		switch {
		case l.taken():
		case gone() || !at.Now().Before(late):
			stop()
		default:
			at.AfterFunc(min(lookTime, late.Sub(at.Now())), look)
		}
	}
	at.AfterFunc(min(lookTime, patience), look)
}

// lookTime is the interval at which a plugin without a lease looks for its host.
const lookTime = time.Second

func (l *Lease) taken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last > 0
}

// dismiss records that the host wants the plugin to end: the break of the hold is then no loss.
func (l *Lease) dismiss() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dismissed = true
}

func (l *Lease) sentHome() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dismissed
}
