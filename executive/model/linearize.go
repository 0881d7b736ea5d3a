package model

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// linear is the engine's equations to first order about a solution,
//
//	df = f_y dy + f_x dx,  0 = g_y dy + g_x dx
//
// so that df/dy = f_y - f_x g_x^-1 g_y (the theorem of implicit functions). Every
// derivative is a difference of single evaluations, none of which solves g: one for each
// unknown and each state, with none of the errors of solving.
type linear struct {
	f0, r0 []float64 // f and g at the solution
	fx     []float64 // len(f) rows of len(x)
	df, dg []float64 // a column
	u      []float64 // states and inputs with one moved
}

// linearize sets the first rows of j to df/dy about the present solution, at t, s, and
// where over, s, is not 0, the column behind them all to df/dt by the
// inputs, which are linear in time over so long. The guesses of solutions nearby
// and Newton's method go on with what it finds.
func (d *dynamics) linearize(t, over float64, j *mat.Dense) error {
	const step = 1e-7
	l := &d.lin
	l.size(len(d.f), len(d.x), len(d.u))
	n := len(d.x)
	d.evaluations += n + len(d.states)
	if d.near != nil {
		d.near.known = false
	}
	p := d.s.problem
	p.Eval = func(x, r []float64) error { return d.nearby(d.u, x, r) }
	err := d.nw.Linearize(p, d.x, func(k int, h float64) {
		if k < 0 {
			d.read(l.f0, l.r0)
			return
		}
		d.rates(l.df)
		for i, f := range l.df {
			l.fx[i*n+k] = (f - l.f0[i]) / h
		}
	})
	if err != nil {
		d.nw.Forget()
		if e := d.restore(); e != nil {
			return e
		}
		return d.s.undetermined(err)
	}
	for k := range d.states {
		h := step * max(math.Abs(d.u[k]), d.states[k].typical)
		copy(l.u, d.u)
		dx, err := d.column(h, func(h float64) { l.u[k] = d.u[k] + h })
		if err != nil {
			return errors.Join(err, d.restore())
		}
		for i, df := range l.df {
			j.Set(i, k, df)
		}
		d.guess.slope(k, dx, d.u[k])
	}
	if over != 0 {
		h := 1e-6 * over
		copy(l.u, d.u)
		dx, err := d.column(h, func(h float64) {
			d.now = t + h
			d.inputsAt(d.now, l.u)
		})
		d.now = t
		if err != nil {
			return errors.Join(err, d.restore())
		}
		for i, df := range l.df {
			j.Set(i, len(d.f), df)
		}
		d.inputsAt(t+over, l.u)
		d.guess.along(l.u, d.u, dx, over)
	}
	return d.restore()
}

// column sets df to how f changes, per unit of what move changes in l.u by h, once g holds
// again; it returns how x does. Where it cannot be evaluated it goes the other way.
func (d *dynamics) column(h float64, move func(h float64)) ([]float64, error) {
	l := &d.lin
	move(h)
	if err := d.nearby(l.u, d.x, l.dg); err != nil {
		h = -h
		move(h)
		if err := d.nearby(l.u, d.x, l.dg); err != nil {
			return nil, err
		}
	}
	d.read(l.df, l.dg)
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

// Read sets f and g to those of the last evaluation.
func (d *dynamics) read(f, g []float64) {
	d.rates(f)
	for i := range d.s.residuals {
		g[i] = d.s.residuals[i].get()
	}
}

// Restore brings the model back to the last solution.
func (d *dynamics) restore() error {
	return d.nearby(d.u, d.x, d.lin.dg)
}

// inputsAt sets the inputs among u to those at t, s.
func (d *dynamics) inputsAt(t float64, u []float64) {
	for i := range d.inputs {
		u[len(d.states)+i] = d.inputs[i].value(t)
	}
}

func (l *linear) size(nf, nx, nu int) {
	if len(l.f0) == nf {
		return
	}
	l.f0, l.df, l.fx = make([]float64, nf), make([]float64, nf), make([]float64, nf*nx)
	l.r0, l.dg, l.u = make([]float64, nx), make([]float64, nx), make([]float64, nu)
}
