package sweep_test

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// A trade study: which pressure ratio and which turbine inlet temperature. Both
// belong to the design, which is solved again at each point of the grid.
func ExampleSolve() {
	const text = `
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
  spool: {N: 8000 rpm, drives: [compressor], driven_by: [turbine]}
design:
  - {vary: ambient.W,  until: performance.Fn = 50 kN}
  - {vary: burner.FAR, until: burner.out.Tt = 1300 K}
sweeps:
  trade:
    over: {compressor.PR: [8, 12, 16], burner.out.Tt: [1200 K, 1400 K]}
    collect: [performance.TSFC, ambient.W]
    plot: {y: performance.TSFC}
`
	cfg, err := config.Parse("jet.yaml", []byte(text), components.Catalogue(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := model.NewSession(context.Background(), cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := sweep.Solve(context.Background(), session, cfg.Sweep("trade"), sweep.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range result.Rows {
		fmt.Printf("PR %2.0f, T4 %.0f K: TSFC %.1f g/(kN s), W %.0f kg/s\n", row.Values[0], row.Values[1], 1e6*row.Values[2], row.Values[3])
	}
	// Output:
	// PR  8, T4 1200 K: TSFC 24.5 g/(kN s), W 69 kg/s
	// PR  8, T4 1400 K: TSFC 28.1 g/(kN s), W 59 kg/s
	// PR 12, T4 1200 K: TSFC 22.1 g/(kN s), W 70 kg/s
	// PR 12, T4 1400 K: TSFC 25.6 g/(kN s), W 58 kg/s
	// PR 16, T4 1200 K: TSFC 20.6 g/(kN s), W 72 kg/s
	// PR 16, T4 1400 K: TSFC 24.1 g/(kN s), W 58 kg/s
}
