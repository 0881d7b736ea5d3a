// Step control of the one-step methods: a proportional-integral controller on the error of the embedded formula
// (Gustafsson; Hairer II, section IV.2; with the constants of Hairer's DOPRI5 for any order).

package ode

import (
	"errors"
	"math"
)

const (
	safety       = 0.9
	maxGrowth    = 10.0 // largest growth of a step
	minShrink    = 0.2  // smallest factor after a failed error test
	failedShrink = 0.25 // factor after the equations or Newton's iteration failed
)

// trial is one step of a one-step method.
type trial interface {
	// open evaluates the slopes that a step from (t, y) needs, if they are not known.
	open() error
	// attempt sets ynew and returns the error in tolerances. If that is above 1 and the
	// step is not constant, the step is rejected and ynew need not be complete.
	attempt(h, tnew float64) (float64, error)
	// accept saves the values needed by dense output and the next step, before the state changes.
	accept(h float64)
	// first estimates the first step.
	first(limit float64) float64
}

type oneStep struct {
	core
	power  float64   // the local error is O(h^power)
	errOld float64   // error of the last accepted step, for the controller
	est    []float64 // the error estimate
}

func (o *oneStep) init(name string, power int, p Problem, s Settings, t float64, y []float64) error {
	if err := o.core.init(name, p, s, t, y); err != nil {
		return err
	}
	o.power, o.errOld = float64(power), 1e-4
	o.est = make([]float64, o.n)
	return nil
}

// step advances by one accepted step:
//
//	h_new = h 0.9 err^(-0.85/p) err_old^(0.2/p)
func (o *oneStep) step(m trial, limit float64) error {
	if done, err := o.begin(limit); done || err != nil {
		return err
	}
	if err := m.open(); err != nil {
		return err
	}
	if o.h == 0 && o.s.Step == 0 {
		o.h = m.first(limit)
	}
	uncut, rejected := o.h, false
	for {
		if err := o.count(limit); err != nil {
			return err
		}
		h, tnew := o.reach(o.h, limit)
		e, err := m.attempt(h, tnew)
		if err != nil {
			if err := o.stepFailed(err, h); err != nil {
				return err
			}
			rejected = true
			continue
		}
		if e <= 1 || o.s.Step > 0 {
			m.accept(h)
			o.commit(tnew)
			o.setNextStep(e, h, uncut, rejected)
			return nil
		}
		o.stats.Rejected++
		rejected = true
		o.h = h * max(minShrink, safety*math.Pow(e, -1/o.power))
		if !(o.h > o.smallest()) {
			return &StepSizeError{o.name, o.t, h, e, o.worst(o.est), nil}
		}
	}
}

// setNextStep sets the next step after an accepted one of size h and error e. Uncut is the step
// before it was shortened to end at a limit.
func (o *oneStep) setNextStep(e, h, uncut float64, rejected bool) {
	beta := 0.2 / o.power
	fac := safety * math.Pow(max(e, 1e-10), -1/o.power+0.75*beta) * math.Pow(o.errOld, beta)
	next := h * min(maxGrowth, max(minShrink, fac))
	switch {
	case rejected:
		next = min(next, h)
	case h < uncut: // the step was cut at a limit, so that the longer step is still good
		next = max(next, uncut)
	}
	o.h, o.errOld = min(next, o.s.MaxStep), max(e, 1e-4)
}

// stepFailed shortens the step after the equations failed in it, or returns the error.
func (o *oneStep) stepFailed(err error, h float64) error {
	o.stats.Failed++
	o.h = h * failedShrink
	if fatal(err) || o.s.Step > 0 || !(o.h > o.smallest()) {
		return err
	}
	if _, ok := errors.AsType[*InputError](err); ok {
		return err
	}
	return nil
}
