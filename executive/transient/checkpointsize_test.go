package transient

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A checkpoint whose state, or whose integrator's, is not of the size of the engine's is refused.
func TestCheckpointOfAnotherSize(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	c := &config.Case{Name: "slam", Kind: "transient", Transient: &config.Transient{
		Duration: 1, RTol: 1e-4, ATol: 1e-1, Integrator: "rk4", Schedules: []config.Schedule{enginetest.Fuel(0, 1.2)},
	}}
	for want, change := range map[string]func(c *Checkpoint){
		"does not have the size of this engine's state": func(c *Checkpoint) { c.state.X = c.state.X[1:] },
		`a checkpoint of "rk4" with 6 unknowns cannot`:  func(c *Checkpoint) { c.state.Integrator.Reals = nil },
	} {
		var kept *Checkpoint
		opt := Options{Every: 0.1, Checkpoint: func(c *Checkpoint) error { kept = c; return nil }}
		must.Value(Solve(t.Context(), designed(t, cfg), c, opt, nil))(t)
		change(kept)
		opt = Options{Resume: []*Checkpoint{kept}}
		must.Refuse(Solve(t.Context(), designed(t, cfg), c, opt, nil))(t, want)
	}
}
