package transient

// After each step of the integrator a transient records the points of the history within the step, reports progress,
// and writes checkpoints.

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// onStep is called after every step of the integrator.
func (run *integration) onStep(ctx context.Context, s ode.Stepper, from, to float64) error {
	if run.eventErr != nil {
		return run.eventErr
	}
	if run.drive.Ending() {
		ctx = context.Background() // a checkpoint would not lead to that end
	}
	if err := run.recordStep(ctx, s, from, to); err != nil {
		return err
	}
	run.d.saveSolution()
	run.report(from, to)
	if !run.drive.Ending() {
		if err := run.safe(ctx, to); err != nil {
			return err
		}
	}
	if every := run.opt.Every; every > 0 && int(to/every) > run.lastSaved {
		run.lastSaved = int(to / every)
		return run.saveCheckpoint()
	}
	return nil
}

// recordStep records the points of the history within a step of the integrator. If ctx ends, it leaves the remaining
// points to finishStep.
func (run *integration) recordStep(ctx context.Context, s ode.Stepper, from, to float64) error {
	every := run.c.Transient.Every
	if every == 0 {
		if len(run.r.h.T) >= config.MaxRows {
			return fmt.Errorf("the history has its most rows, %d; give the transient a spacing, such as every: 10 ms",
				config.MaxRows)
		}
		s.At(to, run.y)
		return run.recordAt(to)
	}
	for t := run.nextTime(); t <= to; t = run.nextTime() {
		if t > from {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.At(t, run.y)
			if err := run.recordAt(t); err != nil {
				return err
			}
		}
		run.nextPoint++
	}
	if end := run.c.Transient.Duration; to == end && run.r.h.T[len(run.r.h.T)-1] < end {
		s.At(to, run.y)
		return run.recordAt(to)
	}
	return nil
}

// finishStep records the remaining points of the integrator's last step in a checkpoint.
func (run *integration) finishStep(ctx context.Context) error {
	s := run.drive.Stepper
	from, to := s.Last()
	if run.c.Transient.Every == 0 || run.nextTime() > to {
		return nil
	}
	if err := run.recordStep(ctx, s, from, to); err != nil {
		return err
	}
	run.d.saveSolution()
	return nil
}

// nextTime is the time of the next point of the history, s. It divides if possible: 0.1 is not a binary number, and
// 3/10 is the number nearest to 0.3 while 3*0.1 is not.
func (run *integration) nextTime() float64 {
	every := run.c.Transient.Every
	if n := math.Round(1 / every); math.Abs(n*every-1) < 1e-12 {
		return float64(run.nextPoint) / n
	}
	return float64(run.nextPoint) * every
}

// recordAt brings the model to the integrator's state run.y at t, s, and records it.
func (run *integration) recordAt(t float64) error {
	if err := run.d.moveTo(t, run.d.values(run.y)); err != nil {
		return err
	}
	return run.record(t)
}

// record completes the model's state, audits it, and adds it to the history.
func (run *integration) record(t float64) error {
	m := run.d.m
	run.d.margins()
	if err := m.Statics(); err != nil {
		return err
	}
	if err := m.Audit(); err != nil {
		return &graph.SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	run.r.add(t)
	run.watch.check(t)
	return nil
}

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
