package run

// Runs that start from the nearest one that gave an answer. Which one that is must not depend on which run ended
// first: they wait until all others of their batch have ended.

import (
	"cmp"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// besideNearest returns the jobs that wait for others to end, each with its neighbour, and their places in a batch.
// Where there is none to start from, the next step of the policy is taken; where that has no other, the failure stays
// and is reported.
func (s *Study) besideNearest(out []Outcome) (jobs []Job, at []int) {
	for i := range out {
		for next := out[i].next; next != nil; next = s.Pool.Policy.change(*next, out[i].Class, s.Description) {
			if next.waits {
				next.Neighbour = s.nearest(next)
			}
			if !next.waits || next.Neighbour != nil {
				next.waits = false
				jobs, at = append(jobs, *next), append(at, i)
				break
			}
		}
		if n := len(at); out[i].next != nil && (n == 0 || at[n-1] != i) { // its last event promised another attempt
			out[i].Ended = s.Pool.report(out[i].Job,
				event.Event{Kind: event.Ended, Class: out[i].Class, Text: out[i].Result.Message, Folder: out[i].Folder,
					Wall: out[i].Wall.Seconds()})
		}
		out[i].next = nil
	}
	return jobs, at
}

// nearest is the solution of the nearest run with an answer, nil if there is none that this job did not already start
// from.
func (s *Study) nearest(j *Job) *Solution {
	var there []Outcome
	for _, o := range s.Pool.outcomes() {
		if o.OK() && o.Solution != nil && o.Job.Name != j.Name {
			there = append(there, o)
		}
	}
	if len(there) == 0 {
		return nil
	}
	best := slices.MinFunc(there, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(apart(j, &a.Job), apart(j, &b.Job)), cmp.Compare(a.Job.Name, b.Job.Name))
	})
	if best.Solution == j.Neighbour {
		return nil
	}
	return best.Solution
}

// apart is the root of the sum of the squared relative differences of two jobs' inputs.
func apart(a, b *Job) float64 {
	sum := 0.0
	for name, x := range a.Request.Numbers {
		y, there := b.Request.Numbers[name]
		if size := max(math.Abs(x), math.Abs(y)); there && size > 0 {
			sum += (x - y) / size * ((x - y) / size)
		}
	}
	return math.Sqrt(sum)
}
