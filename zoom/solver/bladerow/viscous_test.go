package bladerow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

// Compressible Couette flow between plates of one temperature, with viscosity
// proportional to temperature (Liepmann and Roshko, Elements of Gasdynamics, section
// 13.2): T/Tw = 1 + Pr/(2 cp Tw) u (U-u) and y = integral of mu du over the stress.
// Second order on a mesh that is neither even nor orthogonal.
func TestCouette(t *testing.T) {
	const speed, tw, pr = 1.5, 1.0, 0.72
	const cp = gamma / (gamma - 1)
	temp := func(u float64) float64 { return tw + pr/(2*cp)*u*(speed-u) }
	moment := func(u float64) float64 { return tw*u + pr/(2*cp)*(speed*u*u/2-u*u*u/3) }
	exact := func(y float64) float64 {
		return bisected(0, speed, func(u float64) bool { return moment(u) < y*moment(speed) })
	}
	var errs []float64
	for _, n := range marchtest.Meshes(t, 8, 16, 32) {
		g := mesh.NewGrid(2, n, 1, func(i, j, k int) (x, y, z float64) {
			y = float64(j) / float64(n)
			y += 0.15 * math.Sin(math.Pi*y) * math.Sin(math.Pi*y) / math.Pi
			return 0.2*float64(i) + 0.1*math.Sin(math.Pi*y), y, 0.2 * float64(k)
		})
		b := testBlock(t, g, 0, 0)
		b.makeViscous(law(func(t float64) float64 { return 0.02 * t }), pr, 0.9)
		b.around(newPeriodic(0), newPeriodic(0), &noSlip{t: tw}, &noSlip{t: tw, slide: mesh.Vec{speed}}, slip{}, slip{})
		b.fill(func(i, j, k int) [5]float64 { return [5]float64{1, speed * (float64(j) + 0.5) / float64(n), 0, 0, 1} })
		its := settle(t, b, 100, 1e-7, 6000)
		sum := 0.0
		for j := range n {
			y := g.Centre(0, j, 0)[1]
			c := b.at(0, j, 0)
			u := exact(y)
			du, dt := b.q[1][c]-u, b.q[4][c]/b.q[0][c]-temp(u)
			sum += (du*du + dt*dt) / float64(n)
		}
		errs = append(errs, math.Sqrt(sum))
		t.Logf("%d cells: %d iterations, L2 error of u and T %.3g", n, its, errs[len(errs)-1])
	}
	marchtest.Ordered(t, errs, 1.9)
}

// manufactured is a smooth field with its gradient: for each variable a mean and two
// waves.
type manufactured [5]struct{ mean, amp, ax, ay, az, phase float64 }

func (m *manufactured) at(x mesh.Vec) (q [5]float64, grad [5]mesh.Vec) {
	for v, w := range m {
		arg := w.ax*x[0] + w.ay*x[1] + w.az*x[2] + w.phase
		q[v] = w.mean + w.amp*math.Sin(arg)
		grad[v] = mesh.Vec{w.ax, w.ay, w.az}.Times(w.amp * math.Cos(arg))
	}
	return q, grad
}

// flux returns the exact flux of the Navier-Stokes equations through ds at x, in a
// frame that turns at omega.
func (m *manufactured) flux(x, ds mesh.Vec, omega, mu, pr float64) [5]float64 {
	q, g := m.at(x)
	f := direct(&q, ds, omega*(x[0]*ds[1]-x[1]*ds[0]), gamma)
	div := g[1][0] + g[2][1] + g[3][2]
	v := mesh.Vec{q[1], q[2], q[3]}
	var force mesh.Vec
	for a := range 3 {
		for c := range 3 {
			force[a] += mu * (g[1+a][c] + g[1+c][a]) * ds[c]
		}
		force[a] -= mu * 2 / 3 * div * ds[a]
		f[1+a] -= force[a]
	}
	gt := g[4].Times(1 / q[0]).Sub(g[0].Times(q[4] / (q[0] * q[0])))
	f[4] -= force.Dot(v) + mu/pr*gamma/(gamma-1)*gt.Dot(ds)
	return f
}

