package model

// The state of a transient while it runs. drive.go has its course from start to end.

import (
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// transient is a run of one case in time.
type transient struct {
	c               *config.Case
	d               *motion
	r               *recorder
	drive           ode.Driver
	set             ode.Settings
	stallLines      []stallLine
	firstShaftEvent int            // index of the first standstill event; those of stall, flames and maps come before
	extenders       []*MapExtender // of zoomed components
	watch           *watch
	warnings        []result.Warning // of flames that went out
	nextPoint       int              // the next point of the history is at this multiple of Every
	// the present interval; no schedule has a kink inside
	interval      int
	intervalStart float64 // when it was entered, s
	eventErr      error   // of an event function
	y             []float64

	opt             TransientOptions
	steering        steering
	started         time.Time
	progressColumns []int  // columns of the history that progress shows
	lastSaved       int    // multiple of opt.Every at which the last checkpoint was saved
	inputs          string // digest of what the run depends on
}

// stallLine is a compressor whose stall line must not be passed.
type stallLine struct {
	part string
	smn  *float64
}

// kinks returns the ends of the intervals, s.
func (run *transient) kinks() []float64 {
	return run.d.breaks(run.c.Transient.Schedules, run.c.Transient.Duration)
}
