package enginetest

// Engines that can be run in time.

import (
	"fmt"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
)

// Moving returns an example engine with inertias, one for each group of shafts joined by gearboxes.
func Moving(t testing.TB, file string) *config.Engine {
	t.Helper()
	cfg, err := config.Load(file, components.Catalogue(), nil)
	if err != nil {
		t.Fatal(err)
	}
	geared, turning := map[string]bool{}, map[string]bool{}
	for i := range cfg.Components {
		_, d, err := components.New(&cfg.Components[i])
		if err != nil {
			t.Fatal(err)
		}
		geared[cfg.Components[i].Name] = d.Geared
	}
	for _, s := range cfg.Shafts {
		v := config.Value{Num: 30, Set: true}
		for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
			if turning[e.Component] {
				v.Num = 0
			}
			turning[e.Component] = geared[e.Component]
		}
		s.Values["inertia"] = v
	}
	return cfg
}

// Fuel is a schedule of the fuel flow of a burner: times, s, each with its flow, kg/s.
func Fuel(values ...float64) config.Schedule {
	s := config.Schedule{Quantity: config.Quantity{Path: "burner.Wf"}, Vary: "burner.FAR"}
	for i := 0; i < len(values); i += 2 {
		s.T, s.Values = append(s.T, values[i]), append(s.Values, values[i+1])
	}
	return s
}

// Volumes is a turbojet with volumes behind its compressor, burner and turbine, or,
// with no sizes given, without.
func Volumes(sizes ...float64) string {
	list, chain := "", "compressor -> burner -> turbine -> nozzle"
	if len(sizes) > 0 {
		list = fmt.Sprintf("  cold: {type: volume, volume: %g m3}\n  jetpipe: {type: volume, volume: %g m3}\n",
			sizes[0], sizes[1])
		chain = "compressor -> cold -> burner -> turbine -> jetpipe -> nozzle"
	}
	return `engine: Turbojet with volumes
gas: {model: equilibrium, fuel: Jet-A}
components:
  ambient: {type: ambient, WAR: 0.01}
  compressor: {type: compressor, PR: 13.5, eff: 0.83}
  burner: {type: burner, dPqP: 3 %}
  turbine: {type: turbine, eff: 0.86}
  nozzle: {type: nozzle}
` + list + "flow: [ambient -> " + chain + `]
bleeds:
  - {name: cooling, from: compressor, to: turbine, W: 3 %}
shafts:
  spool: {N: 8070 rpm, inertia: 60 kg m2, drives: compressor, driven_by: turbine}
design:
  - {vary: ambient.W, until: performance.Fn = 50 kN}
  - {vary: burner.FAR, until: burner.out.Tt = 1300 K}
cases:
  low: {solve: [{vary: burner.FAR, until: burner.Wf = 0.7 kg/s}]}
  high: {set: {ambient.altitude: 6000 m, ambient.mach: 0.7}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1250 K}]}
`
}

// E3WithVolumes is the E3 with inertias and with volumes behind its fan and booster, its
// HPC, its burner, its turbines and its mixer. All are assumed: inertias that
// accelerate it in some 6 s, and volumes of ducts as long as such an engine's.
func E3WithVolumes(t testing.TB) *config.Engine {
	t.Helper()
	return E3(t, "\nflow:\n", `
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
