package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// plane holds the state on the faces of the inlet or the exit plane and the fluxes that follow from it.
type plane struct {
	ro, vz, vr, vt, p []float64 // vt is r Vtheta
	rc, a             []float64 // face radius, m; face area per radian, m2
	flux              [5][]float64
}

func newPlane(m *mesh, i int) *plane {
	b := &plane{rc: make([]float64, m.nr), a: make([]float64, m.nr)}
	for _, v := range []*[]float64{&b.ro, &b.vz, &b.vr, &b.vt, &b.p} {
		*v = make([]float64, m.nr)
	}
	for v := range b.flux {
		b.flux[v] = make([]float64, m.nr)
	}
	for j := range m.nr {
		n := i*(m.nr+1) + j
		b.rc[j] = (m.r[n] + m.r[n+1]) / 2
		b.a[j] = math.Hypot(m.siz[i*m.nr+j], m.sir[i*m.nr+j])
	}
	return b
}

// fluxes sets the fluxes of the plane's state through the faces of node line i.
func (b *plane) fluxes(m *mesh, i int, gas march.Gas) {
	for j := range m.nr {
		sz, sr := m.siz[i*m.nr+j], m.sir[i*m.nr+j]
		q := b.vz[j]*sz + b.vr[j]*sr
		w := b.vt[j] / b.rc[j]
		h := gas.Gamma/(gas.Gamma-1)*b.p[j]/b.ro[j] + (b.vz[j]*b.vz[j]+b.vr[j]*b.vr[j]+w*w)/2
		f := b.ro[j] * q
		b.flux[0][j] = f
		b.flux[1][j] = f*b.vz[j] + b.p[j]*sz
		b.flux[2][j] = f*b.vr[j] + b.p[j]*sr
		b.flux[3][j] = f * b.vt[j]
		b.flux[4][j] = f * h
	}
}

// W returns the mass flow through the plane, kg/s.
func (b *plane) W() float64 {
	s := 0.0
	for _, f := range b.flux[0] {
		s += f
	}
	return 2 * math.Pi * s
}

// reservoir is the inlet condition on the mesh's inlet faces.
type reservoir struct {
	pt, tt, swirl []float64 // total pressure, total temperature, tan(Alpha)
	dz, dr        []float64 // flow direction in the meridional plane
}

func newReservoir(c *Case, m *mesh) *reservoir {
	v := &reservoir{}
	total := 0.0
	for j := range m.nr {
		total += m.siz[j]
	}
	sum := 0.0
	for j := range m.nr {
		span := (sum + m.siz[j]/2) / total
		sum += m.siz[j]
		v.pt = append(v.pt, profile(c.Inlet.Span, c.Inlet.Pt, span))
		v.tt = append(v.tt, profile(c.Inlet.Span, c.Inlet.Tt, span))
		swirl := 0.0
		if len(c.Inlet.Alpha) > 0 {
			swirl = math.Tan(profile(c.Inlet.Span, c.Inlet.Alpha, span))
		}
		v.swirl = append(v.swirl, swirl)
		n := m.nr + 1
		z := m.z[n+j] - m.z[j] + m.z[n+j+1] - m.z[j+1]
		r := m.r[n+j] - m.r[j] + m.r[n+j+1] - m.r[j+1]
		l := math.Hypot(z, r)
		v.dz, v.dr = append(v.dz, z/l), append(v.dr, r/l)
	}
	return v
}

// profile interpolates linearly and holds the end values beyond the ends.
func profile(x, y []float64, at float64) float64 {
	if len(x) == 0 || at <= x[0] {
		return y[0]
	}
	for k := 1; k < len(x); k++ {
		if at <= x[k] {
			t := (at - x[k-1]) / (x[k] - x[k-1])
			return (1-t)*y[k-1] + t*y[k]
		}
	}
	return y[len(y)-1]
}

// inflow sets the inlet plane's state: total pressure, total temperature and
// direction from outside, the Riemann invariant u - 2a/(gamma-1) of the wave that
// leaves the domain from inside. With Vm along the direction d, swirl t = tan
// alpha, and a^2 = a0^2 - (gamma-1)/2 Vm^2 (1 + t^2), this is a quadratic in Vm.
func (v *reservoir) inflow(b *plane, m *mesh, f *field, gas march.Gas) {
	g := (gas.Gamma - 1) / 2
	for j := range b.p {
		k := f.at(0, j)
		nz, nr := m.siz[j]/b.a[j], m.sir[j]/b.a[j]
		a := math.Sqrt(gas.Gamma * f.p[k] / f.ro[k])
		riemann := f.vz[k]*nz + f.vr[k]*nr - a/g
		dn := v.dz[j]*nz + v.dr[j]*nr
		t := v.swirl[j]
		a0 := gas.Gamma * gas.R * v.tt[j]
		qa := g*g*dn*dn + g*(1+t*t)
		qb := -2 * g * g * dn * riemann
		qc := g*g*riemann*riemann - a0
		vm := max((-qb+math.Sqrt(max(qb*qb-4*qa*qc, 0)))/(2*qa), 0)
		ts := v.tt[j] * (1 - g*vm*vm*(1+t*t)/a0)
		b.p[j] = v.pt[j] * math.Pow(max(ts/v.tt[j], 1e-3), gas.Gamma/(gas.Gamma-1))
		b.ro[j] = b.p[j] / (gas.R * ts)
		b.vz[j], b.vr[j] = vm*v.dz[j], vm*v.dr[j]
		b.vt[j] = vm * t * b.rc[j]
	}
}

// outflow sets the exit plane's state: the static pressure ps at the given height and radial equilibrium from there;
// entropy, r Vtheta, and the invariant that reaches the plane from inside. A supersonic cell keeps its own pressure.
func outflow(b *plane, m *mesh, f *field, gas march.Gas, ps float64, at march.Height) {
	nr := m.nr
	last := m.nz * nr
	swirl := func(j int) float64 { // dp/dr
		k := f.at(m.nz-1, j)
		return f.ro[k] * f.vt[k] * f.vt[k] / (b.rc[j] * b.rc[j] * b.rc[j])
	}
	n := m.nz * (nr + 1)
	hub, casing := m.r[n], m.r[n+nr]
	b.p[0] = (b.rc[0] - hub) * swirl(0)
	for j := 1; j < nr; j++ {
		b.p[j] = b.p[j-1] + (b.rc[j]-b.rc[j-1])*(swirl(j)+swirl(j-1))/2
	}
	ref := 0.0 // the level at the hub wall
	switch at {
	case march.Casing:
		ref = b.p[nr-1] + (casing-b.rc[nr-1])*swirl(nr-1)
	case march.Mid:
		ref = profile(b.rc, b.p, (hub+casing)/2)
	}
	for j := range nr {
		k := f.at(m.nz-1, j)
		sz, sr := m.siz[last+j]/b.a[j], m.sir[last+j]/b.a[j]
		a := math.Sqrt(gas.Gamma * f.p[k] / f.ro[k])
		p := b.p[j] + ps - ref
		if f.vz[k]*sz+f.vr[k]*sr >= a {
			p = f.p[k]
		}
		p = max(p, 0.01*ps)
		du := (f.p[k] - p) / (f.ro[k] * a)
		b.p[j] = p
		b.ro[j] = f.ro[k] * math.Pow(p/f.p[k], 1/gas.Gamma)
		b.vz[j], b.vr[j], b.vt[j] = f.vz[k]+du*sz, f.vr[k]+du*sr, f.vt[k]
	}
}
