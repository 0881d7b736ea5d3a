package gas

import "math"

// base is air with water and completely burnt fuel: all of Frozen, and the start of the equilibrium models.
type base struct {
	fuel             Fuel
	convention       Convention
	air, burn, water blend
	stoichiometric   float64 // FAR at which dry air's oxygen is used up
}

func newBase(fuel Fuel, c Convention) base {
	b := base{fuel: fuel, convention: c, burn: burnt(fuel.Formula, &c.Atoms)}
	mass := 0.0
	for j, x := range dryAir {
		mass += x * c.Atoms.species(j)
	}
	var n [nSpecies]float64
	for j, x := range dryAir {
		n[j] = x / mass
	}
	b.air = newBlend(n)
	b.water = newBlend([nSpecies]float64{H2O: 1 / c.Atoms.species(H2O)})
	b.stoichiometric = -b.air.n[O2] / b.burn.n[O2]
	return b
}

// join makes the enthalpies and entropies meet between the ranges of the fits.
func (b *base) join() {
	for _, x := range []*blend{&b.air, &b.burn, &b.water} {
		x.high = join(&x.low, x.high)
	}
}

// Fuel returns the fuel.
func (b *base) Fuel() Fuel { return b.fuel }

// StoichiometricFAR is the fuel-air ratio that uses up the oxygen of dry air.
func (b *base) StoichiometricFAR() float64 { return b.stoichiometric }

// Convention returns the convention that the model was made with.
func (b *base) Convention() Convention { return b.convention }

func (b *base) check(c Composition, maxFAR float64) error {
	if !(c.FAR >= 0 && c.FAR <= maxFAR) {
		return &RangeError{What: "FAR", Value: c.FAR, Min: 0, Max: maxFAR}
	}
	if !(c.WAR >= 0 && !math.IsInf(c.WAR, 1)) {
		return &RangeError{What: "WAR", Value: c.WAR, Min: 0, Max: math.Inf(1)}
	}
	return nil
}

// blend sets the polynomials [J/kg] and the amounts [kmol/kg] of a composition burnt
// to completion; O2 is below zero where fuel is in excess.
func (b *base) blend(c Composition, low, high *polynomial, n *[nSpecies]float64) {
	y := 1 / c.Total()
	yf, yw := c.FAR*y, c.WAR*y
	for i := range low {
		low[i] = y*b.air.low[i] + yf*b.burn.low[i] + yw*b.water.low[i]
		high[i] = y*b.air.high[i] + yf*b.burn.high[i] + yw*b.water.high[i]
	}
	for j := range n {
		n[j] = y*b.air.n[j] + yf*b.burn.n[j] + yw*b.water.n[j]
	}
}
