package bladerow

import (
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/turns"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// BenchmarkSteered measures what steering costs the E3 fan's rotor on 46,080 cells with all objects registered and
// nobody there: on and off in turns of 20 iterations of one run. See [turns.Cost].
func BenchmarkSteered(b *testing.B) {
	g := e3Fan(b)
	body := must.Value(g.Solid(g.Rows[0], blade.SolidSections, blade.SolidPoints))(b)
	c := Case{Body: body, Gas: air, N: 3727.7, Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
		Exit: march.Exit{Ps: 108e3}}
	const count, iterations = 61, 20
	for b.Loop() {
		s := solver(b, c)
		for s.at < len(s.levels)-1 {
			s.refine()
		}
		var times []float64
		for turn := range count {
			s.steering = march.Steering{}
			if turn%2 == 1 {
				s.Steer(steer.New(clock.Real), 0, marchtest.Setting)
				s.steering.Safe(b.Context(), s.total, 0) // the first one finds the objects of early commands
			}
			began := time.Now()
			for range iterations {
				if status, why := s.step(); status != "" {
					b.Fatal(status, why)
				}
				s.steering.Safe(b.Context(), s.total, s.fallen())
			}
			times = append(times, time.Since(began).Seconds())
		}
		median, upper := turns.Cost(times)
		b.ReportMetric(100*median, "%median")
		b.ReportMetric(100*upper, "%upper")
	}
}