// A manufactured solution of the Navier-Stokes equations in a turning frame, on a
// skewed block in three dimensions: second order. The sources are the exact fluxes'
// sums over each cell, by 4 x 4 Gauss points a face.
func TestManufactured(t *testing.T) {
	const mu, pr, omega = 0.02, 0.72, 0.4
	field := manufactured{
		{1, 0.1, 1.5, 0.9, 0.5, 0.3}, {0.4, 0.08, 0.8, 1.4, 0.6, 0.9}, {0.3, 0.07, 1.2, -0.7, 0.9, 0.1},
		{0.2, 0.06, 0.5, 0.8, -1.1, 1.7}, {1, 0.1, -0.9, 1.1, 0.7, 0.6},
	}
	gp := [4]float64{-0.861136311594053, -0.339981043584856, 0.339981043584856, 0.861136311594053}
	gw := [4]float64{0.347854845137454, 0.652145154862546, 0.652145154862546, 0.347854845137454}
	through := func(p00, p10, p11, p01 mesh.Vec) (f [5]float64) {
		for a := range 4 {
			for c := range 4 {
				u, v := (1+gp[a])/2, (1+gp[c])/2
				r := p00.Times((1 - u) * (1 - v)).Add(p10.Times(u * (1 - v))).Add(p11.Times(u * v)).Add(
					p01.Times((1 - u) * v))
				ru := p10.Sub(p00).Times(1 - v).Add(p11.Sub(p01).Times(v))
				rv := p01.Sub(p00).Times(1 - u).Add(p11.Sub(p10).Times(u))
				x := field.flux(r, ru.Cross(rv).Times(gw[a]*gw[c]/4), omega, mu, pr)
				for n := range 5 {
					f[n] += x[n]
				}
			}
		}
		return f
	}
	var errs []float64
	for _, n := range marchtest.Meshes(t, 6, 12, 24) {
		g := mesh.NewGrid(n, n, n, func(i, j, k int) (x, y, z float64) {
			x, y, z = float64(i)/float64(n), float64(j)/float64(n), float64(k)/float64(n)
			return x + 0.06*math.Sin(2*y+z), y + 0.05*math.Sin(2*x-z), z + 0.05*math.Sin(2*x+y)
		})
		b := testBlock(t, g, 0, omega)
		b.makeViscous(law(func(float64) float64 { return mu }), pr, 0.9)
		node := g.Extended(0)
		corner := func(i, j, k, d int) (p [4]mesh.Vec) {
			a, c := (d+1)%3, (d+2)%3
			o := [3]int{i, j, k}
			u, w, uw := o, o, o
			u[a]++
			w[c]++
			uw[a]++
			uw[c]++
			return [4]mesh.Vec{node(i, j, k), node(u[0], u[1], u[2]), node(uw[0], uw[1], uw[2]), node(w[0], w[1], w[2])}
		}
		var centre func(i, j, k int) mesh.Vec
		centre = func(i, j, k int) mesh.Vec { // beyond the first ring straight on
			o := [3]int{i, j, k}
			for d := range 3 {
				if near := min(max(o[d], -1), n); near != o[d] {
					a, c := o, o
					a[d], c[d] = near, 2*near-o[d]
					return centre(a[0], a[1], a[2]).Times(2).Sub(centre(c[0], c[1], c[2]))
				}
			}
			var p mesh.Vec
			for c := range 8 {
				p = p.Add(node(i+c&1, j+c>>1&1, k+c>>2).Times(0.125))
			}
			return p
		}
		for v := range 5 {
			b.src[v] = make([]float64, b.size)
		}
		cells([3]int{n + 1, n + 1, n + 1}, func(i, j, k int) {
			for d := range 3 {
				if o := [3]int{i, j, k}; o[(d+1)%3] == n || o[(d+2)%3] == n {
					continue // no face between two cells, or a cell and a ghost
				}
				p, c := corner(i, j, k, d), b.at(i, j, k)
				f := through(p[0], p[1], p[2], p[3])
				for v := range 5 {
					b.src[v][c] += f[v]
					b.src[v][c-b.stride[d]] -= f[v]
				}
			}
		})
		cells(b.n, func(i, j, k int) { // the frame's own source, by the middle of the cell
			q, _ := field.at(g.Centre(i, j, k))
			c := b.at(i, j, k)
			b.src[1][c] += omega * q[0] * q[2] * b.vol[c]
			b.src[2][c] -= omega * q[0] * q[1] * b.vol[c]
		})
		b.fill(func(i, j, k int) [5]float64 { // the ghosts stay at the exact solution
			if min(i, j, k) >= 0 && max(i, j, k) < n {
				return [5]float64{1, 0.4, 0.3, 0.2, 1}
			}
			q, _ := field.at(centre(i, j, k))
			return q
		})
		its := settle(t, b, 20, 1e-6, 2000)
		sum, vol := 0.0, 0.0
		cells(b.n, func(i, j, k int) {
			q, _ := field.at(g.Centre(i, j, k))
			c := b.at(i, j, k)
			for v := range 5 {
				e := b.q[v][c] - q[v]
				sum += e * e * b.vol[c]
			}
			vol += b.vol[c]
		})
		errs = append(errs, math.Sqrt(sum/vol))
		t.Logf("%d cells a side: %d iterations, L2 error %.3g", n, its, errs[len(errs)-1])
	}
	marchtest.Ordered(t, errs, 1.9)
}

// law is a viscosity law by a function.
type law func(t float64) float64

func (l law) at(t float64) float64 { return l(t) }

func (l law) line(mu []float32, t []float64) {
	for i, x := range t {
		mu[i] = float32(l(x))
	}
}
