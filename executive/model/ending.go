package model

// A transient that cannot go on ends where it stands: a compressor passes its stall line,
// a flame goes out, no step meets the tolerance, the user stops it. This file says when
// and why, and what to change. Shafts that stop are in standstill.go, flames in flame.go.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// guard ends the transient where a component's stall margin falls to zero.
func (run *transient) guard(p *Part) {
	for _, o := range p.Declaration.Outputs {
		if o.Name != "SMN" {
			continue
		}
		run.lines = append(run.lines, stallLine{p.Name, o.At})
		run.drive.Events = append(run.drive.Events, ode.Event{Name: p.Name, Direction: ode.Falling, Terminal: true,
			G: run.event(func() float64 {
				run.d.margins()
				if math.IsNaN(*o.At) {
					return math.Inf(1) // no stall line there
				}
				return *o.At
			})})
	}
}

// stalled is the compressor that works beyond its stall line, nil if none does.
func (run *transient) stalled() *stallLine {
	for i, l := range run.lines {
		if *l.smn < 0 {
			return &run.lines[i]
		}
	}
	return nil
}

// ended tells when and why the integration failed.
func (run *transient) ended(err error) (*result.Ended, error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return run.interrupted()
	}
	if run.err != nil {
		err = run.err
	}
	var lost *notKept
	var eval *ode.EvalError
	var size *ode.StepSizeError
	var steps *ode.StepsError
	switch {
	case errors.As(err, &lost):
		return &result.Ended{T: lost.t, Why: "checkpoint"}, err
	case errors.As(err, &eval):
		return &result.Ended{T: eval.T, Why: "no solution"}, err
	case errors.As(err, &size):
		return &result.Ended{T: size.T, Why: "step"}, run.unmet(err, size.Worst)
	case errors.As(err, &steps):
		return &result.Ended{T: steps.T, Why: "step"}, run.unmet(err, -1)
	}
	return &result.Ended{T: run.drive.Stepper.T(), Why: "no solution"}, err
}

// unmet adds to what an integrator says of steps that do not meet the tolerance what
// the user can change; worst is the number of the state that misses it by most, or -1.
func (run *transient) unmet(err error, worst int) error {
	tr, most := run.c.Transient, ""
	if worst >= 0 && worst < len(run.d.states) {
		most = fmt.Sprintf("; it is %s that misses it by most", run.d.states[worst].name)
	}
	stiff := ""
	if method := tr.Integrator; method != "gear" && method != "rosenbrock" {
		stiff = ", or take integrator: rosenbrock or gear, which are for stiff engines"
	}
	return fmt.Errorf("no step meets the tolerance, rtol %.3g and atol %.3g rpm (%w)%s; loosen rtol or atol%s", tr.RTol, tr.ATol, err, most, stiff)
}

// interrupted ends the history where the transient was stopped.
func (run *transient) interrupted() (*result.Ended, error) {
	t := run.drive.Stepper.T()
	kept := run.keep()
	run.close(t, run.drive.Stepper.Y())
	return &result.Ended{T: t, Why: "interrupted"}, errors.Join(errInterrupted, kept)
}

// close ends the history at t, s, and the integrator's y, where that can be had; without, it
// is good up to the point before.
func (run *transient) close(t float64, y []float64) {
	if h := run.r.h; h.T[len(h.T)-1] < t {
		copy(run.y, y)
		_ = run.note(t)
	}
}

var errInterrupted = errors.New("interrupted")
