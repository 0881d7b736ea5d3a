package bladerow

import "math"

// viscosity holds the gas properties of the viscous fluxes, in reference units (gas constant 1), cell by cell.
type viscosity struct {
	law     viscosityLaw
	pr, prt float64   // Prandtl numbers, molecular and turbulent
	t       []float64 // temperature
	mu, mt  []float32 // molecular and eddy viscosity

	// Of the turbulence model; nil without.
	nt   []float64 // eddy variable
	dist []float32 // from the nearest wall, m
	free float64   // eddy over molecular viscosity of the inflow

	skew    float64 // ch1 of the helicity's part in Spalart and Allmaras's model; 0: none
	longest float64 // greatest mixing length, m; 0: Spalart and Allmaras's model
}

// viscosityLaw is molecular viscosity over temperature: at a single temperature, and at the temperatures of a line of
// cells.
type viscosityLaw interface {
	at(t float64) float64
	line(mu []float32, t []float64)
}

func (b *block) makeViscous(law viscosityLaw, pr, prt float64) {
	v := &viscosity{law: law, pr: pr, prt: prt}
	v.t, v.mu, v.mt = apart[float64](b.size, 30), apart[float32](b.size, 31), apart[float32](b.size, 32)
	b.visc = v
}

// refresh sets temperature and molecular viscosity in the cells and the first ring
// of ghosts.
func (b *block) refresh() {
	v := b.visc
	b.slabs(func(_ *scratch, k0, k1 int) {
		k0, k1 = widened(k0, k1, b.n[2])
		for k := k0; k < k1; k++ {
			for j := -1; j <= b.n[1]; j++ {
				o, n := b.at(-1, j, k), b.n[0]+2
				rho, p, t, mu := b.q[0][o:o+n], b.q[4][o:o+n], v.t[o:o+n], v.mu[o:o+n]
				for i := range t {
					t[i] = p[i] / rho[i]
				}
				v.law.line(mu, t)
			}
		}
	})
}

// viscousLine is scratch for a line of faces: the metric of the gradients, then the gradients of Vx, Vy, Vz and T.
type viscousLine struct {
	m [3][3][]float64 // area over volume, of direction, component
	g [4][3][]float64
}

func newViscousLine(n int) *viscousLine {
	w := &viscousLine{}
	for a := range 3 {
		for c := range 3 {
			w.m[a][c] = make([]float64, n)
		}
	}
	for a := range 4 {
		for c := range 3 {
			w.g[a][c] = make([]float64, n)
		}
	}
	return w
}

// viscous computes the viscous fluxes of n faces of direction d and adds them to
// w.line.f; they stay in w.line.fv. The gradient at a face is that of the
// curvilinear coordinates,
//
//	grad phi = (dphi/dxi S_xi + dphi/deta S_eta + dphi/dzeta S_zeta)/vol
//
// with the difference across the face and means of central differences along it:
// all terms, second order on smooth meshes.
func (b *block) viscous(w *scratch, d, o, n int) {
	s := b.stride[d]
	e, f := (d+1)%3, (d+2)%3
	m, vl := b.metric, w.visc
	if avx2 {
		b.viscousWhole(w.line, d, o, n)
		return
	}
	for c := range 3 {
		copy(vl.m[0][c][:n], m.s[d][c][o:o+n])
		meanArea(vl.m[1][c][:n], m.s[e][c][o:], m.s[e][c][o+b.stride[e]:], m.s[e][c][o-s:], m.s[e][c][o-s+b.stride[e]:])
		meanArea(vl.m[2][c][:n], m.s[f][c][o:], m.s[f][c][o+b.stride[f]:], m.s[f][c][o-s:], m.s[f][c][o-s+b.stride[f]:])
	}
	overVolume(vl, n, b.vol[o-s:], b.vol[o:])
	for x, q := range [4][]float64{b.q[1], b.q[2], b.q[3], b.visc.t} {
		vl.gradient(x, n, q, o, s, b.stride[e], b.stride[f])
	}
	v := b.visc
	w.line.stress(vl, n, b.gamma, v.pr, v.prt,
		m.s[d][0][o:], m.s[d][1][o:], m.s[d][2][o:], v.mu[o-s:], v.mu[o:], v.mt[o-s:], v.mt[o:], &b.q, o, s)
}

// viscousWhole is viscous in a single kernel, which keeps metric and gradients in registers.
func (b *block) viscousWhole(l *line, d, o, n int) {
	e, f := (d+1)%3, (d+2)%3
	s, se, sf := b.stride[d], b.stride[e], b.stride[f]
	below := s + max(se, sf)
	m, v, lo, hi := b.metric, b.visc, o-below, o+n+below
	cp := b.gamma / (b.gamma - 1)
	viscousAVX2(n, &[14][]float64{
		m.s[d][0][lo:hi], m.s[d][1][lo:hi], m.s[d][2][lo:hi],
		m.s[e][0][lo:hi], m.s[e][1][lo:hi], m.s[e][2][lo:hi],
		m.s[f][0][lo:hi], m.s[f][1][lo:hi], m.s[f][2][lo:hi],
		b.vol[lo:hi], b.q[1][lo:hi], b.q[2][lo:hi], b.q[3][lo:hi], v.t[lo:hi],
	}, &[9][]float64{
		l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n],
		l.fv[0][:n], l.fv[1][:n], l.fv[2][:n], l.fv[3][:n], l.fv[4][:n],
	}, &[4][]float32{
		v.mu[o-s : o-s+n], v.mt[o-s : o-s+n], v.mu[o : o+n], v.mt[o : o+n],
	}, below, s, se, sf, cp/v.pr, cp/v.prt)
}

