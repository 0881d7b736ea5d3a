package transient

// The course of a transient from start to end, interval by interval. Within an interval no
// schedule has a kink.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom"
)

// Solve runs a case in time from the model's present solution, and leaves the model at
// the end. A transient that ends early, because ctx ends or for a physical reason, returns a
// result with Ended set. An error means that the case cannot be turned into equations. The
// extenders extend the maps of zoomed components.
func Solve(ctx context.Context, m *graph.Model, c *config.Case, opt Options,
	extenders []*MapExtender) (*result.Result, error) {
	run, err := newIntegration(m, c, extenders)
	if err != nil {
		return nil, err
	}
	opt.Clock = clock.Or(opt.Clock)
	run.opt, run.started, run.progressColumns = opt, opt.Clock.Now(), run.findProgressColumns()
	if opt.Checkpoint != nil || len(opt.Resume) > 0 {
		if run.inputs, err = run.digest(); err != nil {
			return nil, err
		}
	}
	run.openSteering()
	ended, err := run.run(ctx)
	run.closeSteering()
	var stale *CheckpointError
	if errors.As(err, &stale) || ended == nil && err != nil && ctx.Err() != nil { // the checkpoint was not resumed
		return nil, err
	}
	if _, ok := errors.AsType[*ode.InputError](err); ok {
		return nil, fmt.Errorf("%s:%v: case %s: %w", m.Engine.File, c.Pos, c.Name, err)
	}
	return run.result(ended, err), nil
}

func newIntegration(m *graph.Model, c *config.Case, extenders []*MapExtender) (*integration, error) {
	dyn, err := newDynamics(m, c, components.OffDesign|components.Transient)
	if err != nil {
		return nil, err
	}
	d := newODEProblem(dyn, c.Transient.Integrator)
	const least = 1e-12 // s, far below any time scale of an engine
	run := &integration{
		c: c, d: d, set: ode.Settings{RTol: c.Transient.RTol, ATol: []float64{c.Transient.ATol}, MinStep: least},
		extenders: extenders, y: d.start(0, make([]float64, len(d.f))),
	}
	if run.r, err = newRecorder(m, c); err != nil {
		return nil, err
	}
	for _, p := range m.Parts {
		if hasStallLine(p) || run.canExtend(p) {
			run.addStallEvent(p)
		}
	}
	for i := range dyn.flames {
		run.drive.Events = append(run.drive.Events, run.flameEvent(&dyn.flames[i]))
	}
	for _, g := range extenders {
		run.drive.Events = append(run.drive.Events, run.mapEdgeEvent(g))
	}
	run.firstShaftEvent = len(run.drive.Events)
	run.drive.Events = append(run.drive.Events, d.standstillEvents()...)
	run.watch, err = newWatch(m, m.Resolve(c))
	return run, err
}

