package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// rowForce is a blade row on a mesh: its turning of the flow, its entropy rise, and its force on the flow.
//
// Along each mesh line the angular momentum changes from its value ahead of the leading edge to that of the flow that
// leaves at metal angle plus deviation,
//
//	rVtheta(s) = rVtheta_1 + g(s) (rVtheta_2 - rVtheta_1),  g = 3s^2 - 2s^3,
//
// with s the fraction of the meridional chord; the load is zero at the edges, so that incidence needs no jump there.
// The moment for this change is the imbalance of the scheme's own angular momentum. It acts through two forces:
//
//	dissipative, against the relative velocity W: f_d = - rho T (Vm/W^2) (ds/dm) W
//	(Horlock, ASME J. Basic Eng. 93, 1971, p. 641; Hirsch and Warzee, ASME J.
//	Fluids Eng. 98, 1976, p. 403), and
//	normal to W: its part along Vm follows from f_n.W = 0, its part normal to
//	the stream surface from the camber surface's lean.
//
// Both do the work omega r f_theta. If the passage cannot pass the arriving flow, entropy is added behind its throat
// until it can: see choke.
type rowForce struct {
	span
	omega float64 // of the row, rad/s
	nr    int
	geo   []cascade // per line

	// Per cell of the row, index (i-lo)*nr+j.
	turn   []float64 // g
	rise   []float64 // share of the entropy rise a metre, 1/m
	behind []float64 // share of the choking entropy a metre, 1/m
	lean   []float64 // -r dtheta/dq of the camber surface, with the row's sign

	// Per line: the present targets of turning and loss. They follow the correlations with under-relaxation and are
	// part of a Solution.
	vt1, vt2, ds, dsChoke []float64

	follow float64   // relaxation factor of dsChoke
	power  float64   // given to the flow at the last evaluation, W
	throat []int     // i-face whose cells surround the throat
	local  []float64 // mass flux through the throat over the greatest possible, per line
	load   []float64 // the same, averaged; see choke

	// Last evaluation of the correlations, for results.
	tri  []triangle
	inc  []float64 // incidence, rad
	dev  []float64 // deviation, rad
	loss []losses
}

func newRowForce(m *mesh, s span, n float64) *rowForce {
	f := &rowForce{span: s, nr: m.nr, follow: chokeShare}
	if s.row.Rotating {
		f.omega = n * math.Pi / 30
	}
	cells := (s.hi - s.lo) * m.nr
	f.turn, f.rise, f.behind, f.lean = make([]float64, cells), make([]float64, cells), make([]float64,
		cells), make([]float64, cells)
	for _, v := range []*[]float64{&f.vt1, &f.vt2, &f.ds, &f.dsChoke, &f.load, &f.local, &f.inc, &f.dev} {
		*v = make([]float64, m.nr)
	}
	f.tri, f.loss = make([]triangle, m.nr), make([]losses, m.nr)
	for j := range m.nr {
		w := wrap(m.lines, s.number, (float64(j)+0.5)/float64(m.nr))
		f.geo = append(f.geo, w.cascade(s.row))
		f.line(m, j)
	}
	f.leans(m)
	return f
}

// line sets the shares of the cells of line j.
func (f *rowForce) line(m *mesh, j int) {
	n := f.hi - f.lo
	at := make([]float64, n+1) // meridional length of the cells' ends
	for i := range n {
		a, b := m.middle(f.lo+i, j), m.middle(f.lo+i+1, j)
		at[i+1] = at[i] + math.Hypot(b[0]-a[0], b[1]-a[1])
	}
	length := at[n]
	t := min(f.geo[j].throatAt, 1-2.5/float64(n))
	face := int(math.Round(t * float64(n)))
	f.throat = append(f.throat, f.lo+max(face, 1))
	t = at[max(face, 1)] / length
	for i := range n {
		c := i*f.nr + j
		s0, s1 := at[i]/length, at[i+1]/length
		f.turn[c] = step((s0 + s1) / 2)
		f.rise[c] = (step(s1) - step(s0)) / (at[i+1] - at[i])
		back := func(s float64) float64 { return step((s - t) / (1 - t)) }
		f.behind[c] = (back(s1) - back(s0)) / (at[i+1] - at[i])
	}
}

// middle returns the midpoint of the i-face of line j.
func (m *mesh) middle(i, j int) [2]float64 {
	k := i*(m.nr+1) + j
	return [2]float64{(m.z[k] + m.z[k+1]) / 2, (m.r[k] + m.r[k+1]) / 2}
}

// leans measures the camber surface's slope across the stream, q being normal to
// the mesh lines and growing with the radius.
func (f *rowForce) leans(m *mesh) {
	for i := f.lo; i < f.hi; i++ {
		for j := range m.nr {
			c := i*m.nr + j
			a, b := m.middle(i, j), m.middle(i+1, j)
			l := math.Hypot(b[0]-a[0], b[1]-a[1])
			dz, dr := -(b[1]-a[1])/l, (b[0]-a[0])/l
			const h = 1e-4
			up := f.row.At(m.zc[c]+h*dz, m.rc[c]+h*dr).Theta
			down := f.row.At(m.zc[c]-h*dz, m.rc[c]-h*dr).Theta
			f.lean[(i-f.lo)*m.nr+j] = -m.rc[c] * (up - down) / (2 * h) * f.geo[j].sign
		}
	}
}

