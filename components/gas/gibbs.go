package gas

import (
	"errors"
	"fmt"
	"math"
)

// Gibbs is the gas at chemical equilibrium, solved to round-off over all species
// of the NASA-9 data here: the least Gibbs energy at T and P for the elements
// that are there. It is what Equilibrium is checked against and falls back on; a
// state takes a few microseconds.
//
// At the minimum every species is in equilibrium with the major ones,
//
//	n_j = phi K_j prod p_k^nu_jk         k in N2, O2, Ar, CO2, H2O
//	sum_j nu_jk n_j = n0_k               n0: complete combustion
//	sum_j n_j = phi P
//
// with n in kmol/kg and phi = n/P. Newton's method on ln p_k and ln phi solves it:
// that of Gordon and McBride (NASA RP-1311, section 2.3) with the five major
// species in the place of the elements, in which the matrix is nearly diagonal
// where the gas is nearly burnt to completion. Derivatives are theirs too
// (section 2.5): the same matrix with other right-hand sides.
//
// Enthalpies and entropies are those of the base plus the heats of reaction of
// the minor species. Valid from 120 K to 6000 K, and up to twice the
// stoichiometric fuel-air ratio; without soot.
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

const (
	maxMinors = 16
	nLog      = nSpecies + 1 // ln p of the major species and ln phi
	iPhi      = nSpecies
)

// Less of an element than this, kmol/kg, counts as none.
const traceless = 1e-25

// A balance is an equilibrium to be found and, once found, its derivatives.
type balance struct {
	g     *Gibbs
	n0    [nSpecies]float64 // complete combustion, kmol/kg; O2 below zero if rich
	there [nSpecies]bool    // species whose elements are there
	low   polynomial        // of the base, J/kg
	high  polynomial

	T, P    float64 // K, standard pressures
	lnK     [maxMinors]float64
	heat    [maxMinors]float64 // heat of reaction over Ru T
	dcp     [maxMinors]float64
	absent  [maxMinors]bool
	x       [nLog]float64 // ln p_k, ln phi
	n       [nSpecies]float64
	m       [maxMinors]float64
	dT, dlP [nLog]float64 // derivatives of x by ln T and ln P
}

// prepare sets the balance up for a composition.
func (g *Gibbs) prepare(b *balance, c Composition) error {
	if err := g.check(c, g.maxFAR); err != nil {
		return err
	}
	b.g = g
	y := 1 / c.Total()
	yf, yw := c.FAR*y, c.WAR*y
	for i := range b.low {
		b.low[i] = y*g.air.low[i] + yf*g.burn.low[i] + yw*g.water.low[i]
		b.high[i] = y*g.air.high[i] + yf*g.burn.high[i] + yw*g.water.high[i]
	}
	for k := range b.n0 {
		b.n0[k] = y*g.air.n[k] + yf*g.burn.n[k] + yw*g.water.n[k]
		b.there[k] = k == O2 || b.n0[k] > traceless
	}
	for j := range g.reactions {
		b.absent[j] = g.reactions[j].nu[H2O] > 0 && !b.there[H2O]
	}
	return nil
}

// constants evaluates what depends on temperature alone.
func (b *balance) constants(T float64) {
	b.T = T
	lnT := math.Log(T)
	for j := range b.g.reactions {
		b.lnK[j], b.heat[j], b.dcp[j] = b.g.reactions[j].at(T, lnT)
	}
}

// start guesses the composition: complete combustion, or, where oxygen is short, CO2 and H2O
// that share it out with CO and H2 (K = p_CO p_O2^1/2/p_CO2, same for H2).
func (b *balance) start() {
	total := 0.0
	for k, n := range b.n0 {
		if k != O2 || n > 0 {
			total += n
		}
	}
	phi := total / b.P
	b.x = [nLog]float64{iPhi: math.Log(phi)}
	for k, n := range b.n0 {
		if b.there[k] && n > 0 {
			b.x[k] = math.Log(n / phi)
		}
	}
	if b.n0[O2] > 1e-4*total {
		return
	}
	// sqrt(p_O2) = K_CO t from the balance of oxygen: a quadratic in t.
	short := 2*max(0, -b.n0[O2]) + 1e-12*total
	ratio := math.Exp(b.lnK[iH2] - b.lnK[iCO])
	c, h := b.n0[CO2], b.n0[H2O]
	x := max(c+h-short, 1e-6*(c+h))
	p, q, r := c+h-x, c*ratio+h-x*(1+ratio), -x*ratio
	root := math.Sqrt(q*q - 4*p*r)
	t := -2 * r / (q + root)
	if q < 0 {
		t = (root - q) / (2 * p)
	}
	lnO2 := min(2*(b.lnK[iCO]+math.Log(t)), math.Log(0.2*b.P))
	if b.n0[O2] > 0 && b.x[O2] > lnO2 {
		return
	}
	b.x[O2] = lnO2
	b.x[CO2] += math.Log(t / (t + 1))
	if b.there[H2O] {
		b.x[H2O] += math.Log(t / (t + ratio))
	}
	// Where it is cold CH4 and NH3 take what CO and H2 would: more O2 keeps each
	// within reach of what there is.
	b.amounts()
	raise := 0.0
	for j := range b.g.reactions {
		if nu := b.g.reactions[j].nu[O2]; nu < 0 && b.m[j] > total {
			raise = max(raise, math.Log(b.m[j]/total)/-nu)
		}
	}
	b.x[O2] += raise
}

