package bladerow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

const gamma = 1.4

// testBlock returns a block on g, with the cell centres.
func testBlock(t testing.TB, g *mesh.Grid, pitch, omega float64) *block {
	t.Helper()
	sh := newShape(g.NI, g.NJ, g.NK)
	m := newMetric(&sh, g.Extended(pitch))
	must.OK(t, m.check(&sh))
	b := newBlock(sh, m, gamma, omega, 1)
	return b
}

// settle iterates until the residual has fallen by the factor given.
func settle(t testing.TB, b *block, cfl, factor float64, limit int) int {
	t.Helper()
	first := 0.0
	for n := range limit {
		r, _ := b.step(min(cfl, 1+float64(n)))
		if first = max(first, r); r <= factor*first && n > 0 {
			return n
		}
		if math.IsNaN(r) {
			t.Fatalf("no number at iteration %d", n)
		}
	}
	b.residual()
	t.Fatalf("residual fell to %.2g of its first value in %d iterations", b.norm()/first, limit)
	return limit
}

// skewed returns a sector of an annulus whose inner nodes are scattered at random;
// those of the periodic sides alike on both.
func skewed(pitch float64) *mesh.Grid {
	const ni, nj, nk = 12, 8, 6
	rng := rand.New(rand.NewPCG(1, 2))
	dz := mesh.NewGrid(ni, nj, nk, func(i, j, k int) (x, y, z float64) {
		return rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5
	})
	return mesh.NewGrid(ni, nj, nk, func(i, j, k int) (x, y, z float64) {
		p := dz.Vertex(i, j%nj, k)
		if k == 0 || k == nk || i == 0 || i == ni {
			p = mesh.Vec{}
		}
		th := -pitch * (float64(j) + 0.4*p[0]) / nj
		r := 0.5 + 0.5*(float64(k)+0.4*p[1])/nk
		return r * math.Cos(th), r * math.Sin(th), (float64(i) + 0.4*p[2]) / ni
	})
}

// Uniform axial flow is a solution of the discrete equations on any mesh, at rest
// and seen from a turning frame.
func TestUniformFlow(t *testing.T) {
	const pitch = 2 * math.Pi / 20
	q := [5]float64{1, 0, 0, 0.6, 1}
	for _, omega := range []float64{0, 1.2} {
		b := testBlock(t, skewed(pitch), -pitch, omega)
		sides := newPeriodic(-pitch)
		b.around(prescribed{func(int, int) [5]float64 { return q }}, outflow{}, sides, sides, slip{}, slip{})
		b.makeViscous(law(func(float64) float64 { return 1e-3 }), 0.72, 0.9)
		b.fill(func(i, j, k int) [5]float64 { return q })
		for range 10 {
			b.step(20)
		}
		cells(b.n, func(i, j, k int) {
			for v, x := range b.state(b.at(i, j, k)) {
				if e := math.Abs(x - q[v]); e > 1e-12 {
					t.Fatalf("omega %g, cell (%d, %d, %d): variable %d is off by %.3g", omega, i, j, k, v, e)
				}
			}
		})
	}
}

// riemann returns the exact solution of the shock tube (Toro, Riemann Solvers, 3rd
// ed., chapter 4) for a left rarefaction and a right shock, at s = x/t.
func riemann(l, r [3]float64) func(s float64) [3]float64 {
	const g = gamma
	al, ar := math.Sqrt(g*l[2]/l[0]), math.Sqrt(g*r[2]/r[0])
	left := func(p float64) float64 { return 2 * al / (g - 1) * (math.Pow(p/l[2], (g-1)/(2*g)) - 1) }
	right := func(p float64) float64 {
		return (p - r[2]) * math.Sqrt(2/((g+1)*r[0])/(p+(g-1)/(g+1)*r[2]))
	}
	p := bisected(r[2], l[2], func(p float64) bool { return left(p)+right(p)+r[1]-l[1] <= 0 })
	u := r[1] + right(p)
	rl := l[0] * math.Pow(p/l[2], 1/g)
	k := (g - 1) / (g + 1)
	rr := r[0] * (p/r[2] + k) / (k*p/r[2] + 1)
	shock := r[1] + ar*math.Sqrt((g+1)/(2*g)*p/r[2]+(g-1)/(2*g))
	tail := u - math.Sqrt(g*p/rl)
	return func(s float64) [3]float64 {
		switch {
		case s < l[1]-al:
			return l
		case s < tail:
			c := 2/(g+1) + k/al*(l[1]-s)
			return [3]float64{l[0] * math.Pow(c, 2/(g-1)), 2 / (g + 1) * (al + (g-1)/2*l[1] + s),
				l[2] * math.Pow(c, 2*g/(g-1))}
		case s < u:
			return [3]float64{rl, u, p}
		case s < shock:
			return [3]float64{rr, u, p}
		}
		return r
	}
}

