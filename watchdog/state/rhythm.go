package state

import (
	"fmt"
	"time"
)

// rhythm is when a run gave signs of life.
type rhythm struct {
	first, last time.Time
	beats       int
	silent      time.Duration
	hung        bool
}

// A run is silent against its rhythm after silentBeats times its usual pace, but after leastSilence at the earliest;
// before its second sign of life after longestStart: it may read a mesh.
const (
	silentBeats  = 50
	leastSilence = time.Minute
	longestStart = 10 * time.Minute
)

// A run is late after lateBeats times its usual pace, but after leastLate at the earliest.
const (
	lateBeats = 3
	leastLate = 10 * time.Second
)

// late reports whether the next sign of life is overdue, or there was none.
func (r *rhythm) late(now time.Time) bool {
	return r.beats == 0 || now.Sub(r.last) > max(leastLate, lateBeats*r.pace())
}

// beat takes a sign of life, and reports whether it ends a hang.
func (r *rhythm) beat(at time.Time) (woke bool) {
	if at.IsZero() {
		return false
	}
	if r.beats == 0 || at.Before(r.first) { // a clock may step back
		r.first = at
	}
	if at.After(r.last) {
		r.last = at
	}
	r.beats++
	woke, r.hung = r.hung, false
	return woke
}

// skip moves the signs of life by a time that has passed by the clock but not for the run.
func (r *rhythm) skip(gap time.Duration) {
	if r.beats > 0 {
		r.first, r.last = r.first.Add(gap), r.last.Add(gap)
	}
}

// pace is the mean time between two signs of life.
func (r *rhythm) pace() time.Duration {
	if r.beats < 2 {
		return 0
	}
	return r.last.Sub(r.first) / time.Duration(r.beats-1)
}

// tick reports whether the run has just become silent against its rhythm.
func (r *rhythm) tick(now time.Time, iterations int) bool {
	if r.beats == 0 || r.hung {
		return false
	}
	r.silent = now.Sub(r.last)
	most := longestStart
	if iterations > 1 {
		most = max(leastSilence, silentBeats*r.pace())
	}
	r.hung = r.silent > most
	return r.hung
}

func (r *rhythm) sentence() string {
	return fmt.Sprintf("no output for %v, where %v is usual", r.silent.Round(time.Second),
		r.pace().Round(time.Millisecond))
}
