package perfmap_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// BenchmarkAt measures one lookup of all five tables of a fan map (13 speed
// lines x 21 R-lines) with their derivatives. The target is under 300 ns and
// no allocation.
func BenchmarkAt(b *testing.B) {
	places := map[string]perfmap.Point{"inside": {Nc: 0.937, X: 1.83}, "outside": {Nc: 1.2, X: 0.9}}
	for _, interp := range []perfmap.Interp{perfmap.Monotone, perfmap.Linear, perfmap.Lagrange2, perfmap.Lagrange3} {
		for name, p := range places {
			b.Run(string(interp)+"/"+name, func(b *testing.B) {
				m := perfmaptest.Fan(b, interp)
				out := make([]perfmap.Value, len(m.Tables))
				b.ReportAllocs()
				for b.Loop() {
					m.At(0, p.Nc, p.X, out)
				}
			})
		}
	}
}

// BenchmarkStallMargins measures both stall margins of one point.
func BenchmarkStallMargins(b *testing.B) {
	m := perfmaptest.Fan(b, perfmap.Monotone)
	b.ReportAllocs()
	for b.Loop() {
		m.StallMargins(0, 0.937, 1.83)
	}
}

// BenchmarkNew measures the check and preparation of a fan map.
func BenchmarkNew(b *testing.B) {
	m := perfmaptest.Fan(b, perfmap.Monotone)
	for b.Loop() {
		if _, err := perfmap.New(*m); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLookupMakesNoGarbage(t *testing.T) {
	for _, interp := range []perfmap.Interp{perfmap.Monotone, perfmap.Linear, perfmap.Lagrange2, perfmap.Lagrange3} {
		m := perfmaptest.Fan(t, interp)
		out := make([]perfmap.Value, len(m.Tables))
		if n := testing.AllocsPerRun(100, func() { m.At(0, 0.937, 1.83, out); m.At(0, 1.3, 0.5, out) }); n != 0 {
			t.Errorf("%s: %g allocations", interp, n)
		}
		if n := testing.AllocsPerRun(10, func() { m.StallMargins(0, 0.937, 1.83) }); n != 0 {
			t.Errorf("%s: %g allocations for the stall margins", interp, n)
		}
	}
}

// BenchmarkMake measures making a fan map from its design point.
func BenchmarkMake(b *testing.B) {
	for b.Loop() {
		perfmaptest.Fan(b, perfmap.Monotone)
	}
}
