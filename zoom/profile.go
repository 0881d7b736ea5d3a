package zoom

// From a 1-D state to radial profiles at a solver's boundary.
//
// The engine has one value each of Pt, Tt, swirl and W. A solver needs their radial
// distributions, whose averages must be the 1-D state to round-off. For a fan or compressor
// the end-wall boundary layers matter most. Over a flat adiabatic end wall, with constant
// static pressure across the layer, the velocity is
//
//	V / V_core = (y / d)^(1/n)
//
// n = 7 for a turbulent layer (H. Schlichting, Boundary-Layer Theory, 7th ed.,
// section XX.a), and the total pressure follows from the Mach number.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

// Swirl is the radial distribution of a swirl angle with a given mean.
type Swirl string

const (
	FreeVortex  Swirl = "free vortex"  // tan(alpha) ~ 1/r; the default
	ForcedTwist Swirl = "forced twist" // tan(alpha) ~ r
	EvenAngle   Swirl = "even angle"   // alpha constant
)

// Layer is the boundary layer of an end wall.
type Layer struct {
	Thickness float64 // fraction of the annulus height; 0: none
	Power     float64 // n of the power law; 0: 7
}

// Inlet is a 1-D state in an annulus and the shape of its profiles. Swirl angles are those of
// the absolute flow against the meridional plane. Static pressure is taken as constant over
// the radius, which holds ahead of a machine with little swirl.
type Inlet struct {
	W, Pt, Tt  float64 // kg/s, Pa, K
	Alpha      float64 // rad, below pi/2 in size
	RHub, RTip float64 // m
	Gas        average.Perfect
	Hub, Tip   Layer
	Swirl      Swirl
	Average    average.Averaging // Mass (default) or Area: the average that Pt, Tt and Alpha are
	Cells      int               // rings of equal area; default 24
}

// Profile is the state in each ring, from hub to casing.
type Profile struct {
	Span          []float64 // fraction of the annulus area between the hub and the middle of the ring
	R             []float64 // radius of the ring's middle, m
	Alpha         []float64 // rad
	MN            []float64 // Mach number
	Blockage      float64   // of the layers: 1 - W / (W if the core flow filled the annulus)
	average.Plane           // mass flow, area and the rest of the state of each ring
}

// InletError reports a 1-D state for which there is no profile.
type InletError struct {
	Reason string
	Most   float64 // flow at which the annulus chokes, kg/s, if that is less than the state's; else 0
}

func (e *InletError) Error() string { return "boundary profile: " + e.Reason }

func (in *Inlet) check() error {
	bad := func(format string, args ...any) error { return &InletError{Reason: fmt.Sprintf(format, args...)} }
	switch {
	case !(in.W > 0) || !(in.Pt > 0) || !(in.Tt > 0) || math.IsInf(in.W+in.Pt+in.Tt, 0):
		return bad("W %g kg/s, Pt %g Pa, Tt %g K must be positive", in.W, in.Pt, in.Tt)
	case !(in.RHub >= 0) || !(in.RTip > in.RHub) || math.IsInf(in.RTip, 0):
		return bad("radii %g m (hub) and %g m (tip) make no annulus", in.RHub, in.RTip)
	case !(math.Abs(in.Alpha) < 80*math.Pi/180):
		return bad("swirl of %g deg; it must be below 80 deg in size", in.Alpha*180/math.Pi)
	case !(in.Gas.Gamma > 1) || !(in.Gas.Rgas > 0):
		return bad("gas with gamma %g and R %g J/(kg K)", in.Gas.Gamma, in.Gas.Rgas)
	case !(in.Hub.Thickness >= 0) || !(in.Tip.Thickness >= 0) || in.Hub.Thickness+in.Tip.Thickness > 1:
		return bad("layers of %g and %g of the height do not fit into it", in.Hub.Thickness, in.Tip.Thickness)
	case in.Cells < 0 || in.Hub.Power < 0 || in.Tip.Power < 0:
		return bad("%d cells, layer powers %g and %g must not be negative", in.Cells, in.Hub.Power, in.Tip.Power)
	case in.Average != average.Mass && in.Average != average.Area:
		return bad("average %q; use mass or area", in.Average)
	}
	return nil
}

// Profiles returns the radial profiles of the 1-D state. Their mass flow is W and their
// averages are Pt, Tt and Alpha, all to round-off (some 1e-14). It fails with an InletError
// if the annulus chokes below W.
func (in Inlet) Profiles() (*Profile, error) {
	if in.Average == "" {
		in.Average = average.Mass
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	s := in.shape()
	low, high := 0.0, 0.0
	// The flow rises with the core's Mach number up to choking. Bracket W in small
	// steps, then bisect.
	for w := 0.0; w < in.W; {
		low, high = high, high+0.01
		next := s.fill(high)
		if next <= w {
			return nil, &InletError{
				Most: w,
				Reason: fmt.Sprintf(
					"%.6g kg/s does not fit through the annulus, which chokes at %.6g kg/s; W, Pt, Tt and the radii "+
						"do not belong together", in.W, w),
			}
		}
		w = next
	}
	for range 200 {
		mid := (low + high) / 2
		if mid <= low || mid >= high {
			break
		}
		if s.fill(mid) < in.W {
			low = mid
		} else {
			high = mid
		}
	}
	w := s.fill(high)
	s.trim(in.W / w)
	s.p.Blockage = s.blockage()
	return s.p, nil
}
