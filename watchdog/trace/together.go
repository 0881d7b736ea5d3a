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
	Abnormal   State = "abnormal"   // a process waits for one that has ended
)

// Standing is the state of a process, as far as others may wait for it.
type Standing struct {
	Ended bool
	Waits bool   // in a receive for which no message is under way
	On    string // Waits: the process that has to send; empty: any other
}

// Together judges the processes by their standings, and names the processes that cannot move any more.
func Together(all map[string]Standing) (state State, stuck []string) {
	waitsFor := map[string][]string{}
	open := false
	for name, s := range all {
		switch {
		case s.Ended:
		case !s.Waits:
			open = true
		case s.On != "":
			waitsFor[name] = []string{s.On}
		default:
			waitsFor[name] = slices.DeleteFunc(slices.Collect(maps.Keys(all)),
				func(o string) bool { return o == name })
		}
	}
	if len(waitsFor) == 0 {
		if open {
			return Running, nil
		}
		return Terminated, nil
	}
	// A process that waits may move if one that it waits for may. What is left cannot.
	left := maps.Clone(waitsFor)
	for changed := true; changed; {
		changed = false
		for name, others := range left {
			if slices.ContainsFunc(others, func(o string) bool { return left[o] == nil && !all[o].Ended }) {
				delete(left, name)
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

// circle reports whether processes that cannot move wait for each other.
func circle(stuck map[string][]string) bool {
	for name := range stuck {
		seen := map[string]bool{}
		list := slices.Clone(stuck[name])
		for len(list) > 0 {
			o := list[len(list)-1]
			list = list[:len(list)-1]
			if o == name {
				return true
			}
			if !seen[o] {
				seen[o] = true
				list = append(list, stuck[o]...)
			}
		}
	}
	return false
}
