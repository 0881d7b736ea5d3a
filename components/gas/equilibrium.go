package gas

import "math"

// Equilibrium is the gas at chemical equilibrium, fast enough to be the default: about half a microsecond a state,
// without allocation and without state shared by calls.
//
// A lean gas below 4000 K is solved in reduced form (see lean), together with the temperature if enthalpy or entropy
// are given, over N2, O2, Ar, CO2, H2O, NO, NO2, CO, O, N, H2, H, OH, HO2 and H2O2. No property is read from a table:
// h, s, cp, gamma and R belong to one function, and HP and SP return TP's temperature to 1e-12. Over random states
// (TestAgainstGibbs) it differs from Gibbs by, at most,
//
//	                                       h            cp      gamma
//	to 350 K                               0.003 J/kg   3e-7    1e-7
//	to 1900 K, 70 % of stoichiometric      0.003 J/kg   1e-8    7e-9
//	to 2600 K, 97 % of stoichiometric      1.5 J/kg     4e-6    1e-6
//	to 4000 K, down to 100 Pa              35 J/kg      2e-5    1e-5
//
// because NH3 and NO3 are left out, reactions end in the cold, and equilibrium constants are interpolated to 2e-9.
//
// From 97 to 100 % of the stoichiometric fuel-air ratio, and from 4000 to 4500 K, the state blends smoothly into that
// of Gibbs. Gibbs covers the rest: up to 6000 K and twice the stoichiometric ratio, at 10 times the cost of TP and 50
// times that of HP and SP.
type Equilibrium struct {
	Gibbs
	constants *constants
	airMixed  float64 // sum n ln n of dry air
	airN2     float64 // ln n
	airAr     float64
}

// NewEquilibrium returns the gas for air and the products of a fuel. It takes about
// 0.7 ms and 0.3 MB, for the equilibrium constants.
func NewEquilibrium(fuel Fuel, c Convention) *Equilibrium {
	g := &Equilibrium{Gibbs: *NewGibbs(fuel, c)}
	g.constants = newConstants(g.reactions)
	g.airN2, g.airAr = math.Log(g.air.n[N2]), math.Log(g.air.n[Ar])
	g.airMixed = g.sumLog(Composition{}, &g.air.n)
	return g
}

const (
	leanEnd  = 0.97 // of the stoichiometric FAR: to here lean alone
	richFrom = 1.0  // from here Gibbs alone
	leanT    = 4000.0
	gibbsT   = 4500.0
)

// share is Gibbs's share of a state.
func (g *Equilibrium) share(c Composition, T float64) float64 {
	far := smooth((c.FAR/g.stoichiometric - leanEnd) / (richFrom - leanEnd))
	hot := smooth((T - leanT) / (gibbsT - leanT))
	return 1 - (1-far)*(1-hot)
}

// smooth rises from 0 to 1 with continuous slope and curvature.
func smooth(z float64) float64 {
	z = max(0, min(1, z))
	return z * z * z * (10 + z*(6*z-15))
}

// prepare sets a lean gas up, in complete combustion.
func (g *Equilibrium) prepare(b *lean, c Composition, P float64) {
	b.t = g.constants
	b.P = P / g.convention.StandardPressure
	if c.FAR == 0 && c.WAR == 0 {
		b.n0, b.low, b.high, b.species = g.air.n, g.air.low, g.air.high, nLeanDry
		b.mixed = g.airMixed
	} else {
		g.blend(c, &b.low, &b.high, &b.n0)
		b.species = nLean
		if b.n0[H2O] < traceless {
			b.species = nLeanDry
		}
		b.mixed = g.sumLog(c, &b.n0)
	}
	b.groups[gC].n0, b.groups[gH].n0, b.groups[gN].n0 = b.n0[CO2], b.n0[H2O], b.n0[N2]
	b.rest()
	b.mixed -= b.P * b.phi * math.Log(b.phi)
}

// sumLog is sum n ln n. The amounts of N2 and Ar are those of the air, except for fuel's nitrogen, over the mass: their
// logarithms are known.
func (g *Equilibrium) sumLog(c Composition, n *[nSpecies]float64) float64 {
	total := c.Total()
	lnTotal := math.Log(total)
	lnN2 := g.airN2
	if g.burn.n[N2] != 0 {
		lnN2 = math.Log(n[N2] * total)
	}
	sum := n[N2]*(lnN2-lnTotal) + n[Ar]*(g.airAr-lnTotal) + n[O2]*math.Log(n[O2]) + n[CO2]*math.Log(n[CO2])
	if n[H2O] > 0 {
		sum += n[H2O] * math.Log(n[H2O])
	}
	return sum
}

// TP returns the state at T and P.
func (g *Equilibrium) TP(c Composition, T, P float64) (State, error) {
	if err := g.check(c, g.maxFAR); err != nil {
		return State{}, err
	}
	if err := check(T, P); err != nil {
		return State{}, err
	}
	w := g.share(c, T)
	if w == 1 {
		return g.Gibbs.TP(c, T, P)
	}
	var b lean
	g.prepare(&b, c, P)
	st, ok := b.atT(T, P)
	if !ok {
		return g.Gibbs.TP(c, T, P)
	}
	if w == 0 {
		return st, nil
	}
	exact, err := g.Gibbs.TP(c, T, P)
	return between(&st, &exact, w), err
}

// between is the state a share w of the way from a to b.
func between(a, b *State, w float64) State {
	mix := func(x, y float64) float64 { return x + w*(y-x) }
	return State{
		T: a.T, P: a.P, H: mix(a.H, b.H), S: mix(a.S, b.S),
		Cp: mix(a.Cp, b.Cp), Gamma: mix(a.Gamma, b.Gamma), R: mix(a.R, b.R),
	}
}

// HP returns the state of enthalpy h at P.
func (g *Equilibrium) HP(c Composition, h, P, guess float64) (State, error) {
	return g.find(c, enthalpy, h, P, guess)
}

// SP returns the state of entropy s at P.
func (g *Equilibrium) SP(c Composition, s, P, guess float64) (State, error) {
	return g.find(c, entropy, s, P, guess)
}

func (g *Equilibrium) find(c Composition, what property, target, P, guess float64) (State, error) {
	if err := g.check(c, g.maxFAR); err != nil {
		return State{}, err
	}
	if err := check(minT, P); err != nil {
		return State{}, err
	}
	if c.FAR <= leanEnd*g.stoichiometric {
		var b lean
		g.prepare(&b, c, P)
		if st, ok := b.find(what, target, P, guess); ok {
			return st, nil
		}
	}
	return g.inverse(c, what, target, P, guess, g.TP)
}
