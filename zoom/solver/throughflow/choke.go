package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// choke adds entropy behind overfilled throats. The load of a line is the mass flux that arrives at the throat over the
// greatest possible flux at the relative total state there, averaged over one passage width of the span (pressure waves
// make neighbouring sections choke together), and
//
//	ds = stiffness R max(load - 1, 0).
//
// A choked passage responds to any lower back pressure by a stronger shock behind its throat; the stiff spring does the
// same: the throat is overfilled by 1 % while the entropy rises by 0.3 R.
func (f *rowForce) choke(m *mesh, u *field, gas march.Gas) {
	const stiffness = 30
	for j := range f.nr {
		f.local[j] = f.fill(m, u, j, gas)
	}
	for j := range f.nr {
		reach := f.geo[j].width / 2
		sum, weight := 0.0, 0.0
		for k := range f.nr {
			d := math.Abs(f.geo[k].r1-f.geo[j].r1) / reach
			if w := max(1-d/2, 0); w > 0 {
				sum, weight = sum+w*f.local[k], weight+w
			}
		}
		f.load[j] = sum / weight
		ds := min(stiffness*gas.R*max(f.load[j]-1, 0), 2*gas.R)
		f.dsChoke[j] += f.follow * (ds - f.dsChoke[j])
	}
}

// The shares by which the entropy behind the throats approaches its target in a step. A first guess overfills the
// throats without a physical reason, and must not be driven into stall by that; a neighbour's flow is near the answer.
const (
	chokeShare = 0.006
	chokeNear  = 0.02
)

// fill returns the mass flux at the throat of line j over the greatest possible:
// through the whole ring b rho Vm 2 pi r arrives, through the throats passes
// blades x width x rho* a*.
func (f *rowForce) fill(m *mesh, u *field, j int, gas march.Gas) float64 {
	i := f.throat[j]
	g := gas.Gamma
	load := 0.0
	n := i*(f.nr+1) + j
	blocked := (m.b[n] + m.b[n+1]) / 2
	for _, c := range []int{i - 1, i} {
		k := u.at(c, j)
		r := m.rc[c*f.nr+j]
		wt := u.vt[k]/r - f.omega*r
		vm := math.Hypot(u.vz[k], u.vr[k])
		ts := u.p[k] / (u.ro[k] * gas.R)
		tt := ts + (vm*vm+wt*wt)/(2*gas.Cp())
		most := u.ro[k] * math.Pow(tt/ts*2/(g+1), 1/(g-1)) * math.Sqrt(2*g*gas.R*tt/(g+1))
		load += 0.5 * blocked * u.ro[k] * vm * 2 * math.Pi * r / (f.geo[j].blades * f.geo[j].width * most)
	}
	return load
}
