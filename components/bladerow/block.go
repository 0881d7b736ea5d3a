package bladerow

import (
	"math"
	"sync"
)

// block is the flow in one structured block as a structure of arrays. Quantities
// are in reference units (see reference); lengths stay metres. The velocity is the
// absolute one, its Cartesian components those of axes that turn with the block.
type block struct {
	shape
	*metric
	gamma float64
	omega float64 // speed of the frame, rad per reference time

	q   [5][]float64 // rho, Vx, Vy, Vz, p
	r   [5][]float64 // residual, then the change of the conserved quantities
	src [5][]float64 // added to the residual, per cell (nil: nothing)
	lam [3][]float64 // spectral radius of each direction: wave speed times area

	visc *viscosity // nil: Euler

	over       float64 // diagonal of the implicit operator over that of first-order fluxes
	firstOrder bool    // without extrapolation, for coarse meshes
	patches    []patch
	closed     [6][]faceKind // faces whose flux follows from the state on them
	workers    int
	scratch    []*scratch
}

// scratch is one worker's memory.
type scratch struct {
	line  *line
	lower [5][]float64 // fluxes through the plane of k-faces below
	visc  *viscousLine
}

func newBlock(sh shape, m *metric, gamma, omega float64, workers int) *block {
	b := &block{shape: sh, metric: m, gamma: gamma, omega: omega, over: robust, workers: max(1, min(workers, sh.n[2]))}
	for v := range 5 {
		b.q[v], b.r[v] = make([]float64, sh.size), make([]float64, sh.size)
	}
	for d := range 3 {
		b.lam[d] = make([]float64, sh.size)
	}
	for range b.workers {
		s := &scratch{line: newLine(sh.n[0] + 1), visc: newViscousLine(sh.n[0] + 1)}
		for v := range 5 {
			s.lower[v] = make([]float64, sh.n[0]*sh.n[1])
		}
		b.scratch = append(b.scratch, s)
	}
	return b
}

// slabs runs f over the block's k-planes, cut into one piece a worker. f must write
// nothing that depends on where the cuts are.
func (b *block) slabs(f func(w *scratch, k0, k1 int)) {
	n, nk := b.workers, b.n[2]
	if n == 1 {
		f(b.scratch[0], 0, nk)
		return
	}
	b.team(n, func(w int) { f(b.scratch[w], nk*w/n, nk*(w+1)/n) })
}

// team runs f on n workers and waits for them.
func (b *block) team(n int, f func(w int)) {
	var wait sync.WaitGroup
	for w := range n {
		wait.Go(func() { f(w) })
	}
	wait.Wait()
}

// fill sets every cell, ghosts included, to the state that at returns for it.
func (b *block) fill(at func(i, j, k int) [5]float64) {
	for k := -ghosts; k < b.n[2]+ghosts; k++ {
		for j := -ghosts; j < b.n[1]+ghosts; j++ {
			for i := -ghosts; i < b.n[0]+ghosts; i++ {
				q := at(i, j, k)
				c := b.at(i, j, k)
				for v := range 5 {
					b.q[v][c] = q[v]
				}
			}
		}
	}
}

func (b *block) state(c int) [5]float64 {
	return [5]float64{b.q[0][c], b.q[1][c], b.q[2][c], b.q[3][c], b.q[4][c]}
}

func (b *block) setState(c int, q [5]float64) {
	for v := range 5 {
		b.q[v][c] = q[v]
	}
}

// advance adds factor times r, the change of the conserved quantities, to the
// cells' states. It reports whether density and pressure stay positive; a cell
// where they would not keeps its state.
func (b *block) advance(factor float64) bool {
	bad := make([]bool, b.workers)
	b.slabs(func(w *scratch, k0, k1 int) {
		ok := true
		for k := k0; k < k1; k++ {
			for j := range b.n[1] {
				ok = b.advanceLine(b.at(0, j, k), factor) && ok
			}
		}
		for n := range b.scratch {
			if b.scratch[n] == w {
				bad[n] = !ok
			}
		}
	})
	for _, x := range bad {
		if x {
			return false
		}
	}
	return true
}

func (b *block) advanceLine(o int, factor float64) bool {
	n := b.n[0]
	q0, q1, q2, q3, q4 := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n], b.q[4][o:o+n]
	d0, d1, d2, d3, d4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	g1 := b.gamma - 1
	ig := 1 / g1
	ok := true
	for i := range q0 {
		rho, u, v, w, p := q0[i], q1[i], q2[i], q3[i], q4[i]
		e := p*ig + 0.5*rho*(u*u+v*v+w*w) + factor*d4[i]
		mx, my, mz := rho*u+factor*d1[i], rho*v+factor*d2[i], rho*w+factor*d3[i]
		rho += factor * d0[i]
		inv := 1 / rho
		u, v, w = mx*inv, my*inv, mz*inv
		p = g1 * (e - 0.5*rho*(u*u+v*v+w*w))
		if !(rho > 0) || !(p > 0) {
			ok = false
			continue
		}
		q0[i], q1[i], q2[i], q3[i], q4[i] = rho, u, v, w, p
	}
	return ok
}

// radii sets the spectral radii of the inviscid fluxes (Yoon and Jameson, AIAA
// Journal 26, 1988, p. 1025) and, with viscosity, adds the viscous ones.
func (b *block) radii() {
	b.slabs(func(_ *scratch, k0, k1 int) {
		for k := k0; k < k1; k++ {
			for j := range b.n[1] {
				for d := range 3 {
					b.radiiLine(d, b.at(0, j, k))
				}
			}
		}
	})
}

func (b *block) radiiLine(d, o int) {
	n, s := b.n[0], b.stride[d]
	m := b.metric
	x, y, z, g := m.s[d][0][o:o+n], m.s[d][1][o:o+n], m.s[d][2][o:o+n], m.g[d][o:o+n]
	x1, y1, z1, h := m.s[d][0][o+s:o+s+n], m.s[d][1][o+s:o+s+n], m.s[d][2][o+s:o+s+n], m.g[d][o+s:o+s+n]
	rho, u, v, w, p := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n], b.q[4][o:o+n]
	lam := b.lam[d][o : o+n]
	for i := range lam {
		sx, sy, sz := 0.5*(x[i]+x1[i]), 0.5*(y[i]+y1[i]), 0.5*(z[i]+z1[i])
		a := math.Sqrt(b.gamma * p[i] / rho[i] * (sx*sx + sy*sy + sz*sz))
		lam[i] = math.Abs(u[i]*sx+v[i]*sy+w[i]*sz-0.5*b.omega*(g[i]+h[i])) + a
	}
	if b.visc != nil {
		b.viscousRadii(d, o)
	}
}

// norm returns the root mean square of the residuals of all equations per volume.
func (b *block) norm() float64 {
	sum := 0.0
	for k := range b.n[2] {
		for j := range b.n[1] {
			o := b.at(0, j, k)
			vol := b.vol[o : o+b.n[0]]
			for v := range 5 {
				r := b.r[v][o : o+b.n[0]]
				for i := range r {
					x := r[i] / vol[i]
					sum += x * x
				}
			}
		}
	}
	return math.Sqrt(sum / float64(5*b.n[0]*b.n[1]*b.n[2]))
}
