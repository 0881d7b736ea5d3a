package transient

// The state of a transient while it runs. timeloop.go has its course from start to end.

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// event makes an event function of a value of the model. It brings the model to the
// integrator's state before it reads the value.
func (run *integration) event(value func() float64) func(t float64, y []float64) float64 {
	return func(t float64, y []float64) float64 {
		if err := run.d.moveTo(t, run.d.values(y)); err != nil {
			run.eventErr = err
			return math.Inf(1)
		}
		return value()
	}
}

// A caller sets the events and checkpoints of a running transient here.

// Options are the progress events and checkpoints of transients.
type Options struct {
	// Observe, if set, gets an event of kind progress for every step. The transient waits for it. If several cases are
	// solved at a time, several goroutines call it.
	Observe func(event.Event)

	// Checkpoint, if set, gets a checkpoint after the first step that reaches or passes each multiple of Every, s, and
	// when the transient is interrupted. It is called like Observe. Its error ends the transient.
	Checkpoint func(*Checkpoint) error
	Every      float64 // s; 0: only when interrupted
	// Resume holds the checkpoints of transients to be resumed, at most one per case.
	Resume []*Checkpoint
	// Steer, if set, returns the registry that steers the transient of a case, and a function to be called at its end;
	// a nil registry: the transient is not steered. A transient with changed inputs writes no further checkpoint.
	Steer func(name string) (*steer.Registry, func())
	// Version is the program's version, stored in checkpoints.
	Version string
	// Clock gives wall times; default: the real clock.
	Clock clock.Clock
}

// breaks returns the breaks of the schedules and the times at which controls sample. If the two differ by rounding
// only, it takes the schedule's.
func (d *dynamics) breaks(list []config.Schedule, duration float64) []float64 {
	out := breaks(list, duration)
	if d.controls == nil {
		return out
	}
	kinks := slices.Clone(out)
	for _, t := range d.controls.Network.Times(duration) {
		near := func(kink float64) bool { return math.Abs(kink-t) <= 1e-9*t }
		if t > 0 && !slices.ContainsFunc(kinks, near) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}

// steering is the steering of one transient.
type steering struct {
	registry *steer.Registry
	close    func()
	time     steer.Gauge
	steps    int64
	pending  map[*input]float64 // values that inputs take at the end of the present step
	changed  []*input           // inputs that have been, in the order of their first change
	at       float64            // time of the last change, s; meaningful if changed is not empty
}

// errSteered ends an advance of the integrator for a change of the inputs.
var errSteered = errors.New("an input was changed")

// integration is a run of a case in time.
type integration struct {
	c               *config.Case
	d               *odeProblem
	r               *recorder
	drive           ode.Driver
	set             ode.Settings
	stallLines      []stallLine
	firstShaftEvent int            // index of the first standstill event, after the events of stall, flames and maps
	extenders       []*MapExtender // of zoomed components
	watch           *watch
	warnings        []result.Warning // of flames that went out
	nextPoint       int              // the next point of the history is at this multiple of Every
	// the present interval; no schedule has a kink inside
	interval      int
	intervalStart float64 // when it was entered, s
	eventErr      error   // of an event function
	y             []float64

	opt             Options
	steering        steering
	started         time.Time
	progressColumns []int  // columns of the history that progress shows
	lastSaved       int    // multiple of opt.Every of the last saved checkpoint
	inputs          string // digest of the run's inputs
}

// stallLine is a compressor whose stall line must not be passed.
type stallLine struct {
	part string
	smn  *float64
}

// kinks returns the ends of the intervals, s.
func (run *integration) kinks() []float64 {
	return run.d.breaks(run.c.Transient.Schedules, run.c.Transient.Duration)
}
