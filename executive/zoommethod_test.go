package executive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// The methods bring thrust and fuel consumption to the error that is wanted, with few runs and an honest estimate.
func TestZoomToAnError(t *testing.T) {
	noisy := smooth
	noisy.noise = 5e-4
	for _, method := range config.ZoomMethods {
		for _, c := range []struct {
			name  string
			fan   knownFan
			to    float64
			scale string
			cases []float64
			most  int // runs
		}{
			{"one", smooth, 2e-4, "absolute", []float64{1400}, 4},
			{"one scaled", smooth, 2e-4, "design", []float64{1400}, 6},
			{"choked", choked, 5e-4, "absolute", []float64{1400}, 6},
			{"noisy", noisy, 1.5e-3, "absolute", []float64{1400}, 9},
			{"three", smooth, 2e-4, "absolute", []float64{1350, 1400, 1450}, 8},
			{"nine", smooth, 2e-4, "absolute", []float64{1300, 1325, 1350, 1375, 1400, 1425, 1450, 1475, 1500}, 18},
		}[:enginetest.Trials(t, 2, 6, 6)] {
			t.Run(method+"/"+c.name, func(t *testing.T) {
				engine := knownEngine(t, c.to, c.scale, c.cases...)
				engine.Zooms[0].Method = method
				exact := exactly(t, engine, c.fan)
				r := zoomKnown(t, engine, c.fan, 2)
				for i, at := range r.Cases {
					z, e := at.Zoom["fan"], trueError(at, exact[i])
					t.Logf("%s: %d runs in %d rounds, true error %.2g, estimate %.2g", at.Name, z.Runs, z.Rounds, e,
						z.Error)
					if !at.Converged || e > c.to || e > z.Error || z.Error > c.to || z.Runs > c.most ||
						z.Method != method {
						t.Errorf("%s: converged %t by %s, error %.2g, estimated %.2g, wanted %.2g, %d runs of %d: %s",
							at.Name, at.Converged, z.Method, e, z.Error, c.to, z.Runs, c.most, at.Message)
					}
				}
				if len(r.Warnings) > 0 {
					t.Errorf("warnings: %v", r.Warnings)
				}
			})
		}
	}
}

// anyFan is a fan at random: lines from vertical to flat, and an efficiency that peaks somewhere about where the engine
// works.
func anyFan(r *rand.Rand) knownFan {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
	power, level, slope, bend := between(0.8, 1.3), between(0.98, 1.02), between(0.1, 0.6), between(0, 0.5)
	peak, n0, k0, overSpeed, overThrottle, tilt := between(0.86, 0.93), between(0.9, 1.02), between(1.1,
		1.3), between(0.1, 0.8), between(0.1, 0.8), between(-0.4, 0.4)
	return knownFan{
		flow: func(n, k float64) float64 {
			d := k - 1.18
			return level * math.Pow(n, power) * (1 - slope*d - bend*d*d)
		},
		eff: func(n, k float64) float64 {
			a, b := n-n0, k-k0
			return peak - overSpeed*a*a - overThrottle*b*b - tilt*a*b
		},
	}
}

// honesty is how estimates compare with true errors.
type honesty struct {
	points, within, short, failed int
	unnamed                       int // short without a run to add
	squares, estimates            float64
	runs                          int
}

// add counts a case; scatter is the solver's own, below which errors count as that.
func (h *honesty) add(r, exact *result.Result, scatter float64) {
	z := r.Zoom["fan"]
	h.points++
	if !r.Converged {
		h.failed++
		return
	}
	e := trueError(r, exact)
	if e <= max(z.Error, scatter) {
		h.within++
	}
	if z.Short {
		h.short++
		if z.Next == nil {
			h.unnamed++
		}
	}
	e = max(e, scatter)
	h.squares += e * e
	h.estimates += z.Error
}

// study zooms a fan at random by a method and counts its cases. A fan on which the engine has no solution is left out.
func (h *honesty) study(t testing.TB, r *rand.Rand, method string, lost float64) {
	fan := anyFan(r)
	fan.noise, fan.lost = []float64{0, 3e-5, 3e-4}[r.IntN(3)], lost
	var temperatures []float64
	for i := range 3 {
		temperatures = append(temperatures, 1320+60*float64(i)+40*r.Float64())
	}
	to := max([]float64{2e-4, 5e-4, 1e-3}[r.IntN(3)], 3*fan.noise)
	engine := knownEngine(t, to, []string{"absolute", "design"}[r.IntN(2)], temperatures...)
	engine.Zooms[0].Method = method
	exact, err := couple(t, engine, &fan)
	if err != nil {
		h.study(t, r, method, lost)
		return
	}
	got := zoomKnown(t, engine, fan, 2)
	for i := range got.Cases {
		h.add(got.Cases[i], exact[i], fan.noise)
	}
	h.runs += got.Cases[0].Zoom["fan"].Runs
}

// Estimates are honest on unseen fans, with runs lost at random: the true error is within them, and they are not much
// larger.
func BenchmarkZoomHonesty(b *testing.B) {
	for _, method := range config.ZoomMethods {
		for _, lost := range []float64{0, 0.2, 0.4} {
			b.Run(fmt.Sprintf("%s/lost=%g", method, lost), func(b *testing.B) {
				var h honesty
				r := rand.New(rand.NewPCG(1, uint64(100*lost)))
				for b.Loop() {
					for range studiesOfHonesty {
						h.study(b, r, method, lost)
					}
				}
				h.report(b)
			})
		}
	}
}

// studiesOfHonesty is the number of studies, of three points each, by method and share of lost runs.
const studiesOfHonesty = 67

func (h *honesty) report(b *testing.B) {
	n := float64(h.points - h.failed)
	rms := math.Sqrt(h.squares / n)
	b.ReportMetric(float64(h.points), "points")
	b.ReportMetric(100*float64(h.within)/float64(h.points), "%within")
	b.ReportMetric(h.estimates/n/rms, "estimate/rms")
	b.ReportMetric(3*float64(h.runs)/float64(h.points), "runs/study")
	b.ReportMetric(100*rms, "%rms")
	b.ReportMetric(float64(h.failed), "unsolved")
	b.ReportMetric(float64(h.short), "short")
	b.ReportMetric(float64(h.unnamed), "unnamed")
}
