package executive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom"
)

// Ended tells of a transient that ended before its time. The history up to there
// is kept.
type Ended struct {
	T   float64 `json:"t"`   // s
	Why string  `json:"why"` // "surge": a stall line was passed; "flame-out"; "standstill": a shaft stops; "no solution"; "step": the integrator's steps fail; "interrupted"; "checkpoint": it could not be kept
}

// TransientOptions say what is done beside a transient while it runs.
type TransientOptions struct {
	// Progress, if set, is told of every step, by several goroutines where several
	// cases are solved at a time. The transient waits for it.
	Progress func(Progress)

	// Checkpoint, if set, is given a checkpoint after the first step to or beyond each
	// multiple of Every, s, and when the transient is interrupted, in the same manner as
	// Progress. Its error ends the transient.
	Checkpoint func(*Checkpoint) error
	Every      float64 // 0: only when interrupted
	// Resume are checkpoints, at most one a case, from which transients go on.
	Resume []*Checkpoint
	// Version is that of the program, which checkpoints carry.
	Version string
}

// transient is a run of one case in time.
type transient struct {
	c       *config.Case
	d       *motion
	r       *recorder
	drive   ode.Driver
	set     ode.Settings
	lines   []stallLine
	others  int       // events ahead of those of shafts that stop
	growers []*grower // of zoomed components
	seen    *watch
	told    []Warning // of what happened
	next    int       // the multiple of Every that comes next
	// the interval without kinks that is being integrated
	interval int
	from     float64 // when it was entered, s
	err      error   // of an event function
	y        []float64

	opt     TransientOptions
	started time.Time
	now     []float64 // for Progress
	kept    int       // multiple of opt.Every for which there was a checkpoint
	inputs  string    // what the run depends on, as a digest
}

// stallLine is a compressor whose stall line must not be passed.
type stallLine struct {
	part string
	smn  *float64
}

// transient runs a case on a model at the design. Growers extend its zoomed maps.
func (s *Session) transient(ctx context.Context, m *Model, c *config.Case, growers []*grower) (*Result, error) {
	var err error
	if c.From == "" && growers != nil {
		_, err = m.OffDesign(ctx, &newton.Solver{}, s.designAgain()) // other maps, another equilibrium
	} else {
		err = s.start(ctx, m, c)
	}
	var se *SolveError
	var ee *EvalError
	switch {
	case err == nil:
		r, err := m.transient(ctx, c, s.Transients, growers)
		if err == nil && r.interrupted() {
			err = ctx.Err()
		}
		return r, err
	case errors.As(err, &se) || errors.As(err, &ee):
		r := m.result(c.Name, c.Kind)
		r.Message = fmt.Sprintf("case %s, from which it starts, does not converge: %s", cmp.Or(c.From, s.cfg.DesignCase), advise(err))
		return r, nil
	}
	return nil, err
}

// Transient runs a case in time from the model's present solution, and leaves the
// model at the end of it. A transient that ends early, because ctx does or for a reason
// of its own, has a result that says so; the error is that of a case that cannot be made
// into equations.
func (m *Model) Transient(ctx context.Context, c *config.Case, opt TransientOptions) (*Result, error) {
	return m.transient(ctx, c, opt, nil)
}

func (m *Model) transient(ctx context.Context, c *config.Case, opt TransientOptions, growers []*grower) (*Result, error) {
	run, err := m.newTransient(c, growers)
	if err != nil {
		return nil, err
	}
	run.opt, run.started, run.now = opt, time.Now(), make([]float64, len(run.r.h.Columns))
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
		return nil, fmt.Errorf("%s:%v: case %s: %w", m.cfg.File, c.Pos, c.Name, err)
	}
	return run.result(ended, err), nil
}

