package gas

import (
	"errors"
	"math"
)

// This file holds Gibbs's iteration for an equilibrium and its derivatives; Gibbs documents the equations.

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
	there [nSpecies]bool    // species whose elements are present
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
	g.blend(c, &b.low, &b.high, &b.n0)
	for k := range b.n0 {
		b.there[k] = k == O2 || b.n0[k] > traceless
	}
	for j := range g.reactions {
		b.absent[j] = g.reactions[j].nu[H2O] > 0 && !b.there[H2O]
	}
	return nil
}

// constants evaluates the quantities that depend on temperature alone.
func (b *balance) constants(T float64) {
	b.T = T
	lnT := math.Log(T)
	for j := range b.g.reactions {
		b.lnK[j], b.heat[j], b.dcp[j] = b.g.reactions[j].at(T, lnT)
	}
}

// start sets the initial composition: complete combustion, or, if oxygen is short, CO2 and H2O that share the oxygen
// with CO and H2.
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
	b.share(total)
}

// share is the start of a gas short of oxygen. With sqrt(p_O2) = K_CO t the shares of C
// in CO2 and of H in H2O are t/(t+1) and t/(t+K_H2/K_CO), and the balance of oxygen
// is a quadratic in t.
func (b *balance) share(total float64) {
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
	// In the cold CH4 and NH3 take the place of CO and H2: more O2 keeps each amount within the available elements.
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
		damping := 1.0
		if worst > 2 { // e^2 in a pressure: further, the linear picture is worthless
			damping = 2 / worst
		}
		for i := range b.x {
			b.x[i] += damping * rhs[i][0]
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
// derivatives by ln T and ln P.
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

// fix takes phi as known. The remaining problem is convex, so that Newton's method converges from a distant start, from
// which it can diverge with phi unknown.
func fix(a *[nLog][nLog]float64, rhs *[nLog][3]float64) {
	for k := range nSpecies {
		a[k][iPhi], a[iPhi][k] = 0, 0
	}
	a[iPhi][iPhi], rhs[iPhi][0] = 1, 0
}

// weight is the weight of each unknown's step: small if the unknown's amount is too small to matter. In a cold
// stoichiometric gas the free oxygen, a fraction of 1e-30, is lost in round-off.
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

// isentropic is the exponent -(dlnP/dlnV)_s (Gordon and McBride, RP-1311, section 2.6),
//
//	cv = cp + R v_T^2/v_P,  gamma_s = -cp/(cv v_P),  v_T = dlnV/dlnT, v_P = dlnV/dlnP
func isentropic(cp, r, vT, vP float64) float64 {
	return -cp / (cp*vP + r*vT*vT)
}

// eliminate solves a x = rhs for each right-hand side, in place, by Gauss's method with row pivots. The matrix is
// scaled by its diagonal first: the amount of a species may be 1e-60.
func eliminate(a *[nLog][nLog]float64, rhs *[nLog][3]float64) {
	d := equilibrate(a, rhs)
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

// equilibrate scales the matrix to a diagonal of ones, except for phi, and returns the factors for the solution.
func equilibrate(a *[nLog][nLog]float64, rhs *[nLog][3]float64) (d [nLog]float64) {
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
	return d
}
