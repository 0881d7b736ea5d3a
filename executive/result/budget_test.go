package result

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Another tenth buys the next runs of the largest errors, as far as it pays them.
func TestBudgetReach(t *testing.T) {
	t.Parallel()
	zoom := func(e, gain float64) map[string]*ZoomResult {
		return map[string]*ZoomResult{"fan": {Error: e, Next: &NextRun{Gain: gain}}}
	}
	r := &Results{Cases: []*Result{{Zoom: zoom(0.25, 0.125)}, {Zoom: zoom(0.5, 0.25)}, {}}}
	for _, c := range []struct {
		coreTime, cost float64
		want           *MoreRuns
	}{
		{7200, 0, nil},
		{3600, 7200, &MoreRuns{CoreHours: 1, Error: 0.5}},
		{7200, 7200, &MoreRuns{CoreHours: 2, Runs: 1, Error: 0.25}},
		{14400, 7200, &MoreRuns{CoreHours: 4, Runs: 2, Error: 0.25}},
	} {
		var b Budget
		b.Reach(r, c.coreTime, func(string) float64 { return c.cost })
		must.Equal(t, 0.5, *b.Error)
		must.Equal(t, c.want, b.Next)
	}
	var b Budget
	b.Reach(&Results{}, 1, func(string) float64 { return 1 })
	must.Equal(t, Budget{}, b)
}
