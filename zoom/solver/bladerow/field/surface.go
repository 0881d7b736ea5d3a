package field

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Surface is the pressure on both sides of the blade at a fraction of the span, from the leading to the trailing edge.
type Surface struct {
	Row          int // from 1, in the order of the flow; 0: of one Field
	Span         float64
	X            []float64 // fraction of the axial chord
	Lower, Upper Side      // the sides of smaller and larger angle; of a compressor's rotor Upper is the pressure side
}

// Side is the flow along a side of a blade.
type Side struct {
	Z, R []float64 // m
	Ps   []float64 // Pa
	Mis  []float64 // isentropic Mach number seen from the row
}

// Surface cuts the blade at a fraction of the span, 0 to 1. The isentropic Mach number is that of a flow without loss
// from the inlet plane. Along it the entropy and the rothalpy, cp Tt - omega r Vtheta, of the pitch's mass averages
// there are kept, so that seen from the row at the radius r
//
//	cp Tt_rel = cp Tt1 - omega r1 Vtheta1 + (omega r)^2/2
//	Pt_rel = Pt1 (Tt_rel/Tt1)^(gamma/(gamma-1))
//	Mis^2 = 2/(gamma-1) ((Pt_rel/Ps)^((gamma-1)/gamma) - 1)
//
// (J. Denton, Loss Mechanisms in Turbomachines, J. Turbomachinery 115, 1993, appendix, for the rothalpy.) Where Ps
// exceeds Pt_rel it is 0.
func (f *Field) Surface(span float64) Surface {
	s := Surface{Span: span}
	in := f.PitchMean(0, span)
	cut := f.Spanwise(span)
	z0, z1 := cut.z(f.LE, 0), cut.z(f.TE, 0)
	for i := f.LE; i <= f.TE; i++ {
		s.X = append(s.X, (cut.z(i, 0)-z0)/(z1-z0))
		for _, side := range []struct {
			j  int
			to *Side
		}{{0, &s.Lower}, {f.NJ, &s.Upper}} {
			z, r, ps := cut.z(i, side.j), cut.R(i, side.j), cut.of(f.Ps, i, side.j)
			side.to.Z, side.to.R = append(side.to.Z, z), append(side.to.R, r)
			side.to.Ps = append(side.to.Ps, ps)
			side.to.Mis = append(side.to.Mis, f.IsentropicMach(&in, r, ps))
		}
	}
	return s
}

func (f *Field) IsentropicMach(in *State, r, ps float64) float64 {
	cp, e := f.Gas().Cp(), f.Gamma/(f.Gamma-1)
	u := f.Omega() * r
	tt := in.Tt + (u*u/2-f.Omega()*in.Radius*in.Vtheta)/cp
	pt := in.Pt * math.Pow(tt/in.Tt, e)
	return math.Sqrt(max(2/(f.Gamma-1)*(math.Pow(pt/ps, 1/e)-1), 0))
}

// WriteSurfaces writes blade surfaces as text, a line a place under a line of names.
func WriteSurfaces(w io.Writer, list []Surface) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b,
		"# row span x/c z_lower[m] r_lower[m] Ps_lower[Pa] Mis_lower z_upper[m] r_upper[m] Ps_upper[Pa] Mis_upper")
	for _, s := range list {
		for k, x := range s.X {
			fmt.Fprintf(b, "%d %.4f %.6f %.7g %.7g %.8g %.6g %.7g %.7g %.8g %.6g\n", s.Row, s.Span, x,
				s.Lower.Z[k], s.Lower.R[k], s.Lower.Ps[k], s.Lower.Mis[k], s.Upper.Z[k], s.Upper.R[k], s.Upper.Ps[k],
				s.Upper.Mis[k])
		}
	}
	return b.Flush()
}
