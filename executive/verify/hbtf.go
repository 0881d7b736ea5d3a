package verify

import "context"

// hbtf rebuilds pyCycle's example high_bypass_turbofan.
func hbtf(ctx context.Context, dir string) (Section, error) {
	e := &pyCycleEngine{
		results: "hbtf/results_design_point_cea.json",
		points: []pyCycleCase{
			{"DESIGN", "design"},
			{"OD_full_pwr (MN .8, 35 kft)", "full"},
			{"OD_part_pwr PC 1 (MN .8, 35 kft)", "PC1"},
			{"OD_part_pwr PC 0.9 (MN .8, 35 kft)", "PC0.9"},
			{"OD_part_pwr PC 0.8 (MN .8, 35 kft)", "PC0.8"},
			{"OD_part_pwr PC 0.7 (MN .8, 35 kft)", "PC0.7"},
		},
		names: map[string]string{"lp_Nmech": "lp", "hp_Nmech": "hp"},
		text: HBTF + `
cases:
  full: {solve: [{vary: burner.FAR, until: burner.out.Tt = 2857 degR}]}
  PC1: {solve: [{vary: burner.FAR, until: performance.Fn = 5900 lbf}]}
  PC0.9: {solve: [{vary: burner.FAR, until: performance.Fn = 5310 lbf}]}
  PC0.8: {solve: [{vary: burner.FAR, until: performance.Fn = 4720 lbf}]}
  PC0.7: {solve: [{vary: burner.FAR, until: performance.Fn = {{(index .points "OD_part_pwr PC 0.7 (MN .8, 35 kft)").Performance.Fn}} lbf}]}
`,
	}
	return e.run(ctx, dir)
}

// HBTF is pyCycle's high-bypass turbofan as an engine file without cases; {{.maps}} is the folder of its maps.
const HBTF = `
engine: pyCycle high-bypass turbofan
gas: {model: equilibrium, convention: pycycle, fuel: {name: Jet-A, enthalpy: 0 J/kg}}
components:
  fc: {type: ambient, altitude: 35000 ft, mach: 0.8}
  inlet: {type: inlet, ram_recovery: 0.999, MN: 0.751}
  fan: {type: compressor, PR: 1.685, eff: 0.8948, MN: 0.4578, map: {{.maps}}/FanMap_HBTF.json, map_Nc: 0.99, map_x: 2.2, map_alpha: 0}
  splitter: {type: splitter, BPR: 5.105, MN_core: 0.3104, MN_bypass: 0.4518}
  duct4: {type: duct, dPqP: 0.0048, MN: 0.3121}
  lpc: {type: compressor, PR: 1.935, eff: 0.9243, MN: 0.3059, map: {{.maps}}/LPCMap_HBTF.json, map_Nc: 1, map_x: 2.15, map_alpha: 0}
  duct6: {type: duct, dPqP: 0.0101, MN: 0.3563}
  hpc: {type: compressor, PR: 9.369, eff: 0.8707, MN: 0.2442, map: {{.maps}}/HPCMap_HBTF.json, map_Nc: 0.976, map_x: 2.05, map_alpha: 0}
  bld3: {type: duct, MN: 0.3}
  burner: {type: burner, dPqP: 0.054, MN: 0.1025}
  hpt: {type: turbine, eff: 0.8888, MN: 0.365, map: {{.maps}}/HPTMap_HBTF.json, map_Nc: 100, map_x: 6, map_alpha: 1}
  duct11: {type: duct, dPqP: 0.0051, MN: 0.3063}
  lpt: {type: turbine, eff: 0.8996, MN: 0.4127, map: {{.maps}}/LPTMap_HBTF.json, map_Nc: 100, map_x: 6, map_alpha: 1}
  duct13: {type: duct, dPqP: 0.0107, MN: 0.4463}
  core_nozz: {type: nozzle, Cv: 0.9933}
  byp_bld: {type: duct, MN: 0.4489}
  duct15: {type: duct, dPqP: 0.0149, MN: 0.4589}
  byp_nozz: {type: nozzle, Cv: 0.9939}
flow:
  - fc -> inlet -> fan -> splitter
  - splitter.core -> duct4 -> lpc -> duct6 -> hpc -> bld3 -> burner -> hpt -> duct11 -> lpt -> duct13 -> core_nozz
  - splitter.bypass -> byp_bld -> duct15 -> byp_nozz
bleeds:
  - {name: cool1, from: hpc, to: lpt, W: 0.050708, work: 0.5, pressure: 0.5, enters: 1}
  - {name: cool2, from: hpc, to: lpt, W: 0.020274, work: 0.5, pressure: 0.55, enters: 0}
  - {name: cust, from: hpc, W: 0.0445, work: 0.5, pressure: 0.5}
  - {name: cool3, from: bld3, to: hpt, W: 0.067214, enters: 1}
  - {name: cool4, from: bld3, to: hpt, W: 0.101256, enters: 0}
  - {name: bypBld, from: byp_bld, W: 0.005}
shafts:
  lp: {N: 4666.1 rpm, drives: [fan, lpc], driven_by: [lpt]}
  hp: {N: 14705.7 rpm, drives: [hpc], driven_by: [hpt], offtake: 250 hp}
design:
  - {vary: fc.W, until: performance.Fn = 5900 lbf}
  - {vary: burner.FAR, until: burner.out.Tt = 2857 degR}
`
