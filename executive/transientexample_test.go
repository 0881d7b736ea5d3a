package executive_test

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// jet is an engine whose shaft has an inertia, for the examples below.
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
	h := slam(jet + `
cases:
  low:  {solve: [{vary: burner.FAR, until: burner.Wf = 0.6 kg/s}]}
  slam: {kind: transient, from: low, duration: 4 s, every: 1 s, schedule: {burner.Wf: [[1 s, 0.6 kg/s], [1 s, 1.1 kg/s]]}}
`)
	if h == nil {
		return
	}
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

// A governor of the shaft's speed with a limiter of the burner's exit temperature: the
// least of what both ask for goes to the valve. At the start all of it is at rest.
func ExampleSession_Solve_governor() {
	h := slam(jet + `
controls:
  governor: {type: pi, of: spool.N, demand: 7200 rpm, gain: 1e-3, integral: 2e-3}
  hot:      {type: pi, of: burner.out.Tt, demand: 1280 K, gain: 5e-4, integral: 0.2}
  least:    {type: min, of: [governor, hot]}
  valve:    {type: actuator, of: least, lag: 50 ms, max: 2 kg/s, moves: burner.Wf}
cases:
  low:  {solve: [{vary: burner.FAR, until: spool.N = 7200 rpm}]}
  slam: {kind: transient, from: low, duration: 8 s, every: 1 s, schedule: {governor.demand: [[1 s, 7200 rpm], [1 s, 7800 rpm]]}}
`)
	if h == nil {
		return
	}
	n, t4 := h.Column("shafts.spool.N"), h.Column("burner.out.Tt")
	for i, t := range h.T {
		fmt.Printf("%g s: N %.0f rpm, T4 %.0f K\n", t, n[i], t4[i])
	}
	// Output:
	// 0 s: N 7200 rpm, T4 1010 K
	// 1 s: N 7200 rpm, T4 1010 K
	// 1 s: N 7200 rpm, T4 1010 K
	// 2 s: N 7720 rpm, T4 1262 K
	// 3 s: N 7798 rpm, T4 1229 K
	// 4 s: N 7800 rpm, T4 1227 K
	// 5 s: N 7800 rpm, T4 1227 K
	// 6 s: N 7800 rpm, T4 1227 K
	// 7 s: N 7800 rpm, T4 1227 K
	// 8 s: N 7800 rpm, T4 1227 K
}

// slam runs the case of that name of an engine file.
func slam(text string) *result.History {
	cfg, err := config.Parse("jet.yaml", []byte(text), components.Catalogue(), nil)
	if err != nil {
		fmt.Println(err)
		return nil
	}
	session, err := model.NewSession(context.Background(), cfg)
	if err != nil {
		fmt.Println(err)
		return nil
	}
	results, err := session.Solve(context.Background(), []string{"slam"}, 1)
	if err != nil {
		fmt.Println(err)
		return nil
	}
	return results[0].History
}
