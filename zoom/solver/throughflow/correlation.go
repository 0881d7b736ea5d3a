package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The correlations for turning and losses of a blade row: chosen for transonic compressor rotors, taken as published,
// each with its source. Angles in the formulas are degrees from the meridional direction.

const degree = math.Pi / 180

// cascade is the geometry of a row on a stream surface.
type cascade struct {
	blades     float64
	sign       float64  // of the blade angles: -1 against the rotation, 1 with it
	r1, r2     float64  // radius at the edges, m
	kappa1     float64  // metal angle at the leading edge, rad
	kappa2     float64  // and at the trailing edge, rad
	stagger    float64  // rad
	solidity   float64  // chord over mean pitch
	thickness  float64  // maximum thickness over chord
	chord      float64  // m
	pitch      float64  // mean pitch, m
	height     float64  // blade height, m
	design     *float64 // the designer's incidence, rad; nil: not known
	iSuction   float64  // incidence of flow parallel to the suction surface, rad
	mouthAngle float64  // angle of the suction surface where a shock from the next leading edge meets it, rad
	throat     float64  // least passage width, scaled with the annulus' height over that at the leading edge, m
	width      float64  // width of the passage there, m
	throatAt   float64  // its place, fraction of the axial chord
}

// triangle is the flow that a row sees, in its own frame.
type triangle struct {
	beta1, beta2 float64 // flow angles, rad, with the cascade's sign
	w1, w2       float64 // relative velocity, m/s
	vm1, vm2     float64 // meridional velocity, m/s
	m1           float64 // relative Mach number at the inlet
	p1, t1       float64 // static pressure, Pa, and temperature, K, there
	work         float64 // |change of r Vtheta|, m2/s
	height       float64 // stream-tube height, inlet over exit
	reynolds     float64 // of the chord and the inlet
	gas          march.Gas
}

// incidence returns the incidence of least loss, rad. It is the designer's incidence if the row states it (designers
// aim at least loss). Otherwise below Mach 0.8 it is the low-speed two-dimensional value of NASA SP-36, chapter VI
// (Johnsen and Bullock 1965) in the algebraic form of Aungier (Axial-Flow Compressors, 2003, chapter 6), with the shape
// factor 0.7 of a double circular arc; above Mach 1 it is not less than suction-surface incidence, below which a
// supersonic flow cannot enter (Kantrowitz, NACA ACR L6D12); a smooth passage between.
func (c *cascade) incidence(beta1, mach float64) float64 {
	if c.design != nil {
		return *c.design
	}
	b := min(max(beta1/degree, 0), 85)
	s := min(c.solidity, 3)
	p := 0.914 + s*s*s/160
	i0 := math.Pow(b, p)/(5+46*math.Exp(-2.3*s)) - 0.1*s*s*s*math.Exp((b-70)/4)
	n := 0.025*s - 0.06 - math.Pow(b/90, 1+1.2*s)/(1.5+0.43*s)
	kt := math.Pow(10*c.thickness, 0.28/(0.1+math.Pow(c.thickness, 0.3)))
	i := (0.7*kt*i0 + n*(c.kappa1-c.kappa2)/degree) * degree
	return i + step((mach-0.8)/0.2)*(max(i, c.iSuction)-i)
}

// deviation returns the deviation angle, rad: Carter's rule
//
//	dC = m theta / sqrt(solidity)
//
// with m over stagger for a circular arc (Carter and Hughes, ARC R&M 2384, 1946; quadratic through 0.219, 0.270, 0.370
// at 0, 30, 60 deg), then the correction for transonic blades of Cetin, Ucer, Hirsch and Serovy, AGARD-R-745 (1987),
//
//	d = -1.099379 + 3.0186 dC - 0.1988 dC^2   (deg).
//
// Its parabola falls beyond dC = 7.59 deg and is below Carter's own value beyond 9.5 deg; past the vertex the larger of
// the vertex and dC is taken, and for dC below 0.55 deg, where it would be less than dC, dC itself. Off the least-loss
// incidence the deviation changes with the slope of SP-36 figure 177 in Aungier's form.
func (c *cascade) deviation(i, iRef, beta1 float64) float64 {
	xi := math.Abs(c.stagger) / degree
	m := 0.219 + 0.0008916*xi + 0.00002708*xi*xi
	carter := m * (c.kappa1 - c.kappa2) / degree / math.Sqrt(c.solidity)
	d := max(carter, cetin(min(carter, vertex)))
	s := c.solidity
	slope := (1 + (s+s*s*s*s/4)*math.Pow(max(beta1/degree, 0)/53, 2.5)) / math.Exp(3.1*s)
	off := min(max((i-iRef)/degree, -10), 10)
	return (d + slope*off) * degree
}