var errUnsolved = errors.New("gas: equilibrium not found")

// solve finds the composition at T and P [standard pressures] and its derivatives.
func (b *balance) solve(T, P float64) error {
	b.P = P
	b.constants(T)
	b.start()
	for range 300 {
		var a [nLog][nLog]float64
		var rhs [nLog][3]float64
		b.assemble(&a, &rhs)
		full, fullRHS := a, rhs
		weight := b.weight(&a, &rhs)
		fix(&a, &rhs)
		eliminate(&a, &rhs)
		if largest(&rhs, &weight) < 0.5 {
			rhs = fullRHS
			eliminate(&full, &rhs)
		}
		worst := largest(&rhs, &weight)
		if !(worst < math.Inf(1)) {
			return errUnsolved
		}
		short := 1.0
		if worst > 2 { // e^2 in a pressure: further, the linear picture is worthless
			short = 2 / worst
		}
		for i := range b.x {
			b.x[i] += short * rhs[i][0]
			b.dT[i], b.dlP[i] = rhs[i][1], rhs[i][2]
		}
		if worst < 1e-9 {
			b.amounts()
			return nil
		}
	}
	return errUnsolved
}

// amounts sets n and m from x.
func (b *balance) amounts() {
	for k := range b.n {
		b.n[k] = 0
		if b.there[k] {
			b.n[k] = math.Exp(b.x[k] + b.x[iPhi])
		}
	}
	for j := range b.g.reactions {
		b.m[j] = 0
		if b.absent[j] {
			continue
		}
		l := b.lnK[j] + b.x[iPhi]
		for k, nu := range b.g.reactions[j].nu {
			l += nu * b.x[k]
		}
		b.m[j] = math.Exp(l)
	}
}

// assemble sets the matrix up, with right-hand sides for Newton's step and the
// derivatives by ln T and ln P. It is scaled to a unit diagonal.
func (b *balance) assemble(a *[nLog][nLog]float64, rhs *[nLog][3]float64) {
	b.amounts()
	var sum [nLog]float64 // sum nu_k n_j; total
	for k, n := range b.n {
		a[k][k] += n
		sum[k] += n
		sum[iPhi] += n
	}
	for j := range b.g.reactions {
		if b.absent[j] {
			continue
		}
		nu, m := &b.g.reactions[j].nu, b.m[j]
		for k := range nu {
			for l := range nu {
				a[k][l] += nu[k] * nu[l] * m
			}
			sum[k] += nu[k] * m
			rhs[k][1] -= nu[k] * m * b.heat[j]
		}
		sum[iPhi] += m
		rhs[iPhi][1] -= m * b.heat[j]
	}
	total := math.Exp(b.x[iPhi]) * b.P
	for k := range b.n {
		if !b.there[k] {
			a[k][k] = 1
			continue
		}
		a[k][iPhi], a[iPhi][k] = sum[k], sum[k]
		rhs[k][0] = b.n0[k] - sum[k]
	}
	a[iPhi][iPhi] = sum[iPhi] - total
	rhs[iPhi][0] = total - sum[iPhi]
	rhs[iPhi][2] = total
}

// fix takes phi as known. The problem that is left is convex, so that Newton's method
// solves it from afar, where it can go astray with phi.
func fix(a *[nLog][nLog]float64, rhs *[nLog][3]float64) {
	for k := range nSpecies {
		a[k][iPhi], a[iPhi][k] = 0, 0
	}
	a[iPhi][iPhi], rhs[iPhi][0] = 1, 0
}

// weight says how much a step of each unknown counts: less where what it moves is
// too little to matter. In a cold stoichiometric gas the free oxygen, 1e-30 of
// it, is lost in round-off.
func (b *balance) weight(a *[nLog][nLog]float64, rhs *[nLog][3]float64) (w [nLog]float64) {
	total := math.Exp(b.x[iPhi]) * b.P
	for k := range b.n {
		w[k] = min(1, max(a[k][k], math.Abs(rhs[k][0]))/(1e-10*total))
	}
	w[iPhi] = 1
	return w
}

func largest(rhs *[nLog][3]float64, weight *[nLog]float64) float64 {
	worst := 0.0
	for i := range rhs {
		worst = max(worst, weight[i]*math.Abs(rhs[i][0])) // max keeps a NaN
	}
	return worst
}

