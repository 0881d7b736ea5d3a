package throughflow

// The residual of the axisymmetric Euler equations with blockage, the kernel in which a run spends its time. Per cell
// and radian
//
//	vol dU/dt = -res,  U = b r (rho, rho Vz, rho Vr, rho r Vtheta, rho E)
//	res = sum over faces F.S  -  (0, p Cz, p Cr + rho Vtheta^2 vol/r, 0, 0)
//
// with S = (face length) x (mean r) x (mean b) and C = sum of S. p C is the pressure on the surfaces that close the
// ring: the side walls of a sector (axisymmetry) and the blades' surfaces (blockage); in this form gas at rest stays at
// rest to round-off on any mesh. Fluxes are central (Jameson, Schmidt and Turkel, AIAA 81-1259); the artificial
// dissipation comes from dissipate.

// residual holds five arrays over the interior cells, index i*nr+j, and the kernels' common arrays.
type residual struct {
	res [5][]float64 // fluxes and sources
	dis [5][]float64 // artificial dissipation

	a        []float64 // sound speed of the cells, m/s
	li, lj   []float64 // their spectral radii, m3/s per radian
	mi, mj   []float64 // radii for the dissipation, raised in slender cells
	c2i, c4i []float64 // coefficients of the i-faces, index i*nr+j
	c2j, c4j []float64 // of the j-faces, index i*(nr+1)+j
	damping  Dissipation
}

func newResidual(nz, nr int) *residual {
	r := &residual{}
	for v := range 5 {
		r.res[v] = make([]float64, nz*nr)
		r.dis[v] = make([]float64, nz*nr)
	}
	for _, p := range []*[]float64{&r.a, &r.li, &r.lj, &r.mi, &r.mj} {
		*p = make([]float64, nz*nr)
	}
	r.c2i, r.c4i = make([]float64, (nz+1)*nr), make([]float64, (nz+1)*nr)
	r.c2j, r.c4j = make([]float64, nz*(nr+1)), make([]float64, nz*(nr+1))
	return r
}

// convect sets res to the fluxes and sources of f, with the boundary fluxes of
// the inlet and exit planes given (five values a cell row, V-major).
func (q *residual) convect(m *mesh, f *field, in, out *[5][]float64) {
	nz, nr := m.nz, m.nr
	q.sources(m, f)
	for i := 1; i < nz; i++ {
		q.iFaces(m, f, i)
	}
	for v := range 5 {
		res := q.res[v]
		first, last := res[:nr], res[(nz-1)*nr:nz*nr]
		a, b := in[v][:nr], out[v][:nr]
		for j := range first {
			first[j] -= a[j]
			last[j] += b[j]
		}
	}
	for i := range nz {
		q.jFaces(m, f, i)
		q.walls(m, f, i)
	}
}

// sources starts the residual with the source terms.
func (q *residual) sources(m *mesh, f *field) {
	nr := m.nr
	for i := range m.nz {
		o, c := f.at(i, 0), i*nr
		ro, p, vt := f.ro[o:o+nr], f.p[o:o+nr], f.vt[o:o+nr]
		cz, cr, vol, rc := m.cz[c:c+nr], m.cr[c:c+nr], m.vol[c:c+nr], m.rc[c:c+nr]
		r0, r1, r2, r3, r4 := q.res[0][c:c+nr], q.res[1][c:c+nr], q.res[2][c:c+nr], q.res[3][c:c+nr], q.res[4][c:c+nr]
		for j := range ro {
			inv := 1 / rc[j]
			r0[j], r3[j], r4[j] = 0, 0, 0
			r1[j] = -p[j] * cz[j]
			r2[j] = -p[j]*cr[j] - ro[j]*vt[j]*vt[j]*vol[j]*inv*inv*inv
		}
	}
}

