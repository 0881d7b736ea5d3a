package session

import (
	"context"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkE3WarmPoint is one off-design point of the E3, solved from its
// neighbour 10 K of T41 away, without zoom, on one core. Target: under 2 ms.
func BenchmarkE3WarmPoint(b *testing.B) {
	m := settled(b, enginetest.E3(b))
	t41 := [2]float64{1485.15, 1495.15}
	var nw newton.Solver
	evaluations, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		c := config.Case{
			Name: "point", Solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt", Target: t41[i%2]}},
		}
		info := must.Value(m.OffDesign(context.Background(), &nw, &c))(b)
		evaluations += info.Evaluations
	}
	b.ReportMetric(float64(evaluations)/float64(i), "evaluations/op")
}
