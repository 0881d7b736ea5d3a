package model

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// e3WithVolumes is the E3 with inertias and with volumes behind its fan and booster, its
// HPC, its burner, its turbines and its mixer. All are assumed: inertias that
// accelerate it in some 6 s, and volumes of ducts as long as such an engine's.
func e3WithVolumes(t testing.TB) *config.Engine {
	t.Helper()
	return enginetest.E3(t, "\nflow:\n", `
  v25: {type: volume, volume: 0.15 m3}
  v3:  {type: volume, volume: 0.06 m3}
  v48: {type: volume, volume: 0.05 m3}
  v16: {type: volume, volume: 4 m3}
  v6:  {type: volume, volume: 0.6 m3}
flow:
`,
		"core_inlet -> hpc -> burner -> hpt -> lpt -> core_duct",
		"core_inlet -> v25 -> hpc -> v3 -> burner -> hpt -> v48 -> lpt -> v6 -> core_duct",
		"return -> bypass_duct", "return -> v16 -> bypass_duct",
		"{N: 12645 rpm,", "{N: 12645 rpm, inertia: 30 kg m2,", "{N: 3539 rpm,", "{N: 3539 rpm, inertia: 150 kg m2,")
}

// Volumes change nothing of the E3's operating points, and it stands still with them.
func TestE3VolumesAtRest(t *testing.T) {
	cfg := e3WithVolumes(t)
	performsAlike(t, movingEngine(t, enginetest.Example("e3.yaml")), cfg, 1e-8)
	r := move(t, cfg, config.Case{Transient: &config.Transient{Duration: 5, Integrator: "rosenbrock"}})
	converged(t, r)
	for k, q := range r.History.Columns {
		v := r.History.Values[k]
		near(t, q.Path+" at the end", v[len(v)-1], v[0], 1e-7)
	}
}
