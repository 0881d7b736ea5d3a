package transient

import (
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// report emits an event of kind progress for the last step. Its values are the time and the
// duration, s, the length of the step, s, the number of steps, and some of the history's
// last point, at t or just before: shaft speeds, rpm, the exit temperature of the first
// burner, K, and surge margins.
func (run *integration) report(from, to float64) {
	if run.opt.Observe == nil {
		return
	}
	values := map[string]float64{
		"t": to, "duration": run.c.Transient.Duration, "step": to - from,
		"steps": float64(run.drive.Stepper.Stats().Steps),
	}
	for _, i := range run.progressColumns {
		column := run.r.h.Values[i]
		if x := column[len(column)-1]; !math.IsNaN(x) {
			values[run.r.h.Columns[i].Path] = x
		}
	}
	run.opt.Observe(event.Event{
		Source: event.Executive, Kind: event.Progress, Name: run.c.Name, Time: run.opt.Clock.Now().UTC(),
		Wall: clock.Since(run.opt.Clock, run.started).Seconds(), Values: values,
	})
}

// findProgressColumns returns the columns of the history that progress events show.
func (run *integration) findProgressColumns() (columns []int) {
	hot := false
	for i, q := range run.r.h.Columns {
		switch {
		case strings.HasPrefix(q.Path, "shafts.") && q.Dim == unit.Speed, strings.HasSuffix(q.Path, ".SMN"):
			columns = append(columns, i)
		case !hot && strings.HasSuffix(q.Path, ".out.Tt"):
			hot = true
			columns = append(columns, i)
		}
	}
	return columns
}
