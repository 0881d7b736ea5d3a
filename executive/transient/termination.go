package transient

// A transient ends early if a compressor passes its stall line, a shaft stops, a flame is extinguished, no step meets
// the tolerance, or the user stops it. This file reports the time, the reason and the suggested change. Flames are in
// flame.go.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// addStallEvent adds the event that a component's stall margin falls to zero. It ends the transient.
func (run *integration) addStallEvent(p *graph.Part) {
	if len(p.Declaration.Margins) == 0 {
		return
	}
	margin := p.Declaration.Margins[0]
	run.stallLines = append(run.stallLines, stallLine{p.Name, margin})
	run.drive.Events = append(run.drive.Events, ode.Event{Name: p.Name, G: run.event(func() float64 {
		run.d.margins()
		if math.IsNaN(*margin) {
			return math.Inf(1) // no stall line at this place of the map
		}
		return *margin
	})})
}

// stalled returns the first compressor that works beyond its stall line; nil if none does.
func (run *integration) stalled() *stallLine {
	for i, l := range run.stallLines {
		if *l.smn < 0 {
			return &run.stallLines[i]
		}
	}
	return nil
}

// endingOf returns when and why the integration failed.
func (run *integration) endingOf(err error) (*result.Ended, error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return run.interrupted()
	}
	if run.eventErr != nil {
		err = run.eventErr
	}
	var lost *saveError
	var eval *ode.EvalError
	var size *ode.StepSizeError
	var steps *ode.StepsError
	switch {
	case errors.As(err, &lost):
		return &result.Ended{T: lost.t, Reason: "checkpoint"}, err
	case errors.As(err, &eval):
		return &result.Ended{T: eval.T, Reason: "no solution"}, err
	case errors.As(err, &size):
		return &result.Ended{T: size.T, Reason: "step"}, run.toleranceError(err, size.Worst)
	case errors.As(err, &steps):
		return &result.Ended{T: steps.T, Reason: "step"}, run.toleranceError(err, -1)
	}
	return &result.Ended{T: run.drive.Stepper.T(), Reason: "no solution"}, err
}

// toleranceError adds advice to the integrator's error that no step meets the tolerance.
// worst is the index of the state with the largest error, or -1.
func (run *integration) toleranceError(err error, worst int) error {
	tr, most := run.c.Transient, ""
	if worst >= 0 && worst < len(run.d.states) {
		most = fmt.Sprintf("; the largest error is that of %s", run.d.states[worst].name)
	}
	stiff := ""
	if method := tr.Integrator; method != "gear" && method != "rosenbrock" {
		stiff = ", or take integrator: rosenbrock or gear, which are for stiff engines"
	}
	return fmt.Errorf("no step meets the tolerance, rtol %.3g and atol %.3g rpm (%w)%s; loosen rtol or atol%s",
		tr.RTol, tr.ATol, err, most, stiff)
}

// interrupted ends the transient, and its history, where the user stopped it: after a step of the
// integrator, or between two points of the history in a step.
func (run *integration) interrupted() (*result.Ended, error) {
	t := run.drive.Stepper.T()
	kept := run.saveCheckpoint()
	if run.c.Transient.Every > 0 && run.nextTime() <= t {
		t = run.r.h.T[len(run.r.h.T)-1]
	}
	run.closeHistory(t, run.drive.Stepper.Y())
	return &result.Ended{T: t, Reason: "interrupted"}, errors.Join(errInterrupted, kept)
}

// closeHistory adds the last point to the history: the integrator's state y at t, s. If
// that state cannot be evaluated, the history ends at the point before.
func (run *integration) closeHistory(t float64, y []float64) {
	if h := run.r.h; h.T[len(h.T)-1] < t {
		copy(run.y, y)
		_ = run.recordAt(t)
	}
}

var errInterrupted = errors.New("interrupted")

// standstillShare is the fraction of its starting speed at which a shaft counts as stopped. A load of constant power
// stops a shaft in finite time, with a torque that tends to infinity. The equations have no solution beyond that time,
// and the integrator's steps would tend to zero before it.
const standstillShare = 0.01

// standstillEvents returns the events that shafts come to a standstill.
func (d *dynamics) standstillEvents() []ode.Event {
	var list []ode.Event
	for i, s := range d.states {
		if s.dim != unit.Speed || s.part == nil {
			continue
		}
		least := standstillShare * *s.at
		list = append(list, ode.Event{Name: s.part.Name,
			G: func(_ float64, y []float64) float64 { return y[i] - least }})
	}
	return list
}

// standstill returns the ending of a transient in which a shaft stops.
func standstill(c *ode.Crossing) (*result.Ended, error) {
	return &result.Ended{
			T: c.T, Reason: "standstill",
		}, fmt.Errorf("shaft %s has slowed down to %.0f %% of the speed that it started with: its load takes "+
			"more power than the shaft receives; lower the load, or let it fall with the speed (exponent)", c.Name,
			100*standstillShare)
}
