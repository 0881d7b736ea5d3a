package model

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/ode"
)

// This file finds the operating point that a transient starts from: by Newton's
// method, or by letting the engine run there (the balancing by Runge-Kutta of NASA's
// TESS simulator), which takes more evaluations and fails in fewer places, since
// every point on the way is one that the engine could have.

// runTo lets the engine run to a case: settings and targets go to it from where the
// model is, in ten times the shafts' time scale, and all shafts come to rest.
func (m *Model) runTo(ctx context.Context, c *config.Case) error {
	r := m.resolve(c)
	d, err := m.newDynamics(&config.Case{Name: c.Name, Pos: c.Pos, Set: r.set, Solve: r.solve, Transient: &config.Transient{RTol: 1e-8}}, components.OffDesign)
	if err != nil {
		return err
	}
	slow, fast := d.scales()
	ramp := 10 * slow
	for i := range d.inputs {
		in := &d.inputs[i]
		in.t, in.values = []float64{0, ramp}, []float64{*in.at, in.values[0]}
	}
	mo := newMotion(d, "rk4")
	// With longer steps the method would be at the edge of its stability, and swing
	// about the point of rest as far as its tolerance allows.
	stepper, err := mo.new("rk4", ode.Settings{RTol: 1e-4, ATol: []float64{1e-2}, MaxStep: fast / 5}, d.begin())
	if err != nil {
		return err
	}
	drive := ode.Driver{Stepper: stepper}
	for until := ramp; ; until += ramp {
		d.enter(stepper.T())
		if err := stepper.Restart(); err != nil {
			return err
		}
		if _, err := drive.Advance(ctx, until); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &SolveError{Reason: fmt.Sprintf("on the way to case %s: %v", c.Name, err), Err: err}
		}
		if done, err := d.rests(stepper, slow); done || err != nil {
			if err != nil {
				return err
			}
			break
		}
		if until > 200*ramp {
			return &SolveError{Reason: fmt.Sprintf("on the way to case %s the shafts do not come to rest in %.3g s", c.Name, until)}
		}
	}
	return m.arrived(r)
}

// arrived completes the state at a case, and holds it against the case's limits,
// which have no part in running there.
func (m *Model) arrived(r resolved) error {
	m.ctx.Mode = components.OffDesign
	m.margins()
	if err := m.statics(); err != nil {
		return err
	}
	limits, err := m.limits(r)
	if err != nil {
		return err
	}
	if l := m.passed(limits); l != nil {
		return &SolveError{Reason: fmt.Sprintf("case %s runs beyond the limit %s; steady: newton keeps limits", r.name, l.name)}
	}
	if err := m.audit(); err != nil {
		return &SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	return nil
}

// scales are the times in which the slowest and the fastest shaft would use up twice
// their kinetic energy at the power that drives them, I omega^2/P, s.
func (d *dynamics) scales() (slow, fast float64) {
	slow, fast = 1e-3, math.Inf(1)
	for _, s := range d.states {
		shaft, ok := s.part.Component.(components.Rotor)
		if !ok {
			continue
		}
		omega := *s.at * math.Pi / 30
		if p := shaft.Driven(); p > 0 {
			t := shaft.Inertia() * omega * omega / p
			slow, fast = max(slow, t), min(fast, t)
		}
	}
	return slow, min(slow, fast)
}

// rests tells whether no shaft changes its speed by more than 1e-10 in the time scale.
func (d *dynamics) rests(s ode.Stepper, scale float64) (bool, error) {
	if err := d.to(s.T(), s.Y()); err != nil {
		return false, err
	}
	for i, f := range d.f {
		if math.Abs(f)*scale > 1e-10*math.Abs(d.y[i]) {
			return false, nil
		}
	}
	return true, nil
}
