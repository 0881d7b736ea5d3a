package gas

import "math"

// lean is the equilibrium of a gas with excess oxygen, in a form that is fast to solve. With q = p_O2^(1/4) and phi =
// n/P every other pressure follows in closed form,
//
//	p_CO2 (1 + K_CO/q^2) = n0_CO2/phi
//	p_H2O (1 + K_H2/q^2 + K_H2O2 q^2) + p_H2O^(1/2) (K_OH q + K_H/q + K_HO2 q^3)/2 = n0_H2O/phi
//	p_N2 + p_N2^(1/2) (K_NO q^2 + K_NO2 q^4 + K_N)/2 = n0_N2/phi
//
// and Newton's method has only two unknowns, from the balance of oxygen and from Dalton's law; a given enthalpy or
// entropy adds the temperature.
type lean struct {
	n0        [nSpecies]float64
	low, high polynomial // of the base, J/kg
	t         *constants
	species   int     // nLean, or nLeanDry without hydrogen
	mixed     float64 // sum n0_k ln p_k in complete combustion
	P         float64 // standard pressures

	reacting         bool // no longer as rest sets it
	T, q, phi        float64
	lnT, lnO2, lnPhi float64 // the latter two relative to complete combustion

	k  [nLean][3]float64 // see constants.at
	kT float64           // its temperature

	// The linear system in dln p_O2 and dln phi after the elimination of the dln p of CO2, H2O and N2; its solutions
	// for Newton's step and for ln T; and the terms of the eliminated unknowns: right - ratioO dln p_O2 - ratioF dln
	// phi.
	oo, of, ff, det float64
	res, temp       [2]float64
	groups          [3]group

	e, eO, f float64 // sums of p_j heat_j, with nu_O2 too, and of p_j (dcp_j + heat_j^2)
}

// group is the species that share an element with CO2, H2O or N2.
type group struct {
	ratioO, ratioF float64
	right, e       float64 // dln p by ln T at constant p_O2 and phi; sum nu p heat
	n0             float64 // kmol/kg
	lost, left     float64 // pressures that the reactions take of it, and leave
}

const (
	gC = iota
	gH
	gN
)

// rest sets complete combustion, all but q.
func (b *lean) rest() {
	n := &b.n0
	b.phi = (n[N2] + n[O2] + n[Ar] + n[CO2] + n[H2O]) / b.P
	b.lnO2, b.lnPhi = 0, 0
	b.reacting = false
	for i := range b.groups {
		b.groups[i].lost, b.groups[i].left = 0, 1
	}
}

// anticipate moves the composition from complete combustion to the estimate of each reaction taken alone: its use of
// oxygen and its change of the number of molecules. With a use about proportional to p_O2^1/2 the balance p + use = p0
// has the solution ln p = ln p0 - 2 asinh(use/2 p0), here to the second order.
func (b *lean) anticipate() {
	r := 1 / b.phi
	q4 := b.n0[O2] * r
	q2 := math.Sqrt(q4)
	iq2 := 1 / q2
	b.q = math.Sqrt(q2)
	k := &b.k
	d := math.Sqrt(b.n0[N2] * r)
	no2 := k[iNO2][0] * d * q4
	use := 0.5*k[iNO][0]*d*q2 + no2
	made := -0.5 * no2
	if b.T > coolT {
		co, o := k[iCO][0]*b.n0[CO2]*r*iq2, k[iO][0]*q2
		use += 0.5 * (o - co)
		made += 0.5 * (o + co)
	}
	if b.T > coolT && b.species == nLean {
		pw := b.n0[H2O] * r
		w := math.Sqrt(pw)
		h2, h, oh := k[iH2][0]*pw*iq2, k[iH][0]*w*b.q*iq2, k[iOH][0]*w*b.q
		use += 0.25*(oh-h) - 0.5*h2
		made += 0.5*h2 + 0.75*h + 0.25*oh
	}
	b.res = [2]float64{-use / q4, made / b.P}
	b.move(0)
}