// eliminate solves a x = rhs for each right-hand side, in place. The matrix is scaled
// by its diagonal first: a species may be there by 1e-60.
func eliminate(a *[nLog][nLog]float64, rhs *[nLog][3]float64) {
	var d [nLog]float64
	for i := range a {
		d[i] = 1
		if i != iPhi {
			d[i] = 1 / math.Sqrt(a[i][i])
		}
	}
	for i := range a {
		for j := range a {
			a[i][j] *= d[i] * d[j]
		}
		for c := range rhs[i] {
			rhs[i][c] *= d[i]
		}
	}
	for i := range a {
		p := i
		for r := i + 1; r < nLog; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p] = a[p], a[i]
		rhs[i], rhs[p] = rhs[p], rhs[i]
		for r := i + 1; r < nLog; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < nLog; c++ {
				a[r][c] -= f * a[i][c]
			}
			for c := range rhs[r] {
				rhs[r][c] -= f * rhs[i][c]
			}
		}
	}
	for i := nLog - 1; i >= 0; i-- {
		for c := range rhs[i] {
			for j := i + 1; j < nLog; j++ {
				rhs[i][c] -= a[i][j] * rhs[j][c]
			}
			rhs[i][c] /= a[i][i]
		}
	}
	for i := range rhs {
		for c := range rhs[i] {
			rhs[i][c] *= d[i]
		}
	}
}

// state returns the properties of the composition found.
//
//	cp = cp0 + Ru sum n_j dcp_j + Ru sum n_j heat_j dln n_j/dlnT
//	dlnV/dlnT = 1 + dln phi/dlnT,  dlnV/dlnP = dln phi/dlnP
func (b *balance) state() State {
	lnT := math.Log(b.T)
	p := pick(&b.low, &b.high, b.T)
	h, s, cp := p.h(b.T, lnT), p.s(b.T, lnT), p.cp(b.T)
	for j := range b.g.reactions {
		if b.absent[j] {
			continue
		}
		d := b.heat[j] + b.dT[iPhi]
		for k, nu := range b.g.reactions[j].nu {
			d += nu * b.dT[k]
		}
		h += Ru * b.T * b.m[j] * b.heat[j]
		s += Ru * b.m[j] * b.heat[j]
		cp += Ru * b.m[j] * (b.dcp[j] + b.heat[j]*d)
	}
	for k, n := range b.n0 {
		if b.there[k] {
			s -= Ru * n * b.x[k]
		}
	}
	R := Ru * math.Exp(b.x[iPhi]) * b.P
	return State{
		T: b.T, P: b.P * b.g.convention.StandardPressure, H: h, S: s, Cp: cp,
		Gamma: isentropic(cp, R, 1+b.dT[iPhi], b.dlP[iPhi]), R: R,
	}
}

// isentropic is the exponent -(dlnP/dlnV)_s (Gordon and McBride, RP-1311, equations 2.70 to 2.73),
//
//	cv = cp + R v_T^2/v_P,  gamma_s = -cp/(cv v_P),  v_T = dlnV/dlnT, v_P = dlnV/dlnP
func isentropic(cp, r, vT, vP float64) float64 {
	return -cp / (cp*vP + r*vT*vT)
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

// MoleFractions returns what the gas holds at T and P, by the names of the species, such as NO.
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

// inverse finds the temperature at which a property has its target. Newton's steps stay
// within the bracket that their signs make.
func (g *Gibbs) inverse(c Composition, what property, target, P, T float64, tp func(c Composition, T, P float64) (State, error)) (State, error) {
	if !(T >= minT && T <= maxT) {
		T = 1000
	}
	lo, hi := minT, maxT
	for range 100 {
		st, err := tp(c, T, P)
		if err != nil {
			return State{}, err
		}
		v, slope := what.of(&st)
		d := (target - v) / slope
		if math.Abs(d) < 1e-15 {
			return st, nil
		}
		if d > 0 {
			lo = T
		} else {
			hi = T
		}
		next := T * math.Exp(max(-1, min(1, d)))
		if !(next >= lo && next <= hi) {
			next = (lo + hi) / 2
		}
		if next == T || hi-lo < 1e-13*hi {
			if T-minT < 1e-9 || maxT-T < 1e-9 {
				break
			}
			return st, nil
		}
		T = next
	}
	return State{}, g.beyond(c, what, target, P)
}

// beyond tells of a target that no temperature gives.
func (g *Gibbs) beyond(c Composition, what property, target, P float64) error {
	lo, err := g.TP(c, minT, P)
	if err != nil {
		return err
	}
	hi, err := g.TP(c, maxT, P)
	if err != nil {
		return err
	}
	if what == enthalpy {
		return &RangeError{What: "h", Value: target, Min: lo.H, Max: hi.H}
	}
	return &RangeError{What: "s", Value: target, Min: lo.S, Max: hi.S}
}
