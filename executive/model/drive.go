package model

// A transient from its start to its end: one interval of smooth schedules after the other.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom"
)

// transient runs a case in time from the model's present solution, and leaves the
// model at the end of it. A transient that ends early, because ctx does or for a reason
// of its own, has a result that says so; the error is that of a case that cannot be made
// into equations. Growers extend its zoomed maps.
func (m *Model) transient(ctx context.Context, c *config.Case, opt TransientOptions, growers []*Grower) (*result.Result, error) {
	run, err := m.newTransient(c, growers)
	if err != nil {
		return nil, err
	}
	opt.Clock = clock.Or(opt.Clock)
	run.opt, run.started, run.shown = opt, opt.Clock.Now(), run.telling()
	if opt.Checkpoint != nil || len(opt.Resume) > 0 {
		if run.inputs, err = run.digest(); err != nil {
			return nil, err
		}
	}
	ended, err := run.run(ctx)
	var stale *CheckpointError
	if errors.As(err, &stale) || ended == nil && err != nil && ctx.Err() != nil { // it has not gone on
		return nil, err
	}
	var input *ode.InputError
	if errors.As(err, &input) {
		return nil, fmt.Errorf("%s:%v: case %s: %w", m.Engine.File, c.Pos, c.Name, err)
	}
	return run.result(ended, err), nil
}

func (m *Model) newTransient(c *config.Case, growers []*Grower) (*transient, error) {
	dyn, err := m.newDynamics(c, components.OffDesign|components.Transient)
	if err != nil {
		return nil, err
	}
	d := newMotion(dyn, c.Transient.Integrator)
	const least = 1e-12 // s, in which no engine changes
	run := &transient{c: c, d: d, set: ode.Settings{RTol: c.Transient.RTol, ATol: []float64{c.Transient.ATol}, MinStep: least}, growers: growers, y: d.start(0, make([]float64, len(d.f)))}
	if run.r, err = m.newRecorder(c); err != nil {
		return nil, err
	}
	for _, p := range m.Parts {
		if m.stalls(p) || run.grows(p) {
			run.guard(p)
		}
	}
	for i := range dyn.flames {
		run.drive.Events = append(run.drive.Events, run.flameEvent(&dyn.flames[i]))
	}
	for _, g := range growers {
		run.drive.Events = append(run.drive.Events, run.endOfMap(g))
	}
	run.others = len(run.drive.Events)
	run.drive.Events = append(run.drive.Events, d.stops()...)
	run.seen, err = m.newWatch(m.resolve(c))
	return run, err
}

// run integrates from one kink of the schedules to the next. It returns what ended
// it before its time.
func (run *transient) run(ctx context.Context) (*result.Ended, error) {
	inside, ended, err := run.begin(ctx)
	if ended != nil || err != nil {
		return ended, err
	}
	kinks := run.kinks()
	for ; run.interval < len(kinks); run.interval++ {
		until := kinks[run.interval]
		if !inside {
			if ended, err := run.enter(ctx, until); ended != nil || err != nil {
				return ended, err
			}
		}
		inside = false
		if ended, err := run.advance(ctx, until); ended != nil || err != nil {
			return ended, err
		}
	}
	return nil, nil
}

// advance integrates to until, s, and goes on from flames that go out and zoomed maps
// that end on the way.
func (run *transient) advance(ctx context.Context, until float64) (*result.Ended, error) {
	for {
		crossing, err := run.drive.Advance(ctx, until)
		switch {
		case err != nil:
			return run.ended(err)
		case crossing == nil:
			return nil, nil
		case crossing.Event < len(run.lines):
			run.close(crossing.T, crossing.Y)
			return &result.Ended{T: crossing.T, Why: "surge"}, fmt.Errorf("%s passes its stall line; change the schedule more slowly", crossing.Name)
		case crossing.Event >= run.others:
			run.close(crossing.T, crossing.Y)
			return standstill(crossing)
		}
		y := run.d.values(crossing.Y)
		if err := run.d.to(crossing.T, y); err != nil {
			return &result.Ended{T: crossing.T, Why: "no solution"}, err
		}
		stop := run.flameOut
		if crossing.Event >= len(run.lines)+len(run.d.flames) {
			stop = func(t float64, _ []float64) (*result.Ended, error) { return run.leaves(ctx, t) }
		}
		if ended, err := stop(crossing.T, y); ended != nil || err != nil {
			return ended, err
		}
		if err := run.drive.Stepper.Restart(); err != nil {
			return run.ended(err)
		}
	}
}

