package bladerow

import (
	"math"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// block is the flow in one structured block as a structure of arrays. Quantities are in reference units (see
// reference), lengths in metres. The velocity is the absolute velocity; its Cartesian components are those of axes that
// turn with the block.
type block struct {
	shape
	*metric
	gamma float64
	omega float64 // speed of the frame, rad per reference time

	q   [5][]float64 // rho, Vx, Vy, Vz, p
	r   [5][]float64 // residual, then the change of W (see implicit.go)
	was [5][]float32 // changes of rho, V and p in a step's first stage; 0 between steps
	src [5][]float64 // added to the residual, per cell (nil: none)
	// of the implicit operator, so rounded: sound speed; diffusion's spectral radius over the square of a face's area
	sound, diffuse []float32

	visc *viscosity // nil: Euler

	firstOrder bool // without extrapolation, for coarse meshes
	patches    []patch
	closed     [6][]faceKind // faces whose flux follows from the state on them
	given      [2]fluxGiver  // conditions that give the flux through the i-sides, if any
	workers    int
	regions    *regions // of the run's sensors; nil outside a run
	scratch    []*scratch
	sums       []float64 // of the planes, for norm
}

// scratch is the memory of a worker.
type scratch struct {
	line  *line
	lower [5][]float64 // fluxes through the plane of k-faces below
	visc  *viscousLine

	byPlane, byLine []patch // its pieces of the i- and j-sides, and of the k-sides
}

func newBlock(sh shape, m *metric, gamma, omega float64, workers int) *block {
	b := &block{shape: sh, metric: m, gamma: gamma, omega: omega, sums: make([]float64, sh.n[2])}
	for v := range 5 {
		b.q[v], b.r[v], b.was[v] = apart[float64](sh.size, 13+v), apart[float64](sh.size,
			18+v), apart[float32](sh.size, 23+v)
	}
	b.sound, b.diffuse = apart[float32](sh.size, 28), apart[float32](sh.size, 29)
	b.employ(workers)
	return b
}

// employ gives the block so many workers, as far as it has planes for them.
func (b *block) employ(workers int) {
	b.workers = max(1, min(workers, b.n[2]))
	for len(b.scratch) < b.workers {
		s := &scratch{line: newLine(b.n[0] + 1), visc: newViscousLine(b.n[0] + 1)}
		for v := range 5 {
			s.lower[v] = make([]float64, b.n[0]*b.n[1])
		}
		b.scratch = append(b.scratch, s)
	}
	b.scratch = b.scratch[:b.workers]
	b.shareOut()
}

// slabs runs f over the block's k-planes, cut into one piece a worker. The writes of f must not depend on the cuts.
func (b *block) slabs(f func(w *scratch, k0, k1 int)) {
	b.team(b.workers, func(w int) {
		k0, k1 := share(b.n[2], w, b.workers)
		f(b.scratch[w], k0, k1)
	})
}

// lines runs f over the lines of cells along i, as slabs does over planes.
func (b *block) lines(f func(j, k int)) {
	b.slabs(func(_ *scratch, k0, k1 int) {
		for k := k0; k < k1; k++ {
			for j := range b.n[1] {
				f(j, k)
			}
		}
	})
}

// share returns where the part of worker w of n begins and ends in size things.
func share(size, w, n int) (lo, hi int) { return size * w / n, size * (w + 1) / n }

// widened adds a ghost to a part of size cells where it reaches their ends.
func widened(lo, hi, size int) (int, int) {
	if lo == 0 {
		lo = -1
	}
	if hi == size {
		hi++
	}
	return lo, hi
}

// team runs f on n workers, the caller's goroutine among them, and waits for all.
func (b *block) team(n int, f func(w int)) {
	work := f
	if b.regions != nil {
		work = func(w int) { b.regions.work(w, f) }
		defer b.regions.meet(n)
	}
	var wait sync.WaitGroup
	for w := 1; w < n; w++ {
		wait.Go(func() { work(w) })
	}
	work(0)
	wait.Wait()
}

func (b *block) state(c int) [5]float64 {
	return [5]float64{b.q[0][c], b.q[1][c], b.q[2][c], b.q[3][c], b.q[4][c]}
}

func (b *block) setState(c int, q [5]float64) {
	for v := range 5 {
		b.q[v][c] = q[v]
	}
}

// advance takes the cells' states to share of the change r from where they were when a
// step began: to less than 1 in the step's first stage, to 1 in its last. It reports
// whether density and pressure stay positive; a cell where they would not keeps its state.
func (b *block) advance(share float64) bool {
	bad := make([]bool, b.workers)
	b.slabs(func(w *scratch, k0, k1 int) {
		ok := true
		for k := k0; k < k1; k++ {
			for j := range b.n[1] {
				ok = b.advanceLine(w.line, b.at(0, j, k), share) && ok
			}
		}
		for n := range b.scratch {
			if b.scratch[n] == w {
				bad[n] = !ok
			}
		}
	})
	return !slices.Contains(bad, true)
}

// advanceLine is advance for the line of cells at o. It sets l.good to 1 where the new state
// is valid and to 0 elsewhere.
func (b *block) advanceLine(l *line, o int, share float64) bool {
	n := b.n[0]
	q0, q1, q2, q3, q4 := b.q[0][o:o+n], b.q[1][o:o+n], b.q[2][o:o+n], b.q[3][o:o+n], b.q[4][o:o+n]
	d0, d1, d2, d3, d4 := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n]
	w0, w1, w2, w3, w4 := b.was[0][o:o+n], b.was[1][o:o+n], b.was[2][o:o+n], b.was[3][o:o+n], b.was[4][o:o+n]
	a := b.sound[o : o+n]
	good := l.good[:n]
	keep := float32(1)
	if share == 1 {
		keep = 0
	}
	if avx2 {
		advanceAVX2(n, &[11][]float64{q0, q1, q2, q3, q4, d0, d1, d2, d3, d4, good},
			&[6][]float32{w0, w1, w2, w3, w4, a}, share, float64(keep))
		return !slices.Contains(good, 0)
	}
	for i := range q0 {
		rho := share*(d0[i]+d4[i]/float64(a[i]*a[i])) - float64(w0[i])
		u, v, w, p := share*d1[i]-float64(w1[i]), share*d2[i]-float64(w2[i]), share*d3[i]-float64(w3[i]), share*d4[i]-
			float64(w4[i])
		good[i] = 1
		if !(q0[i]+rho > 0) || !(q4[i]+p > 0) {
			good[i] = 0
			rho, u, v, w, p = 0, 0, 0, 0, 0
		}
		q0[i] += rho
		q1[i] += u
		q2[i] += v
		q3[i] += w
		q4[i] += p
		w0[i], w1[i], w2[i], w3[i], w4[i] = keep*float32(rho), keep*float32(u), keep*float32(v), keep*float32(w), keep*
			float32(p)
	}
	return !slices.Contains(good, 0)
}

