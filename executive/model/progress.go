package model

import (
	"time"
)

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
		Wall: time.Since(run.started), Columns: h.Columns, Values: run.now,
	})
}