// begin puts the integrator at the start, or where a checkpoint was taken, inside of an
// interval.
func (run *transient) begin(ctx context.Context) (inside bool, ended *result.Ended, err error) {
	d := run.d
	stepper, err := d.new(run.c.Transient.Integrator, run.set, d.begin())
	if err != nil {
		return false, nil, err
	}
	run.drive.Stepper, run.drive.OnStep = stepper, run.step
	run.drive.Tolerance = 1e-9
	for _, c := range run.opt.Resume {
		if c.Case == run.c.Name {
			return true, nil, run.resume(ctx, c)
		}
	}
	if err := run.record(0); err != nil {
		return false, &result.Ended{T: 0, Why: "no solution"}, err
	}
	// What the equations do not determine would show only where small steps crawl.
	if err := d.linearize(0, 0, mat.NewDense(len(d.f), len(d.f), nil)); err != nil {
		return false, &result.Ended{T: 0, Why: "no solution"}, err
	}
	return false, nil, nil
}

// enter brings the engine to the beginning of the interval that ends at until, s,
// where inputs may jump.
func (run *transient) enter(ctx context.Context, until float64) (*result.Ended, error) {
	d, stepper := run.d, run.drive.Stepper
	t := stepper.T()
	before := slices.Clone(d.u)
	if run.interval > 0 { // where the history was noted last may lie before
		copy(before, d.values(stepper.Y()))
		d.inputsAt(t, before)
	}
	run.from = t
	d.enter(t)
	d.span = until - t
	if err := d.to(t, d.values(stepper.Y())); err != nil {
		return &result.Ended{T: t, Why: "no solution"}, err
	}
	widened, ended, err := run.widen(ctx, t, -zoom.Touch)
	if ended != nil || err != nil {
		return ended, err
	}
	if widened || stepped(before, d.u) {
		if err := run.record(t); err != nil {
			return &result.Ended{T: t, Why: "no solution"}, err
		}
	}
	if d.sample(t) {
		if err := d.to(t, d.values(stepper.Y())); err != nil {
			return &result.Ended{T: t, Why: "no solution"}, err
		}
	}
	if l := run.stalled(); l != nil {
		return &result.Ended{T: t, Why: "surge"}, fmt.Errorf("%s is thrown beyond its stall line, to SMN %.1f; make the step smaller, or a ramp", l.part, *l.smn)
	}
	if ended, err := run.flameOut(t, d.values(stepper.Y())); ended != nil || err != nil {
		return ended, err
	}
	d.mark()
	if err := run.again(t); err != nil {
		return run.ended(err)
	}
	return nil, nil
}

// again lets the integrator begin anew at t, s. What a schedule asks of controls may
// make all of them move at once, so that the step there was would lead far away.
func (run *transient) again(t float64) error {
	stepper := run.drive.Stepper
	if run.d.controls != nil && slices.ContainsFunc(run.c.Transient.Schedules, func(s config.Schedule) bool { return slices.Contains(s.T, t) }) {
		return stepper.Reset(t, slices.Clone(stepper.Y()))
	}
	return stepper.Restart()
}

// stepped tells whether inputs differ by more than equations are solved to.
func stepped(before, after []float64) bool {
	for i, b := range before {
		if math.Abs(after[i]-b) > 1e-8*max(math.Abs(b), math.Abs(after[i])) {
			return true
		}
	}
	return false
}

// ledger is the account of the energy up to where the integrator stands; nil if there is
// none.
func (run *transient) ledger() *result.Ledger {
	s := run.drive.Stepper
	if s == nil || run.d.to(s.T(), run.d.values(s.Y())) != nil {
		return nil
	}
	return run.d.boundary.ledger(run.d.integrals(s.Y()), run.d.dynamics.start)
}

// result reads the end of the run.
func (run *transient) result(ended *result.Ended, err error) *result.Result {
	m, d := run.d.m, run.d
	m.ctx.Mode = components.OffDesign
	ledger := run.ledger()
	// The last state that there was; that it can be evaluated is known.
	d.put(d.u)
	_ = d.s.eval(d.x, make([]float64, len(d.x)))
	m.ctx.Stores = false
	_ = m.statics() // what does not fit its area was told
	m.margins()
	r := m.result(run.c.Name, "transient")
	r.Ledger = ledger
	r.History, r.Outside, r.Ended, r.Converged = run.r.h, run.r.h.Outside, ended, ended == nil
	r.Raised, r.Watched = slices.Concat(run.unrest(), run.told, run.seen.warnings()), run.seen.names
	r.Solver = result.SolveInfo{Iterations: d.iterations, Evaluations: d.evaluations, Residual: d.residual}
	if len(d.s.residuals) > 0 {
		r.Solver.Worst = d.s.residuals[d.worst].name
	}
	if run.drive.Stepper != nil {
		r.Solver.Steps = run.drive.Stepper.Stats().Steps
	}
	if err != nil {
		r.Message = fmt.Sprintf("at t = %.6g s: %s", ended.T, Advise(err))
	}
	return r
}

// unrest tells of controls that ask for something else than what the engine starts with.
func (run *transient) unrest() []result.Warning {
	var out []result.Warning
	for _, name := range run.d.unrest {
		out = append(out, result.Warning{Severity: rule.Warning, Rule: "control_start", Case: run.c.Name, Component: name, Time: seconds(0), Evidence: []string{},
			Message: "asks for something else than what the engine starts with, which it leaves at once: see what it selects from"})
	}
	return out
}
