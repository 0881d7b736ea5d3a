package gas

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkEquilibrium is one state of gas at rest, in a compressor, a burner or a
// turbine. The inverses start 1 K away, as in an iteration that is under way.
// Target: 500 ns, no allocation; Frozen, for comparison, in BenchmarkFrozen.
func BenchmarkEquilibrium(b *testing.B) {
	benchmark(b, NewEquilibrium(fuelOf(b, "Jet-A"), Standard))
}

func BenchmarkFrozen(b *testing.B) {
	benchmark(b, NewFrozen(fuelOf(b, "Jet-A"), Standard))
}

// BenchmarkGibbs is the full solution that Equilibrium is measured against.
func BenchmarkGibbs(b *testing.B) {
	benchmark(b, NewGibbs(fuelOf(b, "Jet-A"), Standard))
}

func benchmark(b *testing.B, g Model) {
	for _, q := range []struct {
		where string
		c     Composition
		T, P  float64
	}{
		{"ambient", Composition{}, 280, 1e5},
		{"compressor", Composition{}, 700, 1e6},
		{"turbine", Composition{FAR: 0.02}, 1200, 1e6},
		{"burner", Composition{FAR: 0.03, WAR: 0.01}, 1800, 3e6},
		{"afterburner", Composition{FAR: 0.05}, 2300, 3e5},
	} {
		st := must.Value(g.TP(q.c, q.T, q.P))(b)
		for name, f := range map[string]func() (State, error){
			"TP": func() (State, error) { return g.TP(q.c, q.T, q.P) },
			"HP": func() (State, error) { return g.HP(q.c, st.H, q.P, q.T+1) },
			"SP": func() (State, error) { return g.SP(q.c, st.S, q.P, q.T+1) },
		} {
			b.Run(fmt.Sprintf("%s/%s", q.where, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkNewEquilibrium measures the cost paid once by a process.
func BenchmarkNewEquilibrium(b *testing.B) {
	fuel := fuelOf(b, "Jet-A")
	b.ReportAllocs()
	for b.Loop() {
		NewEquilibrium(fuel, Standard)
	}
}
