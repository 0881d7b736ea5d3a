package model

import (
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// report emits an event of kind progress for the step that a transient has just made.
// Its values are t and duration, s, the last step, s, the number of steps, and those of
// the history's last point, at t or a little before, that show where the engine
// is: speeds of shafts, rpm, the exit temperature of the first burner, K, surge margins.
func (run *transient) report(from, to float64) {
	if run.opt.Observe == nil {
		return
	}
	values := map[string]float64{
		"t": to, "duration": run.c.Transient.Duration, "step": to - from, "steps": float64(run.drive.Stepper.Stats().Steps),
	}
	for _, i := range run.shown {
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

// telling are the columns of the history that progress shows.
func (run *transient) telling() (columns []int) {
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