const vertex = 3.0186 / (2 * 0.1988)

func cetin(d float64) float64 { return -1.099379 + 3.0186*d - 0.1988*d*d }

// losses are the parts of a total-pressure loss coefficient, all of Pt1 - p1 in
// the row's frame.
type losses struct{ profile, incidence, shock, endwall float64 }

func (l losses) total() float64 { return l.profile + l.incidence + l.shock + l.endwall }

// loss returns the loss coefficient's parts at incidence i.
//
// profile: the momentum thickness of Koch and Smith (ASME J. Eng. Power 98, 1976,
// p. 411), whom Cetin et al. found best for transonic rotors; see diffusion and
// momentum. The wake's mixing loss is 2 theta/c solidity/cos b2 (cos b1/cos b2)^2
// (Lieblein and Roudebush, NACA TN 3662).
//
// incidence: cm (i - iref)^2, cm = 0.00363 M1 - 0.00065 per square degree, the
// multiple-circular-arc value of Cetin et al., AGARD-R-745; beyond 10 deg the tangent.
//
// endwall: Howell's annulus and secondary drag (Proc. IMechE 153, 1945, p. 441),
// CD = 0.02 pitch/height + 0.018 CL^2, spread over the span.
func (c *cascade) loss(t *triangle, i, iRef float64) losses {
	var l losses
	cos1, cos2 := math.Cos(t.beta1), math.Cos(t.beta2)
	q := cos1 / cos2
	l.profile = 2 * momentum(c.diffusion(t), t) * c.solidity / cos2 * q * q
	cm := max(0.00363*t.m1-0.00065, 0)
	off := math.Abs(i-iRef) / degree
	if off < 10 {
		l.incidence = cm * off * off
	} else {
		l.incidence = cm * (20*off - 100)
	}
	l.shock = c.shock(t)
	tm := (math.Tan(t.beta1) + math.Tan(t.beta2)) / 2
	cosm := 1 / math.Sqrt(1+tm*tm)
	cl := 2 / c.solidity * (math.Tan(t.beta1) - math.Tan(t.beta2)) * cosm
	cd := 0.02*c.pitch/c.height + 0.018*cl*cl
	l.endwall = cd * c.solidity * cos1 * cos1 / (cosm * cosm * cosm)
	return l
}

// diffusion returns Koch and Smith's equivalent diffusion ratio Wmax/W2: the mean
// passage velocity Wp from continuity at the passage throat and from circulation,
// then the suction peak over it,
//
//	Wp/W1   = sqrt((sin b1 - K1 s G)^2 + (cos b1/(A rp))^2)
//	Wmax/Wp = 1 + K3 t/c + K4 G
//	A       = 1 - K2 s (t/c)/cos((b1+b2)/2)
//	rp      = 1 - Mm^2/(1-Mm^2) (1 - A - K1 s G tan b1/cos b1)
//
// with the circulation G = |d(r Vtheta)|/(rm s W1), solidity s and the meridional
// Mach number Mm.
func (c *cascade) diffusion(t *triangle) float64 {
	const k1, k2, k3, k4 = 0.2445, 0.4458, 0.7688, 0.6024
	sin, cos := math.Sincos(t.beta1)
	s := c.solidity
	g := t.work / ((c.r1 + c.r2) / 2 * s * t.w1)
	a := 1 - k2*s*c.thickness/math.Cos((t.beta1+t.beta2)/2)
	mm := min(t.m1*t.vm1/t.w1, 0.9)
	rp := 1 - mm*mm/(1-mm*mm)*(1-a-k1*s*g*math.Abs(sin)/(cos*cos))
	x, y := math.Abs(sin)-k1*s*g, cos/(a*min(max(rp, 0.5), 2))
	return min(t.w1/t.w2, 3) * math.Sqrt(x*x+y*y) * (1 + k3*c.thickness + k4*g)
}

