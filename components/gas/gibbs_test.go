package gas

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func fuelOf(t testing.TB, name string) Fuel {
	t.Helper()
	zero := 0.0
	return must.Value(NewFuel(name, "", nil, &zero))(t)
}

// drawState draws a state over all that Gibbs is for.
func drawState(t *rapid.T, g *Gibbs, maxFAR float64) (c Composition, T, P float64) {
	c.FAR = maxFAR * g.stoichiometric * rapid.Float64Range(0, 1).Draw(t, "FAR")
	if rapid.Bool().Draw(t, "air") {
		c.FAR = 0
	}
	if rapid.Bool().Draw(t, "wet") {
		c.WAR = rapid.Float64Range(0, 0.1).Draw(t, "WAR")
	}
	T = rapid.Float64Range(150, 4500).Draw(t, "T")
	P = math.Exp(rapid.Float64Range(math.Log(100), math.Log(1e7)).Draw(t, "lnP"))
	return c, T, P
}

// Example 1 of RP-1311 (McBride and Gordon, part II, 1996), hydrogen in air at assigned
// temperatures and pressures, stoichiometric and rich, as NASA's present program
// prints it (github.com/nasa/cea, documentation of example 1).
func TestCEAExample1(t *testing.T) {
	const cal = 4.184
	g := NewGibbs(fuelOf(t, "H2"), Standard)
	air := &g.air.n
	for _, want := range []struct {
		r, atm, T             float64
		G, M, gamma, cp       float64 // cal/g, kg/kmol, -, cal/(g K)
		H2O, H2, NO, OH, O, H float64
	}{
		{1, 1, 3000, -7974.5, 22.594, 1.1312, 1.6816, 0.2073, 0.067277, 0.012303, 0.045174, 0.015397, 0.040752},
		{1, 1, 2000, -5290.4, 24.600, 1.2258, 0.4552, 0.34207, 0.0030607, 0.00048345, 0.0011285, 2.1253e-05,
			8.9523e-05},
		{1, 0.1, 3000, -8616.7, 19.903, 1.1206, 3.4398, 0.095791, 0.082718, 0.013705, 0.059534, 0.057868, 0.14289},
		{1, 0.01, 2000, -6036.5, 24.412, 1.1668, 0.6858, 0.32637, 0.013191, 0.0010659, 0.0051864, 0.0004705, 0.0018585},
		{1.5, 1, 3000, -8818.8, 19.994, 1.1337, 1.8253, 0.22224, 0.14706, 0.0056508, 0.032758, 0.0075519, 0.06025},
		{1.5, 1, 2000, -5830.6, 21.293, 1.2529, 0.4671, 0.29508, 0.14737, 8.003e-06, 0.00014029, 3.8075e-07,
			0.00062121},
		{1.5, 0.01, 3000, -10424.5, 13.962, 1.1296, 4.9230, 0.014651, 0.062606, 0.0072944, 0.033096, 0.11694, 0.39312},
	} {
		// r is the ratio of positive to negative valences (RP-1311, part I).
		c := Composition{FAR: Standard.Atoms.H * (4*want.r*(air[O2]+air[CO2]) - 4*air[CO2])}
		st := must.Value(g.TP(c, want.T, want.atm*101325))(t)
		x := must.Value(g.MoleFractions(c, want.T, want.atm*101325))(t)
		for _, q := range []struct {
			name           string
			got, want, tol float64
		}{
			{"G", (st.H - st.T*st.S) / cal / 1000, want.G, 2e-5},
			{"M", Ru / st.R, want.M, 4e-5},
			{"gamma", st.Gamma, want.gamma, 1e-4},
			{"cp", st.Cp / cal / 1000, want.cp, 2e-4},
			{"H2O", x["H2O"], want.H2O, 2e-4},
			{"H2", x["H2"], want.H2, 2e-4},
			{"NO", x["NO"], want.NO, 2e-4},
			{"OH", x["OH"], want.OH, 2e-4},
			{"O", x["O"], want.O, 2e-4},
			{"H", x["H"], want.H, 2e-4},
		} {
			must.Near(t, fmt.Sprintf("r %g, %g atm, %g K: %s", want.r, want.atm, want.T, q.name), q.got, q.want, q.tol)
		}
	}
}

