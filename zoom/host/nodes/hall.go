package nodes

// Connections that wait until their other end is identified.

import (
	"net"
	"slices"
	"sync"
)

// mostStrangers is the largest number of waiting connections. A relay waits for milliseconds, a silent stranger for
// longer.
const mostStrangers = 256

// hall holds the connections that are being greeted, the oldest first.
type hall struct {
	mu      sync.Mutex
	waiting []net.Conn
}

// enter lets a connection in. If too many wait, it closes the oldest: strangers must not keep relays out.
func (h *hall) enter(c net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) >= mostStrangers {
		_ = h.waiting[0].Close()
		h.waiting = slices.Delete(h.waiting, 0, 1)
	}
	h.waiting = append(h.waiting, c)
}

// leave removes a connection that waits no longer.
func (h *hall) leave(c net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.waiting, c); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
	}
}
