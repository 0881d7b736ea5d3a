package run

// A solver that answers the same request differently makes the cache, and whatever is made of its answers, a matter
// of chance. One run in fifty is made twice, each time from the request alone, and the answers are compared to the
// last bit. The first one counts.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// verifyEvery is how many runs there are to one that is made twice; the first one is.
const verifyEvery = 50

// VerifiedMark ends the name of a job that is another one over again.
const VerifiedMark = "-twice"

// verify makes a run once more if it is its turn, and notes in the outcome how the two differ.
func (s *Study) verify(ctx context.Context, j Job, o *Outcome) {
	if !s.Verify || !slices.Contains(repeatable, o.Class) || o.Halted || o.beyond || !s.Pool.turnToVerify() {
		return
	}
	j.Name, j.key, j.goOn, j.after, j.tries = j.Name+VerifiedMark, "", "", nil, 0
	j.planned = s.Pool.report(j, event.Event{Kind: event.Planned, Name: j.Name, Cause: o.Ended})
	twice, err := s.Pool.runJob(ctx, j)
	if err != nil || !slices.Contains(repeatable, twice.Class) || twice.Halted || twice.beyond ||
		len(twice.Steered) > 0 {
		return // an accident: it says nothing of the solver's answers
	}
	if what := difference(&o.Result, &twice.Result); what != "" {
		o.Unlike = fmt.Sprintf("runs %s and %s of the same request differ: %s", o.Run, twice.Run, what)
		s.warn(o.Job, errors.New(o.Unlike))
		s.noteUnlike(o)
	}
}

// noteUnlike keeps how an outcome differs from another one.
func (s *Study) noteUnlike(o *Outcome) {
	if o.Unlike == "" {
		return
	}
	s.Pool.mu.Lock()
	defer s.Pool.mu.Unlock()
	if u := (Unlike{o.Run, o.Unlike}); !slices.Contains(s.Pool.unlike, u) {
		s.Pool.unlike = append(s.Pool.unlike, u)
	}
}

// Unlike lists the runs of the study, those from the cache included, whose answers are known to differ from others of
// their requests.
func (s *Study) Unlike() []Unlike {
	s.Pool.mu.Lock()
	defer s.Pool.mu.Unlock()
	return slices.SortedFunc(slices.Values(s.Pool.unlike), func(a, b Unlike) int { return cmp.Compare(a.Run, b.Run) })
}

// turnToVerify counts the runs, and reports whether this one is to be made twice.
func (p *Pool) turnToVerify() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verifiable++
	return p.verifiable%verifyEvery == 1
}

// difference is what two answers to one request differ in; empty: nothing. What they say to people does not count.
func difference(a, b *plugin.Result) string {
	if a.Class != b.Class {
		return fmt.Sprintf("one is %s, the other %s", a.Class, b.Class)
	}
	for _, name := range names(a.Numbers) {
		x := a.Numbers[name]
		switch y, both := b.Numbers[name]; {
		case !both:
			return name + " is in one alone"
		case x != y:
			return fmt.Sprintf("%s is %v and %v", name, x, y)
		}
	}
	for _, name := range names(a.Arrays) {
		x := a.Arrays[name]
		y, both := b.Arrays[name]
		if !both {
			return name + " is in one alone"
		}
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				return fmt.Sprintf("%s[%d] is %v and %v", name, i, x[i], y[i])
			}
		}
		if len(x) != len(y) {
			return fmt.Sprintf("%s has %d and %d values", name, len(x), len(y))
		}
	}
	for _, name := range slices.Concat(names(b.Numbers), names(b.Arrays)) {
		_, number := a.Numbers[name]
		_, array := a.Arrays[name]
		if !number && !array {
			return name + " is in one alone"
		}
	}
	return ""
}

func names[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