// speeds sets the sound speed and the diffusion's radius over area squared of cells
// and the first ring of ghosts.
func (b *block) speeds() {
	b.slabs(func(_ *scratch, k0, k1 int) {
		k0, k1 = widened(k0, k1, b.n[2])
		for k := k0; k < k1; k++ {
			for j := -1; j <= b.n[1]; j++ {
				b.speedLine(b.at(-1, j, k), b.n[0]+2)
			}
		}
	})
}

func (b *block) speedLine(o, n int) {
	rho, p, a := b.q[0][o:o+n], b.q[4][o:o+n], b.sound[o:o+n]
	switch v := b.visc; {
	case avx2 && v == nil:
		soundsAVX2(n, &[2][]float64{rho, p}, &[1][]float32{a}, b.gamma)
		return
	case avx2:
		speedsAVX2(n, &[3][]float64{rho, p, b.vol[o : o+n]},
			&[4][]float32{v.mu[o : o+n], v.mt[o : o+n], a, b.diffuse[o : o+n]},
			b.gamma, max(4.0/3, b.gamma/v.pr), max(4.0/3, b.gamma/v.prt))
		return
	}
	for i := range a {
		a[i] = float32(math.Sqrt(b.gamma * max(p[i], tiny) / max(rho[i], tiny)))
	}
	if b.visc == nil {
		return
	}
	v := b.visc
	mu, mt, vol, diff := v.mu[o:o+n], v.mt[o:o+n], b.vol[o:o+n], b.diffuse[o:o+n]
	kl, kt := max(4.0/3, b.gamma/v.pr), max(4.0/3, b.gamma/v.prt)
	for i := range diff {
		if vol[i] > 0 {
			diff[i] = float32(2 * (kl*float64(mu[i]) + kt*max(float64(mt[i]), 0)) / (rho[i] * vol[i]))
		}
	}
}

// norm returns the root mean square of the residuals of all equations per volume.
func (b *block) norm() float64 {
	b.slabs(func(_ *scratch, k0, k1 int) {
		for k := k0; k < k1; k++ {
			b.sums[k] = 0
			for j := range b.n[1] {
				b.sums[k] += b.squares(b.at(0, j, k))
			}
		}
	})
	sum := 0.0
	for _, x := range b.sums {
		sum += x
	}
	return math.Sqrt(sum / float64(5*b.n[0]*b.n[1]*b.n[2]))
}

// squares returns the sum of the squared residuals per volume of a line of cells.
func (b *block) squares(o int) float64 {
	n := b.n[0]
	r0, r1, r2, r3, r4, vol := b.r[0][o:o+n], b.r[1][o:o+n], b.r[2][o:o+n], b.r[3][o:o+n], b.r[4][o:o+n], b.vol[o:o+n]
	sum := 0.0
	for i := range r0 {
		sum += (r0[i]*r0[i] + r1[i]*r1[i] + r2[i]*r2[i] + r3[i]*r3[i] + r4[i]*r4[i]) / (vol[i] * vol[i])
	}
	return sum
}

// apart returns n zeros that begin at another line of the first-level cache than those of other places. Large slices
// all begin with a page, and the kernels read some sixty of them at once, but the cache has eight ways.
func apart[T float32 | float64](n, place int) []T {
	const lines, size = 64, 8 // cache lines in a page, float64 in a line
	skip := 5 * place % lines * size
	return make([]T, skip+n)[skip:]
}

// regions are the activities of a mesh's workers that sensors record. The first worker has those of the whole mesh.
type regions struct {
	level, exchange march.Area
	sweep, barrier  []march.Area // of each worker
}

// work runs a worker's share, after which it waits for the others until they are met.
func (w *regions) work(n int, f func(n int)) {
	w.sweep[n].Enter()
	f(n)
	w.sweep[n].Leave()
	w.barrier[n].Enter()
}

// meet ends the waiting of so many workers. All of them have ended: their sensors are the caller's.
func (w *regions) meet(workers int) {
	for n := range workers {
		w.barrier[n].Leave()
	}
}
