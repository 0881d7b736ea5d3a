package study

// Runs that start from the nearest run with an answer. The choice must not depend on which run ended first, so they
// wait until all others of their batch have ended.

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// besideNearest returns the jobs that wait for others to end, each with its neighbour, and their indices in the batch.
// If no run can be the neighbour, the next step of the policy is taken; if the policy has none, the failure remains and
// is reported.
func (s *Study) besideNearest(out []run.Outcome) (jobs []run.Job, at []int) {
	for i := range out {
		var since time.Time
		if out[i].Next != nil {
			since = out[i].Next.Variation.Since
		}
		for next := out[i].Next; next != nil; next = s.Pool.Policy.Vary(*next, out[i].Class, next.Variation.Attempts,
			s.Description) {
			waits := next.Variation.Waits
			if waits {
				next.Neighbour = s.nearest(next)
			}
			if !waits || next.Neighbour != nil {
				next.Variation.Waits = false
				s.Pool.Span(*next, since, event.Event{Name: attempt.SpanQueued, WaitsFor: attempt.WaitsForRound})
				jobs, at = append(jobs, *next), append(at, i)
				break
			}
		}
		if n := len(at); out[i].Next != nil && (n == 0 || at[n-1] != i) { // its last event promised another attempt
			out[i].Ended = s.Pool.Report(out[i].Job, event.Event{Kind: event.Ended, Class: out[i].Class,
				Text: out[i].Result.Message, Folder: out[i].Folder, Wall: out[i].Wall.Seconds()})
		}
		out[i].Next = nil
	}
	return jobs, at
}

// nearest returns the solution of the nearest run with an answer; nil if none exists or the job already started from
// it.
func (s *Study) nearest(j *run.Job) *run.Solution {
	var there []run.Outcome
	for _, o := range s.Pool.Outcomes() {
		if o.OK() && o.Solution != nil && o.Job.Name != j.Name {
			there = append(there, o)
		}
	}
	if len(there) == 0 {
		return nil
	}
	best := slices.MinFunc(there, func(a, b run.Outcome) int {
		return cmp.Or(cmp.Compare(apart(j, &a.Job), apart(j, &b.Job)), cmp.Compare(a.Job.Name, b.Job.Name))
	})
	if best.Solution == j.Neighbour {
		return nil
	}
	return best.Solution
}

// apart is the root of the sum of the squared relative differences of two jobs' inputs.
func apart(a, b *run.Job) float64 {
	sum := 0.0
	for name, x := range a.Request.Numbers {
		y, there := b.Request.Numbers[name]
		if size := max(math.Abs(x), math.Abs(y)); there && size > 0 {
			sum += (x - y) / size * ((x - y) / size)
		}
	}
	return math.Sqrt(sum)
}
