package sweep

import (
	"context"
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// BenchmarkSweep is a flight envelope of the test enginetest.Turbojet, 21 flight points by 6
// turbine inlet temperatures, in whole sweeps. Two workers on two idle cores give at least 1.8 times the points
// per second of one.
func BenchmarkSweep(b *testing.B) {
	cfg := enginetest.Parse(b, enginetest.Turbojet+`
limits:
  - {path: burner.out.Tt, max: 1350 K}
sweeps:
  envelope:
    over:
      ambient.altitude: [0 km, 2 km, 4 km, 6 km, 8 km, 10 km, 12 km]
      ambient.mach: [0, 0.3, 0.6]
      burner.out.Tt: {from: 1350 K, to: 1050 K, points: 6}
    solve: [{vary: burner.FAR, until: burner.out.Tt = 1200 K}]
    collect: [performance.Fn, performance.TSFC, compressor.SMN, spool.N]
`)
	s := sessionOf(b, cfg)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			points, evaluations := 0, 0
			for b.Loop() {
				r, err := Solve(context.Background(), s, cfg.Sweep("envelope"), Options{Workers: workers})
				if err != nil || r.Failed() > 0 {
					b.Fatal(err, r.Failed())
				}
				points += len(r.Rows)
				for _, row := range r.Rows {
					evaluations += row.Solver.Evaluations
				}
			}
			b.ReportMetric(float64(points)/b.Elapsed().Seconds(), "points/s")
			b.ReportMetric(float64(evaluations)/float64(points), "evaluations/point")
		})
	}
}
