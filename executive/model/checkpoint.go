package model

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

// digest is of all that a transient depends on: the engine file and its settings, the
// maps, and the model where it starts.
func (run *transient) digest() (string, error) {
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
	start := m.save()
	for _, list := range [][]float64{start.Numbers, start.Fixed} {
		for _, v := range list {
			fmt.Fprintln(h, math.Float64bits(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keep hands out a checkpoint of where the integrator stands.
func (run *transient) keep() error {
	if run.opt.Checkpoint == nil {
		return nil
	}
	if err := run.opt.Checkpoint(run.checkpoint()); err != nil {
		return &notKept{run.drive.Stepper.T(), err}
	}
	return nil
}

func (run *transient) checkpoint() *Checkpoint {
	d, r := run.d, run.r
	c := &Checkpoint{Engine: d.m.Engine.Name, Case: run.c.Name, T: run.drive.Stepper.T(), Version: run.opt.Version, inputs: run.inputs}
	c.state = standing{
		Integrator: run.drive.Stepper.Save(), Events: run.drive.Save(), Interval: run.interval, From: []float64{run.from}, Next: run.next,
		X: d.x, U: d.u, Known: d.known, Slopes: d.guess.s, Newton: d.nw.Save(), Held: d.dynamics.start, Changed: d.memory(), Told: run.told, Seen: run.seen.sight(),
		Work: [2]int{d.iterations, d.evaluations}, Worst: d.worst, Residual: []float64{d.residual},
		T: r.h.T, Places: r.h.Places, Outside: r.h.Outside, Passed: r.passed, Grown: run.grown(),
	}
	for _, at := range d.m.warm() {
		c.state.Model = append(c.state.Model, *at)
	}
	c.state.Last = slices.Concat([]float64{d.t, d.dynamics.now}, d.y, d.f)
	for _, v := range r.h.Values {
		c.state.Values = append(c.state.Values, v...)
	}
	return c.clone()
}

// warm lists what of a model makes an evaluation what it is besides the inputs of
// a component: parameters, what the design fixed, and guesses.
func (m *Model) warm() []*float64 {
	var list []*float64
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			list = append(list, n.At)
		}
		list = append(list, p.Declaration.Fixed...)
		list = append(list, p.Declaration.Guesses...)
		for _, o := range p.Declaration.Outlets {
			list = append(list, &o.At.T)
		}
	}
	for _, d := range m.controls.decl {
		for _, n := range d.Numbers {
			list = append(list, n.At)
		}
	}
	return list
}

// resume brings a transient that has not begun to where a checkpoint was taken.
func (run *transient) resume(ctx context.Context, c *Checkpoint) error {
	if err := run.fits(c); err != nil {
		return err
	}
	if err := run.regrow(ctx, c.state.Grown); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	d, r, s := run.d, run.r, &c.state
	kinks := run.kinks()
	warm := d.m.warm()
	n := len(d.states)
	whole := s.Interval >= 0 && s.Interval < len(kinks) && len(s.From) == 1 && len(s.Residual) == 1 &&
		len(s.Model) == len(warm) && len(s.X) == len(d.x) && len(s.U) == len(d.u) && len(s.Last) == 2+n+len(d.f) &&
		len(s.Slopes) == len(d.guess.s) && len(s.Values) == len(s.T)*len(r.get) && len(s.Seen.Limits) == len(run.seen.limits) && len(s.Passed) == len(r.passed)
	if !whole {
		return unusable("the checkpoint of case %s has not the size of this engine's state: run the case from its start", c.Case)
	}
	if err := run.drive.Stepper.Restore(s.Integrator); err != nil {
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	if err := run.drive.Restore(s.Events); err != nil {
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	run.interval, run.from, run.next = s.Interval, s.From[0], s.Next
	d.enter(run.from)
	d.span = kinks[run.interval] - run.from
	if run.opt.Every > 0 {
		run.kept = int(c.T / run.opt.Every)
	}
	if err := d.setMemory(s.Changed); err != nil {
		return unusable("the checkpoint of case %s: %v", c.Case, err)
	}
	d.t, d.dynamics.now, d.dynamics.start = s.Last[0], s.Last[1], s.Held
	// The model is evaluated once, for what follows from its values, before they and
	// the guesses are put where they were.
	d.put(s.U)
	if err := d.s.eval(s.X, make([]float64, len(s.X))); err != nil {
		return unusable("the checkpoint of case %s cannot be evaluated: %v", c.Case, err)
	}
	for i, at := range warm {
		*at = s.Model[i]
	}
	if !d.nw.Restore(s.Newton) {
		return unusable("the checkpoint of case %s: its Jacobian is not whole", c.Case)
	}
	copy(d.x, s.X)
	copy(d.u, s.U)
	d.mark()
	run.told = slices.Clone(s.Told)
	run.seen.take(s.Seen)
	copy(d.guess.s, s.Slopes)
	copy(d.y, s.Last[2:2+n])
	copy(d.f, s.Last[2+n:])
	d.known = s.Known
	d.iterations, d.evaluations, d.worst, d.residual = s.Work[0], s.Work[1], s.Worst, s.Residual[0]
	r.restore(s)
	return nil
}

// fits tells why a checkpoint is not one of this run.
func (run *transient) fits(c *Checkpoint) error {
	switch m := run.d.m; {
	case len(c.state.Grown) != len(run.growers):
		return unusable("the checkpoint of case %s is of an engine with %d zoomed components, this has %d; mind --no-zoom", c.Case, len(c.state.Grown), len(run.growers))
	case c.Engine != m.Engine.Name:
		return unusable("the checkpoint is of engine %q, this is %q", c.Engine, m.Engine.Name)
	case c.Version != run.opt.Version:
		return unusable("the checkpoint of case %s was written by peregrine %s; this is %s, whose numbers may differ: run the case from its start", c.Case, c.Version, run.opt.Version)
	case c.inputs != run.inputs:
		return unusable("the checkpoint of case %s is stale: the engine file, one of its maps or --set has changed since; put them back, or run the case from its start", c.Case)
	}
	return nil
}

// Restore takes up the history of a checkpoint, whose sizes are right.
func (r *recorder) restore(s *standing) {
	n := len(s.T)
	r.h.T = append([]float64(nil), s.T...)
	for i := range r.h.Values {
		r.h.Values[i] = append([]float64(nil), s.Values[i*n:(i+1)*n]...)
	}
	for name, places := range s.Places {
		r.h.Places[name] = append([]plot.Point(nil), places...)
	}
	for name, o := range s.Outside {
		again := *o
		r.h.Outside[name] = &again
	}
	copy(r.passed, s.Passed)
}

// notKept tells of a checkpoint that could not be written.
type notKept struct {
	t   float64
	err error
}

func (e *notKept) Error() string { return fmt.Sprintf("the checkpoint could not be kept: %v", e.err) }

func (e *notKept) Unwrap() error { return e.err }
