package executive_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// hot is a case of the E3 by its turbine rotor inlet temperature, K, with settings in turn.
func hot(name string, t41 float64, set ...any) config.Case {
	c := config.Case{Name: name, Solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt", Target: t41}}}
	for i := 0; i < len(set); i += 2 {
		c.Set = append(c.Set,
			config.Setting{Path: set[i].(string), Value: config.Value{Num: set[i+1].(float64), Set: true}})
	}
	return c
}

// e3Zoom is a zoom of the E3's fan.
type e3Zoom struct {
	scale, method string
	to            float64
	cases         []config.Case
	answers       *cache.Cache // of runs; nil: all are made
	workers       int          // runs at a time; 0: two
	batch         int          // 0: the default
}

// run runs cases of the E3 on the throughflow solver with residuals that fall by six orders.
func (e e3Zoom) run(b *testing.B) *result.Results {
	b.Helper()
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(b)
	engine := must.Value(config.Load(enginetest.Example("e3.yaml"), executive.Catalogue(solvers), nil))(b)
	z := &engine.Zooms[0]
	z.Scale, z.Method, z.To = e.scale, e.method, []config.Goal{{Error: e.to}}
	z.Settings = config.Values{"orders": {Num: 6, Text: "6", Set: true}}
	z.Batch = cmp.Or(e.batch, z.Batch)
	engine.Cases, engine.Rules = e.cases, nil
	return must.Value(zoomOn(b, engine, knownZoomer{b, solver.Builtin("throughflow"), cmp.Or(e.workers, 2), e.answers,
		false}))(b)
}

// runs is the number of runs of a study, those whose answers were in the cache among them.
func runs(r *result.Results) int {
	z := r.Cases[0].Zoom["fan"]
	return z.Runs + z.Cached
}

func openCache(b *testing.B) *cache.Cache {
	b.Helper()
	return must.Value(cache.Open(b.TempDir()))(b)
}

// worst are the largest true error and the largest estimate of a study.
func worst(r, truth *result.Results) (e, estimate float64) {
	for i, at := range r.Cases {
		e, estimate = max(e, trueError(at, truth.Cases[i])), max(estimate, at.Zoom["fan"].Error)
	}
	return e, estimate
}

// atE3 is the condition of the E3's ratings at take-off.
var atE3 = []any{"ambient.altitude", 0.0, "ambient.mach", 0.0, "ambient.dTs", 15.0}

// ratings of the E3: max climb, max cruise, take-off.
func e3Ratings() []config.Case {
	return []config.Case{hot("max_climb", 1517.15), hot("max_cruise", 1485.15), hot("takeoff", 1638.15, atE3...)}
}

// toBenchmark is the error that the benchmarks of zooming reach. The truth is the same study zoomed to a hundredth of
// that.
const toBenchmark = 2e-4

// BenchmarkZoomE3 zooms the E3's fan to 0.02 % of thrust and fuel consumption from an empty cache.
func BenchmarkZoomE3(b *testing.B) {
	nine := e3Ratings()
	for i, t41 := range []float64{1450, 1420, 1390} {
		nine = append(nine, hot(fmt.Sprint("cruise", i), t41), hot(fmt.Sprint("ground", i), t41+120, atE3...))
	}
	answers := openCache(b)
	for _, c := range []struct {
		name, method, scale string
		cases               []config.Case
		batch               int
	}{
		{"one", "scalars", "absolute", e3Ratings()[1:2], 0}, {"one", "direct", "absolute", e3Ratings()[1:2], 0},
		{"one", "map", "absolute", e3Ratings()[1:2], 0},
		{"one", "scalars", "design", e3Ratings()[1:2], 0}, {"one", "direct", "design", e3Ratings()[1:2], 0},
		{"one", "map", "design", e3Ratings()[1:2], 0},
		{"three", "scalars", "absolute", e3Ratings(), 0}, {"three", "direct", "absolute", e3Ratings(), 0},
		{"three", "map", "absolute", e3Ratings(), 0}, {"three", "map", "design", e3Ratings(), 0},
		{"nine", "scalars", "absolute", nine, 0}, {"nine", "direct", "absolute", nine, 0},
		{"nine", "map", "absolute", nine, 0},
		{"nine by eight", "map", "absolute", nine, 8},
	} {
		b.Run(c.name+"/"+c.scale+"/"+c.method, func(b *testing.B) {
			e := e3Zoom{scale: c.scale, method: c.method, to: toBenchmark, cases: c.cases, answers: answers,
				batch: c.batch}
			precise := e
			precise.to, precise.method = toBenchmark/100, "map"
			for b.Loop() {
				r, truth := e.run(b), precise.run(b)
				off, estimate := worst(r, truth)
				b.ReportMetric(float64(runs(r)), "runs")
				b.ReportMetric(float64(r.Cases[0].Zoom["fan"].Rounds), "rounds")
				b.ReportMetric(100*off, "%error")
				b.ReportMetric(100*estimate, "%estimate")
				b.ReportMetric(float64(runs(truth)), "truth-runs")
				b.ReportMetric(0, "ns/op") // most answers are in the cache
			}
		})
	}
}

// BenchmarkZoomNeighbours adds a case to a study of max cruise: the fan's speed 3 % lower or higher, or Mach 0.02
// lower or higher. It counts the runs that the case adds.
func BenchmarkZoomNeighbours(b *testing.B) {
	answers := openCache(b)
	cruise := e3Ratings()[1]
	at := func(n, mach float64) config.Case {
		c := hot("neighbour", 0, "ambient.mach", mach)
		c.Solve = []config.Balance{{Vary: "burner.FAR", Until: "shafts.lp.N", Target: n}}
		return c
	}
	for _, method := range config.ZoomMethods {
		b.Run(method, func(b *testing.B) {
			for b.Loop() {
				e := e3Zoom{scale: "absolute", method: method, to: toBenchmark, cases: []config.Case{cruise},
					answers: answers}
				alone := e.run(b)
				n := alone.Cases[0].Shafts["lp"].Value("N")
				sum, most, off := 0, 0, 0.0
				list := []config.Case{at(0.97*n, 0.8), at(1.03*n, 0.8), at(n, 0.78), at(n, 0.82)}
				for _, c := range list {
					e.cases = []config.Case{cruise, c}
					precise := e
					precise.to, precise.method = toBenchmark/100, "map"
					r := e.run(b)
					more := runs(r) - runs(alone)
					sum, most = sum+more, max(most, more)
					this, _ := worst(r, precise.run(b))
					off = max(off, this)
				}
				b.ReportMetric(float64(sum)/float64(len(list)), "runs/neighbour")
				b.ReportMetric(float64(most), "runs/most")
				b.ReportMetric(100*off, "%error")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// BenchmarkZoomPoints zooms the E3's fan at points that are in no example: flight conditions and temperatures at
// random, three a study. It counts how many true errors are within the estimates.
func BenchmarkZoomPoints(b *testing.B) {
	answers := openCache(b)
	for b.Loop() {
		var h honesty
		r := rand.New(rand.NewPCG(13, 13))
		for i := range 20 {
			var cases []config.Case
			for k := range 3 {
				high := r.Float64()
				cases = append(cases, hot(fmt.Sprint("point", k), 1350+150*r.Float64()+100*(1-high),
					"ambient.altitude", 11000*high, "ambient.mach", 0.3+0.5*high*r.Float64(), "ambient.dTs",
					20*r.Float64()))
			}
			e := e3Zoom{scale: []string{"absolute", "design"}[i%2], method: config.ZoomMethods[i%3], to: 1e-3,
				cases: cases, answers: answers}
			precise := e
			precise.to, precise.method = 1e-5, "map"
			got, truth := e.run(b), precise.run(b)
			for k := range got.Cases {
				h.add(got.Cases[k], truth.Cases[k], 1e-5)
			}
			h.runs += runs(got)
		}
		h.report(b)
	}
}
