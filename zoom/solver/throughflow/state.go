package throughflow

import "github.com/peregrine-sim/peregrine/zoom/solver/march"

// field is the flow on one mesh as a structure of arrays with two rings of ghost cells: cell (i,j) has index
// (i+2)*stride + j+2. It holds the conserved quantities per volume, and beside them the derived quantities that the
// kernels need.
type field struct {
	nz, nr, stride int

	ro, mz, mr, mt, en []float64 // rho, rho Vz, rho Vr, rho r Vtheta, rho E
	p, vz, vr, vt, h   []float64 // pressure; Vz, Vr, r Vtheta; rho H = rho E + p
}

func newField(nz, nr int) *field {
	f := &field{nz: nz, nr: nr, stride: nr + 4}
	n := (nz + 4) * f.stride
	all := make([]float64, 10*n)
	for k, p := range []*[]float64{&f.ro, &f.mz, &f.mr, &f.mt, &f.en, &f.p, &f.vz, &f.vr, &f.vt, &f.h} {
		*p = all[k*n : (k+1)*n : (k+1)*n]
	}
	return f
}

// conserved returns the five conserved arrays.
func (f *field) conserved() [5][]float64 { return [5][]float64{f.ro, f.mz, f.mr, f.mt, f.en} }

// at returns the index of cell (i,j).
func (f *field) at(i, j int) int { return (i+2)*f.stride + j + 2 }

// set gives cell (i,j) a state: density, meridional velocities, r Vtheta,
// pressure.
func (f *field) set(i, j int, gas march.Gas, r, ro, vz, vr, vt, p float64) {
	k := f.at(i, j)
	w := vt / r
	f.ro[k], f.mz[k], f.mr[k], f.mt[k] = ro, ro*vz, ro*vr, ro*vt
	f.en[k] = p/(gas.Gamma-1) + ro*(vz*vz+vr*vr+w*w)/2
}

// primitives refreshes the derived arrays of the interior cells from the
// conserved ones. It reports whether density and pressure are positive
// everywhere (NaN counts as not positive).
func (f *field) primitives(gas march.Gas, rc []float64) bool {
	g1 := gas.Gamma - 1
	ok := true
	nr := f.nr
	for i := range f.nz {
		o := f.at(i, 0)
		ro, mz, mr, mt, en := f.ro[o:o+nr], f.mz[o:o+nr], f.mr[o:o+nr], f.mt[o:o+nr], f.en[o:o+nr]
		p, vz, vr, vt, h := f.p[o:o+nr], f.vz[o:o+nr], f.vr[o:o+nr], f.vt[o:o+nr], f.h[o:o+nr]
		r := rc[i*nr : i*nr+nr]
		for j := range ro {
			inv := 1 / ro[j]
			vz[j], vr[j], vt[j] = mz[j]*inv, mr[j]*inv, mt[j]*inv
			w := vt[j] / r[j]
			p[j] = g1 * (en[j] - ro[j]*(vz[j]*vz[j]+vr[j]*vr[j]+w*w)/2)
			h[j] = en[j] + p[j]
			if !(p[j] > 0) || !(ro[j] > 0) {
				ok = false
			}
		}
	}
	return ok
}

// ghosts extends every array linearly into the ghost cells, which only the artificial dissipation reads.
func (f *field) ghosts() {
	s := f.stride
	for _, a := range [6][]float64{f.ro, f.mz, f.mr, f.mt, f.h, f.p} {
		for i := range f.nz {
			o := f.at(i, 0)
			a[o-1] = 2*a[o] - a[o+1]
			a[o-2] = 2*a[o-1] - a[o]
			e := o + f.nr - 1
			a[e+1] = 2*a[e] - a[e-1]
			a[e+2] = 2*a[e+1] - a[e]
		}
		for j := range f.nr {
			o := f.at(0, j)
			a[o-s] = 2*a[o] - a[o+s]
			a[o-2*s] = 2*a[o-s] - a[o]
			e := f.at(f.nz-1, j)
			a[e+s] = 2*a[e] - a[e-s]
			a[e+2*s] = 2*a[e+s] - a[e]
		}
	}
}
