package dossier

// Selection of the runs that keep their curves. It bounds the size of a dossier for a study of any size.

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// MostShown is how many runs keep their curves.
const MostShown = 300

// crowd gathers runs, and forgets the curves of the least interesting ones while it does.
type crowd struct{ all, drawn []*Run }

func (c *crowd) add(r *Run) {
	c.all = append(c.all, r)
	if !r.HasCurves() {
		return
	}
	c.drawn = append(c.drawn, r)
	if len(c.drawn) >= 2*MostShown {
		c.forget()
	}
}

func (c *crowd) forget() {
	slices.SortStableFunc(c.drawn, moreUrgent)
	most := min(len(c.drawn), MostShown)
	for _, r := range c.drawn[most:] {
		r.Curves, r.Profiles, r.Notes, r.Changes, r.Arrays = nil, nil, nil, nil, nil
	}
	c.drawn = c.drawn[:most]
}

// sorted returns all runs, the failed and the worst first, and how many of them have curves.
func (c *crowd) sorted() (runs []*Run, shown int) {
	c.forget()
	slices.SortStableFunc(c.all, moreUrgent)
	return c.all, len(c.drawn)
}

// urgency returns the order of interest: failed runs by severity, then unfinished runs, then good runs.
func (r *Run) urgency() int {
	good := len(state.Order)
	at := slices.Index(state.Order, state.ConvergedByValue) // with runs that are good so far
	switch {
	case r.Judgement.State == "", r.LineEnd() != "":
		at = good
	case r.Judgement.State.Final():
		at = slices.Index(state.Order, r.Judgement.State)
	case r.Judgement.State == state.Diverging:
		at = 0
	}
	if r.Denied() {
		at = min(at, slices.Index(state.Order, state.Slow))
	}
	return at
}

func moreUrgent(a, b *Run) int {
	return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), cmp.Compare(a.Name, b.Name))
}