// evaluate sets the linear system at T, q and phi, with the constants of T.
func (b *lean) evaluate() {
	var s sums
	k := &b.k
	q := b.q
	q2 := q * q
	q4 := q2 * q2
	s.oo, s.aO, s.total = q4, q4, q4
	r := 1 / b.phi
	b.nitrogen(&s, b.n0[N2]*r, q2, q4)
	aC, aH := b.n0[CO2]*r, b.n0[H2O]*r
	if b.T <= coolT {
		s.inert(&b.groups[gC], aC)
		s.inert(&b.groups[gH], aH)
	} else {
		pO, eO := k[iO][0]*q2, k[iO][1]*q2
		s.oo += 0.25 * pO
		s.aO += 0.5 * pO
		s.total += pO
		s.e += eO
		s.eO += 0.5 * eO
		s.f += k[iO][2] * q2
		iq2 := 1 / q2
		b.carbon(&s, aC, iq2)
		if b.species == nLean {
			b.hydrogen(&s, aH, q, q2, iq2)
		}
	}
	pAr := b.n0[Ar] * r
	s.total += pAr
	s.ff += s.total - b.P - pAr
	s.of += s.aO
	b.oo, b.of, b.ff = s.oo, s.of, s.ff
	b.det = 1 / (s.oo*s.ff - s.of*s.of)
	b.e, b.eO, b.f = s.e, s.eO, s.f
	b.res = b.solve(b.n0[O2]*r-s.aO, b.P-s.total)
	b.temp = b.solve(s.tO-s.eO, s.tF-s.e)
}

// sums collect the linear system, divided by phi. S_ab is sum nu_a nu_b p, a_a sum nu_a p.
type sums struct {
	oo, of, ff float64 // matrix in dln p_O2 and dln phi, less the terms of the eliminated groups
	aO, total  float64 // sum nu_O2 p, sum p
	e, eO, f   float64 // see lean
	tO, tF     float64 // terms of the groups in the right-hand side for ln T
}

// eliminate takes a group out: dln p_G = right - ratioO dln p_O2 - ratioF dln phi.
func (s *sums) eliminate(g *group, sGG, sGO, aG, e float64) {
	i := 1 / sGG
	g.ratioO, g.ratioF, g.right, g.e = sGO*i, aG*i, -e*i, e
	s.oo -= sGO * g.ratioO
	s.of -= aG * g.ratioO
	s.ff -= aG * g.ratioF
	s.tO -= sGO * g.right
	s.tF -= aG * g.right
}

// inert eliminates a group of one species.
func (s *sums) inert(g *group, aG float64) {
	g.ratioO, g.ratioF, g.right, g.e, g.lost, g.left = 0, 1, 0, 0, 0, 1
	s.total += aG
	s.ff -= aG
}

// nitrogen adds N2, NO, NO2 and N.
func (b *lean) nitrogen(s *sums, aN, q2, q4 float64) {
	k := &b.k
	half := 0.25 * (k[iNO][0]*q2 + k[iNO2][0]*q4 + k[iN][0])
	d := aN / (half + math.Sqrt(half*half+aN)) // p_N2^(1/2)
	mNO, mNO2 := d*q2, d*q4
	pNO, pNO2, pN := k[iNO][0]*mNO, k[iNO2][0]*mNO2, k[iN][0]*d
	eNO, eNO2, eN := k[iNO][1]*mNO, k[iNO2][1]*mNO2, k[iN][1]*d
	whole, odd := d*d, pNO+pNO2+pN
	s.oo += 0.25*pNO + pNO2
	s.aO += 0.5*pNO + pNO2
	s.total += whole + odd
	s.e += eNO + eNO2 + eN
	s.eO += 0.5*eNO + eNO2
	s.f += k[iNO][2]*mNO + k[iNO2][2]*mNO2 + k[iN][2]*d
	b.groups[gN].lost, b.groups[gN].left = 0.5*odd, whole
	s.eliminate(&b.groups[gN], whole+0.25*odd, 0.25*pNO+0.5*pNO2, aN, 0.5*(eNO+eNO2+eN))
}

// carbon adds CO2 and CO.
func (b *lean) carbon(s *sums, aC, iq2 float64) {
	k := &b.k[iCO]
	c := aC / (1 + k[0]*iq2)
	m := c * iq2
	p, e := k[0]*m, k[1]*m
	s.oo += 0.25 * p
	s.aO -= 0.5 * p
	s.total += aC
	s.e += e
	s.eO -= 0.5 * e
	s.f += k[2] * m
	b.groups[gC].lost, b.groups[gC].left = p, c
	s.eliminate(&b.groups[gC], aC, -0.5*p, aC, e)
}

