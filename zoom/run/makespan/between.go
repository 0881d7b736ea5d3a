package makespan

// The time in which no job is in a worker: the executive solves, plans, makes maps and judges, or waits.

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// endsPart names the work of the executive that an event ends.
var endsPart = map[event.Kind]string{
	event.Point: partSolve, event.Engine: partSolve, event.Estimate: partSolve, event.Progress: partSolve,
	event.Planned: partPlan, event.Known: partPlan, event.Harvested: partPlan, event.Map: partMap,
	event.Finding: partRules, event.Would: partRules, event.StudyEnded: partResults,
}

// between fills in the executive's parts. The time before a batch that no event ends is spent on its plan: no job is
// in a worker, and the plan is there.
func (s *study) between(events []event.Event, at func(*event.Event) float64) {
	type mark struct {
		at   float64
		name string
	}
	var marks []mark
	for i := range events {
		if name := endsPart[events[i].Kind]; name != "" {
			marks = append(marks, mark{at(&events[i]), name})
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	waits := slices.Clone(s.holds)
	for _, l := range s.locks {
		waits = append(waits, part{partLock, l.begin, l.end})
	}
	slices.SortStableFunc(waits, func(a, b part) int { return cmp.Compare(a.begin, b.begin) })
	for _, gap := range s.gaps() {
		now := gap.begin
		until := func(name string, end float64) {
			if end > now {
				s.executive, now = append(s.executive, part{name, now, end}), end
			}
		}
		first, _ := slices.BinarySearchFunc(marks, gap.begin, func(m mark, x float64) int {
			return cmp.Compare(m.at, x)
		})
		for _, m := range marks[first:] {
			if m.at > gap.end {
				break
			}
			until(m.name, m.at)
		}
		for _, w := range waits {
			if w.begin < gap.end && w.end > now {
				until(partIdle, w.begin)
				until(w.name, min(w.end, gap.end))
			}
		}
		if gap.end-now < shortGap {
			until(partPlan, gap.end)
		}
		until(partIdle, gap.end)
	}
}

// shortGap is the longest time between a plan and its first run that needs no further reason, s.
const shortGap = 0.25

// gaps returns the times in which no job is in a worker.
func (s *study) gaps() (list []part) {
	now := 0.0
	for _, t := range s.tasks { // by begin
		if t.begin > now {
			list = append(list, part{begin: now, end: t.begin})
		}
		now = max(now, t.end)
	}
	if s.length > now {
		list = append(list, part{begin: now, end: s.length})
	}
	return list
}
