// Package flow holds the state of a stream at a station of the engine, and the one-dimensional gas dynamics that
// relates totals, statics and area.
package flow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/gas"
)

// Station is a stream between two components. Totals are always set; statics only after a Static method. A == 0 means
// that they are not set.
type Station struct {
	W    float64 // mass flow, kg/s
	Comp gas.Composition

	gas.State // total state: T is Tt, P is Pt, H is ht

	Ps, Ts float64 // static pressure and temperature, Pa, K
	MN     float64 // Mach number
	V      float64 // velocity, m/s
	Rhos   float64 // static density, kg/m3
	A      float64 // flow area, m2

	// Layers are the streams of an incomplete mixer that flow on side by side;
	// nil if the stream is uniform.
	Layers *Layers
}

// Layers describes a partly mixed stream. The share Mixed is uniform (the station's state); the rest is still in the
// two streams that it came from. Each layer holds its share of W; area and momentum are sums over all three.
type Layers struct {
	Mixed float64 // share of the mass that is uniform
	Core  Station // the unmixed rest of each stream; W is the flow of that rest
	Byp   Station
}

// Pt, Tt and Ht return the totals under the field's names.
func (s *Station) Pt() float64 { return s.P }

// Tt is the total temperature, K.
func (s *Station) Tt() float64 { return s.T }

// Ht is the total enthalpy, J/kg.
func (s *Station) Ht() float64 { return s.H }

// Reference state of corrected quantities: ISA at sea level.
const (
	Tref = 288.15 // K
	Pref = 101325 // Pa
)

// Theta is Tt/288.15 K.
func (s *Station) Theta() float64 { return s.T / Tref }

// Delta is Pt/101325 Pa.
func (s *Station) Delta() float64 { return s.P / Pref }

// Wc is the corrected flow W sqrt(theta)/delta, kg/s.
func (s *Station) Wc() float64 { return s.W * math.Sqrt(s.Theta()) / s.Delta() }

// SetTP sets the total state from Tt and Pt and forgets the statics.
func (s *Station) SetTP(g gas.Model, Tt, Pt float64) error {
	st, err := g.TP(s.Comp, Tt, Pt)
	return s.set(st, err)
}

// SetHP sets the total state from ht and Pt and forgets the statics. The present
// Tt is the first guess.
func (s *Station) SetHP(g gas.Model, ht, Pt float64) error {
	st, err := g.HP(s.Comp, ht, Pt, s.T)
	return s.set(st, err)
}

// SetSP sets the total state from entropy and Pt and forgets the statics.
func (s *Station) SetSP(g gas.Model, entropy, Pt float64) error {
	st, err := g.SP(s.Comp, entropy, Pt, s.T)
	return s.set(st, err)
}

func (s *Station) set(st gas.State, err error) error {
	if err != nil {
		return err
	}
	s.State = st
	s.Ps, s.Ts, s.MN, s.V, s.Rhos, s.A = 0, 0, 0, 0, 0, 0
	return nil
}

// Branch is a root of the area relation.
type Branch int

const (
	Subsonic Branch = iota
	Supersonic
)

// ChokedError is a flow that does not fit through its area.
type ChokedError struct {
	W, WMax float64 // kg/s
	A       float64 // m2
}

func (e *ChokedError) Error() string {
	return fmt.Sprintf("flow: %.6g kg/s does not fit through %.6g m2, which chokes at %.6g kg/s", e.W, e.A, e.WMax)
}

// StaticMN sets the statics from the Mach number: the isentropic state with
//
//	h + MN^2 gamma R Ts / 2 = ht,  s(Ts, Ps) = s
func (s *Station) StaticMN(g gas.Model, mn float64) error {
	if !(mn >= 0) {
		return fmt.Errorf("flow: Mach number %g is negative", mn)
	}
	gm := s.Gamma
	lnP := math.Log(s.P) - gm/(gm-1)*math.Log1p((gm-1)/2*mn*mn)
	st, err := g.SP(s.Comp, s.S, math.Exp(lnP), s.T/(1+(gm-1)/2*mn*mn))
	if err != nil {
		return err
	}
	// f = h + MN^2 gamma R T/2 - ht;  dh/dlnP = R T, dT/dlnP = T (gamma-1)/gamma. That
	// leaves out how gamma changes: Newton's first step, the others are the secant's.
	var last, step float64
	for range 30 {
		kin := mn * mn / 2 * st.Gamma * st.R * st.T
		f := st.H + kin - s.H
		slope := st.R*st.T + kin*(st.Gamma-1)/st.Gamma
		if step != 0 {
			slope = (f - last) / step
		}
		d := -f / slope
		if math.Abs(d) < 1e-13 {
			break
		}
		lnP += d
		if st, err = g.SP(s.Comp, s.S, math.Exp(lnP), st.T); err != nil {
			return err
		}
		if math.Abs(d*step) < 1e-11 && step != 0 { // the next step is of second order: their product or less
			break
		}
		last, step = f, d
	}
	s.setStatic(&st)
	s.MN = mn
	s.V = mn * st.SoundSpeed()
	s.area()
	return nil
}

