package gas

import (
	"fmt"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func jetA(t testing.TB) *Frozen {
	t.Helper()
	zero := 0.0
	f := must.Value(NewFuel("Jet-A", "", nil, &zero))(t)
	return NewFrozen(f, Standard)
}

// CEA's equilibrium table and complete combustion agree where dissociation is negligible: air and lean products from
// 400 to 1000 K. Enthalpy and entropy are compared from 400 K and the same pressure on: their zero depends on the
// atomic weight of carbon, which pyCycle rounds to its own 12.017.
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
			must.Within(t, fmt.Sprintf("FAR %g P %g T %g: %s", far, P, T, c.name), c.got, c.want, c.tol)
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

func TestMixIsAssociative(t *testing.T) {
	a, b, c := Composition{FAR: 0.02}, Composition{WAR: 0.01}, Composition{FAR: 0.05, WAR: 0.02}
	left := Mix(Mix(a, 1, b, 2), 3, c, 4)
	right := Mix(a, 1, Mix(b, 2, c, 4), 6)
	if math.Abs(left.FAR-right.FAR) > 1e-15 || math.Abs(left.WAR-right.WAR) > 1e-15 {
		t.Errorf("%v is not %v", left, right)
	}
}

func TestFormula(t *testing.T) {
	for text, want := range map[string]Formula{"C12H23": {C: 12, H: 23}, "C2H4.0044": {C: 2, H: 4.0044}, "H2": {H: 2},
		"CH3OH": {C: 1, H: 4, O: 1}} {
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

func BenchmarkTemperatureOfEntropy(b *testing.B) {
	g := jetA(b)
	c := Composition{FAR: 0.02}
	st, _ := g.TP(c, 1400, 2e6)
	b.ReportAllocs()
	for b.Loop() {
		must.Value(g.SP(c, st.S, 2e6, 1300))(b)
	}
}