func (m *Model) newTransient(c *config.Case, growers []*grower) (*transient, error) {
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
	for _, p := range m.parts {
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

// guard ends the transient where a component's stall margin falls to zero.
func (run *transient) guard(p *part) {
	for _, o := range p.decl.Outputs {
		if o.Name != "SMN" {
			continue
		}
		run.lines = append(run.lines, stallLine{p.name, o.At})
		run.drive.Events = append(run.drive.Events, ode.Event{Name: p.name, Direction: ode.Falling, Terminal: true,
			G: run.event(func() float64 {
				run.d.margins()
				if math.IsNaN(*o.At) {
					return math.Inf(1) // no stall line there
				}
				return *o.At
			})})
	}
}

// run integrates from one kink of the schedules to the next. It returns what ended
// it before its time.
func (run *transient) run(ctx context.Context) (*Ended, error) {
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
func (run *transient) advance(ctx context.Context, until float64) (*Ended, error) {
	for {
		crossing, err := run.drive.Advance(ctx, until)
		switch {
		case err != nil:
			return run.ended(err)
		case crossing == nil:
			return nil, nil
		case crossing.Event < len(run.lines):
			run.close(crossing.T, crossing.Y)
			return &Ended{crossing.T, "surge"}, fmt.Errorf("%s passes its stall line; change the schedule more slowly", crossing.Name)
		case crossing.Event >= run.others:
			run.close(crossing.T, crossing.Y)
			return standstill(crossing)
		}
		y := run.d.values(crossing.Y)
		if err := run.d.to(crossing.T, y); err != nil {
			return &Ended{crossing.T, "no solution"}, err
		}
		stop := run.flameOut
		if crossing.Event >= len(run.lines)+len(run.d.flames) {
			stop = func(t float64, _ []float64) (*Ended, error) { return run.leaves(ctx, t) }
		}
		if ended, err := stop(crossing.T, y); ended != nil || err != nil {
			return ended, err
		}
		if err := run.drive.Stepper.Restart(); err != nil {
			return run.ended(err)
		}
	}
}

func (run *transient) kinks() []float64 {
	return run.d.breaks(run.c.Transient.Schedules, run.c.Transient.Duration)
}

// begin puts the integrator at the start, or where a checkpoint was taken, inside of an
// interval.
func (run *transient) begin(ctx context.Context) (inside bool, ended *Ended, err error) {
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
		return false, &Ended{0, "no solution"}, err
	}
	// What the equations do not determine would show only where small steps crawl.
	if err := d.linearize(0, 0, mat.NewDense(len(d.f), len(d.f), nil)); err != nil {
		return false, &Ended{0, "no solution"}, err
	}
	return false, nil, nil
}

// enter brings the engine to the beginning of the interval that ends at until, s,
// where inputs may jump.
func (run *transient) enter(ctx context.Context, until float64) (*Ended, error) {
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
		return &Ended{t, "no solution"}, err
	}
	widened, ended, err := run.widen(ctx, t, -zoom.Touch)
	if ended != nil || err != nil {
		return ended, err
	}
	if widened || stepped(before, d.u) {
		if err := run.record(t); err != nil {
			return &Ended{t, "no solution"}, err
		}
	}
	if d.sample(t) {
		if err := d.to(t, d.values(stepper.Y())); err != nil {
			return &Ended{t, "no solution"}, err
		}
	}
	if l := run.stalled(); l != nil {
		return &Ended{t, "surge"}, fmt.Errorf("%s is thrown beyond its stall line, to SMN %.1f; make the step smaller, or a ramp", l.part, *l.smn)
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

// ended tells when and why the integration failed.
func (run *transient) ended(err error) (*Ended, error) {
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
		return &Ended{lost.t, "checkpoint"}, err
	case errors.As(err, &eval):
		return &Ended{eval.T, "no solution"}, err
	case errors.As(err, &size):
		return &Ended{size.T, "step"}, run.unmet(err, size.Worst)
	case errors.As(err, &steps):
		return &Ended{steps.T, "step"}, run.unmet(err, -1)
	}
	return &Ended{run.drive.Stepper.T(), "no solution"}, err
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
func (run *transient) interrupted() (*Ended, error) {
	t := run.drive.Stepper.T()
	kept := run.keep()
	run.close(t, run.drive.Stepper.Y())
	return &Ended{t, "interrupted"}, errors.Join(errInterrupted, kept)
}

// close ends the history at t, s, and the integrator's y, where that can be had; without, it
// is good up to the point before.
func (run *transient) close(t float64, y []float64) {
	if h := run.r.h; h.T[len(h.T)-1] < t {
		copy(run.y, y)
		_ = run.note(t)
	}
}

func (r *Result) interrupted() bool { return r.Ended != nil && r.Ended.Why == "interrupted" }

var errInterrupted = errors.New("interrupted")

// stalled is the compressor that works beyond its stall line, nil if none does.
func (run *transient) stalled() *stallLine {
	for i, l := range run.lines {
		if *l.smn < 0 {
			return &run.lines[i]
		}
	}
	return nil
}

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

// ledger is the account of the energy up to where the integrator stands; nil if there is
// none.
func (run *transient) ledger() *Ledger {
	s := run.drive.Stepper
	if s == nil || run.d.to(s.T(), run.d.values(s.Y())) != nil {
		return nil
	}
	return run.d.boundary.ledger(run.d.integrals(s.Y()), run.d.dynamics.start)
}

// result reads the end of the run.
func (run *transient) result(ended *Ended, err error) *Result {
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
	r.told, r.watched = slices.Concat(run.unrest(), run.told, run.seen.warnings()), run.seen.names
	r.Solver = SolveInfo{Iterations: d.iterations, Evaluations: d.evaluations, Residual: d.residual}
	if len(d.s.residuals) > 0 {
		r.Solver.Worst = d.s.residuals[d.worst].name
	}
	if run.drive.Stepper != nil {
		r.Solver.Steps = run.drive.Stepper.Stats().Steps
	}
	if err != nil {
		r.Message = fmt.Sprintf("at t = %.6g s: %s", ended.T, advise(err))
	}
	return r
}

// unrest tells of controls that ask for something else than what the engine starts with.
func (run *transient) unrest() []Warning {
	var out []Warning
	for _, name := range run.d.unrest {
		out = append(out, Warning{Severity: rule.Warning, Rule: "control_start", Case: run.c.Name, Component: name, Time: seconds(0), Evidence: []string{},
			Message: "asks for something else than what the engine starts with, which it leaves at once: see what it selects from"})
	}
	return out
}
