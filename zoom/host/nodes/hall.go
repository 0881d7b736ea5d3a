package nodes

// Where who has connected waits until it is known who that is.

import (
	"net"
	"slices"
	"sync"
)

// mostStrangers is how many may wait. A relay waits for milliseconds, and a stranger who says nothing for longer than
// any relay.
const mostStrangers = 256

// hall has the connections that are being greeted, the oldest first.
type hall struct {
	mu      sync.Mutex
	waiting []net.Conn
}

// enter lets a connection in. If there are too many, the oldest must go: strangers must not keep relays out.
func (h *hall) enter(c net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) >= mostStrangers {
		_ = h.waiting[0].Close()
		h.waiting = slices.Delete(h.waiting, 0, 1)
	}
	h.waiting = append(h.waiting, c)
}

// leave says that a connection waits no longer.
func (h *hall) leave(c net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.waiting, c); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
	}
}
