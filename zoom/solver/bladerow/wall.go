package bladerow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// noSlip is a wall without slip: it turns about the axis at spin, rad per reference time, or slides at slide. It is
// adiabatic, or at the temperature t. If the block has a turbulence model, the shear follows from Spalding's law of the
// wall, so that the first cell may lie anywhere in the logarithmic layer.
type noSlip struct {
	spin  float64
	slide mesh.Vec
	t     float64                    // 0: adiabatic
	at    func(face, d int) mesh.Vec // place of a face, for spin
	v     []mesh.Vec                 // the wall's velocity face by face
}

func (*noSlip) kind() faceKind { return solid }
func (c *noSlip) prepare(b *block, p *patch) {
	if c.v != nil {
		return
	}
	b.each(p, func(s spot) {
		wall := c.slide
		if c.spin != 0 {
			x := c.at(s.face, p.side.dir())
			wall = wall.Add(mesh.Vec{-c.spin * x[1], c.spin * x[0], 0})
		}
		c.v = append(c.v, wall)
	})
}

func (c *noSlip) apply(b *block, p *patch) {
	d := p.side.dir()
	b.each(p, func(s spot) {
		q, wall := b.state(s.c), c.v[s.n]
		pw := b.extrapolated(s, d)[4]
		g := [5]float64{0, 2*wall[0] - q[1], 2*wall[1] - q[2], 2*wall[2] - q[3], 2*pw - q[4]}
		t := q[4] / q[0]
		if c.t > 0 {
			t = max(2*c.t-t, 0.2*c.t)
		}
		g[0] = g[4] / t
		b.setState(s.g, g)
	})
}

// law applies the law of the wall: it gives the first cell its eddy variable, kappa uTau y, and the ghost the eddy
// viscosity with which the mean of both carries the wall's shear stress.
func (c *noSlip) law(b *block, p *patch) {
	d, v := p.side.dir(), b.visc
	b.each(p, func(s spot) {
		m := b.metric
		area := mesh.Vec{m.s[d][0][s.face], m.s[d][1][s.face], m.s[d][2][s.face]}
		rel := mesh.Vec{b.q[1][s.c], b.q[2][s.c], b.q[3][s.c]}.Sub(c.v[s.n])
		size := area.Norm() + tiny
		y := 0.5 * b.vol[s.c] / size
		off := rel.Dot(area) / size
		w := math.Sqrt(max(rel.Dot(rel)-off*off, 1e-12))
		nu := float64(v.mu[s.c]) / b.q[0][s.c]
		plus := spalding(w * y / nu)
		tau := w / plus // friction velocity
		v.nt[s.c] = kappa * tau * y
		eddy := b.q[0][s.c] * (tau*tau*y/w - nu)
		v.mt[s.c] = float32(b.q[0][s.c] * v.factor(v.nt[s.c]/nu) * v.nt[s.c])
		v.mt[s.g] = float32(2*eddy) - v.mt[s.c]
		v.nt[s.g] = -v.nt[s.c]
	})
}

// kappa and wallB are Karman's constant and the logarithmic law's offset, as the
// model of Spalart and Allmaras is calibrated.
const (
	kappa = 0.41
	wallB = 5.0
)

// sublayer is exp(-kappa B), the factor of Spalding's exponential.
var sublayer = math.Exp(-kappa * wallB)

// spalding returns u+ for the Reynolds number u y/nu = u+ y+ by the law of the wall in a single formula (Spalding, J.
// Applied Mechanics 28, 1961, p. 455),
//
//	y+ = u+ + exp(-kappa B) (exp(k) - 1 - k - k^2/2 - k^3/6),  k = kappa u+
//
// to a relative error of about 1e-11: the first guess is off by 1e-4 at most, and the rest after a step of Halley's
// method is of third order.
func spalding(re float64) float64 {
	return max(halley(re, lawTable.at(re)), 1e-6)
}

// halley solves Spalding's formula from a first guess.
func halley(re, u float64) float64 {
	c := sublayer
	for range 40 {
		k := kappa * u
		e := math.Exp(k) - 1 - k
		y := u + c*(e-k*k/2-k*k*k/6)
		dy, ddy := 1+c*kappa*(e-k*k/2), c*kappa*kappa*e
		f, df := u*y-re, y+u*dy
		du := f / (df - f*(dy+0.5*u*ddy)/df)
		u = max(u-du, 0.5*u)
		if math.Abs(du) < 3e-4*u {
			break
		}
	}
	return u
}

// lawTable holds u+ at thirty-seconds of the octaves from 1 on, up to a value that no wall's first cell is likely to
// reach.
var lawTable = newTable()

type table [32*24 + 1]float64

func newTable() *table {
	t := &table{}
	u := 1.0
	for n := range t {
		re := math.Float64frombits(uint64(n+1023*32) << 47)
		for range 3 {
			u = halley(re, u)
		}
		t[n] = u
	}
	return t
}

