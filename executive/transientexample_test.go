package executive_test

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
)

// jet is an engine whose shaft has an inertia.
const jet = `
engine: jet
gas: {model: frozen}
components:
  ambient:    {type: ambient, altitude: 0 ft, mach: 0}
  inlet:      {type: inlet}
  compressor: {type: compressor, PR: 12, eff: 85 %}
  burner:     {type: burner, dPqP: 4 %}
  turbine:    {type: turbine, eff: 88 %}
  nozzle:     {type: nozzle}
flow:
  - ambient -> inlet -> compressor -> burner -> turbine -> nozzle
shafts:
  spool: {N: 8000 rpm, inertia: 40 kg m2, drives: [compressor], driven_by: [turbine]}
design:
  - {vary: ambient.W,  until: performance.Fn = 50 kN}
  - {vary: burner.FAR, until: burner.out.Tt = 1300 K}
`

// A throttle slam: an inertia, an operating point to start from, and fuel flow over
// time. Two points at one time make a step.
func ExampleSession_Solve_transient() {
	engine, err := config.Parse("jet.yaml", []byte(jet+`
cases:
  low:  {solve: [{vary: burner.FAR, until: burner.Wf = 0.6 kg/s}]}
  slam: {kind: transient, from: low, duration: 4 s, every: 1 s, schedule: {burner.Wf: [[1 s, 0.6 kg/s], [1 s, 1.1 kg/s]]}}
`), components.Catalogue(), nil)
	check(err)
	session, err := model.NewSession(context.Background(), engine)
	check(err)
	results, err := session.Solve(context.Background(), []string{"slam"}, 1)
	check(err)
	h := results[0].History
	n, wf, smn := h.Column("shafts.spool.N"), h.Column("performance.Wf"), h.Column("compressor.SMN")
	for i, t := range h.T {
		fmt.Printf("%g s: Wf %.2f kg/s, N %.0f rpm, SMN %.0f %%\n", t, wf[i], n[i], smn[i])
	}
	// Output:
	// 0 s: Wf 0.60 kg/s, N 7294 rpm, SMN 45 %
	// 1 s: Wf 0.60 kg/s, N 7294 rpm, SMN 45 %
	// 1 s: Wf 1.10 kg/s, N 7294 rpm, SMN 24 %
	// 2 s: Wf 1.10 kg/s, N 7799 rpm, SMN 21 %
	// 3 s: Wf 1.10 kg/s, N 7877 rpm, SMN 22 %
	// 4 s: Wf 1.10 kg/s, N 7888 rpm, SMN 22 %
}
