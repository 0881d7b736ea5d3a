package bladerow

// What a survey behind a rotor shows: the flow over the span, averaged over the pitch.

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/peregrine-sim/peregrine/components/march"
)

// Profile is the flow over the span at one plane, row of cells by row of cells from the
// hub: Pt, Tt, velocities mass-averaged over the pitch, angles of the mean velocities.
type Profile struct {
	Span, R        []float64 // fraction of the height, radius [m]
	Mass           []float64 // fraction of the mass flow below
	Pt, Tt, Ps     []float64 // Pa, K, Pa
	Vz, Vr, Vtheta []float64 // m/s
	Alpha, Beta    []float64 // absolute and relative flow angle against the meridional direction, rad, positive with the rotation
	PR, TR         []float64 // over the inlet, where the same fraction of the mass flow passes below; 1 at the inlet itself
	Eff            []float64 // adiabatic, of PR and TR; 0 where TR is 1 to 1e-6
}

// Profiles returns the flow over the span at the inlet and the exit plane of a result.
// It fails if the run ended without a flow.
func (s *Solver) Profiles(r *Result) (inlet, exit *Profile, err error) {
	if len(r.Inlet.R) == 0 || len(r.Exit.R) == 0 {
		return nil, nil, fmt.Errorf("bladerow: the run ended (%s) without a flow to average", r.Status)
	}
	l := s.levels[s.at]
	inlet = s.profile(r.Inlet, l.nodeRadius(0, 0), l.nodeRadius(0, l.n[2]))
	exit = s.profile(r.Exit, l.nodeRadius(l.n[0], 0), l.nodeRadius(l.n[0], l.n[2]))
	gas := s.c.Gas
	for _, p := range []*Profile{inlet, exit} {
		for k, m := range p.Mass {
			before := Station{Pt: profileAt(inlet.Mass, inlet.Pt, m), Tt: profileAt(inlet.Mass, inlet.Tt, m)}
			here := Station{Pt: p.Pt[k], Tt: p.Tt[k]}
			p.PR, p.TR = append(p.PR, here.Pt/before.Pt), append(p.TR, here.Tt/before.Tt)
			p.Eff = append(p.Eff, march.Efficiency(&before, &here, gas))
		}
	}
	return inlet, exit, nil
}

func (s *Solver) profile(st *Station, hub, casing float64) *Profile {
	p := &Profile{R: st.R, Mass: st.Mass, Pt: st.PtCell, Tt: st.TtCell, Ps: st.Ps, Vz: st.Vz, Vr: st.Vr, Vtheta: st.Vtheta}
	omega := s.c.N * math.Pi / 30
	for k, r := range st.R {
		vm := math.Hypot(st.Vz[k], st.Vr[k])
		p.Span = append(p.Span, (r-hub)/(casing-hub))
		p.Alpha = append(p.Alpha, math.Atan2(st.Vtheta[k], vm))
		p.Beta = append(p.Beta, math.Atan2(st.Vtheta[k]-omega*r, vm))
	}
	return p
}

// Write writes a profile as text, a line a row of cells under a line of names; angles
// in degrees.
func (p *Profile) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# span R[m] mass Pt[Pa] Tt[K] Ps[Pa] Vz[m/s] Vr[m/s] Vtheta[m/s] alpha[deg] beta[deg] PR TR eff")
	for k := range p.R {
		fmt.Fprintf(b, "%.6f %.7g %.6f %.8g %.7g %.8g %.6g %.6g %.6g %.5g %.5g %.7g %.7g %.6g\n", p.Span[k], p.R[k], p.Mass[k], p.Pt[k], p.Tt[k], p.Ps[k],
			p.Vz[k], p.Vr[k], p.Vtheta[k], p.Alpha[k]*180/math.Pi, p.Beta[k]*180/math.Pi, p.PR[k], p.TR[k], p.Eff[k])
	}
	return b.Flush()
}