// run integrates from one kink of the schedules to the next. If the transient ends early, it returns the ending.
func (run *integration) run(ctx context.Context) (*result.Ended, error) {
	inside, ended, err := run.begin(ctx)
	if ended != nil || err != nil {
		return ended, err
	}
	if inside {
		if err := run.finishStep(ctx); err != nil {
			return run.endingOf(err)
		}
	} else if err := run.safeAtStart(ctx); err != nil {
		return run.endingOf(err)
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

// advance integrates to until, s. It handles the events on the way: it continues after a flame-out or an extension of a
// zoomed map, and ends the transient at the others.
func (run *integration) advance(ctx context.Context, until float64) (*result.Ended, error) {
	run.drive.OnStep = func(s ode.Stepper, from, to float64) error { return run.onStep(ctx, s, from, to) }
	for {
		crossing, err := run.drive.Advance(ctx, until)
		switch {
		case errors.Is(err, errSteered):
			if ended, err := run.reenter(ctx, until); ended != nil || err != nil {
				return ended, err
			}
			continue
		case err != nil:
			return run.endingOf(err)
		case crossing == nil:
			return nil, nil
		case crossing.Event < len(run.stallLines):
			run.closeHistory(crossing.T, crossing.Y)
			return &result.Ended{
				T: crossing.T, Reason: "surge",
			}, fmt.Errorf("%s passes its stall line; change the schedule more slowly", crossing.Name)
		case crossing.Event >= run.firstShaftEvent:
			run.closeHistory(crossing.T, crossing.Y)
			return standstill(crossing)
		}
		y := run.d.values(crossing.Y)
		if err := run.d.moveTo(crossing.T, y); err != nil {
			return &result.Ended{T: crossing.T, Reason: "no solution"}, err
		}
		stop := run.flameOut
		if crossing.Event >= len(run.stallLines)+len(run.d.flames) {
			stop = func(t float64, _ []float64) (*result.Ended, error) { return run.extendAtEdge(ctx, t) }
		}
		if ended, err := stop(crossing.T, y); ended != nil || err != nil {
			return ended, err
		}
		if err := run.drive.Stepper.Restart(); err != nil {
			return run.endingOf(err)
		}
	}
}

// begin puts the integrator at the start of the transient, or at the state of a checkpoint, which is inside an
// interval.
func (run *integration) begin(ctx context.Context) (inside bool, ended *result.Ended, err error) {
	d := run.d
	stepper, err := d.newStepper(run.c.Transient.Integrator, run.set, d.begin())
	if err != nil {
		return false, nil, err
	}
	run.drive.Stepper = stepper
	run.drive.Tolerance = 1e-9
	for _, c := range run.opt.Resume {
		if c.Case == run.c.Name {
			return true, nil, run.resume(ctx, c)
		}
	}
	if err := run.record(0); err != nil {
		return false, &result.Ended{T: 0, Reason: "no solution"}, err
	}
	// Find singular equations now: otherwise they would only show as ever smaller steps.
	if err := d.linearize(0, 0, mat.NewDense(len(d.f), len(d.f), nil)); err != nil {
		return false, &result.Ended{T: 0, Reason: "no solution"}, err
	}
	return false, nil, nil
}

// enter brings the engine to the start of the interval that ends at until, s. Inputs may jump there.
func (run *integration) enter(ctx context.Context, until float64) (*result.Ended, error) {
	d, stepper := run.d, run.drive.Stepper
	t := stepper.T()
	before := slices.Clone(d.u)
	if run.interval > 0 { // the last recorded point may lie earlier
		copy(before, d.values(stepper.Y()))
		d.inputsAt(t, before)
	}
	run.intervalStart = t
	d.enter(t)
	d.span = until - t
	if err := d.moveTo(t, d.values(stepper.Y())); err != nil {
		return &result.Ended{T: t, Reason: "no solution"}, err
	}
	extended, ended, err := run.extendMaps(ctx, t, -zoom.BoundsTolerance)
	if ended != nil || err != nil {
		return ended, err
	}
	if extended || inputsDiffer(before, d.u) {
		if err := run.record(t); err != nil {
			return &result.Ended{T: t, Reason: "no solution"}, err
		}
	}
	if d.sample(t) {
		if err := d.moveTo(t, d.values(stepper.Y())); err != nil {
			return &result.Ended{T: t, Reason: "no solution"}, err
		}
	}
	if l := run.stalled(); l != nil {
		return &result.Ended{
				T: t, Reason: "surge",
			}, fmt.Errorf("%s is thrown beyond its stall line, to SMN %.1f; make the step smaller, or a ramp", l.part,
				*l.smn)
	}
	if ended, err := run.flameOut(t, d.values(stepper.Y())); ended != nil || err != nil {
		return ended, err
	}
	d.saveSolution()
	if err := run.restart(t); err != nil {
		return run.endingOf(err)
	}
	return nil, nil
}

// restart restarts the integrator at t, s. At a point of a control's schedule, it also resets the step: all controls
// may start to move at once, for which the last step is too long.
func (run *integration) restart(t float64) error {
	stepper := run.drive.Stepper
	if run.d.controls != nil &&
		(run.steeredAt(t) ||
			slices.ContainsFunc(run.c.Transient.Schedules,
				func(s config.Schedule) bool { return slices.Contains(s.T, t) })) {
		return stepper.Reset(t, slices.Clone(stepper.Y()))
	}
	return stepper.Restart()
}

// inputsDiffer reports whether inputs differ by more than the tolerance of the equations.
func inputsDiffer(before, after []float64) bool {
	for i, b := range before {
		if math.Abs(after[i]-b) > 1e-8*max(math.Abs(b), math.Abs(after[i])) {
			return true
		}
	}
	return false
}

// ledger returns the energy account up to the integrator's time; nil if its state cannot be evaluated.
func (run *integration) ledger() *result.Ledger {
	s := run.drive.Stepper
	if s == nil || run.d.moveTo(s.T(), run.d.values(s.Y())) != nil {
		return nil
	}
	return run.d.boundary.ledger(run.d.integrals(s.Y()), run.d.dynamics.storedAtStart)
}

// result returns the results at the end of the run, with the history.
func (run *integration) result(ended *result.Ended, err error) *result.Result {
	m, d := run.d.m, run.d
	m.Context.Mode = components.OffDesign
	ledger := run.ledger()
	// Return to the last solution. It was evaluated before, so that no error is possible.
	d.write(d.u)
	_ = d.s.Eval(d.x, make([]float64, len(d.x)))
	m.Context.Stores = false
	_ = m.Statics() // a flow that does not fit its area was reported before
	m.Margins()
	r := m.Result(run.c.Name, "transient")
	r.Ledger = ledger
	r.History, r.Outside, r.Ended, r.Converged = run.r.h, run.r.h.Outside, ended, ended == nil
	r.TransientWarnings, r.WatchedRules = slices.Concat(run.d.jumps, run.controlWarnings(),
		run.steeredWarnings(), run.warnings, run.watch.warnings()), run.watch.names
	r.Solver = result.SolveInfo{Iterations: d.iterations, Evaluations: d.evaluations, Residual: d.residual}
	if len(d.s.Residuals) > 0 {
		r.Solver.Worst = d.s.Residuals[d.worst].Name
	}
	if run.drive.Stepper != nil {
		r.Solver.Steps = run.drive.Stepper.Stats().Steps
	}
	if err != nil {
		r.Message = fmt.Sprintf("at t = %.6g s: %s", ended.T, graph.Advise(err))
	}
	return r
}

// controlWarnings warns of controls that are not at rest at the start: the engine leaves its
// starting point at once.
func (run *integration) controlWarnings() []result.Warning {
	var out []result.Warning
	for _, name := range run.d.unsettled {
		out = append(out, result.Warning{Severity: rule.Warning, Rule: "control_start", Case: run.c.Name,
			Component: name, Time: seconds(0), Evidence: []string{},
			Message: "is not at rest at the start: its signal differs from the engine's value, which changes at " +
				"once; check what it selects from"})
	}
	return out
}

// reenter continues the integration from the time at which an input was changed.
func (run *integration) reenter(ctx context.Context, until float64) (*result.Ended, error) {
	run.steer(run.drive.Stepper.T())
	return run.enter(ctx, until)
}

// Check returns an error if a transient cannot be turned into equations.
func Check(m *graph.Model, c *config.Case) error {
	_, err := newIntegration(m, c, nil)
	return err
}
