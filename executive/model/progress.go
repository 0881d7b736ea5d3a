package model

import (
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Progress tells how far a transient is.
type Progress struct {
	Case     string
	T        float64 // reached, s
	Duration float64 // of the whole, s
	Step     float64 // the integrator's last, s
	Steps    int
	Wall     time.Duration // that it took so far
	// The last point of the history, at T or a little before: columns and values, SI
	// units, speeds in rpm. Neither is to be kept or changed.
	Columns []config.Quantity
	Values  []float64
}

// report tells of the step that a transient has just made.
func (run *transient) report(from, to float64) {
	if run.opt.Progress == nil {
		return
	}
	h := run.r.h
	for i, column := range h.Values {
		run.now[i] = column[len(column)-1]
	}
	run.opt.Progress(Progress{
		Case: run.c.Name, T: to, Duration: run.c.Transient.Duration, Step: to - from, Steps: run.drive.Stepper.Stats().Steps,
		Wall: clock.Since(run.opt.Clock, run.started), Columns: h.Columns, Values: run.now,
	})
}
