package bladerow

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/components/cfd/blade"
	"github.com/peregrine-sim/peregrine/components/cfd/march"
	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/clock"
)

// BenchmarkSteered measures what steering costs the E3 fan's rotor on 46,080 cells with all objects registered and nobody there: on and off in
// turns of 20 iterations of one run. The cost is the median of the ratios of a turn to the mean of the two beside it; reported are it and the
// upper end of its 95 % interval, by order statistics (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2).
func BenchmarkSteered(b *testing.B) {
	g := e3Fan(b)
	body, err := g.Solid(g.Rows[0], blade.SolidSections, blade.SolidPoints)
	if err != nil {
		b.Fatal(err)
	}
	c := Case{Body: body, Gas: air, N: 3727.7, Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}}, Exit: march.Exit{Ps: 108e3}}
	const turns, iterations = 61, 20
	for b.Loop() {
		s := solver(b, c)
		for s.at < len(s.levels)-1 {
			s.refine()
		}
		var times []float64
		for turn := range turns {
			s.steering = march.Steering{}
			if turn%2 == 1 {
				s.Steer(steer.New(clock.Real), 0, anySetting)
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
		var ratios []float64
		for i := 1; i < turns-1; i += 2 {
			ratios = append(ratios, 2*times[i]/(times[i-1]+times[i+1]))
		}
		slices.Sort(ratios)
		n := float64(len(ratios))
		upper := min(int(math.Ceil(n/2+1.96*math.Sqrt(n)/2)), len(ratios)-1)
		b.ReportMetric(100*(ratios[len(ratios)/2]-1), "%median")
		b.ReportMetric(100*(ratios[upper]-1), "%upper")
	}
}
