package verify

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// hbtfText is pyCycle's HBTF with more cases.
func hbtfText(t testing.TB, cases string) string {
	t.Helper()
	maps := filepath.Join(filepath.Dir(testenv.Reference(t, "README.md")), "maps")
	return must.Value(fill(HBTF+cases, map[string]any{"maps": maps}))(t)
}

func hbtfSession(t testing.TB) *session.Session {
	t.Helper()
	return must.Value(session.Open(context.Background(), enginetest.Parse(t, hbtfText(t, ""))))(t)
}

// BenchmarkHBTFWarmPoint is an off-design point of pyCycle's HBTF with
// equilibrium gas, solved from its neighbour at 2 % less thrust. Target: under 0.5 ms.
func BenchmarkHBTFWarmPoint(b *testing.B) {
	p := must.Value(hbtfSession(b).Point())(b)
	fn := [2]float64{0.90 * 26244, 0.88 * 26244}
	evaluations, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		info, err := p.Solve(context.Background(),
			&config.Case{
				Name: "point", Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: fn[i%2]}},
			})
		must.OK(b, err)
		evaluations += info.Evaluations
	}
	b.ReportMetric(float64(evaluations)/float64(i), "evaluations/op")
}

// flights are the 21 flight points of pyCycle's example (Mach number, feet), in
// its order; the throttle settings are those of its part-power cases.
var (
	flights = [][2]float64{
		{0.8, 35000}, {0.7, 35000}, {0.55, 35000}, {0.46, 35000}, {0.4, 35000}, {0.4, 20000}, {0.6, 20000},
		{0.8, 20000},
		{0.8, 10000}, {0.6, 10000}, {0.4, 10000}, {0.2, 10000}, {0.001, 10000}, {0.001, 1000}, {0.2, 1000}, {0.4, 1000},
		{0.6, 1000}, {0.6, 0}, {0.4, 0}, {0.2, 0}, {0.001, 0},
	}
	throttles = []float64{1, 0.9, 0.8, 0.7, 0.85}
)

// BenchmarkHBTFEnvelope is pyCycle's HBTF at 21 flight points times full power and
// five throttle settings, 126 points, on one core. Target: under 0.2 s.
func BenchmarkHBTFEnvelope(b *testing.B) {
	s := hbtfSession(b)
	evaluations := 0
	for b.Loop() {
		evaluations = 0
		p := must.Value(s.Point())(b)
		solve := func(c config.Case) {
			info, err := p.Solve(context.Background(), &c)
			if err != nil {
				b.Fatalf("%+v: %v", c, err)
			}
			evaluations += info.Evaluations
		}
		for _, f := range flights {
			set := []config.Setting{{Path: "fc.mach", Value: config.Value{Num: f[0]}},
				{Path: "fc.altitude", Value: config.Value{Num: f[1] * 0.3048}}}
			solve(config.Case{
				Set: set, Solve: []config.Balance{{Vary: "burner.FAR", Until: "burner.out.Tt", Target: 2857 / 1.8}},
			})
			full := p.Value("performance.Fn")
			for _, pc := range throttles {
				solve(config.Case{
					Set: set, Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: pc * full}},
				})
			}
		}
	}
	b.ReportMetric(float64(evaluations)/126, "evaluations/point")
}
