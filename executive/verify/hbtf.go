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
		text:  HBTF + hbtfCases,
	}
	return e.run(ctx, dir)
}
