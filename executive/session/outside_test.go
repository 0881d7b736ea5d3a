package session

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A transient that leaves a map reports it, even if it comes back or ends early. One without
// fuel runs down until the equations have no solution, and keeps its history.
func TestTransientOutsideMaps(t *testing.T) {
	testenv.Long(t, "the search for a solution where there is none")
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	r := move(t, cfg,
		config.Case{
			Transient: &config.Transient{Duration: 300, Integrator: "rosenbrock", RTol: 1e-5,
				Schedules: []config.Schedule{enginetest.Fuel(0, 0.8, 5, 0)}},
		})
	if r.Converged || r.Ended == nil || r.Ended.Reason != "no solution" || r.Ended.T < 5 {
		t.Fatalf("it ends by %+v: %s", r.Ended, r.Message)
	}
	n := r.History.Column("shafts.spool.N")
	if last := len(n) - 1; last < 10 || n[last] > 0.8*n[0] || r.History.T[last] > r.Ended.T ||
		r.History.T[last] < r.Ended.T-1 {
		t.Errorf("the history ends at %g s with %g rpm, the transient at %g s", r.History.T[last], n[last], r.Ended.T)
	}
	if r.Shafts["spool"]["N"] > 0.8*n[0] || r.Stations["burner.out"].W <= 0 {
		t.Errorf("the result is at %g rpm, not at the end", r.Shafts["spool"]["N"])
	}
	o := r.Outside["compressor"]
	if o == nil || !(o.From > 0 && o.From < o.To && o.To <= r.Ended.T) || o.Bounds == "" {
		t.Fatalf("compressor: %+v", o)
	}
}