func meanArea(out, a, b, c, d []float64) {
	n := len(out)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	for i := range out {
		out[i] = 0.25 * (a[i] + b[i] + c[i] + d[i])
	}
}

func overVolume(w *viscousLine, n int, lo, hi []float64) {
	lo, hi = lo[:n], hi[:n]
	for a := range 3 {
		x, y, z := w.m[a][0][:n], w.m[a][1][:n], w.m[a][2][:n]
		for i := range x {
			inv := 2 / (lo[i] + hi[i])
			x[i] *= inv
			y[i] *= inv
			z[i] *= inv
		}
	}
}

func (w *viscousLine) gradient(v, n int, q []float64, o, s, e, f int) {
	hi, lo := q[o:o+n], q[o-s:o-s+n]
	a, b, c, d := q[o+e:o+e+n], q[o-e:o-e+n], q[o-s+e:o-s+e+n], q[o-s-e:o-s-e+n]
	g, h, k, l := q[o+f:o+f+n], q[o-f:o-f+n], q[o-s+f:o-s+f+n], q[o-s-f:o-s-f+n]
	gx, gy, gz := w.g[v][0][:n], w.g[v][1][:n], w.g[v][2][:n]
	m0, m1, m2 := w.m[0][0][:n], w.m[1][0][:n], w.m[2][0][:n]
	m3, m4, m5 := w.m[0][1][:n], w.m[1][1][:n], w.m[2][1][:n]
	m6, m7, m8 := w.m[0][2][:n], w.m[1][2][:n], w.m[2][2][:n]
	for i := range hi {
		x := hi[i] - lo[i]
		y := 0.25 * (a[i] - b[i] + c[i] - d[i])
		z := 0.25 * (g[i] - h[i] + k[i] - l[i])
		gx[i] = x*m0[i] + y*m1[i] + z*m2[i]
		gy[i] = x*m3[i] + y*m4[i] + z*m5[i]
		gz[i] = x*m6[i] + y*m7[i] + z*m8[i]
	}
}

// stress turns gradients into the fluxes of momentum, heat and the stresses' work,
//
//	tau = mu (grad V + grad V^T - 2/3 div V),  Fv = (0, tau.S, (tau.V + kappa grad T).S)
func (l *line) stress(w *viscousLine, n int, gamma, pr, prt float64, sx, sy, sz []float64, mu0, mu1, mt0,
	mt1 []float32, q *[5][]float64, o, s int) {
	sx, sy, sz = sx[:n], sy[:n], sz[:n]
	mu0, mu1, mt0, mt1 = mu0[:n], mu1[:n], mt0[:n], mt1[:n]
	u0, u1 := q[1][o-s:o-s+n], q[1][o:o+n]
	v0, v1 := q[2][o-s:o-s+n], q[2][o:o+n]
	w0, w1 := q[3][o-s:o-s+n], q[3][o:o+n]
	ux, uy, uz := w.g[0][0][:n], w.g[0][1][:n], w.g[0][2][:n]
	vx, vy, vz := w.g[1][0][:n], w.g[1][1][:n], w.g[1][2][:n]
	wx, wy, wz := w.g[2][0][:n], w.g[2][1][:n], w.g[2][2][:n]
	tx, ty, tz := w.g[3][0][:n], w.g[3][1][:n], w.g[3][2][:n]
	f1, f2, f3, f4 := l.f[1][:n], l.f[2][:n], l.f[3][:n], l.f[4][:n]
	z0, z1, z2, z3, z4 := l.fv[0][:n], l.fv[1][:n], l.fv[2][:n], l.fv[3][:n], l.fv[4][:n]
	cp := gamma / (gamma - 1)
	kl, kt := cp/pr, cp/prt
	for i := range sx {
		lam, eddy := 0.5*(float64(mu0[i])+float64(mu1[i])), 0.5*(float64(mt0[i])+float64(mt1[i]))
		mu, kappa := lam+eddy, kl*lam+kt*eddy
		x, y, z := sx[i], sy[i], sz[i]
		div := (2.0 / 3) * (ux[i] + vy[i] + wz[i])
		xy, xz, yz := uy[i]+vx[i], uz[i]+wx[i], vz[i]+wy[i]
		a := mu * ((2*ux[i]-div)*x + xy*y + xz*z)
		b := mu * (xy*x + (2*vy[i]-div)*y + yz*z)
		c := mu * (xz*x + yz*y + (2*wz[i]-div)*z)
		e := 0.5*((u0[i]+u1[i])*a+(v0[i]+v1[i])*b+(w0[i]+w1[i])*c) + kappa*(tx[i]*x+ty[i]*y+tz[i]*z)
		z0[i], z1[i], z2[i], z3[i], z4[i] = 0, -a, -b, -c, -e
		f1[i] -= a
		f2[i] -= b
		f3[i] -= c
		f4[i] -= e
	}
}

// sutherland is air's viscosity law (US Standard Atmosphere 1976, eq. 51),
// mu = 1.458e-6 T^1.5/(T + 110.4) Pa s, in units of mu0 over temperatures in units
// of t0: c t^1.5/(t + s).
type sutherland struct{ c, s float64 }

func newSutherland(mu0, t0 float64) sutherland {
	return sutherland{1.458e-6 * math.Sqrt(t0) / mu0, 110.4 / t0}
}

func (l sutherland) at(t float64) float64 { return l.c * t * math.Sqrt(t) / (t + l.s) }

func (l sutherland) line(mu []float32, t []float64) {
	if avx2 {
		sutherlandAVX2(len(t), &[1][]float64{t}, &[1][]float32{mu}, l.c, l.s)
		return
	}
	for i, x := range t {
		mu[i] = float32(l.at(x))
	}
}
