package bladerow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

func growing(s, beta float64) float64 { return math.Expm1(beta*s) / math.Expm1(beta) }

// alongPlate is the place of node line i of n along a plate of length 1, a quarter of the lines ahead of it.
func alongPlate(i, n int, front float64) float64 {
	if x := float64(i - n/4); x < 0 {
		return -front * growing(-x/float64(n/4), 2.5)
	} else {
		return growing(x/float64(n*3/4), 2.2)
	}
}

// The laminar boundary layer of a flat plate at Mach 0.2, against Blasius's friction
// coefficient 0.664/sqrt(Re_x) (White, Viscous Fluid Flow, 3rd ed., eq. 4-52; at this
// Mach number and an adiabatic wall compressibility changes it by less than 0.5 %).
func TestFlatPlate(t *testing.T) {
	testenv.Long(t, "450 iterations of a boundary layer")
	const mach, re, front, ni, nj = 0.2, 1e4, 0.25, 32, 24
	tt := 1 / (1 + (gamma-1)/2*mach*mach)
	p := math.Pow(tt, gamma/(gamma-1))
	u := mach * math.Sqrt(gamma*tt)
	mu := p / tt * u / re // for a plate of length 1
	g := mesh.NewGrid(ni, nj, 1, func(i, j, k int) (x, y, z float64) {
		return alongPlate(i, ni, front), 0.6 * growing(float64(j)/nj, 4.5), 0.1 * float64(k)
	})
	b := plate(t, g, [5]float64{p / tt, u, 0, 0, p}, mu)
	its := settle(t, b, 200, 2e-5, 6000)
	sum, n := 0.0, 0.0
	for i := ni / 2; i < ni-2; i++ {
		c := b.at(i, 0, 0)
		x := g.Centre(i, 0, 0)
		cf := mu * b.q[1][c] / x[1] / (0.5 * p / tt * u * u)
		want := 0.664 / math.Sqrt(re*x[0])
		if e := math.Abs(cf/want - 1); e > 0.04 {
			t.Errorf("x = %.3f: friction coefficient %.5f, Blasius %.5f", x[0], cf, want)
		}
		sum, n = sum+cf/want, n+1
	}
	t.Logf("%d iterations; friction over Blasius's, mean: %.4f", its, sum/n)
	must.Within(t, "friction over Blasius's", sum/n, 1, 0.02)
}

// The turbulent boundary layer of a flat plate, the first cells in the logarithmic layer
// (y+ of 60 to 75) and the mesh sheared by 60 degrees as between blades of high stagger:
// friction 0.455/ln^2(0.06 Re_x) and momentum thickness 0.016 x/Re_x^(1/7) (White, Viscous
// Fluid Flow, 3rd ed., eqs. 6-78 and 6-70).
func TestTurbulentPlate(t *testing.T) {
	for _, model := range []Model{Spalart, Helical, MixingLength} {
		t.Run(string(model), func(t *testing.T) {
			testenv.Long(t, "700 steps of a boundary layer")
			turbulentPlate(t, model)
		})
	}
}

func turbulentPlate(t *testing.T, model Model) {
	const mach, re, front, height, shear, ni, nj = 0.5, 4e6, 0.25, 0.15, 1.7, 56, 32
	tt := 1 / (1 + (gamma-1)/2*mach*mach)
	p := math.Pow(tt, gamma/(gamma-1))
	u, rho := mach*math.Sqrt(gamma*tt), p/tt
	mu := rho * u / re // for a plate of length 1
	ys := mesh.Spaced(nj, 8e-4/height, 0)
	g := mesh.NewGrid(ni, nj, 1, func(i, j, k int) (x, y, z float64) {
		return alongPlate(i, ni, front) + shear*height*ys[j], height * ys[j], 0.1 * float64(k)
	})
	b := plate(t, g, [5]float64{rho, u, 0, 0, p}, mu)
	dist := make([]float64, b.size)
	for j := range nj {
		for i := range ni {
			c := g.Centre(i, j, 0)
			dist[b.at(i, j, 0)] = math.Hypot(min(c[0], 0), c[1])
		}
	}
	b.boundaries()
	b.makeTurbulent(dist, 3)
	switch model {
	case Helical:
		b.visc.skew = saCh1
	case MixingLength:
		b.visc.longest = 0.09 * 0.014 // of the layer's thickness, as a rule, at the end of the plate
	}
	for range 700 {
		b.step(50)
		b.turbulence()
	}
	b.residual()
	for i := ni / 2; i < ni-4; i++ {
		x := g.Centre(i, 0, 0)
		if x[0] < 0.25 { // nearer to its start the layer is thicker than one that was always turbulent
			continue
		}
		c, v := b.at(i, 0, 0), b.visc
		ghost := c - b.stride[1]
		tau := 0.5 * float64(v.mu[c]+v.mu[ghost]+v.mt[c]+v.mt[ghost]) * b.q[1][c] / x[1]
		theta := 0.0
		for j := range nj {
			q := b.at(i, j, 0)
			theta += b.q[0][q] * b.q[1][q] / (rho * u) * (1 - b.q[1][q]/u) * height * (ys[j+1] - ys[j])
		}
		rex := re * x[0]
		log := math.Log(0.06 * rex)
		cf, wantCf, wantTheta := tau/(0.5*rho*u*u), 0.455/(log*log), 0.016*x[0]/math.Pow(rex, 1.0/7)
		limit := 0.06
		if model == MixingLength { // its greatest length fits the layer at one place only
			limit = 0.2
		}
		if math.Abs(cf/wantCf-1) > limit || math.Abs(theta/wantTheta-1) > limit {
			t.Errorf("x = %.3f: friction %.5f, want %.5f; momentum thickness %.5f, want %.5f", x[0], cf, wantCf, theta,
				wantTheta)
		}
	}
}

