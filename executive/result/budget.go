package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Budget is the limit of a study's core time and of its end, and its use.
type Budget struct {
	CoreHours *float64   `json:"core_hours,omitempty"` // limit; nil: none
	By        *time.Time `json:"by,omitempty"`         // limit; nil: none
	Used      float64    `json:"used"`                 // core-hours
	LeftOut   int        `json:"left_out"`             // runs that did not start
	Stopped   int        `json:"stopped"`              // runs that were stopped at a checkpoint
	Message   string     `json:"message,omitempty"`    // why; empty: the budget was enough
	Error     *float64   `json:"error,omitempty"`      // largest of the zooms in all cases; nil: no zoom has a map
	Next      *MoreRuns  `json:"next,omitempty"`       // by another tenth; nil: the cost of a run is not known
}

// MoreRuns is the gain by a larger budget.
type MoreRuns struct {
	CoreHours float64 `json:"core_hours"`
	Runs      int     `json:"runs"`  // whose gain is known
	Error     float64 `json:"error"` // then, if the runs are as good as expected
}

// String describes the budget in a few sentences.
func (b *Budget) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "budget: %.3g core-hours used", b.Used)
	if b.CoreHours != nil {
		fmt.Fprintf(&text, " of %.4g", *b.CoreHours)
	}
	if b.By != nil {
		fmt.Fprintf(&text, ", until %s", b.By.Format(time.DateTime))
	}
	if b.Message == "" {
		text.WriteString("; it was enough.")
	} else {
		fmt.Fprintf(&text, "; %d runs left out, %d stopped: %s.", b.LeftOut, b.Stopped,
			strings.TrimPrefix(b.Message, "budget: "))
	}
	if b.Error != nil {
		fmt.Fprintf(&text, " Error reached: %.2g %%.", 100**b.Error)
	}
	switch n := b.Next; {
	case n == nil:
	case n.Runs == 0:
		fmt.Fprintf(&text, " The next 10 %%, %.3g core-hours, buys no run whose gain is known.", n.CoreHours)
	default:
		fmt.Fprintf(&text, " The next 10 %%, %.3g core-hours, buys %d runs and an error of %.2g %%.", n.CoreHours,
			n.Runs, 100*n.Error)
	}
	return text.String()
}

// lack is the error of a zoom in a case, and the run that would lower it.
type lack struct {
	component string
	error     float64
	next      *NextRun
}

// Reach sets the error that results have reached, and the gain by a core time, s. Cost is the core time of a run of a
// component, s; 0: not known.
func (b *Budget) Reach(r *Results, coreTime float64, cost func(component string) float64) {
	var list []lack
	for _, c := range r.Cases {
		for _, name := range slices.Sorted(maps.Keys(c.Zoom)) {
			z := c.Zoom[name]
			list = append(list, lack{name, max(z.Error, z.Whole), z.Next})
		}
	}
	if list == nil {
		return
	}
	slices.SortStableFunc(list, func(a, b lack) int { return cmp.Compare(b.error, a.error) })
	b.Error, b.Next = new(list[0].error), buy(list, coreTime, cost)
}

// buy returns the runs for a core time, each for the largest error whose run can be paid; nil: no cost is known. Only
// the next run of each zoom in each case is known. The list is sorted by error.
func buy(list []lack, coreTime float64, cost func(component string) float64) *MoreRuns {
	more := &MoreRuns{CoreHours: coreTime / 3600}
	known := false
	for _, l := range list {
		price := cost(l.component)
		known = known || price > 0
		if price > 0 && price <= coreTime && l.next != nil {
			coreTime -= price
			l.error = max(0, l.error-l.next.Gain)
			more.Runs++
		}
		more.Error = max(more.Error, l.error)
	}
	if !known {
		return nil
	}
	return more
}
