package transient

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/components"
)

// linearize sets the columns of the states in j to df/dy at the present solution, at t, s. If over, s, is not 0, it
// sets column len(f) to df/dt, the effect of the inputs, which are linear in time for that long. The predictor and
// Newton's method use the derivatives, too.
func (d *dynamics) linearize(t, over float64, j *mat.Dense) error {
	const step = 1e-7
	l := &d.lin
	l.size(len(d.f), len(d.x), len(d.u))
	n := len(d.x)
	d.evaluations += n + len(d.states)
	if d.inc != nil {
		d.inc.valid = false
	}
	p := d.s.Problem
	p.Eval = func(x, r []float64) error { return d.evalChanged(d.u, x, r) }
	err := d.nw.Linearize(p, d.x, func(k int, h float64) {
		if k < 0 {
			d.readFG(l.f0, l.r0)
			return
		}
		d.rates(l.df)
		for i, f := range l.df {
			l.fx[i*n+k] = (f - l.f0[i]) / h
		}
	})
	if err != nil {
		d.nw.Forget()
		if e := d.restoreSolution(); e != nil {
			return e
		}
		return d.s.SingularError(err)
	}
	for k := range d.states {
		h := step * max(math.Abs(d.u[k]), d.states[k].typical)
		copy(l.u, d.u)
		dx, err := d.column(h, func(h float64) { l.u[k] = d.u[k] + h })
		if err != nil {
			return errors.Join(err, d.restoreSolution())
		}
		for i, df := range l.df {
			j.Set(i, k, df)
		}
		d.guess.setSlope(k, dx, d.u[k])
	}
	if over != 0 {
		h := 1e-6 * over
		copy(l.u, d.u)
		dx, err := d.column(h, func(h float64) {
			d.controlTime = t + h
			d.inputsAt(d.controlTime, l.u)
		})
		d.controlTime = t
		if err != nil {
			return errors.Join(err, d.restoreSolution())
		}
		for i, df := range l.df {
			j.Set(i, len(d.f), df)
		}
		d.inputsAt(t+over, l.u)
		d.guess.setSlopeAlong(l.u, d.u, dx, over)
	}
	return d.restoreSolution()
}

// column sets l.df to the derivative of f by the entries of l.u that move changes, with g solved to first order; it
// returns the derivative of x. If the step h cannot be evaluated, it takes -h.
func (d *dynamics) column(h float64, move func(h float64)) ([]float64, error) {
	l := &d.lin
	move(h)
	if err := d.evalChanged(l.u, d.x, l.dg); err != nil {
		h = -h
		move(h)
		if err := d.evalChanged(l.u, d.x, l.dg); err != nil {
			return nil, err
		}
	}
	d.readFG(l.df, l.dg)
	for i := range l.dg {
		l.dg[i] = (l.dg[i] - l.r0[i]) / h
	}
	dx := d.nw.Respond(l.dg)
	for i := range l.df {
		l.df[i] = (l.df[i] - l.f0[i]) / h
		for k, v := range dx {
			l.df[i] += l.fx[i*len(dx)+k] * v
		}
	}
	return dx, nil
}

// readFG sets f and g to the last evaluation's.
func (d *dynamics) readFG(f, g []float64) {
	d.rates(f)
	for i := range d.s.Residuals {
		g[i] = d.s.Residuals[i].Get()
	}
}

// restoreSolution brings the model back to the last solution.
func (d *dynamics) restoreSolution() error {
	return d.evalChanged(d.u, d.x, d.lin.dg)
}

func (l *linearization) size(nf, nx, nu int) {
	if len(l.f0) == nf {
		return
	}
	l.f0, l.df, l.fx = make([]float64, nf), make([]float64, nf), make([]float64, nf*nx)
	l.r0, l.dg, l.u = make([]float64, nx), make([]float64, nx), make([]float64, nu)
}

// newIncremental finds the steps that every state, input and unknown reaches.
func (d *dynamics) newIncremental() *incremental {
	n := &incremental{last: make([]float64, len(d.u)+len(d.x)), mark: make([]bool, d.m.StepCount())}
	for _, s := range d.states {
		if s.part == nil && len(d.laws) == 0 { // a control's state acts through inputs and targets only
			n.reach = append(n.reach, make([]bool, d.m.StepCount()))
			continue
		}
		n.reach = append(n.reach, d.reachedSteps(s.at))
	}
	for i := range d.inputs {
		n.reach = append(n.reach, d.reachedSteps(d.inputs[i].at))
	}
	for _, u := range d.s.Unknowns {
		n.reach = append(n.reach, d.reachedSteps(u.At))
	}
	return n
}

// reachedSteps marks the steps that a value can reach.
func (d *dynamics) reachedSteps(at *float64) []bool {
	return d.m.StepsReached(at, d.s.Mode&components.Transient != 0)
}

// evalChanged sets r = g at u and x. It evaluates only the parts changed since its last call.
func (d *dynamics) evalChanged(u, x, r []float64) error {
	n := d.inc
	if n == nil {
		n = d.newIncremental()
		d.inc = n
	}
	clear(n.mark)
	for i, v := range u {
		n.markChange(i, v)
	}
	for i, v := range x {
		n.markChange(len(u)+i, v)
	}
	mark := n.mark
	if !n.valid {
		mark = nil
	}
	n.valid = false
	d.write(u)
	err := d.s.EvalSome(x, r, mark)
	n.valid = err == nil
	return err
}

// markChange marks the steps that depend on value i of u and x, if the value differs from that of the last evaluation.
func (n *incremental) markChange(i int, v float64) {
	if n.last[i] == v {
		return
	}
	n.last[i] = v
	for k, reached := range n.reach[i] {
		if reached {
			n.mark[k] = true
		}
	}
}
