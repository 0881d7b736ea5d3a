package attempt

// The time in which this process did not run, and steps of the clock that gives the time of day.

import (
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// pulse notes for how long this process was suspended: by SIGSTOP, by the freezer of its control group, or with its
// virtual machine. Its runs were most likely suspended, too, so limits do not count this time. It also notes by how
// much the clock was set.
type pulse struct {
	clock clock.Clock
	last  time.Time
}

// pulseTime is the time between two looks at the clock. A process that misses one was suspended.
const pulseTime = time.Second

// leastStep is the smallest step of a clock that counts as set.
const leastStep = time.Second

// gap returns how long this process was suspended since the last call, and by how much the clock was set.
func (p *pulse) gap() (suspended, set time.Duration) {
	now := p.clock.Now()
	passed := now.Sub(p.last)
	set = now.Round(0).Sub(p.last.Round(0)) - passed // the time of day, without the steady clock's reading
	if p.last = now; set.Abs() < leastStep {
		set = 0
	}
	if suspended = passed - pulseTime; suspended < pulseTime {
		suspended = 0
	}
	return suspended, set
}
