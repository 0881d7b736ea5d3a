package gas

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// pyCycle's table of its CEA gas, 240 points, those from 400 K on: below 300 K the table is not converged for gas with
// fuel.
func TestEquilibriumAgainstPyCycle(t *testing.T) {
	rows := table240(t)
	zero := 0.0
	fuel := must.Value(PyCycle.NewFuel("Jet-A", "", nil, &zero))(t)
	quick := NewEquilibrium(fuel, PyCycle)
	for name, g := range map[string]Model{"Gibbs": &quick.Gibbs, "Equilibrium": quick} {
		t.Run(name, func(t *testing.T) { compare240(t, g, rows) })
	}
}

func compare240(t *testing.T, g Model, rows [][]float64) {
	var worst [5]float64
	limit := [5]float64{5, 1e-6, 2e-4, 5e-4, 1e-6}
	name := [5]string{"h", "s", "gamma", "cp", "R"}
	for _, v := range rows {
		far, P, T := v[0], v[1], v[2]
		st := must.Value(g.TP(Composition{FAR: far}, T, P))(t)
		for i, d := range [5]float64{st.H - v[3], st.S/v[4] - 1, st.Gamma/v[5] - 1, st.Cp/v[6] - 1, st.R/v[9] - 1} {
			worst[i] = max(worst[i], math.Abs(d))
			if !(math.Abs(d) <= limit[i]) {
				t.Errorf("FAR %g P %g T %g: %s differs by %.3g, limit %g", far, P, T, name[i], d, limit[i])
			}
		}
	}
	t.Logf("%d points; largest differences: h %.2g J/kg, s %.2g, gamma %.2g, cp %.2g, R %.2g",
		len(rows), worst[0], worst[1], worst[2], worst[3], worst[4])
}

// table240 reads the table's rows from 400 K on.
func table240(t *testing.T) (rows [][]float64) {
	f := must.Value(os.Open(testenv.Reference(t, "thermo", "pycycle_cea_properties.csv")))(t)
	defer f.Close()
	text := must.Value(csv.NewReader(f).ReadAll())(t)
	for _, row := range text[1:] {
		v := make([]float64, len(row))
		for i := range row {
			v[i] = must.Value(strconv.ParseFloat(row[i], 64))(t)
		}
		if v[2] >= 400 {
			rows = append(rows, v)
		}
	}
	if len(rows) != 200 {
		t.Fatalf("%d points from 400 K on, want 200", len(rows))
	}
	return rows
}

// The quick model differs from the full one by no more than documented: NH3 and NO3 left out, constants interpolated,
// reactions ended in the cold.
func TestAgainstGibbs(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, fuel := range []string{"Jet-A", "H2"} {
		g := NewEquilibrium(fuelOf(t, fuel), Standard)
		for _, q := range []struct {
			what                 string
			maxFAR               float64 // of the stoichiometric
			fromT, toT           float64
			fromP                float64
			h, s, gamma, cp, gas float64 // limits: h in J/kg, the others relative
		}{
			{"cold", 1.5, 150, 350, 100, 0.01, 1e-8, 5e-7, 1e-6, 1e-8},
			{"compressors and turbines", 0.7, 350, 1900, 1e4, 0.01, 1e-9, 2e-8, 2e-8, 2e-9},
			{"burners", 0.97, 1500, 2600, 1e4, 2, 1e-7, 1e-6, 4e-6, 1e-7},
			{"the hottest", 0.97, 2600, 4000, 100, 50, 2e-6, 2e-5, 3e-5, 5e-6},
			{"all", 2, 150, 4500, 100, 50, 2e-6, 2e-5, 3e-5, 5e-6},
		} {
			var worst [5]float64
			for range 2000 {
				far := q.maxFAR * g.stoichiometric * float64(r.Intn(4)) / 3
				c := Composition{FAR: r.Float64() * far, WAR: 0.1 * r.Float64() * float64(r.Intn(2))}
				T := q.fromT + r.Float64()*(q.toT-q.fromT)
				P := q.fromP * math.Exp(r.Float64()*math.Log(1e7/q.fromP))
				got, want := must.Value(g.TP(c, T, P))(t), must.Value(g.Gibbs.TP(c, T, P))(t)
				d := [5]float64{got.H - want.H, got.S/want.S - 1, got.Gamma/want.Gamma - 1, got.Cp/want.Cp - 1,
					got.R/want.R - 1}
				for i := range d {
					worst[i] = max(worst[i], math.Abs(d[i]))
				}
			}
			for i, limit := range [5]float64{q.h, q.s, q.gamma, q.cp, q.gas} {
				if !(worst[i] <= limit) {
					t.Errorf("%s, %s: differences of h, s, gamma, cp, R up to %g, the limit of number %d is %g", fuel,
						q.what, worst, i, limit)
				}
			}
			t.Logf("%s, %s: h %.1g J/kg, s %.1g, gamma %.1g, cp %.1g, R %.1g", fuel, q.what, worst[0], worst[1],
				worst[2], worst[3], worst[4])
		}
	}
}