// momentum returns the momentum thickness of the wake over chord at the diffusion
// ratio d: Koch and Smith's nominal curve, for Reynolds number 10^6 and constant
// stream-tube height, in Casey's fit (Proc. IMechE 201 C4, 1987, p. 273; beyond
// d = 2.3, near its pole, the tangent), with their corrections
//
//	0.53 h1/h2 + 0.47                          for contraction and
//	(Re/10^6)^-0.166, below 2x10^5 power -1/2  for the Reynolds number.
//
// Blades are taken as smooth. Their correction for the Mach number is left out.
func momentum(d float64, t *triangle) float64 {
	const limit = 2.3
	at := func(d float64) float64 { return 2.644e-3*d - 1.519e-4 + 6.713e-3/(2.60-d) }
	var theta float64
	if d <= limit {
		theta = at(max(d, 1))
	} else {
		theta = at(limit) + (2.644e-3+6.713e-3/((2.60-limit)*(2.60-limit)))*(d-limit)
	}
	const low = 2e5
	re := max(t.reynolds, 1e4)
	scale := math.Pow(max(re, low)/1e6, -0.166) * math.Sqrt(max(low/re, 1))
	return theta * scale * (0.53*min(max(t.height, 0.5), 2) + 0.47)
}

// step returns the smooth step 3x^2 - 2x^3 on 0..1.
func step(x float64) float64 {
	x = min(max(x, 0), 1)
	return x * x * (3 - 2*x)
}

// shock returns the loss of the passage shock after Miller, Lewis and Hartmann
// (ASME J. Eng. Power 83, 1961, p. 241; Schwenk, Lewis and Hartmann, NACA RM
// E57A30): a normal shock at the mean of the inlet Mach number and the Mach number
// that a Prandtl-Meyer expansion over the suction surface reaches at the passage
// mouth. The expansion starts from Mach 1 where the inlet is subsonic; such
// shocks fade from Mach 1 to 0.9 (an assumption that keeps the loss continuous).
func (c *cascade) shock(t *triangle) float64 {
	const fade = 0.9
	if t.m1 <= fade {
		return 0
	}
	turn := max(t.beta1-c.mouthAngle, 0)
	g := t.gas.Gamma
	m1 := max(t.m1, 1)
	peak := expand(m1, turn, g)
	mean := (m1 + peak) / 2
	// (Pt1 - p1)/Pt1 at the inlet makes a coefficient of the ratio.
	q := 1 - math.Pow(1+(g-1)/2*t.m1*t.m1, -g/(g-1))
	return (1 - normalShock(mean, g)) / q * step((t.m1-fade)/(1-fade))
}

// normalShock returns Pt2/Pt1 across a normal shock (NACA Report 1135, eq. 99).
func normalShock(m, g float64) float64 {
	if m <= 1 {
		return 1
	}
	m2 := m * m
	a := (g + 1) * m2 / ((g-1)*m2 + 2)
	b := (g + 1) / (2*g*m2 - (g - 1))
	return math.Pow(a, g/(g-1)) * math.Pow(b, 1/(g-1))
}

// prandtlMeyer returns the Prandtl-Meyer angle, rad (NACA Report 1135, eq. 171c).
func prandtlMeyer(m, g float64) float64 {
	k := math.Sqrt((g + 1) / (g - 1))
	b := math.Sqrt(max(m*m-1, 0))
	return k*math.Atan(b/k) - math.Atan(b)
}

// expand returns the Mach number after an isentropic turn, rad; at most 3.
func expand(m, turn, g float64) float64 {
	target := prandtlMeyer(m, g) + turn
	lo, hi := m, 3.0
	for range 30 {
		mid := (lo + hi) / 2
		if prandtlMeyer(mid, g) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
