package verify

import "context"

// afterburner rebuilds pyCycle's example afterburning_turbojet. Its nozzle throat
// is variable: off design it keeps the compressor on R-line 2.
func afterburner(ctx context.Context, dir string) (Section, error) {
	e := &pyCycleEngine{
		results: "other_engines/afterburning_turbojet.json",
		names:   map[string]string{"Nmech": "shaft"},
		opr:     "comp", // the example leaves out the duct ahead of the compressor
		points: []pyCycleCase{
			{"DESIGN", "design"}, {"OD1", "OD1"}, {"OD1dry", "OD1dry"}, {"OD2", "OD2"}, {"OD2dry", "OD2dry"},
			{"OD3dry", "OD3dry"},
			{"OD4dry", "OD4dry"}, {"OD5dry", "OD5dry"}, {"OD6dry", "OD6dry"}, {"OD7dry", "OD7dry"},
			{"OD8dry", "OD8dry"},
		},
		text: `
engine: pyCycle afterburning turbojet
gas: {model: equilibrium, convention: pycycle, fuel: {name: Jet-A, enthalpy: 0 J/kg}}
components:
  fc: {type: ambient, altitude: 0 ft, mach: 1e-6}
  inlet: {type: inlet, MN: 0.6}
  duct1: {type: duct, dPqP: 2 %, MN: 0.6}
  comp: {type: compressor, PR: 13.5, eff: 83 %, MN: 0.2, map: {{.maps}}/AXI5.json, map_Nc: 1, map_x: 2, map_alpha: 0}
  burner: {type: burner, dPqP: 3 %, MN: 0.2}
  turb: {type: turbine, eff: 86 %, MN: 0.4, map: {{.maps}}/LPT2269.json, map_Nc: 100, map_x: 6, map_alpha: 1}
  ab: {type: burner, dPqP: 6 %, FAR: 0, MN: 0.4}
  nozz: {type: nozzle, kind: sonic-throat, Cv: 0.99}
flow:
  - fc -> inlet -> duct1 -> comp -> burner -> turb -> ab -> nozz
bleeds:
  - {name: cool1, from: comp, to: turb, W: 7.89 %, enters: 1}
  - {name: cool2, from: comp, to: turb, W: 3.83 %, enters: 0}
shafts:
  shaft: {N: 8070 rpm, drives: [comp], driven_by: [turb]}
design:
  - {vary: fc.W, until: performance.Fn = 11800 lbf}
  - {vary: burner.FAR, until: burner.out.Tt = 2370 degR}
cases:
{{- range $name, $p := .points}}{{if ne $name "DESIGN"}}
  {{$name}}:
    set: {fc.altitude: {{$p.Flight.alt_ft}} ft, fc.mach: {{$p.Flight.MN}}, ab.FAR: {{index $p.Components.ab "Fl_I:FAR"}}}
    solve:
      - {vary: burner.FAR, until: burner.out.Tt = 2370 degR}
      - {vary: nozz.area, until: comp.xMap = 2}
{{- end}}{{end}}
`,
	}
	return e.run(ctx, dir)
}
