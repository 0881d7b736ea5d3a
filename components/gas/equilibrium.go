package gas

import "math"

// Equilibrium is the gas at chemical equilibrium, quick enough to be the default: about
// half a microsecond for a state, nothing allocated but by NewEquilibrium, no state that calls could share.
//
// A lean gas below 4000 K is solved in reduced form (see lean), together with the temperature where
// enthalpy or entropy are given, over N2, O2, Ar, CO2, H2O, NO, NO2, CO, O, N, H2, H, OH, HO2 and H2O2. No
// property is interpolated and none approximated; h, s, cp, gamma and R belong to one function, and HP and SP
// give TP's temperature back to 1e-12. From Gibbs it differs, over random states (TestAgainstGibbs), by
//
//	to 350 K                             0.003 J/kg in h, 3e-7 in cp, 1e-7 in gamma
//	to 1900 K, 70 % of stoichiometric    0.003 J/kg, 1e-8, 7e-9
//	to 2600 K, 97 % of stoichiometric    0.8 J/kg, 2e-6, 6e-7
//	to 4000 K, from 100 Pa               35 J/kg (of 1e7), 2e-5, 1e-5
//
// because NH3 and NO3 are left out, reactions end in the cold, and equilibrium constants are interpolated to
// 2e-9. From 97 to 100 % of the stoichiometric fuel-air ratio, and from 4000 to 4500 K,
// the state goes over smoothly to that of Gibbs, which covers the rest: to 6000 K and twice the stoichiometric
// ratio, at about ten times the price (a hundred times for HP and SP).
type Equilibrium struct {
	Gibbs
	constants *constants
	airMixed  float64 // sum n ln n of dry air
}

// NewEquilibrium returns the gas for air and the products of a fuel. It takes half a
// millisecond.
func NewEquilibrium(fuel Fuel, c Convention) *Equilibrium {
	g := &Equilibrium{Gibbs: *NewGibbs(fuel, c)}
	g.constants = newConstants(g.reactions)
	g.airMixed = sumLog(&g.air.n)
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
	return far + hot - far*hot
}

// smooth goes from 0 to 1 with continuous slope and curvature.
func smooth(z float64) float64 {
	z = max(0, min(1, z))
	return z * z * z * (10 + z*(6*z-15))
}

// prepare sets a lean gas up.
func (g *Equilibrium) prepare(b *lean, c Composition, P float64) {
	b.t = g.constants
	b.P = P / g.convention.StandardPressure
	if c.FAR == 0 && c.WAR == 0 {
		b.n0, b.low, b.high = g.air.n, g.air.low, g.air.high
		b.species = nLeanDry
		b.rest()
		b.mixed = g.airMixed
	} else {
		y := 1 / c.Total()
		yf, yw := c.FAR*y, c.WAR*y
		for i := range g.air.low {
			b.low[i] = y*g.air.low[i] + yf*g.burn.low[i] + yw*g.water.low[i]
			b.high[i] = y*g.air.high[i] + yf*g.burn.high[i] + yw*g.water.high[i]
		}
		for k := range b.n0 {
			b.n0[k] = y*g.air.n[k] + yf*g.burn.n[k] + yw*g.water.n[k]
		}
		b.species = nLean
		if b.n0[H2O] < traceless {
			b.species = nLeanDry
		}
		b.rest()
		b.mixed = sumLog(&b.n0)
	}
	b.groups[gC].n0, b.groups[gH].n0, b.groups[gN].n0 = b.n0[CO2], b.n0[H2O], b.n0[N2]
	b.mixed -= b.P * b.phi * math.Log(b.phi)
}

