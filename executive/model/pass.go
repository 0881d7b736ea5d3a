package model

// What a transient passes on its way: after each step of the integrator the points of the
// history that lie within it, progress, and checkpoints.

import (
	"math"

	"github.com/peregrine-sim/peregrine/executive/ode"
)

// step is called after every step of the integrator.
func (run *transient) step(s ode.Stepper, from, to float64) error {
	if run.err != nil {
		return run.err
	}
	if err := run.pass(s, from, to); err != nil {
		return err
	}
	run.d.mark()
	run.report(from, to)
	if every := run.opt.Every; every > 0 && int(to/every) > run.kept {
		run.kept = int(to / every)
		return run.keep()
	}
	return nil
}

// pass notes what a step of the integrator passed.
func (run *transient) pass(s ode.Stepper, from, to float64) error {
	every := run.c.Transient.Every
	if every == 0 {
		s.At(to, run.y)
		return run.note(to)
	}
	for t := run.time(); t <= to; t = run.time() {
		if t > from {
			s.At(t, run.y)
			if err := run.note(t); err != nil {
				return err
			}
		}
		run.next++
	}
	if end := run.c.Transient.Duration; to == end && run.r.h.T[len(run.r.h.T)-1] < end {
		s.At(to, run.y)
		return run.note(to)
	}
	return nil
}

// time is when the next point of the history is due, s. A tenth of a second is no binary
// number: the quotient by ten is that nearest to 0.3, three times a tenth is not.
func (run *transient) time() float64 {
	every := run.c.Transient.Every
	if n := math.Round(1 / every); math.Abs(n*every-1) < 1e-12 {
		return float64(run.next) / n
	}
	return float64(run.next) * every
}

func (run *transient) note(t float64) error {
	if err := run.d.to(t, run.d.values(run.y)); err != nil {
		return err
	}
	return run.record(t)
}

// record completes the model's state and adds it to the history. Physics is held
// against every point of it.
func (run *transient) record(t float64) error {
	m := run.d.m
	run.d.margins()
	if err := m.statics(); err != nil {
		return err
	}
	if err := m.audit(); err != nil {
		return &SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	run.r.add(t)
	run.seen.look(t)
	return nil
}
