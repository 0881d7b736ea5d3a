package attempt

// The time in which this process did not run.

import (
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// pulse notes how long this process was suspended: by SIGSTOP, by the freezer of its control group, or with its virtual
// machine. Its runs were most likely suspended, too, so limits do not count this time.
type pulse struct {
	clock  clock.Clock
	ticker *clock.Timer
	last   time.Time
}

// pulseTime is the time between two ticks. A process that misses a tick was suspended.
const pulseTime = time.Second

func newPulse(c clock.Clock) *pulse { return &pulse{c, c.NewTicker(pulseTime), c.Now()} }

// gap returns how long this process was suspended since the last call.
func (p *pulse) gap() time.Duration {
	gap := clock.Since(p.clock, p.last) - pulseTime
	if p.last = p.clock.Now(); gap < pulseTime {
		return 0
	}
	return gap
}
