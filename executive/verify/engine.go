package verify

import (
	"context"
	_ "embed"
)

// The engines that are rebuilt, as engine files; {{.maps}} is the folder of their maps. HBTF, pyCycle's high-bypass
// turbofan, and JT9D, NPSS's JT9D-like turbofan, are without cases. In JT9D {{.recovery}} is the CSV of the inlet's
// recovery and {{.ram}} the factor on that.
var (
	//go:embed engines/turbojet.yaml.tmpl
	turbojetEngine string
	//go:embed engines/afterburner.yaml.tmpl
	afterburnerEngine string
	//go:embed engines/hbtf.yaml.tmpl
	HBTF string
	//go:embed engines/hbtf_cases.yaml.tmpl
	hbtfCases string
	//go:embed engines/jt9d.yaml.tmpl
	JT9D string
	//go:embed engines/jt9d_cases.yaml.tmpl
	jt9dCases string
)

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
		text: afterburnerEngine,
	}
	return e.run(ctx, dir)
}

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
		text:  HBTF + hbtfCases,
	}
	return e.run(ctx, dir)
}

// turbojet rebuilds pyCycle's example simple_turbojet.
func turbojet(ctx context.Context, dir string) (Section, error) {
	e := &pyCycleEngine{
		results: "simple_turbojet/results_cea.json",
		points:  []pyCycleCase{{"DESIGN", "design"}, {"OD0", "OD0"}, {"OD1", "OD1"}},
		names:   map[string]string{"Nmech": "shaft"},
		text:    turbojetEngine,
	}
	return e.run(ctx, dir)
}
