package executive

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Mistakes of a newcomer, and the messages: place, values and remedy. No panic, no hang, no answer without a warning.
func TestWrongEngines(t *testing.T) {
	const fan = `
engine: newcomer
components:
  ambient: {type: ambient, altitude: 10 km, mach: 0.8, W: 200 kg/s}
  inlet: {type: inlet}
  fan: {type: fan, PR: 1.6, eff: 88 %, BPR: 5}
  hpc: {type: compressor, PR: 15, eff: 85 %}
  burner: {type: burner, dPqP: 4 %}
  hpt: {type: turbine, eff: 89 %}
  lpt: {type: turbine, eff: 90 %}
  duct: {type: duct, MN: 0.4}
  core_nozzle: {type: nozzle}
  nozzle: {type: nozzle}
flow:
  - ambient -> inlet -> fan
  - fan.core -> hpc -> burner -> hpt -> lpt -> core_nozzle
  - fan.bypass -> duct -> nozzle
shafts:
  hp: {N: 12000 rpm, drives: [hpc], driven_by: [hpt]}
  lp: {N: 4000 rpm, drives: [fan], driven_by: [lpt]}
design:
  - {vary: burner.FAR, until: burner.out.Tt = 1500 K}
`
	for _, c := range []struct{ name, old, new, want string }{
		{"pressure ratio below 1", "PR: 15", "PR: 0.5", "PR"},
		{"pressure ratio of 1000", "PR: 15", "PR: 1000", "PR"},
		{"efficiency above 1", "eff: 85 %", "eff: 120 %", "eff"},
		{
			"thrust out of reach", "design:",
			"cases:\n  x: {solve: [{vary: burner.FAR, until: performance.Fn = 900 kN}]}\ndesign:",
			"performance.Fn = 900 kN is out of reach",
		},
		{"T4 below T3", "= 1500 K", "= 500 K", "burner.FAR"},
		{"T4 beyond any fuel", "= 1500 K", "= 5000 K", "burner.FAR"},
		{
			"choked duct", "design:",
			"cases:\n  x: {set: {ambient.mach: 2.5, ambient.altitude: 0 m}, solve: [{vary: burner.FAR, until: " +
				"burner.out.Tt = 1700 K}]}\ndesign:", "",
		},
		{"missing map", "hpc: {type: compressor,", "hpc: {type: compressor, map: nowhere.map,", "nowhere.map"},
		{"zero bypass ratio", "BPR: 5", "BPR: 0", "BPR"},
		{"altitude below the sea", "altitude: 10 km", "altitude: -10 km", "altitude"},
		{"altitude in space", "altitude: 10 km", "altitude: 200 km", "altitude"},
		{"fan that eats more than the turbine gives", "PR: 1.6", "PR: 9", "the turbines give"},
		{"no fuel to drive anything", "= 1500 K", "= 900 K", ""},
		{"speed of zero", "N: 4000 rpm", "N: 0 rpm", "N"},
		{"a shaft without its turbine", "driven_by: [lpt]", "driven_by: []", "lp"},
		{"a turbine's efficiency as a case", "design:", "cases:\n  x: {set: {hpt.eff: 0.8}}\ndesign:",
			"has no effect off design"},
		{"two targets for one unknown", "design:", "design:\n  - {vary: burner.FAR, until: performance.Fn = 40 kN}",
			"burner.FAR"},
		{
			"a target that nothing can change", "design:",
			"cases:\n  x: {solve: [{vary: burner.FAR, until: ambient.Ps = 20 kPa}]}\ndesign:",
			"no unknown changes ambient.Ps",
		},
		{"a design's target with nothing to vary", "vary: burner.FAR", "vary: lpt.PR", "equations"},
		{
			"what the engine finds itself", "design:",
			"cases:\n  x: {solve: [{vary: lp.N, until: burner.out.Tt = 1200 K}]}\ndesign:",
			"is found by the engine itself",
		},
		{
			"a rule on nothing", "design:",
			"rules: [{name: x, when: compresor.SMN < 3, severity: warning, message: y}]\ndesign:", "compresor",
		},
		{
			"limits that contradict", "design:",
			"cases:\n  x: {solve: [{vary: burner.FAR, until: performance.Fn = 30 kN}], limits: [{path: lp.N, max: " +
				"3000 rpm}, {path: burner.out.Tt, min: 1500 K}]}\ndesign:", "limits",
		},
		{"a bleed of 120 %", "shafts:", "bleeds:\n  - {from: hpc, to: hpt, W: 120 %}\nshafts:", "W"},
		{"exhaust below ambient", "eff: 90 %", "eff: 90 %, PR: 20", ""},
		{"a mixer with too little pressure", "core_nozzle: {type: nozzle}", "core_nozzle: {type: nozzle, dPqP: 99 %}",
			"no outflow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			must.Contain(t, fan, c.old)
			said := complaints(strings.Replace(fan, c.old, c.new, 1))
			t.Log(said)
			if said == "" {
				t.Error("nothing is said")
			}
			must.Contain(t, said, c.want)
			for _, nonsense := range []string{"NaN", "Inf", "nil", "panic", "index out of range"} {
				if strings.Contains(said, nonsense) {
					t.Errorf("it says %s", nonsense)
				}
			}
		})
	}
}

// complaints runs an engine and returns all messages on its errors.
func complaints(text string) string {
	cfg, err := config.Parse("newcomer.yaml", []byte(text), components.Catalogue(), nil)
	if err != nil {
		return err.Error()
	}
	if err := Check(cfg); err != nil {
		return err.Error()
	}
	r, err := Run(context.Background(), cfg, session.CaseNames(cfg), Options{})
	if err != nil {
		return err.Error()
	}
	var said []string
	for _, w := range r.Warnings {
		said = append(said, fmt.Sprintf("%s: %s %s: %s", w.Severity, w.Case, w.Component, w.Message))
	}
	return strings.Join(said, "\n")
}

// A design that lacks a target is sent to the recipes.
func TestTooManyUnknownsPointToTheRecipes(t *testing.T) {
	err := Check(enginetest.Parse(t, strings.Replace(brew, ", PR: 1.1", "", 1)))
	must.Fail(t, err, "3 unknowns (motor.power, turbine.PR, ambient.W) and 2 equations (spool.power, performance.Fg); "+
		"too many unknowns: add a target, or give the value of an unknown; peregrine help recipes shows that for a "+
		"free power turbine, mixed flow, a geared fan, reheat, a recuperator and a lift fan")
}
