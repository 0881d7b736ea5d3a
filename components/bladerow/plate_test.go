package bladerow

import (
	"math"
	"testing"
)

// The laminar boundary layer of a flat plate at Mach 0.2, against Blasius's friction
// coefficient 0.664/sqrt(Re_x) (White, Viscous Fluid Flow, 3rd ed., eq. 4-52; at this
// Mach number and an adiabatic wall compressibility changes it by less than 0.5 %).
func TestFlatPlate(t *testing.T) {
	const mach, re, front, ni, nj = 0.2, 1e4, 0.25, 40, 32
	tt := 1 / (1 + (gamma-1)/2*mach*mach)
	p := math.Pow(tt, gamma/(gamma-1))
	u := mach * math.Sqrt(gamma*tt)
	mu := p / tt * u / re // for a plate of length 1
	stretch := func(s, beta float64) float64 { return math.Expm1(beta*s) / math.Expm1(beta) }
	g := NewGrid(ni, nj, 1, func(i, j, k int) (x, y, z float64) {
		x = float64(i) - ni/4
		if x < 0 {
			x = -front * stretch(-x/(ni/4), 2.5)
		} else {
			x = stretch(x/(ni*3/4), 2.2)
		}
		return x, 0.6 * stretch(float64(j)/nj, 4.5), 0.1 * float64(k)
	})
	b := testBlock(t, g, 0, 0)
	b.makeViscous(func(float64) float64 { return mu }, 0.72, 0.9)
	in := &inlet{}
	for range nj {
		in.pt, in.tt, in.dir = append(in.pt, 1), append(in.tt, 1), append(in.dir, vec{1})
	}
	b.put(iLo, in)
	b.put(iHi, uniform(p))
	b.putPart(jLo, 0, ni/4, 0, 1, slip{})
	b.putPart(jLo, ni/4, ni, 0, 1, &noSlip{})
	b.put(jHi, uniform(p))
	b.put(kLo, slip{})
	b.put(kHi, slip{})
	b.fill(func(i, j, k int) [5]float64 { return [5]float64{p / tt, u, 0, 0, p} })
	its := settle(t, b, 200, 2e-5, 6000)
	sum, n := 0.0, 0.0
	for i := ni / 2; i < ni-2; i++ {
		c := b.at(i, 0, 0)
		x := g.centre(i, 0, 0)
		cf := mu * b.q[1][c] / x[1] / (0.5 * p / tt * u * u)
		want := 0.664 / math.Sqrt(re*x[0])
		if e := math.Abs(cf/want - 1); e > 0.04 {
			t.Errorf("x = %.3f: friction coefficient %.5f, Blasius %.5f", x[0], cf, want)
		}
		sum, n = sum+cf/want, n+1
	}
	t.Logf("%d iterations; friction over Blasius's, mean: %.4f", its, sum/n)
	if math.Abs(sum/n-1) > 0.02 {
		t.Errorf("friction is %.4f of Blasius's", sum/n)
	}
}
