package gas

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Density and internal energy of a state lead back to it, in every model, cold and
// dissociating.
func TestIsochoric(t *testing.T) {
	lhv := 42.8e6
	f := must.Value(NewFuel("Jet-A", "", &lhv, nil))(t)
	for name, g := range map[string]Model{
		"frozen": NewFrozen(f, Standard), "equilibrium": NewEquilibrium(f, Standard),
	} {
		t.Run(name, func(t *testing.T) {
			testenv.Check(t, func(t *rapid.T) {
				c := Composition{
					FAR: rapid.Float64Range(0, 0.06).Draw(t, "FAR"), WAR: rapid.Float64Range(0, 0.03).Draw(t, "WAR"),
				}
				T, P := rapid.Float64Range(220, 2600).Draw(t,
					"T"), math.Exp(rapid.Float64Range(math.Log(1e4), math.Log(5e6)).Draw(t, "lnP"))
				want, err := g.TP(c, T, P)
				if err != nil {
					t.Skip(err)
				}
				rho := want.Density()
				got := must.Value(Isochoric(g, c, rho, want.H-P/rho, T*rapid.Float64Range(0.8, 1.2).Draw(t, "guess")))(
					t)
				if math.Abs(got.T/T-1) > 1e-11 || math.Abs(got.P/P-1) > 1e-11 || math.Abs(got.S-want.S) > 1e-8 {
					t.Errorf("%+v, want %+v", got, want)
				}
			})
		})
	}
	if _, err := Isochoric(NewFrozen(f, Standard), Composition{}, -1, 0, 300); err == nil {
		t.Error("a negative density has a state")
	}
	if _, err := Isochoric(NewFrozen(f, Standard), Composition{}, 1, 1e9, 300); err == nil {
		t.Error("an energy beyond all temperatures has a state")
	}
}
