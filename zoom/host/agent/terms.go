package agent

// Terms and limits of the connection, known to host and agent.

import (
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Terms are the times on which host and relay agree.
type Terms struct {
	Beat  time.Duration // between two heartbeats; default a third of Lease
	Lease time.Duration // silence after which the other is given up; default DefaultLease
	Grace time.Duration // time for which a relay waits for another host; default DefaultGrace
	Clock clock.Clock   // default: the real clock
}

// WithDefaults returns the terms with a value for each.
func (t Terms) WithDefaults() Terms {
	if t.Lease <= 0 {
		t.Lease = DefaultLease
	}
	if t.Beat <= 0 {
		t.Beat = t.Lease / beatsPerLease
	}
	if t.Grace <= 0 {
		t.Grace = DefaultGrace
	}
	t.Clock = clock.Or(t.Clock)
	return t
}

// Defaults until a host sets other values.
const (
	DefaultLease = 15 * time.Second
	DefaultGrace = time.Minute
)

// beatsPerLease is how often each side is heard in the time of the lease, in normal operation.
const beatsPerLease = 3

// messageLimit is the largest message of the service; files are sent in pieces.
const messageLimit = 16 << 20

// leaveTime is how long the answer to a dismissal has to reach the host.
const leaveTime = 100 * time.Millisecond