// potential is the chemical potential over Ru T of a species by its own coefficients,
// not by those of its reaction.
func potential(low, high *polynomial, T, lnp float64) float64 {
	p := pick(low, high, T)
	lnT := math.Log(T)
	return p.h(T, lnT)/T - p.s(T, lnT) + lnp
}

// Elements are conserved, every species is in balance with the others, and no
// exchange between them lowers the Gibbs energy.
func TestGibbsIsLeast(t *testing.T) {
	for _, fuel := range []string{"Jet-A", "H2", "CH4"} {
		g := NewGibbs(fuelOf(t, fuel), Standard)
		testenv.Check(t, func(t *rapid.T) {
			c, T, P := drawState(t, g, 2)
			var b balance
			must.OK(t, g.prepare(&b, c))
			must.OK(t, b.solve(T, P/1e5))
			checkElements(t, &b)
			checkLeast(t, &b)
		})
	}
}

func checkElements(t *rapid.T, b *balance) {
	formulas := [nSpecies]Formula{N2: {N: 2}, O2: {O: 2}, CO2: {C: 1, O: 2}, H2O: {H: 2, O: 1}}
	var have, want, scale [4]float64
	add := func(to *[4]float64, f Formula, n float64) {
		for i, a := range [4]float64{f.C, f.H, f.O, f.N} {
			to[i] += a * n
			scale[i] += math.Abs(a * n)
		}
	}
	for k, f := range formulas {
		add(&have, f, b.n[k])
		add(&want, f, b.n0[k])
	}
	for j := range minors {
		add(&have, minors[j].formula, b.m[j])
	}
	for i := range have {
		if math.Abs(have[i]-want[i]) > 1e-12*scale[i]+1e-20 {
			t.Fatalf("element %d: %g kmol/kg, there should be %g", i, have[i], want[i])
		}
	}
}

func checkLeast(t *rapid.T, b *balance) {
	total := 0.0
	for _, n := range b.n {
		total += n
	}
	for _, m := range b.m {
		total += m
	}
	must.Near(t, "sum of partial pressures", total/math.Exp(b.x[iPhi]), b.P, 1e-12)
	for j := range b.g.reactions {
		r := &b.g.reactions[j]
		if b.m[j] < 1e-290 || b.n[O2] < 1e-290 {
			continue // its elements are absent, or it underflows
		}
		affinity := potential(&minors[j].low, &minors[j].high, b.T, math.Log(b.m[j]/total*b.P))
		for k, nu := range r.nu {
			if nu != 0 {
				affinity -= nu * potential(&table[k].low, &table[k].high, b.T, math.Log(b.n[k]/total*b.P))
			}
		}
		if math.Abs(affinity) > 3e-6 { // 3e-6: the gaps of the fits at 1000 K
			t.Fatalf("%s is out of balance by %g Ru T", r.name, affinity)
		}
		if b.m[j] < 1e-3*total || scarcest(b, r) < 0.1*b.m[j] {
			continue
		}
		least := b.energy(nil, 0)
		for _, step := range []float64{-0.01, 0.01} {
			if up := b.energy(r, step*b.m[j]); up < least {
				t.Fatalf("%g of %s more lowers G/RuT from %.17g to %.17g", step, r.name, least, up)
			}
		}
	}
}

// scarcest is the least amount of the species that a reaction uses.
func scarcest(b *balance, r *reaction) float64 {
	least := math.Inf(1)
	for k, nu := range r.nu {
		if nu != 0 {
			least = min(least, b.n[k])
		}
	}
	return least
}