// Enthalpy and entropy lead back to the temperature that they came from, from near and far guesses.
func TestInverses(t *testing.T) {
	quick, frozen := NewEquilibrium(fuelOf(t, "Jet-A"), Standard), NewFrozen(fuelOf(t, "Jet-A"), Standard)
	testenv.Check(t, func(t *rapid.T) {
		var g Model = quick
		most := 1.3 // of the stoichiometric fuel
		if rapid.Bool().Draw(t, "frozen") {
			g, most = frozen, 0.99
		}
		c, T, P := drawState(t, &quick.Gibbs, most)
		guess := rapid.SampledFrom([]float64{0, T, T + 1, 0.8 * T, 150, 4500, math.NaN()}).Draw(t, "guess")
		want := must.Value(g.TP(c, T, P))(t)
		byH := must.Value(g.HP(c, want.H, P, guess))(t)
		if math.Abs(byH.T/T-1) > 1e-12 || math.Abs(byH.S/want.S-1) > 1e-12 || math.Abs(byH.Cp/want.Cp-1) > 1e-6 {
			t.Fatalf("HP gives %+v, want %+v", byH, want)
		}
		byS := must.Value(g.SP(c, want.S, P, guess))(t)
		if math.Abs(byS.T/T-1) > 1e-12 || math.Abs(byS.H-want.H) > 1e-6+1e-11*math.Abs(want.H) ||
			math.Abs(byS.Gamma/want.Gamma-1) > 1e-6 {
			t.Fatalf("SP gives %+v, want %+v", byS, want)
		}
	})
}

// One function: dh = T ds + v dP in any direction, cp = dh/dT, and gamma is the slope
// of the isentrope. The states stay off 1000 K, where the fits change, by more than
// the step.
func TestConsistency(t *testing.T) {
	g := NewEquilibrium(fuelOf(t, "Jet-A"), Standard)
	for name, m := range map[string]Model{
		"Equilibrium": g, "Gibbs": &g.Gibbs, "Frozen": NewFrozen(g.Fuel(), Standard),
	} {
		testenv.Check(t, func(t *rapid.T) {
			c, T, P := drawState(t, &g.Gibbs, 0.96)
			if T = min(T, 3900); math.Abs(T-breakT) < 2 {
				T += 5
			}
			const d = 1e-5
			angle := rapid.Float64Range(0, math.Pi).Draw(t, "angle")
			at := func(dlnT, dlnP float64) State { return must.Value(m.TP(c, T*math.Exp(dlnT), P*math.Exp(dlnP)))(t) }
			mid := at(0, 0)
			a, b := at(-d*math.Cos(angle), -d*math.Sin(angle)), at(d*math.Cos(angle), d*math.Sin(angle))
			dh, ds, dlnP := b.H-a.H, b.S-a.S, 2*d*math.Sin(angle)
			if miss := dh - T*ds - mid.R*T*dlnP; math.Abs(miss) > 1e-8*mid.Cp*T*d+1e-9*math.Abs(mid.H) {
				t.Fatalf("%s: dh %g, T ds + v dP %g", name, dh, T*ds+mid.R*T*dlnP)
			}
			if name == "Gibbs" {
				return
			}
			hot, cold := at(d, 0), at(-d, 0)
			must.Near(t, "dh/dT", (hot.H-cold.H)/(2*d*T), mid.Cp, 1e-6)
			up, down := must.Value(m.SP(c, mid.S, P*math.Exp(d), T))(t), must.Value(m.SP(c, mid.S, P*math.Exp(-d), T))(
				t)
			must.Near(t, "dlnP/dln rho at constant s", 2*d/math.Log(up.Density()/down.Density()), mid.Gamma, 1e-6)
		})
	}
}

