package surrogate

import (
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkModel makes the model of 40 answers and states its deviation at a point, as a map does for each operating
// point of its engine.
func BenchmarkModel(b *testing.B) {
	answers := hillAnswers(rand.New(rand.NewPCG(9, 10)), 40, 1e-4)
	trends := []Trend{{Outputs: []Output{{Name: "hill", Prior: hillPrior}}}}
	b.ReportAllocs()
	for b.Loop() {
		m := must.Value(New(2, trends, answers))(b)
		var sd [1]float64
		m.Deviations([]float64{1, 0.2}, sd[:])
	}
}
