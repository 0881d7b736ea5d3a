package gas

import "math"

// constants are the equilibrium constants of the lean species as functions of temperature, without an exponential. K_j
// is a polynomial of degree five in 1/T in each of 623 cells; it matches K and its first two derivatives by 1/T at both
// ends. It is within 2e-9 of K. The heats of reaction are taken from its slope, Ru T dlnK/dlnT, so that enthalpy,
// entropy and composition are consistent.
//
// Reactions end in the cold, which saves work: the constants are reduced to zero, those of NO and NO2 between 350 and
// 300 K, the others between 650 and 550 K. The error is below 0.01 J/kg.
type constants [nCell][nLean][6]float64

const (
	cellWidth = 5e-6   // 1/K
	cellStart = 220e-6 // 1/K, 4545 K
	nCell     = 623    // to 299.9 K

	coldT = 300.0 // K, no reactions below
	coolT = 550.0 // K, only NO and NO2 form below
)

func newConstants(reactions []reaction) *constants {
	t := new(constants)
	for i := range t {
		x0 := cellStart + float64(i)*cellWidth
		x1 := x0 + cellWidth
		high := (x0+x1)/2 < 1/breakT
		T0, T1 := 1/x0, 1/x1
		lnT0, lnT1 := math.Log(T0), math.Log(T1)
		for j := range t[i] {
			p := &reactions[j].low
			if high {
				p = &reactions[j].high
			}
			from, over := coolT, 100.0
			if j < nLeanCool {
				from, over = coldT, 50
			}
			t[i][j] = quintic(constant(p, T0, lnT0, from, over), constant(p, T1, lnT1, from, over))
		}
	}
	return t
}

// constant returns K and its first and second derivatives by 1/T, in cell widths. It rises from zero at the temperature
// from to all of K at from + over.
func constant(p *polynomial, T, lnT, from, over float64) [3]float64 {
	heat := p.h(T, lnT)
	k := math.Exp(p.s(T, lnT) - heat/T)
	d1 := -heat
	d2 := T*T*p.cp(T) + d1*d1
	f := [3]float64{k, k * d1, k * d2}
	if T < from+over {
		z := max(0, (T-from)/over)
		w := smooth(z)
		wT := 30 * z * z * (1 - z) * (1 - z) / over
		wTT := 60 * z * (1 - z) * (1 - 2*z) / (over * over)
		w1 := -T * T * wT
		w2 := T * T * T * (T*wTT + 2*wT)
		f = [3]float64{f[0] * w, f[1]*w + f[0]*w1, f[2]*w + 2*f[1]*w1 + f[0]*w2}
	}
	return [3]float64{f[0], f[1] * cellWidth, f[2] * cellWidth * cellWidth}
}

// quintic returns the coefficients of the polynomial on 0..1 with the given values and
// first and second derivatives at its ends.
func quintic(a, b [3]float64) [6]float64 {
	d := b[0] - a[0]
	return [6]float64{
		a[0], a[1], a[2] / 2,
		10*d - 6*a[1] - 4*b[1] - (3*a[2]-b[2])/2,
		-15*d + 8*a[1] + 7*b[1] + (3*a[2]-2*b[2])/2,
		6*d - 3*(a[1]+b[1]) - (a[2]-b[2])/2,
	}
}

// at returns K, dK/dlnT and dK/dlnT + d2K/dlnT2 of the first n species.
func (t *constants) at(T float64, n int, k *[nLean][3]float64) {
	x := 1 / T
	z := (x - cellStart) * (1 / cellWidth)
	i := min(int(z), nCell-1)
	u := z - float64(i)
	v := x * (1 / cellWidth)
	cell, out := t[i][:n], k[:n]
	for j := range cell {
		// Horner's scheme for the value, the slope and half the curvature
		c := &cell[j]
		p4 := c[4] + u*c[5]
		p3 := c[3] + u*p4
		p2 := c[2] + u*p3
		p1 := c[1] + u*p2
		d3 := p4 + u*c[5]
		d2 := p3 + u*d3
		d1 := p2 + u*d2
		e3 := d3 + u*c[5]
		o := &out[j]
		o[0] = c[0] + u*p1
		o[1] = -v * (p1 + u*d1)
		o[2] = 2 * v * v * (d1 + u*(d2+u*e3))
	}
}
