package transient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// digest hashes all that a transient depends on: the engine file and its settings, the maps,
// and the model's state at the start.
func (run *integration) digest() (string, error) {
	m := run.d.m
	h := sha256.New()
	fmt.Fprintln(h, m.Engine.Digest, run.c.Name, math.Float64bits(run.c.Transient.Duration))
	for _, p := range m.Parts {
		u, ok := p.Component.(interface {
			Map() (*perfmap.Map, perfmap.Scale, bool)
		})
		if !ok {
			continue
		}
		pm, _, _ := u.Map()
		if pm == nil {
			continue
		}
		key, err := cache.NewKey(pm)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, p.Name, key)
	}
	start := m.Save()
	for _, list := range [][]float64{start.Numbers, start.Fixed} {
		for _, v := range list {
			fmt.Fprintln(h, math.Float64bits(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// saveCheckpoint passes a checkpoint of the integrator's present state to the caller.
func (run *integration) saveCheckpoint() error {
	if run.opt.Checkpoint == nil || len(run.steering.changed) > 0 {
		return nil
	}
	if err := run.opt.Checkpoint(run.checkpoint()); err != nil {
		return &saveError{run.drive.Stepper.T(), err}
	}
	return nil
}

func (run *integration) checkpoint() *Checkpoint {
	d, r := run.d, run.r
	c := &Checkpoint{Engine: d.m.Engine.Name, Case: run.c.Name, T: run.drive.Stepper.T(), Version: run.opt.Version,
		inputs: run.inputs}
	c.state = checkpointState{
		Integrator: run.drive.Stepper.Save(), Events: run.drive.Save(), Interval: run.interval,
		IntervalStart: []float64{run.intervalStart}, NextPoint: run.nextPoint,
		X: d.x, U: d.u, HaveRates: d.haveRates, Slopes: d.guess.s, Newton: d.nw.Save(),
		StoredAtStart: d.dynamics.storedAtStart, Discrete: d.discreteState(), Warnings: run.warnings,
		Watch: run.watch.state(),
		Work:  [2]int{d.iterations, d.evaluations}, Worst: d.worst, Residual: []float64{d.residual},
		T: r.h.T, Places: r.h.Places, Outside: r.h.Outside, EdgesPassed: r.edgesPassed, Maps: run.extendedMaps(),
	}
	for _, at := range d.m.EvaluationState() {
		c.state.Model = append(c.state.Model, *at)
	}
	c.state.Last = slices.Concat([]float64{d.t, d.dynamics.controlTime}, d.y, d.f)
	for _, v := range r.h.Values {
		c.state.Values = append(c.state.Values, v...)
	}
	return c.clone()
}

// resume brings a transient that has not begun to the state of a checkpoint.
func (run *integration) resume(ctx context.Context, c *Checkpoint) error {
	if err := run.checkCheckpoint(c); err != nil {
		return err
	}
	if err := run.rebuildMaps(ctx, c.state.Maps); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	d, r, s := run.d, run.r, &c.state
	kinks := run.kinks()
	values := d.m.EvaluationState()
	n := len(d.states)
	sizesMatch := s.Interval >= 0 && s.Interval < len(kinks) && len(s.IntervalStart) == 1 && len(s.Residual) == 1 &&
		len(s.Model) == len(values) && len(s.X) == len(d.x) && len(s.U) == len(d.u) && len(s.Last) == 2+n+len(d.f) &&
		len(s.Slopes) == len(d.guess.s) && len(s.Values) == len(s.T)*len(r.readers) &&
		len(s.Watch.Limits) == len(run.watch.limits) && len(s.EdgesPassed) == len(r.edgesPassed)
	if !sizesMatch {
		return unusable("the checkpoint of case %s does not have the size of this engine's state: run the case from "+
			"its start", c.Case)
	}
	if err := run.drive.Stepper.Restore(s.Integrator); err != nil {
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	if err := run.drive.Restore(s.Events); err != nil {
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	run.interval, run.intervalStart, run.nextPoint = s.Interval, s.IntervalStart[0], s.NextPoint
	d.enter(run.intervalStart)
	d.span = kinks[run.interval] - run.intervalStart
	if run.opt.Every > 0 {
		run.lastSaved = int(c.T / run.opt.Every)
	}
	if err := d.setDiscreteState(s.Discrete); err != nil {
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	d.t, d.dynamics.controlTime, d.dynamics.storedAtStart = s.Last[0], s.Last[1], s.StoredAtStart
	// Evaluate once, for all results that follow from these values. The evaluation changes the values and guesses, so
	// that they are restored after it.
	d.write(s.U)
	if err := d.s.Eval(s.X, make([]float64, len(s.X))); err != nil {
		return unusable("the checkpoint of case %s cannot be evaluated: %v", c.Case, err)
	}
	for i, at := range values {
		*at = s.Model[i]
	}
	if !d.nw.Restore(s.Newton) {
		return unusable("the checkpoint of case %s: its Jacobian is not whole", c.Case)
	}
	copy(d.x, s.X)
	copy(d.u, s.U)
	d.saveSolution()
	run.warnings = slices.Clone(s.Warnings)
	run.watch.restore(s.Watch)
	copy(d.guess.s, s.Slopes)
	copy(d.y, s.Last[2:2+n])
	copy(d.f, s.Last[2+n:])
	d.haveRates = s.HaveRates
	d.iterations, d.evaluations, d.worst, d.residual = s.Work[0], s.Work[1], s.Worst, s.Residual[0]
	r.restore(s)
	return nil
}

// checkCheckpoint returns an error if a checkpoint does not belong to this run.
func (run *integration) checkCheckpoint(c *Checkpoint) error {
	switch m := run.d.m; {
	case len(c.state.Maps) != len(run.extenders):
		return unusable("the checkpoint of case %s is of an engine with %d zoomed components, this engine has %d; "+
			"give --no-zoom to both runs or to none", c.Case, len(c.state.Maps), len(run.extenders))
	case c.Engine != m.Engine.Name:
		return unusable("the checkpoint is of engine %q, this is %q", c.Engine, m.Engine.Name)
	case c.Version != run.opt.Version:
		return unusable(
			"the checkpoint of case %s was written by peregrine %s; this is %s, whose numbers may differ: run the "+
				"case from its start", c.Case, c.Version, run.opt.Version)
	case c.inputs != run.inputs:
		return unusable("the checkpoint of case %s is stale: the engine file, one of its maps or --set has changed "+
			"since; put them back, or run the case from its start", c.Case)
	}
	return nil
}

// restore restores the history from a checkpoint, whose sizes were checked.
func (r *recorder) restore(s *checkpointState) {
	n := len(s.T)
	r.h.T = append([]float64(nil), s.T...)
	for i := range r.h.Values {
		r.h.Values[i] = append([]float64(nil), s.Values[i*n:(i+1)*n]...)
	}
	for name, places := range s.Places {
		r.h.Places[name] = append([]plot.Mark(nil), places...)
	}
	for name, o := range s.Outside {
		copied := *o
		r.h.Outside[name] = &copied
	}
	copy(r.edgesPassed, s.EdgesPassed)
}

// saveError reports a checkpoint that could not be saved, at t, s.
type saveError struct {
	t   float64
	err error
}

func (e *saveError) Error() string { return fmt.Sprintf("the checkpoint could not be kept: %v", e.err) }

func (e *saveError) Unwrap() error { return e.err }

// extendedMaps returns the extended maps, for a checkpoint.
func (run *integration) extendedMaps() []extendedMap {
	var list []extendedMap
	for _, g := range run.extenders {
		list = append(list, extendedMap{g.sides, g.InTime, g.of.Requests()})
	}
	return list
}

// rebuildMaps puts the maps of a checkpoint into the model. It must come before the rest of
// the checkpoint is restored. The runs are in the cache, or are made once more.
func (run *integration) rebuildMaps(ctx context.Context, list []extendedMap) error {
	for i, g := range run.extenders {
		if err := g.of.Rebuild(ctx, list[i].Requests); err != nil {
			return fmt.Errorf("the map of %s cannot be rebuilt: %w", g.name, err)
		}
		g.sides, g.InTime = list[i].Sides, list[i].InTime
	}
	run.d.s.Prepare()
	return nil
}

// discreteState returns the values that change at single instants, for a checkpoint: the memory of sampled controls,
// and the flames that are out. The integrator has the states of continuous controls.
func (d *dynamics) discreteState() []float64 {
	var out []float64
	if d.controls != nil {
		out = d.controls.Network.Memory()
	}
	for _, f := range d.flames {
		switch {
		case f.blownOut:
			out = append(out, 2)
		case f.out:
			out = append(out, 1)
		default:
			out = append(out, 0)
		}
	}
	return out
}

// setDiscreteState restores the result of discreteState.
func (d *dynamics) setDiscreteState(m []float64) error {
	if want := len(d.discreteState()); len(m) != want {
		return fmt.Errorf("%d values are remembered, want %d", len(m), want)
	}
	n := len(m) - len(d.flames)
	if d.controls != nil {
		if err := d.controls.Network.SetMemory(m[:n]); err != nil {
			return err
		}
	}
	for _, i := range d.sampledInputs {
		d.inputs[i].values[0] = *d.inputs[i].at
	}
	for i := range d.flames {
		switch f := &d.flames[i]; m[n+i] {
		case 2:
			d.putOut(f)
		case 1:
			f.out = true
		}
	}
	d.haveRates = false
	return nil
}