// No property jumps where the model changes its method: at the start of reactions, at the ends of the fits' ranges, and
// at the change to Gibbs. A jump is the change over a small step across, less the slopes on both sides. The fits of cp
// differ at 1000 K by 2e-6.
func TestEquilibriumIsSmooth(t *testing.T) {
	g := NewEquilibrium(fuelOf(t, "Jet-A"), Standard)
	across := func(what string, at func(x float64) (Composition, float64)) {
		var v [4][5]float64
		for i, x := range []float64{-3e-7, -1e-7, 1e-7, 3e-7} {
			c, T := at(x)
			st := must.Value(g.TP(c, T, 3e6))(t)
			v[i] = [5]float64{st.H, st.S, st.Cp, st.Gamma, st.R}
		}
		for i, limit := range [5]float64{1e-11, 1e-12, 2e-6, 1e-6, 1e-11} {
			jump := v[2][i] - v[1][i] - (v[1][i]-v[0][i]+v[3][i]-v[2][i])/2
			if scale := math.Abs(v[1][i]) + 1e5*float64((4-i)/4); math.Abs(jump) > limit*scale {
				t.Errorf("%s: %s jumps by %g from %g", what, [5]string{"h", "s", "cp", "gamma", "R"}[i], jump, v[1][i])
			}
		}
	}
	for _, T := range []float64{coldT, coldT + 50, coolT, coolT + 100, breakT, 2200, leanT, gibbsT} {
		across(fmt.Sprintf("%g K", T), func(x float64) (Composition, float64) {
			return Composition{FAR: 0.025, WAR: 0.01}, T * (1 + x)
		})
	}
	for _, far := range []float64{leanEnd, richFrom} {
		across(fmt.Sprintf("%g of stoichiometric", far), func(x float64) (Composition, float64) {
			return Composition{FAR: far * g.stoichiometric * (1 + x)}, 2300
		})
	}
}

// In the cold the gas is the frozen one, and below 1000 K nearly so.
func TestEquilibriumOfColdGas(t *testing.T) {
	fuel := fuelOf(t, "Jet-A")
	g, frozen := NewEquilibrium(fuel, Standard), NewFrozen(fuel, Standard)
	for _, q := range []struct{ T, h, gamma float64 }{{200, 1e-8, 1e-13}, {300, 1e-8, 1e-13}, {500, 0.2, 1e-5},
		{800, 20, 1e-4}, {1000, 200, 5e-4}} {
		for _, c := range []Composition{{}, {FAR: 0.03}, {FAR: 0.02, WAR: 0.02}} {
			a, b := must.Value(g.TP(c, q.T, 1e6))(t), must.Value(frozen.TP(c, q.T, 1e6))(t)
			if math.Abs(a.H-b.H) > q.h || math.Abs(a.Gamma/b.Gamma-1) > q.gamma {
				t.Errorf("%g K, %+v: %+v, frozen %+v", q.T, c, a, b)
			}
		}
	}
}

// A fuel given by its heating value releases it, burnt at 298.15 K and cooled back, in either model under either
// convention.
func TestHeatingValue(t *testing.T) {
	lhv := 43.1e6
	for _, convention := range []Convention{Standard, PyCycle} {
		for _, model := range []string{"frozen", "equilibrium"} {
			fuel := must.Value(convention.NewFuel("Jet-A", "", &lhv, nil))(t)
			g := must.Value(convention.New(model, fuel))(t)
			const far = 0.03
			air, products := must.Value(g.TP(Composition{}, 298.15, 1e5))(t), must.Value(g.TP(Composition{FAR: far},
				298.15, 1e5))(t)
			must.Within(t, convention.Name+", "+model+": heat", (air.H+far*fuel.Enthalpy-(1+far)*products.H)/far, lhv,
				0.1)
		}
	}
	// Methane's, from heats of formation: 50.03 MJ/kg (CRC Handbook: -74.6 kJ/mol).
	h := -74.6e6 / 16.0425
	must.Within(t, "LHV of methane", must.Value(NewFuel("CH4", "", nil, &h))(t).LHV, 50.03e6, 0.03e6)
}