// Sod's tube along each direction of the block: the same to round-off, and in L1
// at least of order 0.8.
func TestSod(t *testing.T) {
	left, right := [3]float64{1, 0, 1}, [3]float64{0.125, 0, 0.1}
	const end = 0.2
	exact := riemann(left, right)
	solve := func(n, d int) []float64 {
		size := [3]int{1, 1, 1}
		size[d] = n
		g := mesh.NewGrid(size[0], size[1], size[2], func(i, j, k int) (x, y, z float64) {
			x, y, z = float64(i), float64(j), float64(k)
			return x / float64(n), y / float64(n), z / float64(n)
		})
		b := testBlock(t, g, 0, 0)
		for s := range side(6) {
			if s.dir() == d {
				b.put(s, outflow{})
			} else {
				b.put(s, slip{})
			}
		}
		b.fill(func(i, j, k int) [5]float64 {
			s := left
			if [3]int{i, j, k}[d] >= n/2 {
				s = right
			}
			return [5]float64{s[0], 0, 0, 0, s[2]}
		})
		steps := n
		for range steps {
			if !b.explicit(end / float64(steps)) {
				t.Fatal("density or pressure not positive")
			}
		}
		var rho []float64
		for x := range n {
			var at [3]int
			at[d] = x
			rho = append(rho, b.q[0][b.at(at[0], at[1], at[2])])
		}
		return rho
	}
	var errs []float64
	for _, n := range marchtest.Meshes(t, 100, 200, 400) {
		rho := solve(n, 0)
		e := 0.0
		for x, v := range rho {
			// The exact mean over the cell, by 20 points.
			mean := 0.0
			for q := range 20 {
				mean += exact(((float64(x)+(float64(q)+0.5)/20)/float64(n) - 0.5) / end)[0] / 20
			}
			e += math.Abs(v-mean) / float64(n)
		}
		errs = append(errs, e)
	}
	t.Logf("L1 error of the density: %.3g", errs)
	last := len(errs) - 1
	if order := math.Log2(errs[0]/errs[last]) / float64(last); order < 0.8 {
		t.Errorf("order %.2f; want 0.8", order)
	}
	along := solve(60, 0)
	for d := 1; d < 3; d++ {
		for x, v := range solve(60, d) {
			if math.Abs(v-along[x]) > 1e-13 {
				t.Fatalf("direction %d, cell %d: %v, along i %v", d, x, v, along[x])
			}
		}
	}
}

// The supersonic vortex between two circular arcs (Aftosmis, Gaitonde and Tavares,
// AIAA Journal 33, 1995, p. 2038): second order or better in the L2 norm.
func TestSupersonicVortex(t *testing.T) {
	const ri, ro, mi = 1.0, 1.384, 2.25
	exact := func(x, y float64) [5]float64 {
		r := math.Hypot(x, y)
		rho := math.Pow(1+(gamma-1)/2*mi*mi*(1-ri*ri/(r*r)), 1/(gamma-1))
		p := math.Pow(rho, gamma) / gamma
		v := mi / r // sound speed 1 at the inner arc
		return [5]float64{rho, v * y / r, -v * x / r, 0, p}
	}
	var errs []float64
	for _, n := range marchtest.Meshes(t, 8, 16, 32) {
		g := mesh.NewGrid(2*n, n, 1, func(i, j, k int) (x, y, z float64) {
			th := math.Pi / 2 * (1 - float64(i)/float64(2*n))
			r := ri + (ro-ri)*float64(j)/float64(n)
			return r * math.Cos(th), r * math.Sin(th), 0.1 * float64(k)
		})
		b := testBlock(t, g, 0, 0)
		in := make(map[int][5]float64)
		for j := range n {
			a, c := g.Vertex(0, j, 0), g.Vertex(0, j+1, 0)
			in[b.at(0, j, 0)] = exact((a[0]+c[0])/2, (a[1]+c[1])/2)
		}
		b.around(prescribed{func(f, _ int) [5]float64 { return in[f] }}, outflow{}, slip{}, slip{}, slip{}, slip{})
		b.fill(func(i, j, k int) [5]float64 { // uniform but for its direction
			q := exact(0, (ri+ro)/2)
			sin, cos := math.Sincos(math.Pi / 2 * (float64(i) + 0.5) / float64(2*n))
			q[1], q[2] = q[1]*cos, -q[1]*sin
			return q
		})
		its := settle(t, b, 50, 1e-8, 2000)
		sum, vol := 0.0, 0.0
		for j := range n {
			for i := range 2 * n {
				p := g.Centre(i, j, 0)
				c := b.at(i, j, 0)
				e := b.q[0][c] - exact(p[0], p[1])[0]
				sum, vol = sum+e*e*b.vol[c], vol+b.vol[c]
			}
		}
		errs = append(errs, math.Sqrt(sum/vol))
		t.Logf("%d cells across: %d iterations, L2 error of the density %.3g", n, its, errs[len(errs)-1])
	}
	marchtest.Ordered(t, errs, 1.9)
}
