package transient

import (
	"context"
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A tolerance that cannot be met with the allowed number or length of steps ends a transient. The message has the time
// and the suggested change; the history is kept.
func TestToleranceThatCannotBeMet(t *testing.T) {
	for _, c := range []struct {
		method string
		limit  func(*ode.Settings)
		want   []string
	}{
		{
			"modified-euler", func(s *ode.Settings) { s.MaxSteps = 200 },
			[]string{"no step meets the tolerance, rtol 1e-13 and atol 1e-12 rpm", "200 steps were tried",
				"take integrator: rosenbrock or gear"},
		},
		{
			"rosenbrock", func(s *ode.Settings) { s.MinStep = 0.05 },
			[]string{"still misses the tolerance", "the largest error is that of spool.N; loosen rtol or atol"},
		},
	} {
		t.Run(c.method, func(t *testing.T) {
			m := designed(t, enginetest.Moving(t, enginetest.Example("turbojet.yaml")))
			run := must.Value(
				newIntegration(m, &config.Case{
					Name: "move", Kind: "transient",
					Transient: &config.Transient{Duration: 5, RTol: 1e-13, ATol: 1e-12, Integrator: c.method,
						Schedules: []config.Schedule{enginetest.Fuel(0, 0.9)}},
				}, nil))(t)
			c.limit(&run.set)
			ended, err := run.run(context.Background())
			r := run.result(ended, err)
			if r.Converged || r.Ended == nil || r.Ended.Reason != "step" || !(r.Ended.T >= 0 && r.Ended.T < 5) {
				t.Fatalf("%+v %s", r.Ended, r.Message)
			}
			must.Contain(t, r.Message, append(c.want, fmt.Sprintf("at t = %.6g s: ", r.Ended.T))...)
			if h := r.History; len(h.T) == 0 || h.T[len(h.T)-1] != r.Ended.T {
				t.Errorf("the history has %d points", len(h.T))
			}
		})
	}
}
