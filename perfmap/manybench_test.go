package perfmap_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// manyLines are speed lines of a fan with 40 runs each, the pressure ratio scattered by a relative amount.
func manyLines(lines int, scatter float64) []perfmap.Line {
	random := rand.New(rand.NewPCG(1, 2))
	var list []perfmap.Line
	for i := range lines {
		nu := 0.45 + 0.005*float64(i)
		line := perfmap.Line{Nc: nu}
		for k := range 40 {
			throttle := 0.5 * math.Pow(2.4, (float64(k)+0.1*random.Float64())/39)
			wc := nu * (1 - 0.2*(throttle-0.9)*(throttle-0.9) - 0.3*(throttle-0.9))
			pr := 1 + 0.7*throttle*wc*wc*(1+scatter*random.NormFloat64())
			line.Points = append(line.Points, perfmap.LinePoint{Run: fmt.Sprintf("r%d-%d", i, k),
				Values: map[string]float64{
					"Wc": wc, "PR": pr, "eff": 0.9 - 0.2*(throttle-0.9)*(throttle-0.9),
					"PR_core": 1 + 0.9*(pr-1), "eff_core": 0.88 - 0.2*(throttle-0.9)*(throttle-0.9),
				}})
		}
		list = append(list, line)
	}
	return list
}

// BenchmarkMany makes the map of 5,000 runs on 125 lines, smooth and scattered so that lines cross.
func BenchmarkMany(b *testing.B) {
	for _, scatter := range []float64{0, 0.005} {
		b.Run(fmt.Sprint(scatter), func(b *testing.B) {
			lines := manyLines(125, scatter)
			for b.Loop() {
				_, cut, err := perfmap.FromCrossedLines(b.Context(), "m", lines, perfmap.LineOptions{Stall: true})
				if err != nil || (cut == nil) != (scatter == 0) {
					b.Fatal(len(cut), err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/map")
		})
	}
}
