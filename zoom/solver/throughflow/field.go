package throughflow

import (
	"sort"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Field is the flow in the meridional plane as a march.Meridional, for use outside this solver's cells.
type Field struct {
	nz, nr int
	z      []float64 // of the cells' middles, cell (i,j) at j*nz+i
	at     []march.FlowState
	ps     float64
}

// Field returns a copy of the flow on the mesh that is marched.
func (s *Solver) Field() *Field {
	l := s.levels[s.at]
	f := &Field{nz: l.m.nz, nr: l.m.nr, ps: l.ps}
	for j := range f.nr {
		for i := range f.nz {
			k, c := l.u.at(i, j), i*f.nr+j
			f.z = append(f.z, l.m.zc[c])
			f.at = append(f.at,
				march.FlowState{Rho: l.u.ro[k], Vz: l.u.vz[k], Vr: l.u.vr[k], Vtheta: l.u.vt[k] / l.m.rc[c],
					Ps: l.u.p[k]})
		}
	}
	return f
}

// At implements march.Meridional, bilinear between the cells' middles and constant
// beyond the outermost.
func (f *Field) At(z, height float64) march.FlowState {
	y := min(max(height*float64(f.nr)-0.5, 0), float64(f.nr-1))
	j := min(int(y), f.nr-2)
	return mix(f.along(j, z), f.along(j+1, z), y-float64(j))
}

// ExitPs implements march.Meridional.
func (f *Field) ExitPs() float64 { return f.ps }

func (f *Field) along(j int, z float64) march.FlowState {
	row, at := f.z[j*f.nz:(j+1)*f.nz], f.at[j*f.nz:(j+1)*f.nz]
	i := min(max(sort.SearchFloat64s(row, z)-1, 0), f.nz-2)
	return mix(at[i], at[i+1], min(max((z-row[i])/(row[i+1]-row[i]), 0), 1))
}

func mix(a, b march.FlowState, t float64) march.FlowState {
	on := func(x, y float64) float64 { return x + t*(y-x) }
	return march.FlowState{Rho: on(a.Rho, b.Rho), Vz: on(a.Vz, b.Vz), Vr: on(a.Vr, b.Vr),
		Vtheta: on(a.Vtheta, b.Vtheta), Ps: on(a.Ps, b.Ps)}
}

var _ march.Meridional = (*Field)(nil)
