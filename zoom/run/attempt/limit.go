package attempt

// The limits of a run.

import (
	"cmp"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// Limits bound the wall-clock time of a run's phases, and its use of resources. Zero means the default; a negative Hung
// or Wall means no limit.
type Limits struct {
	Start time.Duration // from the start of the process to its description; default 30 s
	Hung  time.Duration // between events of the plugin or the files; default 5 min
	Wall  time.Duration // of the whole run; default none
	Grace time.Duration // from the command to stop to SIGTERM; default 3 s. SIGKILL follows 0.5 s later

	Allowance launch.Allowance // of each run; default none

	Disk      int64 // bytes of a run's folder; default none
	StudyDisk int64 // bytes of the study's folder; default none
	Log       int64 // bytes of the solver's output kept in the run's folder; default Host.LogLimit
	Events    int64 // bytes of the events of solver and files kept in the run's folder; default plugin.EventLimit
	Reply     int   // bytes of a reply of the solver; default: the limit in its description
}

func (l Limits) withDefaults() Limits {
	set := func(d *time.Duration, standard time.Duration) {
		*d = cmp.Or(*d, standard)
	}
	set(&l.Start, 30*time.Second)
	set(&l.Hung, 5*time.Minute)
	set(&l.Wall, -1)
	set(&l.Grace, 3*time.Second)
	l.Events = cmp.Or(l.Events, plugin.EventLimit)
	return l
}

// changedBy returns the limits of a run that starts now.
func (l Limits) changedBy(c *live.Settings) Limits {
	wall, hung := c.Limits()
	if wall > 0 {
		l.Wall = wall
	}
	if hung > 0 {
		l.Hung = hung
	}
	return l
}
