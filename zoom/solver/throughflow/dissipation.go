package throughflow

import "math"

// Dissipation is the artificial dissipation of Jameson, Schmidt and Turkel (AIAA 81-1259): third
// differences everywhere, first differences at shocks, switched by the pressure's
// second difference. The energy equation uses rho H, so that uniform total
// enthalpy stays uniform. Scaled by the spectral radius along each direction,
// raised where cells are slender (Martinelli, PhD thesis, Princeton 1987).
type Dissipation struct {
	First float64 // share of first differences, default 0.5
	Third float64 // of third differences, default 1/32
}

// radii sets the cells' sound speed and spectral radii |V.S| + c|S| along i and j.
func (q *residual) radii(m *mesh, f *field, gamma float64) {
	nr := m.nr
	for i := range m.nz {
		o, c := f.at(i, 0), i*nr
		p, ro, vz, vr := f.p[o:o+nr], f.ro[o:o+nr], f.vz[o:o+nr], f.vr[o:o+nr]
		inz, inr, ia := m.inz[c:c+nr], m.inr[c:c+nr], m.ia[c:c+nr]
		jnz, jnr, ja := m.jnz[c:c+nr], m.jnr[c:c+nr], m.ja[c:c+nr]
		li, lj, a := q.li[c:c+nr], q.lj[c:c+nr], q.a[c:c+nr]
		for j := range p {
			a[j] = math.Sqrt(gamma * p[j] / ro[j])
			li[j] = (math.Abs(vz[j]*inz[j]+vr[j]*inr[j]) + a[j]) * ia[j]
			lj[j] = (math.Abs(vz[j]*jnz[j]+vr[j]*jnr[j]) + a[j]) * ja[j]
		}
	}
}

// switches sets the dissipation coefficients of all inner faces. It needs radii.
func (q *residual) switches(m *mesh, f *field) {
	nz, nr, s := m.nz, m.nr, f.stride
	k2, k4 := q.damping.First, q.damping.Third
	sensor := func(k, step int) float64 {
		a, b, c := f.p[k-step], f.p[k], f.p[k+step]
		return math.Abs(a-2*b+c) / (a + 2*b + c)
	}
	for k, li := range q.li {
		both := math.Sqrt(li * q.lj[k])
		q.mi[k], q.mj[k] = li+both, q.lj[k]+both
	}
	for i := 1; i < nz; i++ {
		for j := range nr {
			k, c := f.at(i, j), i*nr+j
			nu := max(sensor(k-s, s), sensor(k, s))
			l := (q.mi[c-nr] + q.mi[c]) / 2
			e2 := min(k2*nu, 0.25)
			q.c2i[c], q.c4i[c] = l*e2, l*max(k4-e2, 0)
		}
	}
	for i := range nz {
		for j := 1; j < nr; j++ {
			k, c := f.at(i, j), i*nr+j
			nu := max(sensor(k-1, 1), sensor(k, 1))
			l := (q.mj[c-1] + q.mj[c]) / 2
			e2 := min(k2*nu, 0.25)
			q.c2j[i*(nr+1)+j], q.c4j[i*(nr+1)+j] = l*e2, l*max(k4-e2, 0)
		}
	}
}

// dissipate sets dis to the dissipation of f, with the sign of a residual.
func (q *residual) dissipate(m *mesh, f *field) {
	for v, u := range [5][]float64{f.ro, f.mz, f.mr, f.mt, f.h} {
		dis := q.dis[v]
		clear(dis)
		for i := 1; i < m.nz; i++ {
			q.acrossI(m, f, u, dis, i)
		}
		for i := range m.nz {
			q.acrossJ(m, f, u, dis, i)
		}
	}
}

func (q *residual) acrossI(m *mesh, f *field, u, dis []float64, i int) {
	nr, s, c := m.nr, f.stride, i*m.nr
	o := f.at(i, 0)
	uLL, uL, uR, uRR := u[o-2*s:o-2*s+nr], u[o-s:o-s+nr], u[o:o+nr], u[o+s:o+s+nr]
	c2, c4 := q.c2i[c:c+nr], q.c4i[c:c+nr]
	a, b := dis[c-nr:c], dis[c:c+nr]
	for j := range c2 {
		first := uR[j] - uL[j]
		d := c2[j]*first - c4[j]*(uRR[j]-uLL[j]-3*first)
		a[j] -= d
		b[j] += d
	}
}

func (q *residual) acrossJ(m *mesh, f *field, u, dis []float64, i int) {
	nr := m.nr
	n := nr - 1
	o, s, c := f.at(i, 0), i*(nr+1)+1, i*nr
	c2, c4 := q.c2j[s:s+n], q.c4j[s:s+n]
	w := u[o+2 : o+2+n] // u two cells beyond the left one of each face
	a := dis[c : c+n]
	uLL, uL, uR := u[o-1], u[o], u[o+1]
	before := 0.0
	for j := range c2 {
		uRR := w[j]
		first := uR - uL
		d := c2[j]*first - c4[j]*(uRR-uLL-3*first)
		a[j] -= d - before
		before = d
		uLL, uL, uR = uL, uR, uRR
	}
	dis[c+n] += before
}