// StaticPs sets the statics from the static pressure, below the total pressure.
func (s *Station) StaticPs(g gas.Model, ps float64) error {
	if !(ps > 0 && ps <= s.P*(1+1e-12)) {
		return fmt.Errorf("flow: static pressure %.6g Pa is not between 0 and the total pressure %.6g Pa", ps, s.P)
	}
	st, err := g.SP(s.Comp, s.S, ps, s.T*math.Pow(ps/s.P, (s.Gamma-1)/s.Gamma))
	if err != nil {
		return err
	}
	s.setStatic(&st)
	s.V = math.Sqrt(max(0, 2*(s.H-st.H)))
	s.MN = s.V / st.SoundSpeed()
	s.area()
	return nil
}

// nearSonic is the largest Mach number of a guess that is accepted without knowing the throat: beyond it the flux
// hardly differs between the branches.
const nearSonic = 0.9

// follow is StaticA's Newton iteration on the subsonic branch, from a close static pressure, Pa. It reports whether it
// converged; if not the station is unchanged.
func (s *Station) follow(g gas.Model, a, ps float64) bool {
	st, guess := gas.State{}, s.T*(1+(s.Gamma-1)/s.Gamma*math.Log(ps/s.P))
	lnP := math.Log(ps)
	for range 6 {
		var err error
		if st, err = g.SP(s.Comp, s.S, math.Exp(lnP), guess); err != nil {
			return false
		}
		guess = st.T
		v2 := 2 * (s.H - st.H)
		m2 := v2 / (st.Gamma * st.R * st.T)
		if !(m2 > 0 && m2 < nearSonic*nearSonic) {
			return false
		}
		flux := st.Density() * math.Sqrt(v2)
		d := math.Log(s.W/(a*flux)) * st.Gamma / (1 - 1/m2)
		if math.Abs(d) < 1e-10 { // quadratic: the rest is to first order, but for gamma's
			st.P *= 1 + d
			st.T *= 1 + d*(st.Gamma-1)/st.Gamma
			s.setStatic(&st)
			s.V = math.Sqrt(v2 - 2*st.R*st.T*d)
			s.MN = s.V / st.SoundSpeed()
			s.A = a
			return true
		}
		lnP += d
	}
	return false
}

// StaticA sets the statics from the area [m2], on one of its branches. The present static pressure, if set, is the
// initial guess of a subsonic flow. It fails with a *ChokedError if the flow exceeds the area's maximum.
func (s *Station) StaticA(g gas.Model, a float64, branch Branch) error {
	if branch == Subsonic && s.Ps > 0 && s.Ps < s.P && a > 0 && s.W > 0 && s.follow(g, a, s.Ps) {
		return nil
	}
	throat := *s
	if err := throat.StaticMN(g, 1); err != nil {
		return err
	}
	wMax := throat.Rhos * throat.V * a
	if s.W > wMax*(1+1e-12) || !(a > 0) {
		return &ChokedError{W: s.W, WMax: wMax, A: a}
	}
	lnStar, lnTop := math.Log(throat.Ps), math.Log(s.P)
	target := s.W / a
	// ln(rho V) has the slope (1 - 1/MN^2)/gamma in ln P, zero at the throat and
	// infinite at rest: bracket, and fall back on bisection where Newton leaves it.
	lo, hi := lnStar, lnTop // subsonic: flux falls from lo to hi
	if branch == Supersonic {
		lo, hi = lnStar-12, lnStar // flux rises from lo to hi
	}
	x := startLnP(s, &throat, target, branch)
	if !(x > lo && x < hi) {
		x = (lo + hi) / 2
	}
	var st gas.State
	guess := throat.Ts
	for range 100 {
		var err error
		if st, err = g.SP(s.Comp, s.S, math.Exp(x), guess); err != nil {
			return err
		}
		guess = st.T
		v2 := 2 * (s.H - st.H)
		flux := st.Density() * math.Sqrt(max(0, v2))
		if (flux > target) == (branch == Subsonic) {
			lo = x
		} else {
			hi = x
		}
		if flux <= 0 {
			x = (lo + hi) / 2
			continue
		}
		m2 := v2 / (st.Gamma * st.R * st.T)
		d := math.Log(target/flux) * st.Gamma / (1 - 1/m2)
		next := x + d
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-x) < 1e-14 || hi-lo < 1e-14 {
			break
		}
		x = next
	}
	s.setStatic(&st)
	s.V = math.Sqrt(max(0, 2*(s.H-st.H)))
	s.MN = s.V / st.SoundSpeed()
	s.A = a
	return nil
}

// startLnP guesses ln Ps: near the throat the flux is a parabola in ln P, near
// rest the flow is incompressible.
func startLnP(s, throat *Station, flux float64, branch Branch) float64 {
	star := throat.Rhos * throat.V
	ratio := min(1, flux/star)
	lnStar, lnTop := math.Log(throat.Ps), math.Log(s.P)
	if branch == Supersonic {
		return lnStar - math.Sqrt(2*(1-ratio))*throat.Gamma
	}
	if ratio < 0.5 {
		return lnTop - flux*flux/(2*s.Density()*s.P)
	}
	return lnStar + (lnTop-lnStar)*math.Sqrt(1-ratio)
}

func (s *Station) setStatic(st *gas.State) {
	s.Ps, s.Ts, s.Rhos = st.P, st.T, st.Density()
}

func (s *Station) area() {
	if s.V > 0 {
		s.A = s.W / (s.Rhos * s.V)
	}
}

// Impulse is the momentum flow with the pressure on the area, Ps A + W V, N.
func (s *Station) Impulse() float64 { return s.Ps*s.A + s.W*s.V }