// force turns the residual of the bare Euler equations into that with the blades: the angular-momentum equation of the
// row's cells is replaced by the prescribed swirl, and its imbalance is the moment on the flow,
//
//	M = res(rho r Vtheta) - r Vtheta res(rho).
func (f *rowForce) force(m *mesh, u *field, q *residual, gas march.Gas) {
	nr := f.nr
	total := 0.0
	for i := f.lo; i < f.hi; i++ {
		o, c, b := u.at(i, 0), i*nr, (i-f.lo)*nr
		for j := range nr {
			k, cell := o+j, c+j
			r := m.rc[cell]
			vz, vr, vt := u.vz[k], u.vr[k], u.vt[k]
			moment := q.res[3][cell] + q.dis[3][cell] - vt*(q.res[0][cell]+q.dis[0][cell])
			wt := vt/r - f.omega*r
			vm2 := vz*vz + vr*vr
			w2 := vm2 + wt*wt
			vm := math.Sqrt(vm2)
			dsdm := f.ds[j]*f.rise[b+j] + f.dsChoke[j]*f.behind[b+j]
			drag := 0.0 // f_d = -drag W
			if vz > 0 {
				drag = m.vol[cell] * u.p[k] / gas.R * vm / w2 * dsdm
			}
			normal := moment/r + drag*wt // theta part of the normal force
			along, across := 0.0, 0.0
			if vm2 > 0.01*w2 {
				along, across = -normal*wt/vm2, normal*f.lean[b+j]/vm
			}
			q.res[1][cell] -= along*vz - drag*vz - across*vr
			q.res[2][cell] -= along*vr - drag*vr + across*vz
			q.res[4][cell] -= f.omega * moment
			total += moment
			q.res[3][cell] = vt*(q.res[0][cell]+q.dis[0][cell]) - q.dis[3][cell]
		}
	}
	f.power = 2 * math.Pi * f.omega * total
}

// impose gives the row's cells their prescribed angular momentum, at unchanged pressure: the change of kinetic energy
// is the blades' work.
func (f *rowForce) impose(m *mesh, u *field) {
	for i := f.lo; i < f.hi; i++ {
		o, c, b := u.at(i, 0), i*f.nr, (i-f.lo)*f.nr
		for j := range f.nr {
			k, r := o+j, m.rc[c+j]
			mt := u.ro[k] * (f.vt1[j] + f.turn[b+j]*(f.vt2[j]-f.vt1[j]))
			u.en[k] += (mt*mt - u.mt[k]*u.mt[k]) / (2 * u.ro[k] * r * r)
			u.mt[k] = mt
		}
	}
}

// aim evaluates the correlations with the flow ahead of and behind the row and
// moves the prescribed turning and entropy rise towards them by the share relax.
func (f *rowForce) aim(m *mesh, u *field, gas march.Gas, cal Calibration, relax float64) {
	for j := range f.nr {
		g, t := &f.geo[j], &f.tri[j]
		f.meet(m, u, j, gas)
		f.inc[j] = t.beta1 - g.kappa1
		ref := g.incidence(t.beta1, t.m1)
		f.dev[j] = g.deviation(f.inc[j], ref, t.beta1) + cal.Deviation
		t.beta2 = min(g.kappa2+f.dev[j], 85*degree)
		wt2 := g.sign * t.vm2 * math.Tan(t.beta2)
		t.w2 = math.Hypot(t.vm2, wt2)
		vt2 := g.r2 * (wt2 + f.omega*g.r2)
		t.work = math.Abs(vt2 - f.vt1[j])
		f.vt2[j] += relax * (vt2 - f.vt2[j])
		f.loss[j] = g.loss(t, f.inc[j], ref)
		f.ds[j] += relax * (f.entropy(j, gas, f.loss[j].total()*(1+cal.Loss)) - f.ds[j])
	}
	f.choke(m, u, gas)
}

// meet reads the flow ahead of and behind the row on line j, in the row's frame.
// Reversed flow counts as nearly none.
func (f *rowForce) meet(m *mesh, u *field, j int, gas march.Gas) {
	const least = 1e-3 // m/s
	a, b := u.at(f.lo-1, j), u.at(f.hi, j)
	g, t := &f.geo[j], &f.tri[j]
	r1 := m.rc[(f.lo-1)*f.nr+j]
	f.vt1[j] = u.vt[a]
	t.gas, t.p1, t.t1 = gas, u.p[a], u.p[a]/(u.ro[a]*gas.R)
	t.vm1 = max(math.Hypot(u.vz[a], u.vr[a]), least)
	t.vm2 = least
	if u.vz[b] > 0 {
		t.vm2 = max(math.Hypot(u.vz[b], u.vr[b]), least)
	}
	wt1 := u.vt[a]/r1 - f.omega*r1
	t.beta1 = math.Atan2(g.sign*wt1, t.vm1)
	t.w1 = math.Hypot(t.vm1, wt1)
	t.m1 = t.w1 / math.Sqrt(gas.Gamma*gas.R*t.t1)
	t.height = u.ro[b] * t.vm2 * g.r2 / (u.ro[a] * t.vm1 * r1)
	t.reynolds = u.ro[a] * t.w1 * g.chord / viscosity(t.t1)
}

// entropy returns the entropy rise, J/(kg K), of the loss coefficient w on line j:
// with rothalpy conserved, Pt2 = Pt1 (Tt2/Tt1)^(gamma/(gamma-1)) - w (Pt1 - p1)
// in the row's frame.
func (f *rowForce) entropy(j int, gas march.Gas, w float64) float64 {
	g, t := &f.geo[j], &f.tri[j]
	cp := gas.Cp()
	tt1 := t.t1 + t.w1*t.w1/(2*cp)
	tt2 := tt1 + f.omega*f.omega*(g.r2*g.r2-g.r1*g.r1)/(2*cp)
	e := gas.Gamma / (gas.Gamma - 1)
	pt1 := t.p1 * math.Pow(tt1/t.t1, e)
	ideal := pt1 * math.Pow(tt2/tt1, e)
	return -gas.R * math.Log(max(1-w*(pt1-t.p1)/ideal, 0.2))
}
