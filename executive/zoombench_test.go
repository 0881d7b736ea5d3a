package executive_test

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// fanCase is a study of the E3 with its fan zoomed.
type fanCase struct {
	name  string
	scale string
	cases []config.Case
}

// hot is a case of the E3 by its turbine rotor inlet temperature, K, with settings in turn.
func hot(name string, t41 float64, set ...any) config.Case {
	c := config.Case{Name: name, Solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt", Target: t41}}}
	for i := 0; i < len(set); i += 2 {
		c.Set = append(c.Set, config.Setting{Path: set[i].(string), Value: config.Value{Num: set[i+1].(float64), Set: true}})
	}
	return c
}

// zoomE3 runs cases of the E3, zoomed to an error, on the throughflow solver with residuals that fall by six orders.
func zoomE3(b *testing.B, c fanCase, to float64) *result.Results {
	b.Helper()
	solvers, err := executive.Solvers(config.Settings{Launcher: "local"})
	if err != nil {
		b.Fatal(err)
	}
	engine, err := config.Load(enginetest.Example("e3.yaml"), executive.Catalogue(solvers), nil)
	if err != nil {
		b.Fatal(err)
	}
	z := &engine.Zooms[0]
	z.Scale, z.To = c.scale, []config.Goal{{Error: to}}
	z.Settings = config.Values{"orders": {Num: 6, Text: "6", Set: true}}
	engine.Cases, engine.Rules = c.cases, nil
	var names []string
	for _, c := range engine.Cases {
		names = append(names, c.Name)
	}
	fake := &launchtest.Fake{Solver: func() plugin.Solver { return solver.Builtin("throughflow") }}
	r, err := executive.Run(b.Context(), engine, names, executive.Options{Zoomer: knownZoomer{b, fake, 2}})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkZoomE3 zooms the E3's fan to 0.02 % of thrust and fuel consumption from an empty cache. The truth is the same
// study zoomed to a hundredth of that.
func BenchmarkZoomE3(b *testing.B) {
	ground := []any{"ambient.altitude", 0.0, "ambient.mach", 0.0, "ambient.dTs", 15.0}
	ratings := []config.Case{hot("max_climb", 1517.15), hot("max_cruise", 1485.15), hot("takeoff", 1638.15, ground...)}
	nine := append([]config.Case{}, ratings...)
	for i, t41 := range []float64{1450, 1420, 1390} {
		nine = append(nine, hot(fmt.Sprint("cruise", i), t41), hot(fmt.Sprint("ground", i), t41+120, ground...))
	}
	const to = 2e-4
	for _, c := range []fanCase{
		{"one", "absolute", ratings[1:2]}, {"one", "design", ratings[1:2]},
		{"three", "absolute", ratings}, {"three", "design", ratings},
		{"nine", "absolute", nine},
	} {
		b.Run(c.name+"/"+c.scale, func(b *testing.B) {
			for b.Loop() {
				r := zoomE3(b, c, to)
				b.StopTimer()
				truth := zoomE3(b, c, to/100)
				worst, estimate := 0.0, 0.0
				for i, at := range r.Cases {
					worst = max(worst, trueError(at, truth.Cases[i]))
					estimate = max(estimate, at.Zoom["fan"].Error)
				}
				b.ReportMetric(float64(r.Cases[0].Zoom["fan"].Runs), "runs")
				b.ReportMetric(float64(r.Cases[0].Zoom["fan"].Rounds), "rounds")
				b.ReportMetric(100*worst, "%error")
				b.ReportMetric(100*estimate, "%estimate")
				b.ReportMetric(float64(truth.Cases[0].Zoom["fan"].Runs), "truth-runs")
				b.StartTimer()
			}
		})
	}
}
