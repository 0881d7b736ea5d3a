package executive_test

// Benchmarks of zooming on machines whose answers it was not made for: rotors of random shape with choked lines and
// with noise, and NASA Rotor 67 in three dimensions.

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade/bladetest"
)

// anyChoked is a fan at random whose lines are vertical where it works.
func anyChoked(r *rand.Rand) knownFan {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }
	power, level, knee, width := between(0.7, 1), between(0.99, 1.01), between(1.26, 1.34), between(0.03, 0.05)
	peak, n0, k0, overSpeed, overThrottle := between(0.88, 0.92), between(0.92, 0.98), between(1.22,
		1.28), between(0.2, 0.5), between(0.4, 1)
	return knownFan{
		flow: func(n, k float64) float64 {
			return math.Pow(n, power) * level * (1 - 0.02*width*math.Log1p(math.Exp((k-knee)/width)))
		},
		eff: func(n, k float64) float64 { return peak - overSpeed*(n-n0)*(n-n0) - overThrottle*(k-k0)*(k-k0) },
	}
}

// BenchmarkZoomUnseen zooms fans at random, whose truth is the fan itself in the engine: with choked lines to 0.05 %,
// and with noise of 5e-4 in the answers to 0.15 %. It reports the mean and the greatest number of runs, and how many
// true errors are within the wanted error.
func BenchmarkZoomUnseen(b *testing.B) {
	const studies = 20
	for _, c := range []struct {
		name string
		fan  func(*rand.Rand) knownFan
		to   float64
	}{
		{"choked", anyChoked, 5e-4},
		{"noisy", func(r *rand.Rand) knownFan { f := anyFan(r); f.noise = 5e-4; return f }, 1.5e-3},
	} {
		for _, method := range config.ZoomMethods {
			b.Run(c.name+"/"+method, func(b *testing.B) {
				for b.Loop() {
					r := rand.New(rand.NewPCG(67, 11))
					sum, most, within, worst := 0, 0, 0, 0.0
					for n := 0; n < studies; {
						fan := c.fan(r)
						engine := knownEngine(b, c.to, "absolute", 1400)
						engine.Zooms[0].Method = method
						exact, err := couple(b, engine, &fan)
						if err != nil {
							continue // the engine has no solution on it
						}
						n++
						at := zoomKnown(b, engine, fan, 2).Cases[0]
						e := trueError(at, exact[0])
						if at.Converged && e <= c.to {
							within++
						}
						runs := at.Zoom["fan"].Runs
						sum, most, worst = sum+runs, max(most, runs), max(worst, e)
					}
					b.ReportMetric(float64(sum)/studies, "runs/study")
					b.ReportMetric(float64(most), "runs/most")
					b.ReportMetric(100*float64(within)/studies, "%reached")
					b.ReportMetric(100*worst, "%worst")
				}
			})
		}
	}
}

// BenchmarkZoomOrder zooms the E3's fan to 0.1 % with its cases in two orders, one of them alone, and four runs at a
// time in place of one. It reports the greatest change of thrust and fuel consumption over the wanted error, and how
// many numbers change with the runs at a time.
func BenchmarkZoomOrder(b *testing.B) {
	const to = 1e-3
	answers := openCache(b)
	for b.Loop() {
		ratings := e3Ratings()
		e := e3Zoom{scale: "absolute", method: "map", to: to, cases: ratings, answers: answers}
		inOrder := e.run(b)
		e.cases = []config.Case{ratings[2], ratings[1], ratings[0]}
		back := e.run(b)
		e.cases = ratings[1:2]
		alone := e.run(b)
		off := trueError(alone.Cases[0], inOrder.Cases[1])
		for i := range ratings {
			off = max(off, trueError(back.Cases[len(ratings)-1-i], inOrder.Cases[i]))
		}
		e.cases, e.answers, e.workers = ratings, nil, 4
		b.ReportMetric(off/to, "change/wanted")
		b.ReportMetric(float64(changed(e.run(b), inOrder)), "bits-changed")
	}
}

// changed counts the numbers of two studies that differ in any bit.
func changed(a, b *result.Results) (n int) {
	for i := range a.Cases {
		p, q := a.Cases[i], b.Cases[i]
		for _, v := range [][2]float64{{p.Performance.Fn, q.Performance.Fn}, {p.Performance.TSFC, q.Performance.TSFC},
			{p.Zoom["fan"].Error, q.Zoom["fan"].Error}} {
			if v[0] != v[1] {
				n++
			}
		}
	}
	return n
}

// BenchmarkZoomRotor67 rates an engine whose fan is NASA Rotor 67 by the three-dimensional solver, viscous on a crude
// mesh whose runs balance to about 0.1 %, to 0.3 % of thrust and fuel consumption. The truth is the same study to
// 0.001 %, which ends where runs settle no further.
func BenchmarkZoomRotor67(b *testing.B) {
	answers := openCache(b)
	for b.Loop() {
		rate := func(to float64) *result.Results {
			engine := rotor67Engine(b)
			engine.Zooms[0].To = []config.Goal{{Error: to}}
			z := knownZoomer{b, solver.Builtin("bladerow"), 2, answers, false}
			return must.Value(executive.Run(b.Context(), engine, []string{"part_power"},
				executive.Options{Zoomer: z}))(b)
		}
		r, truth := rate(3e-3), rate(1e-5)
		z := r.Cases[0].Zoom["fan"]
		b.Logf("%+v; truth: %+v", z, truth.Cases[0].Zoom["fan"])
		b.ReportMetric(float64(runs(r)), "runs")
		b.ReportMetric(float64(z.Rounds), "rounds")
		b.ReportMetric(100*trueError(r.Cases[0], truth.Cases[0]), "%error")
		b.ReportMetric(100*z.Error, "%estimate")
		b.ReportMetric(float64(runs(truth)), "truth-runs")
	}
}

// rotor67Engine is the zoomed turbofan with Rotor 67 as its fan.
func rotor67Engine(b *testing.B) *config.Engine {
	b.Helper()
	text := must.Value(os.ReadFile("testdata/zoomed.yaml"))(b)
	dir := b.TempDir()
	for _, edit := range [][2]string{
		{"fan.Wc = 643.7 kg/s", "fan.Wc = 33.25 kg/s"},
		{"N: 3450 rpm", "N: 14850 rpm"},
		{
			"PR: 1.634, eff: 91.7 %, PR_core: 1.634, eff_core: 91.7 %",
			"PR: 1.63, eff: 92 %, PR_core: 1.63, eff_core: 92 %",
		},
		{
			"{solver: throughflow, geometry: ../../config/examples/geometry/e3-fan.yaml, runs: 3, settings: " +
				"{cells_z: 64, cells_r: 16}}",
			"{solver: bladerow, geometry: rotor67.yaml, settings: {refine: 0.3}}"},
	} {
		must.Contain(b, string(text), edit[0])
		text = []byte(strings.Replace(string(text), edit[0], edit[1], 1))
	}
	file := filepath.Join(dir, "engine.yaml")
	must.OK(b, os.WriteFile(file, text, 0o600))
	must.OK(b, os.WriteFile(filepath.Join(dir, "rotor67.yaml"), []byte(bladetest.Rotor67(b, -0.13, 0.21)), 0o600))
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(b)
	return must.Value(config.Load(file, executive.Catalogue(solvers), nil))(b)
}