// plate is the flow q, of total pressure and temperature 1, along a wall that sticks from
// a quarter of the block's length on, and slips before.
func plate(t *testing.T, g *mesh.Grid, q [5]float64, mu float64) *block {
	b := testBlock(t, g, 0, 0)
	b.makeViscous(law(func(float64) float64 { return mu }), 0.72, 0.9)
	in := &inlet{}
	for range g.NJ {
		in.pt, in.tt, in.dir = append(in.pt, 1), append(in.tt, 1), append(in.dir, mesh.Vec{1})
	}
	b.put(iLo, in)
	b.put(iHi, uniform(q[4]))
	b.putPart(jLo, 0, g.NI/4, 0, 1, slip{})
	b.putPart(jLo, g.NI/4, g.NI, 0, 1, &noSlip{})
	b.put(jHi, uniform(q[4]))
	b.put(kLo, slip{})
	b.put(kHi, slip{})
	b.fill(func(i, j, k int) [5]float64 { return q })
	return b
}

// The model's fw, which slowing finds without a root, on both sides of cw3, to the round-off of math.Pow.
func TestSlowing(t *testing.T) {
	for n := range 2001 {
		r := 10 * math.Pow(float64(n)/2000, 2)
		g := r + saCw2*(math.Pow(r, 6)-r)
		c6 := math.Pow(saCw3, 6)
		want := g * math.Pow((1+c6)/(math.Pow(g, 6)+c6), 1.0/6)
		must.Near(t, fmt.Sprint("value at r = ", r), slowing(r), want, 1e-14)
	}
}

// The law of the wall, backwards: from u+ over u+ y+ back to u+, from the sublayer on, beyond both
// ends of the table of first guesses.
func TestSpalding(t *testing.T) {
	for u := 1e-3; u < 45; u *= 1.0007 {
		k := kappa * u
		y := u + math.Exp(-kappa*wallB)*(math.Exp(k)-1-k-k*k/2-k*k*k/6)
		must.Near(t, fmt.Sprint("u+ at y+ = ", y), spalding(u*y), u, 1e-11)
	}
}

// The helicity of a cell of any shape is that of its velocity and vorticity: 1 where they
// are along each other, 0 across and where the gas is at rest.
func TestHelicity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some := func() mesh.Vec { return mesh.Vec{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	power := func(w, curl mesh.Vec) float64 {
		faces := [3]mesh.Vec{some().Times(1e-5), some().Times(1e-6), some().Times(1e-7)}
		var through [3]float64
		for d, s := range faces {
			through[d] = w.Dot(s)
		}
		return helicity(&faces, &through, curl)
	}
	for range 1000 {
		w, curl := some(), some()
		want := math.Pow(math.Abs(w.Dot(curl))/(w.Norm()*curl.Norm()), 0.6)
		if got := power(w, curl); math.Abs(got-want) > 2e-5 {
			t.Fatalf("W %v, curl %v: %.6f, want %.6f", w, curl, got, want)
		}
		if got := power(w, w.Times(-2)); math.Abs(got-1) > 2e-5 {
			t.Fatalf("along W %v: %.6f", w, got)
		}
	}
	if got := power(mesh.Vec{1, 0, 0}, mesh.Vec{0, 0, 0}); got != 0 {
		t.Errorf("without vorticity: %g", got)
	}
	if got := power(mesh.Vec{}, mesh.Vec{1, 2, 3}); got != 0 {
		t.Errorf("at rest: %g", got)
	}
}
