package result

import (
	"fmt"
	"strings"
	"time"
)

// Budget is the limit of a study's core time and of its end, and what the study made of it.
type Budget struct {
	CoreHours *float64   `json:"core_hours,omitempty"` // limit; nil: none
	By        *time.Time `json:"by,omitempty"`         // limit; nil: none
	Used      float64    `json:"used"`                 // core-hours
	LeftOut   int        `json:"left_out"`             // runs that did not start
	Stopped   int        `json:"stopped"`              // runs that were stopped at a checkpoint
	Message   string     `json:"message,omitempty"`    // why; empty: the budget was enough
	Error     *float64   `json:"error,omitempty"`      // largest of the zooms in all cases; nil: no zoom has a map
	Next      *MoreRuns  `json:"next,omitempty"`       // what another tenth buys; nil: the cost of a run is not known
}

// MoreRuns is what a larger budget buys.
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
