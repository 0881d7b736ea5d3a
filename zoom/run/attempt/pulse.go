package attempt

// The time in which this process did not run, and steps of the clock that gives the time of day.

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// pulse notes for how long this process was suspended: by SIGSTOP, by the freezer of its control group, or with its
// virtual machine. Its runs were most likely suspended, too, so limits do not count this time. It also notes by how much
// the clock was set.
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

// Beat looks at the clock for all runs in progress. A judge of their silence calls it before it judges.
func (h *Host) Beat() {
	h.mu.Lock()
	streams := slices.Collect(maps.Values(h.streams))
	h.mu.Unlock()
	for _, s := range streams {
		s.beat()
	}
}

// beat records whether this process was suspended or its clock was set.
func (s *stream) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice()
}

// notice records whether this process was suspended or its clock was set, before anything is judged by the time. The
// caller holds the lock.
func (s *stream) notice() {
	suspended, set := s.pulse.gap()
	if suspended > 0 {
		if s.last = s.clock.Now(); !s.paused { // a pause is counted as a whole
			s.rested += suspended
		}
		s.skip(suspended, "Peregrine was suspended for %v, which no limit counts")
	}
	if set != 0 {
		s.skip(set, "the clock was set by %v, which no limit counts")
	}
}

// skip records a time that has not passed for the run. The caller holds the lock.
func (s *stream) skip(gap time.Duration, text string) {
	s.putHost(event.Event{Kind: event.Message, Name: event.Gap, Wall: gap.Seconds(),
		Text: fmt.Sprintf(text, gap.Round(time.Second))})
}
