package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Result is the outcome of a run. Residual is that of the last step over that of the first guess. Choked is also set
// for a choked duct without rows.
type Result struct {
	march.Result
	Rows []Row
}

// Row is how a blade row worked, line by line from the hub.
type Row struct {
	Name                        string
	Span                        []float64 // fraction of the height
	Incidence, Deviation        []float64 // rad
	Beta1, Beta2                []float64 // relative flow angles, rad
	Mach1                       []float64 // relative inlet Mach number
	Diffusion                   []float64 // Wmax/W2 of Koch and Smith
	Loss, Profile, OffIncidence []float64 // loss coefficient and its parts
	Shock, Endwall              []float64
	Throat                      []float64 // throat mass flux over the greatest possible
}

func (s *Solver) result(status march.Status, message string) *Result {
	l := s.levels[s.at]
	r := &Result{
		Result: march.Result{Status: status, Message: message, Iterations: s.total, Residual: l.norm / l.first,
			Ps: l.ps, Unsettled: s.series.Unsettled()},
	}
	if !numeric.Finite(r.Residual) {
		r.Residual = math.MaxFloat64
	}
	power := 0.0
	for _, row := range l.rows {
		power += row.power
	}
	in, out := l.in.station(s.c.Gas), l.out.station(s.c.Gas)
	if !r.Balance(in, out, power, s.c.Gas) {
		if !numeric.Finite(r.Ps) {
			r.Ps = 0
		}
		return r
	}
	for _, row := range l.rows {
		r.Rows = append(r.Rows, row.report(s.c.Settings.Calibration))
		r.Choked = r.Choked || row.choked(l.u, s.c.Gas)
	}
	r.Choked = r.Choked || l.sonic(s.c.Gas)
	if r.Power != 0 {
		r.EnergyError = (r.Power - s.c.Gas.Cp()*(out.W*out.Tt-in.W*in.Tt)) / r.Power
	}
	return r
}

// station reads the plane's state.
func (b *plane) station(gas march.Gas) *march.Station {
	s := &march.Station{}
	area, mass := 0.0, 0.0
	cp := gas.Cp()
	for j := range b.p {
		dw := 2 * math.Pi * b.flux[0][j]
		ts := b.p[j] / (b.ro[j] * gas.R)
		w := b.vt[j] / b.rc[j]
		tt := ts + (b.vz[j]*b.vz[j]+b.vr[j]*b.vr[j]+w*w)/(2*cp)
		pt := b.p[j] * math.Pow(tt/ts, gas.Gamma/(gas.Gamma-1))
		s.R, s.DW = append(s.R, b.rc[j]), append(s.DW, dw)
		s.PtCell, s.TtCell = append(s.PtCell, pt), append(s.TtCell, tt)
		s.Ps, s.Ts = append(s.Ps, b.p[j]), append(s.Ts, ts)
		s.Vz, s.Vr, s.Vtheta = append(s.Vz, b.vz[j]), append(s.Vr, b.vr[j]), append(s.Vtheta, w)
		s.Rho = append(s.Rho, b.ro[j])
		s.Area, s.Mass = append(s.Area, area+b.a[j]/2), append(s.Mass, mass+dw/2)
		area, mass = area+b.a[j], mass+dw
		s.Pt, s.Tt = s.Pt+pt*dw, s.Tt+tt*dw
	}
	s.W, s.Pt, s.Tt = mass, s.Pt/mass, s.Tt/mass
	for j := range s.Area {
		s.Area[j] /= area
		s.Mass[j] /= mass
	}
	return s
}

// sonic reports whether some cross-section of a duct without rows is filled with
// sonic or supersonic meridional flow.
func (l *level) sonic(gas march.Gas) bool {
	if len(l.rows) > 0 {
		return false
	}
	for i := range l.m.nz {
		all := true
		for j := range l.m.nr {
			k := l.u.at(i, j)
			v2 := l.u.vz[k]*l.u.vz[k] + l.u.vr[k]*l.u.vr[k]
			all = all && v2 >= gas.Gamma*l.u.p[k]/l.u.ro[k]
		}
		if all {
			return true
		}
	}
	return false
}

// choked reports whether a quarter of the row's lines or more pass all they can,
// their throat filled or the meridional flow between the blades sonic: then the
// mass flow no longer rises as the back pressure falls.
func (f *rowForce) choked(u *field, gas march.Gas) bool {
	n := 0
	for j := range f.nr {
		full := f.load[j] >= 1
		for i := f.lo; i < f.hi && !full; i++ {
			k := u.at(i, j)
			full = u.vz[k]*u.vz[k]+u.vr[k]*u.vr[k] >= gas.Gamma*u.p[k]/u.ro[k]
		}
		if full {
			n++
		}
	}
	return 4*n >= f.nr
}

func (f *rowForce) report(cal Calibration) Row {
	r := Row{Name: f.row.Name}
	for j := range f.nr {
		t, l := &f.tri[j], f.loss[j]
		k := 1 + cal.Loss
		r.Span = append(r.Span, (float64(j)+0.5)/float64(f.nr))
		r.Incidence, r.Deviation = append(r.Incidence, f.inc[j]), append(r.Deviation, f.dev[j])
		r.Beta1, r.Beta2, r.Mach1 = append(r.Beta1, t.beta1), append(r.Beta2, t.beta2), append(r.Mach1, t.m1)
		r.Diffusion = append(r.Diffusion, f.geo[j].diffusion(t))
		r.Loss, r.Profile = append(r.Loss, k*l.total()), append(r.Profile, k*l.profile)
		r.OffIncidence, r.Shock = append(r.OffIncidence, k*l.incidence), append(r.Shock, k*l.shock)
		r.Endwall, r.Throat = append(r.Endwall, k*l.endwall), append(r.Throat, f.load[j])
	}
	return r
}