func TestRangeErrors(t *testing.T) {
	g, frozen := NewEquilibrium(fuelOf(t, "Jet-A"), Standard), NewFrozen(fuelOf(t, "Jet-A"), Standard)
	nan := math.NaN()
	still := func(c Composition, T, P float64) error { _, err := frozen.TP(c, T, P); return err }
	_, hot := frozen.HP(Composition{}, 1e9, 1e5, 0)
	tp := func(c Composition, T, P float64) error { _, err := g.TP(c, T, P); return err }
	hp := func(c Composition, h, P float64) error { _, err := g.HP(c, h, P, 0); return err }
	sp := func(c Composition, s, P float64) error { _, err := g.SP(c, s, P, 0); return err }
	for i, q := range []struct {
		err  error
		what string
	}{
		{still(Composition{FAR: 0.08}, 300, 1e5), "FAR"},
		{still(Composition{}, 50, 1e5), "T"},
		{hot, "h"},
		{still(Composition{}, 300, nan), "P"},
		{tp(Composition{}, 50, 1e5), "T"},
		{tp(Composition{}, 1e5, 1e5), "T"},
		{tp(Composition{}, nan, 1e5), "T"},
		{tp(Composition{}, 300, 0), "P"},
		{tp(Composition{}, 300, nan), "P"},
		{tp(Composition{FAR: -0.01}, 300, 1e5), "FAR"},
		{tp(Composition{FAR: 0.3}, 300, 1e5), "FAR"},
		{tp(Composition{WAR: nan}, 300, 1e5), "WAR"},
		{hp(Composition{}, 1e9, 1e5), "h"},
		{hp(Composition{}, -1e9, 1e5), "h"},
		{hp(Composition{FAR: 0.03}, nan, 1e5), "h"},
		{hp(Composition{FAR: nan}, 0, 1e5), "FAR"},
		{sp(Composition{}, 1e6, 1e5), "s"},
		{sp(Composition{}, 0, 1e5), "s"},
		{sp(Composition{FAR: 0.06}, nan, 1e5), "s"},
		{sp(Composition{}, 7000, -1), "P"},
	} {
		var out *RangeError
		if !errors.As(q.err, &out) || out.What != q.what {
			t.Errorf("%d: %v, want a range error of %s", i, q.err, q.what)
		}
	}
	if _, err := New("ideal", fuelOf(t, "H2")); err == nil {
		t.Error("an unknown model passed")
	}
	if _, err := ConventionOf("metric"); err == nil {
		t.Error("an unknown convention passed")
	}
}

// A model is shared by all that run at once.
func TestEquilibriumIsShared(t *testing.T) {
	g := NewEquilibrium(fuelOf(t, "Jet-A"), Standard)
	states := func() (out []State) {
		for i := range 200 {
			c := Composition{FAR: 0.0004 * float64(i)}
			st, err := g.TP(c, 300+10*float64(i), 1e6)
			if err == nil {
				st, err = g.SP(c, st.S, 5e5, st.T)
			}
			if err == nil {
				st, err = g.HP(c, st.H+1e5, 5e5, 0)
			}
			if err != nil {
				panic(err)
			}
			out = append(out, st)
		}
		return out
	}
	want := states()
	var all [4][]State
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = states() })
	}
	wait.Wait()
	for _, got := range all {
		must.Equal(t, want, got)
	}
}

func TestEquilibriumMakesNoGarbage(t *testing.T) {
	g := NewEquilibrium(fuelOf(t, "Jet-A"), Standard)
	for _, c := range []Composition{{}, {FAR: 0.03, WAR: 0.01}, {FAR: 0.068}, {FAR: 0.08}} {
		st := must.Value(g.TP(c, 1500, 1e6))(t)
		if n := testing.AllocsPerRun(10, func() {
			_, _ = g.TP(c, 1500, 1e6)
			_, _ = g.HP(c, st.H, 1e6, 1400)
			_, _ = g.SP(c, st.S, 1e6, 1600)
		}); n != 0 {
			t.Errorf("%+v: %g allocations", c, n)
		}
	}
}

// A burner: the sum of the enthalpies of air and fuel is that of the gas.
func ExampleEquilibrium() {
	enthalpy := 0.0
	fuel, err := NewFuel("Jet-A", "", nil, &enthalpy)
	if err != nil {
		panic(err)
	}
	g := NewEquilibrium(fuel, Standard)
	air, err := g.TP(Composition{}, 800, 3e6)
	if err != nil {
		panic(err)
	}
	const far = 0.03
	burnt := Composition{FAR: far}
	gas, err := g.HP(burnt, (air.H+far*fuel.Enthalpy)/(1+far), 2.9e6, 0)
	if err != nil {
		panic(err)
	}
	x, err := g.MoleFractions(burnt, gas.T, gas.P)
	if err != nil {
		panic(err)
	}
	fmt.Printf("T %.1f K, gamma %.4f, cp %.1f J/(kg K), NO %.4f\n", gas.T, gas.Gamma, gas.Cp, x["NO"])
	// Output: T 1812.1 K, gamma 1.2695, cp 1353.8 J/(kg K), NO 0.0031
}
