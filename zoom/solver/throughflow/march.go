package throughflow

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// level is a mesh with its flow and the data of a time step.
type level struct {
	m    *mesh
	u    *field
	q    *residual
	lhs  *implicit
	rows []*rowForce
	res  *reservoir
	in   *plane
	out  *plane
	dt   []float64 // local time step over volume, CFL/(li + lj)

	norm    float64 // of the last residual
	first   float64 // of the first guess
	finest  bool
	steps   int     // on this mesh
	guessed float64 // mass flow of the first guess, kg/s
	base    float64 // throttle now: K, Pa s2/kg2, or with Exit.W the pressure at that flow, Pa
	ps      float64 // exit static pressure at Exit.At now, Pa
}

func newLevel(c *Case, m *mesh) *level {
	l := &level{m: m, u: newField(m.nz, m.nr), q: newResidual(m.nz, m.nr)}
	l.q.damping = c.Settings.Dissipation
	l.lhs = newImplicit(m.nz, m.nr)
	l.res = newReservoir(c, m)
	l.in, l.out = newPlane(m, 0), newPlane(m, m.nz)
	l.dt = make([]float64, m.nz*m.nr)
	for _, s := range m.rows {
		l.rows = append(l.rows, newRowForce(m, s, c.N))
	}
	return l
}

// step advances the flow by one local time step. It returns false if a density or pressure is then not positive.
func (l *level) step(c *Case) bool {
	for _, row := range l.rows {
		row.aim(l.m, l.u, c.Gas, c.Settings.Calibration, aimShare)
	}
	l.evaluate(c)
	l.lhs.solve(l, c.Gas.Gamma)
	if !numeric.Finite(l.norm) || !l.advance(c) {
		return false
	}
	l.exit(c)
	return numeric.Finite(l.ps)
}

// aimShare is the under-relaxation of turning and loss, per step.
const aimShare = 0.05

// evaluate makes q.res the full residual and renews the local time steps.
func (l *level) evaluate(c *Case) {
	m, u, q := l.m, l.u, l.q
	l.res.inflow(l.in, m, u, c.Gas)
	l.in.fluxes(m, 0, c.Gas)
	outflow(l.out, m, u, c.Gas, l.ps, c.Exit.At)
	l.out.fluxes(m, m.nz, c.Gas)
	u.ghosts()
	q.radii(m, u, c.Gas.Gamma)
	q.switches(m, u)
	for k := range l.dt {
		l.dt[k] = c.Settings.CFL / (q.li[k] + q.lj[k])
	}
	q.dissipate(m, u)
	q.convect(m, u, &l.in.flux, &l.out.flux)
	for _, row := range l.rows {
		row.force(m, u, q, c.Gas)
	}
	for v := range 5 {
		res, dis := q.res[v], q.dis[v]
		dis = dis[:len(res)]
		for k := range res {
			res[k] += dis[k]
		}
	}
	l.norm = q.norm(m)
}

// advance adds the changes in q.res to the flow.
func (l *level) advance(c *Case) bool {
	m, u := l.m, l.u
	nr := m.nr
	for v, a := range u.conserved() {
		res := l.q.res[v]
		for i := range m.nz {
			o, k := u.at(i, 0), i*nr
			dst, r := a[o:o+nr], res[k:k+nr]
			for j := range dst {
				dst[j] += r[j]
			}
		}
	}
	for _, row := range l.rows {
		row.impose(m, u)
	}
	return u.primitives(c.Gas, m.rc)
}

// exit moves the exit pressure of a throttle or a given mass flow.
func (l *level) exit(c *Case) {
	w := l.out.W()
	l.steps++
	e := &c.Exit
	if e.K > 0 || e.W > 0 {
		l.base, l.ps = e.Turn(l.base, l.ps, w, lowest*l.res.pt[0])
		return
	}
	// A start overshoots, a coarse mesh's rotor holds less pressure, and a stalled rotor does not recover. So the
	// pressure begins as a throttle's and stiffens on the finest mesh only.
	x := min(w/l.guessed, 1)
	l.ps = e.Ps * (1 - l.soft()*(1-x*x))
}

// lowest is a share of the inlet's total pressure: at that exit pressure a flow that is too small counts as choked, and
// the pressure is not lowered further.
const lowest = 0.5

// stiff is the number of steps in which a given exit pressure stops yielding.
const stiff = 200

// soft returns the degree to which a given exit pressure still yields like a throttle: 1 on all but the finest mesh, 0
// after stiff steps there.
func (l *level) soft() float64 {
	if !l.rotates() {
		return 0
	}
	if !l.finest {
		return 1
	}
	return max(1-float64(l.steps)/stiff, 0)
}

// norm returns the root mean square of the mass residual per volume, kg/(m3 s).
func (q *residual) norm(m *mesh) float64 {
	s := 0.0
	for k, r := range q.res[0] {
		x := r / m.vol[k]
		s += x * x
	}
	return math.Sqrt(s / float64(len(m.vol)))
}

// refine starts the finer level f from l: bilinear in the index space.
func (l *level) refine(f *level, gas march.Gas) {
	nz, nr := l.m.nz, l.m.nr
	weigh := func(k, n int) (a, b int, t float64) { // fine cell k lies 1/4 or 3/4 into a coarse pair
		a = (k+1)/2 - 1
		t = 0.25
		if k%2 == 0 {
			t = 0.75
		}
		b = min(a+1, n-1)
		return max(a, 0), b, t
	}
	for v, a := range l.u.conserved() {
		dst := f.u.conserved()[v]
		for i := range f.m.nz {
			i0, i1, ti := weigh(i, nz)
			for j := range f.m.nr {
				j0, j1, tj := weigh(j, nr)
				lo := (1-tj)*a[l.u.at(i0, j0)] + tj*a[l.u.at(i0, j1)]
				hi := (1-tj)*a[l.u.at(i1, j0)] + tj*a[l.u.at(i1, j1)]
				dst[f.u.at(i, j)] = (1-ti)*lo + ti*hi
			}
		}
	}
	for n, row := range l.rows {
		fine := f.rows[n]
		for v, a := range row.aims() {
			for j := range f.m.nr {
				j0, j1, t := weigh(j, nr)
				fine.aims()[v][j] = (1-t)*a[j0] + t*a[j1]
			}
		}
	}
	f.ps, f.base, f.steps = l.ps, l.base, 0
	f.u.primitives(gas, f.m.rc)
}

// aims returns the arrays that carry a row's state from step to step.
func (f *rowForce) aims() [4][]float64 { return [4][]float64{f.vt1, f.vt2, f.ds, f.dsChoke} }

// reset clears the rows' targets.
func (l *level) reset() {
	for _, row := range l.rows {
		row.follow = chokeShare
		for _, a := range row.aims() {
			clear(a)
		}
	}
}

func (l *level) rotates() bool {
	return slices.ContainsFunc(l.rows, func(row *rowForce) bool { return row.omega != 0 })
}