// hydrogen adds H2O, H2, H, OH, HO2 and H2O2.
func (b *lean) hydrogen(s *sums, aH, q, q2, iq2 float64) {
	k := &b.k
	q3, iq := q2*q, q*iq2
	half := 0.25 * (k[iOH][0]*q + k[iH][0]*iq + k[iHO2][0]*q3)
	A := 1 + k[iH2][0]*iq2 + k[iH2O2][0]*q2
	w := aH / (half + math.Sqrt(half*half+A*aH)) // p_H2O^(1/2)
	pw := w * w
	m2, m1, mOH, mHO2, mP := pw*iq2, w*iq, w*q, w*q3, pw*q2
	p2, p1, pOH, pHO2, pP := k[iH2][0]*m2, k[iH][0]*m1, k[iOH][0]*mOH, k[iHO2][0]*mHO2, k[iH2O2][0]*mP
	e2, e1, eOH, eHO2, eP := k[iH2][1]*m2, k[iH][1]*m1, k[iOH][1]*mOH, k[iHO2][1]*mHO2, k[iH2O2][1]*mP
	s.oo += 0.25*(p2+pP) + 0.0625*(p1+pOH+9*pHO2)
	plus, pair := 0.25*(pOH-p1)+0.75*pHO2, 0.5*(pP-p2)
	s.aO += pair + plus
	odd, whole, eOdd := p1+pOH+pHO2, pw+p2+pP, e1+eOH+eHO2
	s.total += whole + odd
	s.e += e2 + eP + eOdd
	s.eO += 0.5*(eP-e2) + 0.25*(eOH-e1) + 0.75*eHO2
	s.f += k[iH2][2]*m2 + k[iH][2]*m1 + k[iOH][2]*mOH + k[iHO2][2]*mHO2 + k[iH2O2][2]*mP
	b.groups[gH].lost, b.groups[gH].left = p2+pP+0.5*odd, pw
	s.eliminate(&b.groups[gH], whole+0.25*odd, pair+0.5*plus, aH, e2+eP+0.5*eOdd)
}

// constants sets k for T, if it is not yet set.
func (b *lean) constants() {
	if b.T == b.kT {
		return
	}
	b.kT = b.T
	n := b.species
	if b.T <= coolT {
		n = nLeanCool
		b.k[iN] = [3]float64{}
	}
	b.t.at(b.T, n, &b.k)
}

// solve returns dln p_O2 and dln phi for a right-hand side.
func (b *lean) solve(o, f float64) [2]float64 {
	return [2]float64{(o*b.ff - f*b.of) * b.det, (f*b.oo - o*b.of) * b.det}
}

// along returns the changes of sum p_j heat_j (phi being moved, too) and of
// sum n0_k ln p_k for a step l of ln p_O2 and ln phi and a step t of ln T.
func (b *lean) along(l *[2]float64, t float64) (heat, mixing float64) {
	heat = b.e*l[1] + b.eO*l[0]
	mixing = b.n0[O2]*l[0] - b.n0[Ar]*l[1]
	for i := range b.groups {
		g := &b.groups[i]
		d := t*g.right - g.ratioO*l[0] - g.ratioF*l[1]
		heat += g.e * d
		mixing += g.n0 * d
	}
	return heat, mixing
}

// mixing is sum n0_k ln p_k.
func (b *lean) mixing() float64 {
	c, h, n := &b.groups[gC], &b.groups[gH], &b.groups[gN]
	return b.mixed + b.n0[O2]*b.lnO2 - (b.n0[Ar]+c.n0+h.n0+n.n0)*b.lnPhi + c.n0*c.log() + h.n0*h.log() + n.n0*n.log()
}

// log is ln(p/p0) of the group's major species, p0 being its pressure if none were lost.
func (g *group) log() float64 {
	if g.lost > 0.03*g.left {
		return math.Log(g.left / (g.left + g.lost))
	}
	z := -g.lost / (2*g.left + g.lost) // ln((1+z)/(1-z)) = 2 artanh z
	zz := z * z
	return 2 * z * (1 + zz*(1.0/3+zz*(1.0/5+zz*(1.0/7+zz*(1.0/9)))))
}

// move takes Newton's step, with the additional step for a change of ln T.
func (b *lean) move(dlnT float64) {
	o := hold(b.res[0] + b.temp[0]*dlnT)
	b.q *= exp(o / 4)
	b.lnO2 += o
	f := hold(b.res[1] + b.temp[1]*dlnT)
	b.phi *= exp(f)
	b.lnPhi += f
}

// hold keeps a step within where the linear picture is worth something.
func hold(l float64) float64 {
	switch {
	case l > 1:
		return 1
	case l < -1:
		return -1
	}
	return l
}

// exp is e^x, quick for small x.
func exp(x float64) float64 {
	if x > 0.03 || x < -0.03 {
		return math.Exp(x)
	}
	return 1 + x*(1+x*(1.0/2+x*(1.0/6+x*(1.0/24+x*(1.0/120+x*(1.0/720+x*(1.0/5040)))))))
}
