package session

import (
	"context"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Integration in time ends at the operating point that Newton's method finds.
func TestRunToIsNewton(t *testing.T) {
	for _, c := range []struct{ file, from string }{{"turbojet", "part_power"}, {"turbojet", "hot_day"},
		{"turbojet", "cruise"}, {"turbofan", "part_power"}} {
		t.Run(c.file+"/"+c.from, func(t *testing.T) {
			cfg := enginetest.Moving(t, enginetest.Example(c.file+".yaml"))
			start := func(steady string) *result.Result {
				r := move(t, cfg,
					config.Case{From: c.from, Transient: &config.Transient{Steady: steady, Duration: 1e-3}})
				converged(t, r)
				return r
			}
			newton, rk4 := start("newton"), start("rk4")
			for k, q := range newton.History.Columns {
				a, b := newton.History.Values[k][0], rk4.History.Values[k][0]
				if math.Abs(a-b) > 1e-7*math.Max(math.Abs(a), 1) {
					t.Errorf("%s: %.12g by Newton's method, %.12g by running there", q.Path, a, b)
				}
			}
			for shaft, v := range newton.Shafts {
				near(t, shaft+": rpm by running there", rk4.Shafts[shaft]["N"], v["N"], 1e-8)
			}
		})
	}
}

// If both methods fail to reach the start, the message has both reasons.
func TestNoStart(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	cfg.Cases = append(cfg.Cases,
		config.Case{
			Name: "much", Kind: "offdesign",
			Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: 1e6}},
		})
	r := move(t, cfg, config.Case{From: "much", Transient: &config.Transient{Steady: "auto", Duration: 1}})
	if r.Converged {
		t.Fatal("it has a thrust of 1 MN")
	}
	must.Contain(t, r.Message, "case much, from which it starts, does not converge", "by Newton's method",
		"by letting the engine run there")
}

// A context that has ended ends a run, and is its error.
func TestTransientStops(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	s := must.Value(Open(context.Background(), cfg))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, steady := range []string{"newton", "rk4"} {
		c := config.Case{
			Name: "move", Kind: "transient", From: "part_power",
			Transient: &config.Transient{Steady: steady, Integrator: "rk4", Duration: 1, RTol: 1e-6, ATol: 1e-3},
		}
		if _, err := s.SolveCase(ctx, s.Model, &c); err != context.Canceled {
			t.Errorf("%s: %v", steady, err)
		}
	}
}
