// The driver integrates to a given time and locates events on the way.

package ode

import (
	"context"
	"math"
	"slices"
)

// Driver advances a Stepper to given times and locates events. It is for one
// goroutine at a time.
type Driver struct {
	Stepper Stepper
	Events  []Event
	// Tolerance is the error of the events' times, s. The default and minimum is 1e-12 of the time.
	Tolerance float64
	// OnStep, if set, is called after every step; between from and to, s, the Stepper's
	// At interpolates. An event ends the interval. An error ends the advance.
	OnStep func(s Stepper, from, to float64) error

	before, after []float64 // the event functions at both ends of the step
	restored      bool      // before belongs to the Stepper's present state
	y             []float64
	ending        bool // an event is in the present step
}

// Ending reports, during OnStep, whether an event ends the step. A checkpoint taken then does not lead to that
// event.
func (d *Driver) Ending() bool { return d.ending }

// Advance integrates exactly to until, s, or to an event. It returns the crossing of that event, or nil. The
// Stepper is then reset at the crossing; the caller may change the state with its Reset. If ctx ends, Advance returns
// the context's error after the present step.
func (d *Driver) Advance(ctx context.Context, until float64) (*Crossing, error) {
	if t := d.Stepper.T(); !(until >= t) {
		return nil, inputf("%s: an advance to %v s was asked for at t = %v s", d.Stepper.Name(), until, t)
	}
	d.prepare()
	for d.Stepper.T() < until {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.Stepper.Step(until); err != nil {
			return nil, err
		}
		stop := d.scan()
		d.ending = stop != nil
		d.before, d.after = d.after, d.before
		from, to := d.Stepper.Last()
		if stop != nil {
			to = stop.T
		}
		if d.OnStep != nil {
			if err := d.OnStep(d.Stepper, from, to); err != nil {
				return nil, err
			}
		}
		if stop != nil {
			d.at(stop.T)
			stop.Y = slices.Clone(d.y)
			return stop, d.Stepper.Reset(stop.T, stop.Y)
		}
	}
	return nil, nil
}

// Save returns the event functions at the Stepper's state. They belong to a checkpoint taken in OnStep, or after the
// context ended an Advance.
func (d *Driver) Save() []float64 { return slices.Clone(d.before) }

// Restore sets the event functions' values to the result of Save. Call it after restoring the Stepper. The next Advance
// then does not evaluate the event functions at the start, because they can have internal state.
func (d *Driver) Restore(events []float64) error {
	if len(events) != len(d.Events) {
		return inputf("%d event functions cannot be restored into %d", len(events), len(d.Events))
	}
	d.before, d.after, d.restored = slices.Clone(events), make([]float64, len(events)), true
	return nil
}

func (d *Driver) prepare() {
	if len(d.before) != len(d.Events) {
		d.before, d.after = make([]float64, len(d.Events)), make([]float64, len(d.Events))
	}
	if len(d.y) != len(d.Stepper.Y()) {
		d.y = make([]float64, len(d.Stepper.Y()))
	}
	if d.restored {
		d.restored = false
		return
	}
	for i := range d.Events {
		d.before[i] = d.Events[i].G(d.Stepper.T(), d.Stepper.Y())
	}
}

func (d *Driver) at(t float64) { d.Stepper.At(t, d.y) }

// scan returns the first crossing of the last step, or nil.
func (d *Driver) scan() (first *Crossing) {
	from, to := d.Stepper.Last()
	for i := range d.Events {
		if t, falls := d.search(i, from, to); falls && (first == nil || t < first.T) {
			first = &Crossing{Event: i, Name: d.Events[i].Name, T: t}
		}
	}
	return first
}

// search returns the time at which event i falls to zero in a step.
func (d *Driver) search(i int, from, to float64) (t float64, falls bool) {
	e := &d.Events[i]
	g := func(t float64) float64 {
		d.at(t)
		return e.G(t, d.y)
	}
	a, ga := from, d.before[i]
	if ga == 0 { // the step starts at a zero: take the sign just after the start
		a = from + (to-from)/256
		ga = g(a)
	}
	gb := e.G(to, d.Stepper.Y())
	d.after[i] = gb
	switch {
	case ga > 0 && gb <= 0:
		return locate(g, a, ga, to, gb, max(d.Tolerance, 1e-12*math.Abs(to))), true
	case gb == 0: // zero at the end without a fall: keep the sign before
		d.after[i] = ga
	}
	return 0, false
}
