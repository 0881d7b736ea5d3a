package verify

import "context"

// turbojet rebuilds pyCycle's example simple_turbojet.
func turbojet(ctx context.Context, dir string) (Section, error) {
	e := &pyCycleEngine{
		results: "simple_turbojet/results_cea.json",
		points:  []pyCycleCase{{"DESIGN", "design"}, {"OD0", "OD0"}, {"OD1", "OD1"}},
		names:   map[string]string{"Nmech": "shaft"},
		text: `
engine: pyCycle simple turbojet
gas: {model: equilibrium, convention: pycycle, fuel: {name: Jet-A, enthalpy: 0 J/kg}}
components:
  fc: {type: ambient, altitude: 0 ft, mach: 1e-6}
  inlet: {type: inlet, MN: 0.6}
  comp: {type: compressor, PR: 13.5, eff: 83 %, MN: 0.02, map: {{.maps}}/AXI5.json, map_Nc: 1, map_x: 2, map_alpha: 0}
  burner: {type: burner, dPqP: 3 %, MN: 0.02}
  turb: {type: turbine, eff: 86 %, MN: 0.4, map: {{.maps}}/LPT2269.json, map_Nc: 100, map_x: 6, map_alpha: 1}
  nozz: {type: nozzle, kind: sonic-throat, Cv: 0.99}
flow:
  - fc -> inlet -> comp -> burner -> turb -> nozz
shafts:
  shaft: {N: 8070 rpm, drives: [comp], driven_by: [turb]}
design:
  - {vary: fc.W, until: performance.Fn = 11800 lbf}
  - {vary: burner.FAR, until: burner.out.Tt = 2370 degR}
cases:
  OD0: {solve: [{vary: burner.FAR, until: performance.Fn = 11000 lbf}]}
  OD1: {set: {fc.mach: 0.2, fc.altitude: 5000 ft}, solve: [{vary: burner.FAR, until: performance.Fn = 8000 lbf}]}
`,
	}
	return e.run(ctx, dir)
}
