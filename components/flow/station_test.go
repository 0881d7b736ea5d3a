package flow

import (
	"errors"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"pgregory.net/rapid"
)

func air(t testing.TB) gas.Model {
	t.Helper()
	zero := 0.0
	f := must.Value(gas.NewFuel("Jet-A", "", nil, &zero))(t)
	return gas.NewFrozen(f, gas.Standard)
}

// Mach number -> area -> Mach number, on both branches.
func TestAreaRoundTrip(t *testing.T) {
	g := air(t)
	testenv.Check(t, func(t *rapid.T) {
		s := Station{
			W:    rapid.Float64Range(0.1, 2000).Draw(t, "W"),
			Comp: gas.Composition{FAR: rapid.Float64Range(0, 0.05).Draw(t, "FAR")},
		}
		must.OK(t, s.SetTP(g, rapid.Float64Range(400, 2200).Draw(t, "Tt"), rapid.Float64Range(1e4, 4e6).Draw(t, "Pt")))
		mn := rapid.Float64Range(0.01, 2.5).Draw(t, "MN")
		if math.Abs(mn-1) < 1e-3 {
			return // the two roots meet
		}
		tol := 1e-9 / math.Abs(1-mn) // dMN/dA grows without bound towards the throat
		must.OK(t, s.StaticMN(g, mn))
		branch := Subsonic
		if mn > 1 {
			branch = Supersonic
		}
		back := s
		must.OK(t, back.StaticA(g, s.A, branch))
		if math.Abs(back.MN/mn-1) > tol || math.Abs(back.Ps/s.Ps-1) > tol {
			t.Fatalf("MN %v gives A %v, which gives MN %v", mn, s.A, back.MN)
		}
		if err := back.StaticPs(g, s.Ps); err != nil || math.Abs(back.MN/mn-1) > 1e-8 {
			t.Fatalf("Ps %v gives MN %v, want %v (%v)", s.Ps, back.MN, mn, err)
		}
	})
}

// Energy and entropy hold between totals and statics.
func TestStaticsConserve(t *testing.T) {
	g := air(t)
	s := Station{W: 100}
	must.OK(t, s.SetTP(g, 1200, 5e5))
	must.OK(t, s.StaticMN(g, 0.8))
	st := must.Value(g.TP(s.Comp, s.Ts, s.Ps))(t)
	if d := st.H + s.V*s.V/2 - s.H; math.Abs(d) > 1e-6*s.V*s.V {
		t.Errorf("h + V^2/2 misses ht by %g J/kg", d)
	}
	if d := st.S - s.S; math.Abs(d) > 1e-8*s.S {
		t.Errorf("entropy changes by %g", d)
	}
	must.Near(t, "rho V A", s.Rhos*s.V*s.A, s.W, 1e-9)
}

// Cold air is nearly a perfect gas of gamma 1.4: the textbook's ratios.
func TestIsentropicRatios(t *testing.T) {
	g := air(t)
	s := Station{W: 1}
	must.OK(t, s.SetTP(g, 300, 101325))
	must.OK(t, s.StaticMN(g, 1))
	must.Within(t, "Ps/Pt at MN 1", s.Ps/s.P, 0.5283, 5e-4)
	if r := s.Ts / s.T; math.Abs(r-0.8333) > 5e-4 {
		t.Errorf("Ts/Tt at MN 1 = %.5f, want 0.8333", r)
	}
}

func TestChoked(t *testing.T) {
	g := air(t)
	s := Station{W: 100}
	must.OK(t, s.SetTP(g, 800, 3e5))
	must.OK(t, s.StaticMN(g, 1))
	small := s
	err := small.StaticA(g, s.A*0.99, Subsonic)
	var choked *ChokedError
	if !errors.As(err, &choked) || math.Abs(choked.WMax-99) > 1e-6 {
		t.Fatalf("got %v, want a choked flow of 99 kg/s", err)
	}
}

// A guess of the static pressure, good or bad, changes only the time.
func TestStaticAFromGuess(t *testing.T) {
	g := air(t)
	testenv.Check(t, func(t *rapid.T) {
		s := Station{W: 100}
		must.OK(t, s.SetTP(g, rapid.Float64Range(300, 1800).Draw(t, "Tt"), 3e5))
		mn := rapid.Float64Range(0.02, 0.97).Draw(t, "MN")
		must.OK(t, s.StaticMN(g, mn))
		cold, warm := s, s
		cold.Ps = 0
		warm.Ps = s.P * rapid.Float64Range(0.3, 1.2).Draw(t, "guess")
		for _, at := range []*Station{&cold, &warm} {
			must.OK(t, at.StaticA(g, s.A, Subsonic))
		}
		tol := 1e-12 / (1 - mn) / (mn * mn)
		if math.Abs(warm.Ps/cold.Ps-1) > tol || math.Abs(warm.V/cold.V-1) > tol || math.Abs(warm.Ts/cold.Ts-1) > tol ||
			math.Abs(warm.MN/cold.MN-1) > tol {
			t.Errorf("MN %.15g, Ps %.15g from a guess, %.15g, %.15g without", warm.MN, warm.Ps, cold.MN, cold.Ps)
		}
	})
}

func BenchmarkStaticA(b *testing.B) {
	g := air(b)
	s := Station{W: 100}
	must.OK(b, s.SetTP(g, 800, 3e5))
	must.OK(b, s.StaticMN(g, 0.5))
	a := s.A
	b.ReportAllocs()
	for b.Loop() {
		must.OK(b, s.StaticA(g, a, Subsonic))
	}
}
