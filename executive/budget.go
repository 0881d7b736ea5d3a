package executive

// What a study made of its budget.

import (
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/result"
)

// lack is the error of a zoom in a case, and the run that would lower it.
type lack struct {
	component string
	error     float64
	next      *result.NextRun
}

// Spent returns what the study has made of its budget, with the error that its results have reached; nil: it has none.
func (s *Studies) Spent(r *result.Results) *result.Budget {
	b := s.Budget
	if b == nil {
		return nil
	}
	is := b.State()
	out := &result.Budget{Used: is.Used / 3600, LeftOut: is.LeftOut, Stopped: is.Stopped, Message: is.Why}
	tenth := is.Used / 10
	if b.Cores >= 0 {
		hours := b.Cores / 3600
		out.CoreHours, tenth = &hours, b.Cores/10
	}
	if !b.By.IsZero() {
		out.By = &b.By
	}
	var list []lack
	for _, c := range r.Cases {
		for _, name := range slices.Sorted(maps.Keys(c.Zoom)) {
			z := c.Zoom[name]
			list = append(list, lack{name, max(z.Error, z.Whole), z.Next})
		}
	}
	if len(list) > 0 {
		e := largest(list)
		out.Error, out.Next = &e, buy(list, tenth, b.Cost)
	}
	return out
}

// buy returns the runs for a core time, s, each for the largest error whose run can be paid; nil: the cost of none is
// known. Only the next run of each zoom in each case is known.
func buy(list []lack, coreTime float64, cost func(component string) float64) *result.MoreRuns {
	more := &result.MoreRuns{CoreHours: coreTime / 3600}
	known, left := false, coreTime
	slices.SortStableFunc(list, func(a, b lack) int {
		switch {
		case a.error > b.error:
			return -1
		case a.error < b.error:
			return 1
		}
		return 0
	})
	for i := range list {
		l := &list[i]
		price := cost(l.component)
		known = known || price > 0
		if price > 0 && price <= left && l.next != nil {
			left -= price
			l.error = max(0, l.error-l.next.Gain)
			more.Runs++
		}
	}
	if more.Error = largest(list); !known {
		return nil
	}
	return more
}

func largest(list []lack) (e float64) {
	for _, l := range list {
		e = max(e, l.error)
	}
	return e
}
