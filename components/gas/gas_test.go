package gas

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func jetA(t testing.TB) *Frozen {
	t.Helper()
	zero := 0.0
	f := must.Value(NewFuel("Jet-A", "", nil, &zero))(t)
	return NewFrozen(f, Standard)
}

// CEA's equilibrium table and complete combustion agree where there is next to
// no dissociation: air and lean products from 400 to 1000 K. Enthalpy and
// entropy are compared from 400 K and the same pressure on: their zero depends on
// the atomic weight of carbon, which pyCycle rounds to its own 12.017.
func TestFrozenAgainstCEA(t *testing.T) {
	g := jetA(t)
	var from [2]struct{ h, s float64 } // at 400 K: ours, CEA's
	compared := 0
	for _, v := range table240(t) {
		far, P, T := v[0], v[1], v[2]
		if T > 1000 {
			continue
		}
		st := must.Value(g.TP(Composition{FAR: far}, T, P))(t)
		if T == 400 {
			from[0].h, from[0].s, from[1].h, from[1].s = st.H, st.S, v[3], v[4]
		}
		compared++
		for _, c := range []struct {
			name           string
			got, want, tol float64
		}{
			{"h", st.H - from[0].h, v[3] - from[1].h, 150},
			{"s", st.S - from[0].s, v[4] - from[1].s, 0.15},
			{"gamma", st.Gamma, v[5], 6e-4},
			{"cp", st.Cp, v[6], 2},
			{"R", st.R, v[9], 0.03},
		} {
			if math.Abs(c.got-c.want) > c.tol {
				t.Errorf("FAR %g P %g T %g: %s %.7g, CEA %.7g", far, P, T, c.name, c.got, c.want)
			}
		}
	}
	if compared < 50 {
		t.Fatalf("only %d points compared", compared)
	}
}

// Both ranges of each fit meet at 1000 K.
func TestRangesMeet(t *testing.T) {
	for i := range table {
		s := &table[i]
		l, ln := s.low, math.Log(breakT)
		for name, pair := range map[string][2]float64{
			"cp": {l.cp(breakT), s.high.cp(breakT)},
			"h":  {l.h(breakT, ln), s.high.h(breakT, ln)},
			"s":  {l.s(breakT, ln), s.high.s(breakT, ln)},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-4*math.Abs(pair[0]) {
				t.Errorf("%s: %s jumps from %g to %g", s.name, name, pair[0], pair[1])
			}
		}
	}
}

func TestInverses(t *testing.T) {
	g := jetA(t)
	testenv.Check(t, func(t *rapid.T) {
		c := Composition{FAR: rapid.Float64Range(0, 0.06).Draw(t, "FAR"), WAR: rapid.Float64Range(0, 0.03).Draw(t, "WAR")}
		T := rapid.Float64Range(150, 3000).Draw(t, "T")
		P := math.Exp(rapid.Float64Range(6, 16).Draw(t, "lnP"))
		want := must.Value(g.TP(c, T, P))(t)
		byH, err := g.HP(c, want.H, P, 0)
		if err != nil || math.Abs(byH.T-T) > 1e-9*T {
			t.Fatalf("HP gives T %v, want %v (%v)", byH.T, T, err)
		}
		byS, err := g.SP(c, want.S, P, 0)
		if err != nil || math.Abs(byS.T-T) > 1e-9*T {
			t.Fatalf("SP gives T %v, want %v (%v)", byS.T, T, err)
		}
	})
}

// cp is dh/dT, and T ds = dh along an isobar: h, s and cp are one function.
func TestConsistency(t *testing.T) {
	g := jetA(t)
	for _, T := range []float64{220, 500, 999, 1001, 1700} {
		const d = 0.01
		c := Composition{FAR: 0.025}
		a, _ := g.TP(c, T-d, 2e5)
		m, _ := g.TP(c, T, 2e5)
		b, _ := g.TP(c, T+d, 2e5)
		if cp := (b.H - a.H) / (2 * d); T != 999 && T != 1001 && math.Abs(cp/m.Cp-1) > 1e-6 {
			t.Errorf("T %g: dh/dT %g, cp %g", T, cp, m.Cp)
		}
		if q := T * (b.S - a.S) / (b.H - a.H); math.Abs(q-1) > 1e-6 {
			t.Errorf("T %g: T ds/dh = %g", T, q)
		}
	}
}

// Burning at 298.15 K and cooling the products back gives the heating value.
func TestHeatingValue(t *testing.T) {
	lhv := 42.8e6
	f := must.Value(NewFuel("Jet-A", "", &lhv, nil))(t)
	g := NewFrozen(f, Standard)
	const far = 0.03
	air, _ := g.TP(Composition{}, 298.15, 1e5)
	products, _ := g.TP(Composition{FAR: far}, 298.15, 1e5)
	heat := air.H + far*f.Enthalpy - (1+far)*products.H
	if math.Abs(heat/far-lhv) > 1 {
		t.Errorf("heat released %g J/kg of fuel, want %g", heat/far, lhv)
	}
	// Methane's, from heats of formation: 50.03 MJ/kg (CRC Handbook: -74.6 kJ/mol).
	h := -74.6e6 / 16.0425
	m := must.Value(NewFuel("CH4", "", nil, &h))(t)
	if math.Abs(m.LHV-50.03e6) > 0.03e6 {
		t.Errorf("methane: LHV %.4g J/kg, want 50.03e6", m.LHV)
	}
}

func TestMixIsAssociative(t *testing.T) {
	a, b, c := Composition{FAR: 0.02}, Composition{WAR: 0.01}, Composition{FAR: 0.05, WAR: 0.02}
	left := Mix(Mix(a, 1, b, 2), 3, c, 4)
	right := Mix(a, 1, Mix(b, 2, c, 4), 6)
	if math.Abs(left.FAR-right.FAR) > 1e-15 || math.Abs(left.WAR-right.WAR) > 1e-15 {
		t.Errorf("%v is not %v", left, right)
	}
}

func TestRangeErrors(t *testing.T) {
	g := jetA(t)
	if _, err := g.TP(Composition{FAR: 0.08}, 300, 1e5); err == nil {
		t.Error("a fuel-air ratio beyond stoichiometric passed")
	}
	if _, err := g.TP(Composition{}, 50, 1e5); err == nil {
		t.Error("50 K passed")
	}
	if _, err := g.HP(Composition{}, 1e9, 1e5, 0); err == nil {
		t.Error("an enthalpy beyond 6000 K passed")
	}
	if _, err := g.TP(Composition{}, 300, math.NaN()); err == nil {
		t.Error("a NaN pressure passed")
	}
}

func TestFormula(t *testing.T) {
	for text, want := range map[string]Formula{"C12H23": {C: 12, H: 23}, "C2H4.0044": {C: 2, H: 4.0044}, "H2": {H: 2}, "CH3OH": {C: 1, H: 4, O: 1}} {
		got, err := ParseFormula(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "X2", "C1.2.3", "O2"} {
		if f, err := ParseFormula(text); err == nil {
			t.Errorf("%q passed as %v", text, f)
		}
	}
}

func BenchmarkTemperatureOfEnthalpy(b *testing.B) {
	g := jetA(b)
	c := Composition{FAR: 0.02}
	st, _ := g.TP(c, 1400, 2e6)
	b.ReportAllocs()
	for b.Loop() {
		// from 100 K away, as between two components
		must.Value(g.HP(c, st.H, 2e6, 1300))(b)
	}
}
