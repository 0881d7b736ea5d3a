package session

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// Volumes do not change the E3's operating points, and it is at rest with them.
func TestE3VolumesAtRest(t *testing.T) {
	cfg := enginetest.E3WithVolumes(t)
	performsAlike(t, enginetest.Moving(t, enginetest.Example("e3.yaml")), cfg, 1e-8)
	r := move(t, cfg, config.Case{Transient: &config.Transient{Duration: 5, Integrator: "rosenbrock"}})
	converged(t, r)
	for k, q := range r.History.Columns {
		v := r.History.Values[k]
		near(t, q.Path+" at the end", v[len(v)-1], v[0], 1e-7)
	}
}