// iFaces adds the fluxes through the faces between the cells of rows i-1 and i.
func (q *residual) iFaces(m *mesh, f *field, i int) {
	nr := m.nr
	c, s := i*nr, f.stride
	o := f.at(i, 0)
	u := o - s
	sz, sr := m.siz[c:c+nr], m.sir[c:c+nr]
	roL, mzL, mrL, mtL, hL := f.ro[u:u+nr], f.mz[u:u+nr], f.mr[u:u+nr], f.mt[u:u+nr], f.h[u:u+nr]
	roR, mzR, mrR, mtR, hR := f.ro[o:o+nr], f.mz[o:o+nr], f.mr[o:o+nr], f.mt[o:o+nr], f.h[o:o+nr]
	vzL, vrL, pL := f.vz[u:u+nr], f.vr[u:u+nr], f.p[u:u+nr]
	vzR, vrR, pR := f.vz[o:o+nr], f.vr[o:o+nr], f.p[o:o+nr]
	a0, a1, a2, a3, a4 := q.res[0][c-nr:c], q.res[1][c-nr:c], q.res[2][c-nr:c], q.res[3][c-nr:c], q.res[4][c-nr:c]
	b0, b1, b2, b3, b4 := q.res[0][c:c+nr], q.res[1][c:c+nr], q.res[2][c:c+nr], q.res[3][c:c+nr], q.res[4][c:c+nr]
	for j := range sz {
		qL := (vzL[j]*sz[j] + vrL[j]*sr[j]) * 0.5
		qR := (vzR[j]*sz[j] + vrR[j]*sr[j]) * 0.5
		p := (pL[j] + pR[j]) * 0.5
		f0 := roL[j]*qL + roR[j]*qR
		f1 := mzL[j]*qL + mzR[j]*qR + p*sz[j]
		f2 := mrL[j]*qL + mrR[j]*qR + p*sr[j]
		f3 := mtL[j]*qL + mtR[j]*qR
		f4 := hL[j]*qL + hR[j]*qR
		a0[j] += f0
		b0[j] -= f0
		a1[j] += f1
		b1[j] -= f1
		a2[j] += f2
		b2[j] -= f2
		a3[j] += f3
		b3[j] -= f3
		a4[j] += f4
		b4[j] -= f4
	}
}

// jFaces adds the fluxes through the faces between the cells of row i. The flux
// of a face is carried along, so that each cell is written once.
func (q *residual) jFaces(m *mesh, f *field, i int) {
	nr := m.nr
	n := nr - 1
	c, o, s := i*nr, f.at(i, 0), i*(nr+1)+1
	sz, sr := m.sjz[s:s+n], m.sjr[s:s+n]
	ro, mz, mr, mt, h := f.ro[o+1:o+nr], f.mz[o+1:o+nr], f.mr[o+1:o+nr], f.mt[o+1:o+nr], f.h[o+1:o+nr]
	vz, vr, p := f.vz[o+1:o+nr], f.vr[o+1:o+nr], f.p[o+1:o+nr]
	a0, a1, a2, a3, a4 := q.res[0][c:c+n], q.res[1][c:c+n], q.res[2][c:c+n], q.res[3][c:c+n], q.res[4][c:c+n]
	roL, mzL, mrL, mtL, hL, vzL, vrL, pL := f.ro[o], f.mz[o], f.mr[o], f.mt[o], f.h[o], f.vz[o], f.vr[o], f.p[o]
	var g0, g1, g2, g3, g4 float64
	for j := range sz {
		roR, mzR, mrR, mtR, hR, vzR, vrR, pR := ro[j], mz[j], mr[j], mt[j], h[j], vz[j], vr[j], p[j]
		qL := (vzL*sz[j] + vrL*sr[j]) * 0.5
		qR := (vzR*sz[j] + vrR*sr[j]) * 0.5
		pm := (pL + pR) * 0.5
		f0 := roL*qL + roR*qR
		f1 := mzL*qL + mzR*qR + pm*sz[j]
		f2 := mrL*qL + mrR*qR + pm*sr[j]
		f3 := mtL*qL + mtR*qR
		f4 := hL*qL + hR*qR
		a0[j] += f0 - g0
		a1[j] += f1 - g1
		a2[j] += f2 - g2
		a3[j] += f3 - g3
		a4[j] += f4 - g4
		g0, g1, g2, g3, g4 = f0, f1, f2, f3, f4
		roL, mzL, mrL, mtL, hL, vzL, vrL, pL = roR, mzR, mrR, mtR, hR, vzR, vrR, pR
	}
	e := c + n
	q.res[0][e] -= g0
	q.res[1][e] -= g1
	q.res[2][e] -= g2
	q.res[3][e] -= g3
	q.res[4][e] -= g4
}

// walls adds the pressure on hub and casing, extended linearly from the two
// cells beside the wall.
func (q *residual) walls(m *mesh, f *field, i int) {
	nr := m.nr
	o, s := f.at(i, 0), i*(nr+1)
	hub := 1.5*f.p[o] - 0.5*f.p[o+1]
	q.res[1][i*nr] -= hub * m.sjz[s]
	q.res[2][i*nr] -= hub * m.sjr[s]
	e := o + nr - 1
	casing := 1.5*f.p[e] - 0.5*f.p[e-1]
	q.res[1][i*nr+nr-1] += casing * m.sjz[s+nr]
	q.res[2][i*nr+nr-1] += casing * m.sjr[s+nr]
}
