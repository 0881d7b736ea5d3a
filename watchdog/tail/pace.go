package tail

import "time"

// restShare is the next poll's delay as a fraction of the time since the file changed: a line after a rest of a minute
// is read after three seconds at most, if no other limit is lower.
const restShare = 1. / 20

// longest bounds the time between two polls, in intervals; where changes wake the reader that is the least, and
// longestAwake the most.
const (
	longest      = 10
	longestAwake = 50
)

// Pace sets the times of polls: at the file's interval while it changes, less often while it is at rest. A file whose
// changes wake its reader is still polled, seldom: a program that maps a file into memory changes it without notice.
type Pace struct {
	Interval        time.Duration
	polled, changed time.Time
}

// Wait is the time to the next poll; wakes reports whether changes wake.
func (p *Pace) Wait(now time.Time, wakes bool) time.Duration {
	if p.polled.IsZero() {
		return 0
	}
	least, most := p.Interval, longest*p.Interval
	if wakes {
		least, most = most, longestAwake*p.Interval
	}
	wait := min(max(time.Duration(restShare*float64(p.polled.Sub(p.changed))), least), most)
	// A clock without monotonic readings may have been set back: then a poll is due.
	return min(wait-now.Sub(p.polled), most)
}

// Polled records a poll, and whether it found a change.
func (p *Pace) Polled(now time.Time, changed bool) {
	p.polled = now
	if changed || p.changed.IsZero() || p.changed.After(now) {
		p.changed = now
	}
}
