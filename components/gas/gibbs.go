package gas

import (
	"fmt"
	"math"
)

// Gibbs is the gas at chemical equilibrium, solved to round-off over all species of the NASA-9 data here: the least
// Gibbs energy at T and P for the elements present. It checks Equilibrium, which also falls back on it; a state takes a
// few microseconds.
//
// At the minimum every species is in equilibrium with the major ones,
//
//	n_j = phi K_j prod p_k^nu_jk         k in N2, O2, Ar, CO2, H2O
//	sum_j nu_jk n_j = n0_k               n0: complete combustion
//	sum_j n_j = phi P
//
// with n in kmol/kg and phi = n/P. Newton's method on ln p_k and ln phi solves it: that of Gordon and McBride (NASA
// RP-1311, section 2.3) with the five major species in place of the elements. This makes the matrix nearly diagonal if
// the gas is nearly burnt to completion. Derivatives are theirs too (section 2.5): the same matrix with other
// right-hand sides.
//
// Enthalpies and entropies are those of the base plus the heats of reaction of the minor species. Valid from 120 K to
// 6000 K, and up to twice the stoichiometric fuel-air ratio; without soot.
type Gibbs struct {
	base
	reactions []reaction
	maxFAR    float64
}

// NewGibbs returns the gas for air and the products of a fuel.
func NewGibbs(fuel Fuel, c Convention) *Gibbs {
	g := &Gibbs{base: newBase(fuel, c), reactions: newReactions(&c)}
	g.join()
	g.maxFAR = 2 * g.stoichiometric
	return g
}

// TP returns the state at T and P.
func (g *Gibbs) TP(c Composition, T, P float64) (State, error) {
	var b balance
	if err := g.prepare(&b, c); err != nil {
		return State{}, err
	}
	if err := check(T, P); err != nil {
		return State{}, err
	}
	if err := b.solve(T, P/g.convention.StandardPressure); err != nil {
		return State{}, unsolved(c, T, P)
	}
	return b.state(), nil
}

// MoleFractions returns the mole fractions of the gas at T and P, by the names of the species, such as NO.
func (g *Gibbs) MoleFractions(c Composition, T, P float64) (map[string]float64, error) {
	var b balance
	if err := g.prepare(&b, c); err != nil {
		return nil, err
	}
	if err := check(T, P); err != nil {
		return nil, err
	}
	if err := b.solve(T, P/g.convention.StandardPressure); err != nil {
		return nil, unsolved(c, T, P)
	}
	total := math.Exp(b.x[iPhi]) * b.P
	x := make(map[string]float64, len(b.n)+len(g.reactions))
	for k, n := range b.n {
		x[table[k].name] = n / total
	}
	for j := range g.reactions {
		x[g.reactions[j].name] = b.m[j] / total
	}
	return x, nil
}

func unsolved(c Composition, T, P float64) error {
	return fmt.Errorf("%w at T %.6g K, P %.6g Pa, FAR %.6g, WAR %.6g", errUnsolved, T, P, c.FAR, c.WAR)
}

// HP returns the state of enthalpy h at P.
func (g *Gibbs) HP(c Composition, h, P, guess float64) (State, error) {
	return g.inverse(c, enthalpy, h, P, guess, g.TP)
}

// SP returns the state of entropy s at P.
func (g *Gibbs) SP(c Composition, s, P, guess float64) (State, error) {
	return g.inverse(c, entropy, s, P, guess, g.TP)
}

// A property that rises with temperature.
type property int

const (
	enthalpy property = iota
	entropy
)

// of returns the property and its slope by ln T.
func (p property) of(st *State) (value, slope float64) {
	if p == enthalpy {
		return st.H, st.Cp * st.T
	}
	return st.S, st.Cp
}

// atTP is Model.TP.
type atTP func(c Composition, T, P float64) (State, error)

// inverse finds the temperature at which a property has its target value. It takes Newton steps in ln T, which must
// stay within the bracket that their signs make and halve within two steps; otherwise it bisects.
func (g *Gibbs) inverse(c Composition, what property, target, P, T float64, tp atTP) (State, error) {
	if !(T >= minT && T <= maxT) {
		T = 1000
	}
	lo, hi := minT, maxT
	last, before := math.Inf(1), math.Inf(1)
	for range 200 {
		st, err := tp(c, T, P)
		if err != nil {
			return State{}, err
		}
		v, slope := what.of(&st)
		d := (target - v) / slope
		size := math.Abs(d)
		// Quadratic steps that no longer shrink are round-off.
		if size < 1e-14 || size < 1e-10 && size > last/2 {
			return st, nil
		}
		if d > 0 {
			lo = T
		} else {
			hi = T
		}
		next := T * math.Exp(d)
		if !(next >= lo && next <= hi) || size > before/2 {
			next = math.Sqrt(lo * hi)
		}
		if next-minT < 1e-9 || maxT-next < 1e-9 {
			break
		}
		T, last, before = next, math.Abs(math.Log(next/T)), last
	}
	return State{}, g.beyond(c, what, target, P)
}

// beyond returns why no temperature was found for a target.
func (g *Gibbs) beyond(c Composition, what property, target, P float64) error {
	lo, err := g.TP(c, minT, P)
	if err != nil {
		return err
	}
	hi, err := g.TP(c, maxT, P)
	if err != nil {
		return err
	}
	out := &RangeError{What: "h", Value: target, Min: lo.H, Max: hi.H}
	if what == entropy {
		out = &RangeError{What: "s", Value: target, Min: lo.S, Max: hi.S}
	}
	if target > out.Min && target < out.Max {
		return fmt.Errorf("%w for %s %.10g at P %.6g Pa, FAR %.6g, WAR %.6g", errUnsolved, out.What, target, P, c.FAR,
			c.WAR)
	}
	return out
}
