package model

// What a transient is while it runs. drive.go takes it from its start to its end.

import (
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// transient is a run of one case in time.
type transient struct {
	c       *config.Case
	d       *motion
	r       *recorder
	drive   ode.Driver
	set     ode.Settings
	lines   []stallLine
	others  int       // events ahead of those of shafts that stop
	growers []*Grower // of zoomed components
	seen    *watch
	told    []result.Warning // of what happened
	next    int              // the multiple of Every that comes next
	// the interval without kinks that is being integrated
	interval int
	from     float64 // when it was entered, s
	err      error   // of an event function
	y        []float64

	opt     TransientOptions
	started time.Time
	shown   []int  // columns of the history that progress shows
	kept    int    // multiple of opt.Every for which there was a checkpoint
	inputs  string // what the run depends on, as a digest
}

// stallLine is a compressor whose stall line must not be passed.
type stallLine struct {
	part string
	smn  *float64
}

func (run *transient) kinks() []float64 {
	return run.d.breaks(run.c.Transient.Schedules, run.c.Transient.Duration)
}
