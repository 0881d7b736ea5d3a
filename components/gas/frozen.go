package gas

import "math"

// Frozen is a mixture of ideal gases N2, O2, Ar, CO2 and H2O of fixed
// composition; its fuel is burnt to completion. Enthalpy depends on temperature
// alone.
//
//	h(T) = sum Y_j h_j(T)
//	s(T, P) = sum Y_j s0_j(T) - R ln(P/1 bar) - Ru sum n_j ln x_j
//
// It leaves out dissociation: at 1800 K it differs from equilibrium by up to
// 0.6 % in h and 3.6 % in cp; below 1200 K by less than 0.1 % in h.
// Valid from 120 K to 6000 K, and up to stoichiometric fuel-air ratio.
type Frozen struct{ base }

// NewFrozen returns the gas for air and the products of a fuel.
func NewFrozen(fuel Fuel, c Convention) *Frozen { return &Frozen{newBase(fuel, c)} }

// A mixture is a composition made ready for evaluation.
type mixture struct {
	low, high polynomial
	r         float64 // J/(kg K)
	sMix      float64 // entropy of mixing, J/(kg K)
	pRef      float64 // Pa
}

func (g *Frozen) mixture(c Composition) (m mixture, err error) {
	if err := g.check(c, g.stoichiometric); err != nil {
		return m, err
	}
	m.pRef = g.convention.StandardPressure
	var n [nSpecies]float64
	g.blend(c, &m.low, &m.high, &n)
	for j := range n {
		n[j] = max(0, n[j]) // O2 of round-off
		m.r += n[j]
	}
	m.r *= Ru
	m.sMix = mixingEntropy(&n)
	return m, nil
}

type caloric struct{ h, s, cp float64 } // J/kg, J/(kg K) at 1 bar, J/(kg K)

func state(low, high *polynomial, T float64) caloric {
	p := low
	if T > breakT {
		p = high
	}
	lnT := math.Log(T)
	return caloric{h: p.h(T, lnT), s: p.s(T, lnT), cp: p.cp(T)}
}

func (m *mixture) at(T, P float64, c caloric) State {
	return State{
		T: T, P: P, H: c.h, S: c.s - m.r*math.Log(P/m.pRef) + m.sMix,
		Cp: c.cp, Gamma: c.cp / (c.cp - m.r), R: m.r,
	}
}

// TP returns the state at T and P.
func (g *Frozen) TP(c Composition, T, P float64) (State, error) {
	m, err := g.mixture(c)
	if err != nil {
		return State{}, err
	}
	if err := check(T, P); err != nil {
		return State{}, err
	}
	return m.at(T, P, state(&m.low, &m.high, T)), nil
}

// HP returns the state of enthalpy h at P, by Newton's method on h(T), whose
// slope cp is positive throughout.
func (g *Frozen) HP(c Composition, h, P, guess float64) (State, error) {
	m, err := g.mixture(c)
	if err != nil {
		return State{}, err
	}
	return m.solve(P, guess, "h", h, func(cal caloric, T float64) float64 { return (h - cal.h) / cal.cp })
}

// SP returns the state of entropy s at P, by Newton's method on s(ln T), whose
// slope is cp.
func (g *Frozen) SP(c Composition, s, P, guess float64) (State, error) {
	m, err := g.mixture(c)
	if err != nil {
		return State{}, err
	}
	s0 := s + m.r*math.Log(P/m.pRef) - m.sMix
	return m.solve(P, guess, "s", s, func(cal caloric, T float64) float64 {
		return T * math.Expm1(max(-2, min(2, (s0-cal.s)/cal.cp)))
	})
}

// solve iterates T += step(T) until the step is lost in round-off.
func (m *mixture) solve(P, T float64, what string, target float64, step func(caloric, float64) float64) (State, error) {
	if !(T >= minT && T <= maxT) {
		T = 600
	}
	for range 50 {
		c := state(&m.low, &m.high, T)
		dT := step(c, T)
		next := max(minT, min(maxT, T+dT))
		if math.Abs(next-T) <= 1e-6*T {
			if next == minT || next == maxT {
				break
			}
			// The step was quadratic: the slope adds one more order.
			final := state(&m.low, &m.high, next)
			if err := check(next, P); err != nil {
				return State{}, err
			}
			return m.at(next, P, final), nil
		}
		T = next
	}
	lo, hi := state(&m.low, &m.high, minT), state(&m.low, &m.high, maxT)
	if what == "h" {
		return State{}, &RangeError{What: "h", Value: target, Min: lo.h, Max: hi.h}
	}
	return State{}, &RangeError{What: "s", Value: target, Min: m.at(minT, P, lo).S, Max: m.at(maxT, P, hi).S}
}

func check(T, P float64) error {
	if !(T >= minT && T <= maxT) {
		return &RangeError{What: "T", Value: T, Min: minT, Max: maxT}
	}
	if !(P > 0) || math.IsInf(P, 1) {
		return &RangeError{What: "P", Value: P, Min: 0, Max: math.Inf(1)}
	}
	return nil
}
