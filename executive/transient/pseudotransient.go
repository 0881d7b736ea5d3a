package transient

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/ode"
)

// This file finds a steady operating point by integration in time (the Runge-Kutta balancing of NASA's TESS simulator).
// It takes more evaluations than Newton's method but fails less often, because every point on the way is a possible
// state of the engine.

// RunTo integrates the engine to the steady state of a case. Settings and targets go to their
// values in ten times the time scale of the shafts; then all shafts come to rest.
func RunTo(ctx context.Context, m *graph.Model, c *config.Case) error {
	r := m.Resolve(c)
	d, err := newDynamics(m, &config.Case{Name: c.Name, Pos: c.Pos, Set: r.Set, Solve: r.Solve,
		Transient: &config.Transient{RTol: 1e-8}}, components.OffDesign)
	if err != nil {
		return err
	}
	slow, fast := d.timeScales()
	ramp := 10 * slow
	for i := range d.inputs {
		in := &d.inputs[i]
		in.t, in.values = []float64{0, ramp}, []float64{*in.at, in.values[0]}
	}
	mo := newODEProblem(d, "rk4")
	// With longer steps the method would be at its stability limit, and oscillate about the
	// steady state within its tolerance.
	stepper, err := mo.newStepper("rk4", ode.Settings{RTol: 1e-4, ATol: []float64{1e-2}, MaxStep: fast / 5}, d.begin())
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
			return &graph.SolveError{Reason: fmt.Sprintf("on the way to case %s: %v", c.Name, err), Err: err}
		}
		if done, err := d.atRest(stepper, slow); done || err != nil {
			if err != nil {
				return err
			}
			break
		}
		if until > 200*ramp {
			return &graph.SolveError{
				Reason: fmt.Sprintf("on the way to case %s the shafts do not come to rest in %.3g s", c.Name, until),
			}
		}
	}
	return finishAt(m, r)
}

// finishAt completes the steady state of a case and checks it against the case's limits, which do not act during the
// integration.
func finishAt(m *graph.Model, r graph.ResolvedCase) error {
	m.Context.Mode = components.OffDesign
	m.Margins()
	if err := m.Statics(); err != nil {
		return err
	}
	limits, err := m.Limits(r)
	if err != nil {
		return err
	}
	if l := m.MostPassed(limits); l != nil {
		return &graph.SolveError{
			Reason: fmt.Sprintf("case %s runs beyond the limit %s; steady: newton keeps limits", r.Name, l.Name),
		}
	}
	if err := m.Audit(); err != nil {
		return &graph.SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	return nil
}

// timeScales returns I omega^2/P of the slowest and the fastest shaft, s: twice the kinetic
// energy over the driving power.
func (d *dynamics) timeScales() (slow, fast float64) {
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

// atRest reports whether all states change by less than 1e-10 of themselves in the time scale,
// s.
func (d *dynamics) atRest(s ode.Stepper, scale float64) (bool, error) {
	if err := d.moveTo(s.T(), s.Y()); err != nil {
		return false, err
	}
	for i, f := range d.f {
		if math.Abs(f)*scale > 1e-10*math.Abs(d.y[i]) {
			return false, nil
		}
	}
	return true, nil
}
