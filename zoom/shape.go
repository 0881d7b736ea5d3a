package zoom

// The arithmetic of Inlet.Profiles. The Mach number of the core flow fixes the shape of all
// profiles; Pt, Tt and swirl are then scaled so that their averages are the 1-D values.

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

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
	if n == 0 {
		n = 24
	}
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
	if n == 0 {
		n = 7
	}
	return math.Pow(y/l.Thickness, 1/n)
}

// fill makes the profiles for a core Mach number and returns their mass flow. The scale of
// the swirl depends on the mass flow in each ring, which depends on the swirl; the two are
// iterated. The coupling is weak: each pass gains some digits.
func (s *shape) fill(core float64) float64 {
	g := s.in.Gas.Gamma
	s.core = core
	for i, v := range s.speed {
		// V/V_core at one total temperature: V^2/(cp Tt) goes with the speed squared,
		// and is 2 x/(1+x) with x = (gamma-1)/2 MN^2.
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

// flow scales pressures and temperatures so that their means, with the present weights, are
// the 1-D values. It sets the mass flow of each ring and returns the sum.
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
