package machine

// From a 1-D state to radial profiles at a solver's boundary.
//
// The engine has one value each of Pt, Tt, swirl and W. A solver needs their radial distributions, whose averages must
// be the 1-D state to round-off. For a fan or compressor the end-wall boundary layers matter most. Over a flat
// adiabatic end wall, with constant static pressure across the layer, the velocity is
//
//	V / V_core = (y / d)^(1/n)
//
// n = 7 for a turbulent layer (H. Schlichting, Boundary-Layer Theory, 7th ed., section XX.a), and the total pressure
// follows from the Mach number.

import (
	"cmp"
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

// Inlet is a 1-D state in an annulus and the shape of its profiles. Swirl angles are of the absolute flow against the
// meridional plane. Static pressure is assumed constant over the radius, which holds ahead of a machine with little
// swirl.
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

// InletError reports a 1-D state that has no profile.
type InletError struct {
	Reason string
	Most   float64 // flow at which the annulus chokes, kg/s, if below the state's; else 0
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
	in.Average = cmp.Or(in.Average, average.Mass)
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

// uniform returns the profiles of an inlet of unknown radii: the 1-D state in each ring.
func (in Inlet) uniform() *Profile {
	in.RHub, in.RTip = 0, 1 // of which the shares of the area do not depend
	p := in.shape().p
	for i := range p.Span {
		p.Pt[i], p.Tt[i] = in.Pt, in.Tt
	}
	return p
}

// shape is a profile under construction.
type shape struct {
	in    *Inlet
	speed []float64 // V / V_core
	twist []float64 // tan(alpha) up to a factor; unused if alpha is constant
	p     *Profile
	da    float64 // area of a ring, m2
	core  float64 // Mach number outside the layers
}

// shape prepares the part of the profiles that does not depend on the Mach number.
func (in *Inlet) shape() *shape {
	n := in.Cells
	n = cmp.Or(n, 24)
	s := &shape{in: in, da: math.Pi * (in.RTip*in.RTip - in.RHub*in.RHub) / float64(n)}
	list := func() []float64 { return make([]float64, n) }
	s.speed, s.twist = list(), list()
	s.p = &Profile{Span: list(), R: list(), MN: list(), Alpha: list()}
	s.p.Plane = average.Plane{DW: list(), DA: list(), Pt: list(), Tt: list(), Ps: list()}
	for i := range n {
		span := (float64(i) + 0.5) / float64(n)
		r := math.Sqrt(in.RHub*in.RHub + span*(in.RTip*in.RTip-in.RHub*in.RHub))
		height := (r - in.RHub) / (in.RTip - in.RHub)
		s.p.Span[i], s.p.R[i], s.p.DA[i] = span, r, s.da
		s.speed[i] = in.Hub.at(height) * in.Tip.at(1-height)
		switch in.Swirl {
		case ForcedTwist:
			s.twist[i] = r
		case EvenAngle:
			s.twist[i] = 1
		default:
			s.twist[i] = 1 / r
		}
	}
	return s
}

// at returns V/V_core at a distance y from the wall, a fraction of the annulus height.
func (l Layer) at(y float64) float64 {
	if y >= l.Thickness {
		return 1
	}
	n := l.Power
	n = cmp.Or(n, 7)
	return math.Pow(y/l.Thickness, 1/n)
}

// fill makes the profiles for a core Mach number and returns their mass flow. The scale of the swirl depends on the
// mass flow in each ring, which depends on the swirl; the two are iterated. The coupling is weak: each pass gains some
// digits.
func (s *shape) fill(core float64) float64 {
	g := s.in.Gas.Gamma
	s.core = core
	for i, v := range s.speed {
		// V/V_core at constant total temperature: V^2/(cp Tt) is proportional to the speed squared, and is 2 x/(1+x)
		// with x = (gamma-1)/2 MN^2.
		x := (g - 1) / 2 * core * core
		y := v * v * x / (1 + x)
		x = y / (1 - y)
		s.p.MN[i] = math.Sqrt(2 * x / (g - 1))
		s.p.Pt[i] = math.Pow(1+x, g/(g-1)) // over Ps
		s.p.Ps[i] = 1
		s.p.Tt[i] = 1
	}
	w := 0.0
	for range 50 {
		last := w
		s.angles()
		w = s.flow()
		if math.Abs(w-last) <= 4e-16*w {
			break
		}
	}
	return w
}

// angles scales the swirl so that its mean, with the present weights, is the 1-D value.
func (s *shape) angles() {
	target := s.in.Alpha
	if target == 0 {
		return
	}
	if s.in.Swirl == EvenAngle {
		for i := range s.p.Alpha {
			s.p.Alpha[i] = target
		}
		return
	}
	// Newton for the factor k in alpha = atan(k twist): the mean rises with k.
	k := math.Tan(target) / s.mean(s.twist)
	for range 50 {
		var f, df float64
		total := 0.0
		for i, t := range s.twist {
			w := s.weight(i)
			total += w
			f += w * math.Atan(k*t)
			df += w * t / (1 + k*k*t*t)
		}
		step := (f/total - target) / (df / total)
		k -= step
		if math.Abs(step) <= 4e-16*math.Abs(k) {
			break
		}
	}
	for i, t := range s.twist {
		s.p.Alpha[i] = math.Atan(k * t)
	}
}

// flow scales pressures and temperatures so that their means, with the present weights, are the 1-D values. It sets the
// mass flow of each ring and returns the sum.
func (s *shape) flow() float64 {
	s.masses(1, 1)
	// Scaling does not change the ratios of the weights: once is exact but for round-off.
	s.masses(s.in.Pt/s.mean(s.p.Pt), s.in.Tt/s.mean(s.p.Tt))
	w := 0.0
	for _, dw := range s.p.DW {
		w += dw
	}
	return w
}

// masses scales pressures and temperatures by factors, and sets dW = rho V cos(alpha) dA.
func (s *shape) masses(pressure, temperature float64) {
	g, r := s.in.Gas.Gamma, s.in.Gas.Rgas
	for i := range s.p.DW {
		s.p.Pt[i] *= pressure
		s.p.Ps[i] *= pressure
		s.p.Tt[i] *= temperature
		x := (g - 1) / 2 * s.p.MN[i] * s.p.MN[i]
		ts := s.p.Tt[i] / (1 + x)
		s.p.DW[i] = s.p.Ps[i] * s.p.MN[i] * math.Sqrt(g/(r*ts)) * math.Cos(s.p.Alpha[i]) * s.da
	}
}

// trim removes the round-off that is left in the mass flow.
func (s *shape) trim(factor float64) {
	for i := range s.p.DW {
		s.p.DW[i] *= factor
	}
}

// weight returns the weight of a ring in the averages.
func (s *shape) weight(i int) float64 {
	if s.in.Average == average.Area || s.p.DW[i] == 0 {
		return s.da
	}
	return s.p.DW[i]
}

func (s *shape) mean(v []float64) float64 {
	var sum, total float64
	for i := range v {
		w := s.weight(i)
		sum += w * v[i]
		total += w
	}
	return sum / total
}

// blockage returns the blockage of the layers; see Profile.
func (s *shape) blockage() float64 {
	in := *s.in
	in.Hub, in.Tip = Layer{}, Layer{}
	even := in.shape()
	even.in.Pt *= s.p.Ps[0] * math.Pow(1+(in.Gas.Gamma-1)/2*s.core*s.core, in.Gas.Gamma/(in.Gas.Gamma-1)) / s.in.Pt
	return 1 - s.in.W/even.fill(s.core)
}