// energy is G/(Ru T) of the composition after d kmol/kg of a reaction.
func (b *balance) energy(r *reaction, d float64) float64 {
	n, m, total := b.n, b.m, 0.0
	for j := range b.g.reactions {
		if &b.g.reactions[j] == r {
			m[j] += d
			for k, nu := range r.nu {
				n[k] -= nu * d
			}
		}
	}
	for _, x := range n {
		total += x
	}
	for _, x := range m {
		total += x
	}
	sum := 0.0
	for k, x := range n {
		if x > 0 {
			sum += x * potential(&table[k].low, &table[k].high, b.T, math.Log(x/total*b.P))
		}
	}
	for j := range minors {
		if x := m[j]; x > 0 {
			sum += x * potential(&minors[j].low, &minors[j].high, b.T, math.Log(x/total*b.P))
		}
	}
	return sum
}

// N2O, the largest of the species left out, would change h at engine conditions by a few millionths of the heat in the
// gas. Its coefficients are those of NASA/TP-2002-211556, its amount is of first order.
func TestLeftOut(t *testing.T) {
	n2o := struct{ low, high polynomial }{
		polynomial{42882.2597, -644.011844, 6.03435143, 0.0002265394436, 3.47278285e-06, -3.62774864e-09,
			1.137969552e-12, 11794.05506, -10.0312857},
		polynomial{343844.804, -2404.557558, 9.12563622, -0.000540166793, 1.315124031e-07, -1.4142151e-11,
			6.38106687e-16, 21986.32638, -31.47805016},
	}
	g := NewGibbs(fuelOf(t, "Jet-A"), Standard)
	for _, q := range []struct{ T, P, limit float64 }{{1200, 5e6, 0.3}, {1800, 5e6, 5.1}, {2200, 5e6, 16}} {
		worst := 0.0
		for far := 0.0; far < 0.068; far += 0.004 {
			var b balance
			must.OK(t, g.prepare(&b, Composition{FAR: far}))
			must.OK(t, b.solve(q.T, q.P/1e5))
			lnK := 0.5*potential(&table[O2].low, &table[O2].high, q.T, b.x[O2]) +
				potential(&table[N2].low, &table[N2].high, q.T, b.x[N2]) - potential(&n2o.low, &n2o.high, q.T, 0)
			n := math.Exp(lnK + b.x[iPhi])
			lnT := math.Log(q.T)
			heat := n2o.high.h(q.T, lnT) - table[N2].high.h(q.T, lnT) - 0.5*table[O2].high.h(q.T, lnT)
			worst = max(worst, Ru*n*heat)
		}
		t.Logf("%g K, %g Pa: N2O would add up to %.2g J/kg", q.T, q.P, worst)
		if worst > q.limit {
			t.Errorf("%g K, %g Pa: N2O would add %g J/kg, limit %g", q.T, q.P, worst, q.limit)
		}
	}
}

// Fuels of any formula: a third of the states rich, at the ends of temperature and pressure.
func TestAnyFuel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, formula := range []string{"C", "CH3OH", "CH3NO2", "C12H23", "H2", "C2H4.0044", "NH3"} {
		zero := 5e7
		fuel := must.Value(NewFuel("user", formula, &zero, nil))(t)
		g := NewEquilibrium(fuel, Standard)
		for range 300 {
			c := Composition{FAR: r.Float64() * 1.5 * g.stoichiometric, WAR: 0.1 * r.Float64() * float64(r.Intn(2))}
			T, P := 150+r.Float64()*4350, math.Exp(math.Log(100)+r.Float64()*math.Log(1e5))
			st, err := g.TP(c, T, P)
			if err != nil {
				t.Fatalf("%s: %v", formula, err)
			}
			if !(st.Cp > 900 && st.Gamma > 1.05 && st.Gamma < 1.67 && st.R > 200 && st.R < 1200) {
				t.Fatalf("%s: %+v at %+v", formula, st, c)
			}
		}
	}
}
