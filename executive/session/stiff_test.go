package session

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Volumes of a litre fill in some ten microseconds, and the engine's shaft takes
// seconds: explicit methods must follow the volumes and take more than a hundred times the
// steps that the shaft's motion asks for, to the same answer.
func TestStiffVolumes(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Volumes(1e-3, 1e-3))
	run := func(method string) *result.Result {
		r := move(t, cfg,
			config.Case{
				Transient: &config.Transient{Duration: 0.15, Every: 0.15, RTol: 1e-5, ATol: 1e-2, Integrator: method,
					Schedules: []config.Schedule{enginetest.Fuel(0, 1, 0.1, 0.9)}}})
		if !r.Converged {
			t.Fatalf("%s: %s", method, r.Message)
		}
		t.Logf("%s: %d steps, %d evaluations, N %.6f rpm", method, r.Solver.Steps, r.Solver.Evaluations,
			r.Shafts["spool"]["N"])
		return r
	}
	implicit := run("rosenbrock")
	for _, method := range []string{
		"dormand-prince", "modified-euler", "rk4", "adams",
	}[:enginetest.Trials(t, 1, 4, 4)] {
		explicit := run(method)
		if ratio := float64(explicit.Solver.Steps) / float64(implicit.Solver.Steps); ratio < 100 {
			t.Errorf("%s takes only %.3g times the steps", method, ratio)
		}
		near(t, "N by "+method, explicit.Shafts["spool"]["N"], implicit.Shafts["spool"]["N"], 1e-7)
	}
}
