package throughflow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

var air = march.Gas{Gamma: 1.4, R: 287.05}

// duct returns a flow path without rows between walls given as functions of z.
func duct(t testing.TB, z0, z1 float64, hub, casing func(z float64) float64) *blade.Geometry {
	t.Helper()
	const n = 200
	var z, h, c []float64
	for k := 0; k <= n; k++ {
		x := z0 + (z1-z0)*float64(k)/n
		z, h, c = append(z, x), append(h, hub(x)), append(c, casing(x))
	}
	hc := must.Value(blade.NewCurve(z, h))(t)
	cc := must.Value(blade.NewCurve(z, c))(t)
	return &blade.Geometry{Name: "duct", Hub: hc, Casing: cc}
}

func constant(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// run runs a case that must converge.
func run(t testing.TB, c Case) (*Solver, *Result) {
	t.Helper()
	s := newSolver(t, c)
	return s, ended(t, s)
}

// isentropic returns static over total pressure and temperature at a Mach number.
func isentropic(mach float64) (p, tt float64) {
	tt = 1 / (1 + 0.2*mach*mach)
	return math.Pow(tt, 3.5), tt
}

// Uniform axial flow through a cylindrical annulus is a solution of the discrete
// equations on any mesh, however skewed.
func TestUniformFlowOnSkewedMesh(t *testing.T) {
	const mach, pt, tt = 0.5, 1e5, 300.0
	p, ts := isentropic(mach)
	c := Case{
		Geometry: duct(t, 0, 1, constant(0.5), constant(1)), Gas: air,
		Inlet: march.Inlet{Pt: []float64{pt}, Tt: []float64{tt}}, Exit: march.Exit{Ps: p * pt},
		Settings: Settings{NZ: 16, NR: 8, Levels: 1},
	}
	s := newSolver(t, c)
	m := s.levels[0].m
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 1; i < m.nz; i++ {
		for j := range m.nr + 1 {
			k := i*(m.nr+1) + j
			m.z[k] += 0.3 / float64(m.nz) * (rng.Float64() - 0.5)
			if i > 1 && j > 0 && j < m.nr { // the first cells set the inlet's direction
				m.r[k] += 0.15 / float64(m.nr) * (rng.Float64() - 0.5)
			}
		}
	}
	m.metrics()
	l := newLevel(&s.c, m)
	v := mach * math.Sqrt(1.4*air.R*ts*tt)
	rho := p * pt / (air.R * ts * tt)
	for i := range m.nz {
		for j := range m.nr {
			l.u.set(i, j, air, m.rc[i*m.nr+j], rho, v, 0, 0, p*pt)
		}
	}
	l.u.primitives(air, m.rc)
	l.ps = p * pt
	l.evaluate(&s.c)
	scale := [5]float64{rho * v, p * pt, p * pt, rho * v, 3.5 * p * pt * v}
	for q, res := range l.q.res {
		for k, r := range res {
			if e := math.Abs(r) / (scale[q] * m.siz[0]); e > 1e-11 {
				t.Fatalf("equation %d, cell %d: residual %.3g of its flux", q, k, e)
			}
		}
	}
}

// Gas at rest stays at rest between curved walls and among blades.
func TestRest(t *testing.T) {
	c := e3Case(t)
	c.Settings = Settings{NZ: 40, NR: 12, Levels: 1}
	s := newSolver(t, c)
	l := s.levels[0]
	m := l.m
	const p, ts = 1e5, 300.0
	for i := range m.nz {
		for j := range m.nr {
			l.u.set(i, j, air, m.rc[i*m.nr+j], p/(air.R*ts), 0, 0, 0, p)
		}
	}
	l.u.primitives(air, m.rc)
	l.u.ghosts()
	l.q.radii(m, l.u, 1.4)
	l.q.switches(m, l.u)
	l.q.dissipate(m, l.u)
	for _, b := range []*plane{l.in, l.out} {
		for j := range m.nr {
			b.ro[j], b.p[j], b.vz[j], b.vr[j], b.vt[j] = p/(air.R*ts), p, 0, 0, 0
		}
	}
	l.in.fluxes(m, 0, air)
	l.out.fluxes(m, m.nz, air)
	l.q.convect(m, l.u, &l.in.flux, &l.out.flux)
	for q, res := range l.q.res {
		for k, r := range res {
			if math.Abs(r) > 1e-10*p*m.siz[0] {
				t.Fatalf("equation %d, cell %d: residual %.3g", q, k, r)
			}
		}
	}
}

// An empty duct keeps its total pressure and temperature, with an error that falls
// with the second power of the mesh or faster.
func TestEmptyDuctKeepsTotalPressure(t *testing.T) {
	shape := func(z float64) float64 { return 0.5 + 0.05*math.Sin(math.Pi*z)*math.Sin(math.Pi*z) }
	var errs []float64
	for _, n := range marchtest.Meshes(t, 1, 2, 4) {
		c := Case{
			Geometry: duct(t, 0, 2, shape, constant(1)), Gas: air,
			Inlet: march.Inlet{Pt: []float64{1e5}, Tt: []float64{300}}, Exit: march.Exit{Ps: 0.88e5},
			Settings: Settings{NZ: 24 * n, NR: 8 * n, Levels: 1, Tolerance: 6},
		}
		_, r := run(t, c)
		must.Within(t, "mass error", r.MassError, 0, 1e-4)
		must.Within(t, "total temperature ratio", r.TR, 1, 1e-5)
		errs = append(errs, math.Abs(r.PR-1))
	}
	t.Logf("|PR - 1| on three meshes: %.3g", errs)
	if errs[0] > 1e-3 {
		t.Errorf("coarse mesh loses %.3g of the total pressure", errs[0])
	}
	marchtest.Ordered(t, errs, 1.8)
}

// A free vortex, r Vtheta and Vz constant, is an exact solution in a cylindrical
// annulus: static pressure follows radial equilibrium.
func TestFreeVortex(t *testing.T) {
	const (
		hub, casing = 0.4, 1.0
		vz, k       = 120.0, 60.0 // m/s; r Vtheta, m2/s
		pt, tt      = 1e5, 300.0
	)
	cp := air.Cp()
	exact := func(r float64) (p, rho, vt float64) {
		vt = k / r
		ts := tt - (vz*vz+vt*vt)/(2*cp)
		p = pt * math.Pow(ts/tt, 3.5)
		return p, p / (air.R * ts), vt
	}
	in := march.Inlet{}
	const n = 400
	for i := 0; i <= n; i++ {
		f := float64(i) / n
		r := math.Sqrt(hub*hub + f*(casing*casing-hub*hub))
		in.Span, in.Pt, in.Tt = append(in.Span, f), append(in.Pt, pt), append(in.Tt, tt)
		in.Alpha = append(in.Alpha, math.Atan(k/r/vz))
	}
	ps, _, _ := exact(hub)
	var errs []float64
	for _, f := range marchtest.Meshes(t, 1, 2, 4) {
		c := Case{
			Geometry: duct(t, 0, 1, constant(hub), constant(casing)), Gas: air, Inlet: in,
			Exit:     march.Exit{Ps: ps, At: march.Hub},
			Settings: Settings{NZ: 12 * f, NR: 8 * f, Levels: 1, Tolerance: 6},
		}
		s, _ := run(t, c)
		l := s.levels[0]
		e, vol := 0.0, 0.0
		for i := range l.m.nz {
			for j := range l.m.nr {
				x := i*l.m.nr + j
				p, _, _ := exact(l.m.rc[x])
				d := (l.u.p[l.u.at(i, j)] - p) / p
				e, vol = e+d*d*l.m.vol[x], vol+l.m.vol[x]
			}
		}
		errs = append(errs, math.Sqrt(e/vol))
	}
	t.Logf("L2 error of the pressure on three meshes: %.3g", errs)
	marchtest.Ordered(t, errs, 1.7)
	if last := len(errs) - 1; errs[last] > 2e-4*math.Pow(4, float64(2-last)) {
		t.Errorf("pressure error %.3g", errs[last])
	}
}

// The sign of the swirl makes no difference to anything but the sign of Vtheta.
func TestMirror(t *testing.T) {
	flow := func(alpha float64) *Result {
		_, r := run(t, Case{
			Geometry: duct(t, 0, 1, constant(0.4), constant(1)), Gas: air,
			Inlet:    march.Inlet{Pt: []float64{1e5}, Tt: []float64{300}, Alpha: []float64{alpha}},
			Exit:     march.Exit{Ps: 0.85e5},
			Settings: Settings{NZ: 16, NR: 8, Levels: 2},
		})
		return r
	}
	a, b := flow(20*degree), flow(-20*degree)
	if a.W != b.W || a.PR != b.PR || a.Iterations != b.Iterations {
		t.Errorf("W %v and %v, PR %v and %v", a.W, b.W, a.PR, b.PR)
	}
	for j := range a.Exit.Vtheta {
		if a.Exit.Vtheta[j] != -b.Exit.Vtheta[j] || a.Exit.Vz[j] != b.Exit.Vz[j] {
			t.Errorf("cell %d: Vtheta %v and %v", j, a.Exit.Vtheta[j], b.Exit.Vtheta[j])
		}
	}
}
