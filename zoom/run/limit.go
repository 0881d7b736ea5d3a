package run

import "time"

// Limits bound how long a run may take to do things. A zero value means the
// default; a negative one means no limit, where that makes sense.
type Limits struct {
	Start time.Duration // from the start of the process to its description; default 30 s
	Hung  time.Duration // without any event, from plugin or file; default 5 min
	Wall  time.Duration // for the run as a whole; default none
	Grace time.Duration // from asking a run to stop to SIGTERM; default 3 s. SIGKILL follows 0.5 s later
}

func (l Limits) withDefaults() Limits {
	set := func(d *time.Duration, standard time.Duration) {
		if *d == 0 {
			*d = standard
		}
	}
	set(&l.Start, 30*time.Second)
	set(&l.Hung, 5*time.Minute)
	set(&l.Wall, -1)
	set(&l.Grace, 3*time.Second)
	return l
}
