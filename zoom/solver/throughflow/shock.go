package throughflow

import "math"

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