// sumLog is sum n ln n.
func sumLog(n *[nSpecies]float64) float64 {
	sum := 0.0
	for _, n := range n {
		if n > 0 {
			sum += n * math.Log(n)
		}
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

// lastStep is the size of the steps of ln T, ln p_O2 and ln phi after which what remains, their square,
// is below 1e-13. Above 2200 K dissociation bends the relations by a thousand times more.
func lastStep(T float64) float64 {
	if T > 2200 {
		return 1e-9
	}
	return 1e-7
}

// atT solves for the composition at T.
func (b *lean) atT(T, P float64) (State, bool) {
	b.T, b.lnT = T, math.Log(T)
	h, s, cp := b.caloric()
	if T <= coldT {
		return b.state(h, s-Ru*b.mixed, cp, P, 0), true
	}
	b.constants()
	b.anticipate()
	for range 20 {
		b.evaluate()
		step := math.Abs(b.res[0]) + math.Abs(b.res[1])
		if !(step < 1e3) {
			return State{}, false
		}
		if step < lastStep(T) {
			heat, mixing := b.along(&b.res, 0)
			heat = Ru * b.phi * (b.e + heat)
			return b.state(h+T*heat, s+heat-Ru*(b.mixing()+mixing), cp, P, 0), true
		}
		b.move(0)
	}
	return State{}, false
}

// caloric returns the base's enthalpy, entropy at standard pressure and heat capacity.
func (b *lean) caloric() (h, s, cp float64) {
	p := pick(&b.low, &b.high, b.T)
	return p.h(b.T, b.lnT), p.s(b.T, b.lnT), p.cp(b.T)
}

// state returns the state a last step of ln T beyond the one evaluated. H and s are those after the
// step, cp the base's.
func (b *lean) state(h, s, cp, P, dlnT float64) State {
	T := b.T * (1 + dlnT)
	R := Ru * b.phi * b.P
	if b.T <= coldT {
		return State{T: T, P: P, H: h, S: s, Cp: cp, Gamma: cp / (cp - R), R: R}
	}
	R *= 1 + b.res[1] + b.temp[1]*dlnT
	heat, _ := b.along(&b.temp, 1)
	cp += Ru * b.phi * (b.f + heat)
	vP := b.solve(0, b.P)[1]
	return State{T: T, P: P, H: h, S: s, Cp: cp, Gamma: isentropic(cp, R, 1+b.temp[1], vP), R: R}
}

// find solves for the temperature and the composition at once.
func (b *lean) find(what property, target, P, guess float64) (State, bool) {
	b.T = guess
	if !(guess >= minT && guess <= leanT) {
		b.T = 800
	}
	b.lnT = math.Log(b.T)
	started := false
	for range 25 {
		T := b.T
		h, s, cp := b.caloric()
		slope, step := cp, 0.0
		mixing := b.mixed
		if T > coldT {
			b.constants()
			if !started {
				b.anticipate()
				started = true
			}
			b.evaluate()
			step = math.Abs(b.res[0]) + math.Abs(b.res[1])
			if !(step < 1e3) {
				return State{}, false
			}
			heat, dMixing := b.along(&b.res, 0)
			byT, _ := b.along(&b.temp, 1)
			slope += Ru * b.phi * (b.f + byT)
			heat = Ru * b.phi * (b.e + heat)
			h += T * heat
			s += heat
			mixing = b.mixing() + dMixing
		} else if started {
			b.rest()
			started = false
		}
		s -= Ru * mixing
		d := (target - s) / slope
		if what == enthalpy {
			d = (target - h) / (slope * T)
		}
		if last := lastStep(T); step < last && math.Abs(d) < last {
			if what == enthalpy {
				h, s = target, s+(target-h)/T
			} else {
				h, s = h+T*(target-s), target
			}
			st := b.state(h, s, cp, P, d)
			return st, st.T >= minT && st.T <= leanT
		}
		// cp rises about as T^0.2: with that the step is good to second order.
		d = hold(d)
		if what == enthalpy {
			d -= 0.5 * d * d
		}
		d -= 0.1 * d * d
		if T > coldT {
			b.move(d)
		}
		b.T *= exp(d)
		b.lnT += d
		if !(b.T >= minT && b.T <= leanT) {
			b.T = max(minT, min(leanT, b.T))
			b.lnT = math.Log(b.T)
		}
	}
	return State{}, false
}
