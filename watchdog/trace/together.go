package trace

import (
	"maps"
	"slices"
)

// State is the state of all processes together.
type State string

const (
	Inactive   State = "inactive"   // no record
	Running    State = "running"    // a process may go on
	Terminated State = "terminated" // no process is in a region
	Deadlock   State = "deadlock"   // processes wait for each other, in a circle
	Abnormal   State = "abnormal"   // a process waits for a process that has ended
)

// Standing is the state of a process, as far as others may wait for it.
type Standing struct {
	Ended bool
	Waits bool   // in a receive for which no message is under way
	On    string // Waits: the process that has to send; empty: any other
}

// Together judges the processes by their standings, and names the processes that cannot move any more.
func Together(all map[string]Standing) (state State, stuck []string) {
	left := map[string]string{} // the process that each waiting one waits for; empty: any other
	moving := 0
	for name, s := range all {
		switch {
		case s.Ended:
		case s.Waits:
			left[name] = s.On
		default:
			moving++
		}
	}
	if len(left) == 0 {
		if moving > 0 {
			return Running, nil
		}
		return Terminated, nil
	}
	// A process that waits may move if one that it waits for may. What is left cannot.
	for changed := true; changed; {
		changed = false
		for name, on := range left {
			if _, waits := left[on]; on == "" && moving > 0 || on != "" && !waits && !all[on].Ended {
				delete(left, name)
				moving++
				changed = true
			}
		}
	}
	stuck = slices.SortedFunc(maps.Keys(left), ProcessNumber)
	switch {
	case len(left) == 0:
		return Running, nil
	case circle(left):
		return Deadlock, stuck
	}
	return Abnormal, stuck
}

// circle reports whether processes that cannot move wait for each other. One that waits for any waits for all others.
func circle(stuck map[string]string) bool {
	anyOnes := 0
	passed := map[string]string{} // the first of the walk that came there
	for first := range stuck {
		for at := first; ; at = stuck[at] {
			on, waits := stuck[at]
			by, seen := passed[at]
			if waits && (on == "" && at != first || seen && by == first) {
				return true
			}
			if !waits || seen {
				break
			}
			if on == "" {
				anyOnes++
				break
			}
			passed[at] = first
		}
	}
	return anyOnes > 1
}