// at interpolates, and beyond the table's ends takes the laminar and about the logarithmic law.
func (t *table) at(re float64) float64 {
	bits := math.Float64bits(re)
	n := int(bits>>47) - 1023*32
	switch {
	case n < 0:
		return math.Sqrt(re)
	case n >= len(t)-1:
		return 2.2 * math.Log(re)
	}
	return t[n] + (t[n+1]-t[n])*float64(bits&(1<<47-1))*0x1p-47
}

// distances returns every cell's distance from the nearest no-slip wall, m; centre and the faces' places come from the
// grid. From each wall patch the search descends over the patch's faces from the face nearest in index, which finds the
// nearest face on smooth walls without examining all of them.
func (b *block) distances(centre func(i, j, k int) mesh.Vec, face func(face, d int) mesh.Vec) []float64 {
	out := make([]float64, b.size)
	for c := range out {
		out[c] = math.Inf(1)
	}
	for n := range b.patches {
		p := &b.patches[n]
		if _, ok := p.cond.(*noSlip); !ok {
			continue
		}
		w := newWallMap(b, p, face)
		b.lines(func(j, k int) {
			for i := range b.n[0] {
				c := b.at(i, j, k)
				out[c] = min(out[c], w.nearest(centre(i, j, k), [3]int{i, j, k}))
			}
		})
	}
	return out
}

// wallMap is a wall patch as an array of places and normals.
type wallMap struct {
	p      *patch
	na, nb int
	x, n   []mesh.Vec
	size   []float64 // half the diagonal of a face
}

func newWallMap(b *block, p *patch, face func(face, d int) mesh.Vec) *wallMap {
	w := &wallMap{p: p, na: p.a1 - p.a0, nb: p.b1 - p.b0}
	d := p.side.dir()
	b.each(p, func(s spot) {
		w.x, w.n = append(w.x, face(s.face, d)), append(w.n, b.normal(s, d))
		area := mesh.Vec{b.metric.s[d][0][s.face], b.metric.s[d][1][s.face], b.metric.s[d][2][s.face]}.Norm()
		w.size = append(w.size, math.Sqrt(area))
	})
	return w
}

func (w *wallMap) nearest(x mesh.Vec, o [3]int) float64 {
	d := w.p.side.dir()
	a, c := o[0], o[1]
	switch d {
	case 0:
		a, c = o[1], o[2]
	case 1:
		c = o[2]
	}
	a, c = min(max(a-w.p.a0, 0), w.na-1), min(max(c-w.p.b0, 0), w.nb-1)
	best := w.away(x, a, c)
	for moved := true; moved; {
		moved = false
		for _, m := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			e, f := a+m[0], c+m[1]
			if e < 0 || e >= w.na || f < 0 || f >= w.nb {
				continue
			}
			if t := w.away(x, e, f); t < best {
				best, a, c, moved = t, e, f, true
			}
		}
	}
	return best
}

// away returns the distance of x from a face, as a disc in its plane.
func (w *wallMap) away(x mesh.Vec, a, c int) float64 {
	n := c*w.na + a
	d := x.Sub(w.x[n])
	h := d.Dot(w.n[n])
	t := math.Sqrt(max(d.Dot(d)-h*h, 0))
	return math.Hypot(h, max(t-0.5*w.size[n], 0))
}

// slip is a wall that the flow follows, at rest in the block's frame.
type slip struct{}

func (slip) kind() faceKind { return sliding }

func (slip) apply(b *block, p *patch) {
	d := p.side.dir()
	b.each(p, func(s spot) { b.setFace(s, b.tangent(s, d, b.extrapolated(s, d))) })
}

// unloaded is a side of the dead water behind a blade: slip, with the mean of the pressures
// here and on the side opposite.
type unloaded struct{}

func (unloaded) kind() faceKind { return sliding }

func (unloaded) apply(b *block, p *patch) {
	d := p.side.dir()
	across := (b.n[d] - 1) * b.stride[d] // from the first cell to the last
	if p.side.upper() {
		across = -across
	}
	b.each(p, func(s spot) {
		q := b.tangent(s, d, b.extrapolated(s, d))
		q[4] = 0.5 * (q[4] + b.extrapolated(spot{c: s.c + across, in: -s.in}, d)[4])
		b.setFace(s, q)
	})
}

// tangent returns a state on a face without its velocity through that.
func (b *block) tangent(s spot, d int, q [5]float64) [5]float64 {
	m := b.metric
	sv := mesh.Vec{m.s[d][0][s.face], m.s[d][1][s.face], m.s[d][2][s.face]}
	off := (q[1]*sv[0] + q[2]*sv[1] + q[3]*sv[2] - b.omega*m.g[d][s.face]) / (sv.Dot(sv) + tiny)
	for x := range 3 {
		q[1+x] -= off * sv[x]
	}
	return q
}
