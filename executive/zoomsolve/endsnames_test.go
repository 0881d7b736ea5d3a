package zoomsolve

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
)

// Everything that names a margin is found, and a similar name is not.
func TestWhatNamesAMargin(t *testing.T) {
	smn := []config.Quantity{{Path: "fan.SMN"}}
	for _, c := range []struct {
		name   string
		engine config.Engine
		want   bool
	}{
		{"nothing", config.Engine{}, false},
		{"rule", config.Engine{Rules: []config.Rule{{When: "fan.SMN < 12"}}}, true},
		{"rule on any component", config.Engine{Rules: []config.Rule{{When: "component.SMN < 12"}}}, true},
		{"message", config.Engine{Rules: []config.Rule{{When: "fan.PR > 9", Message: "{fan.SMW} %"}}}, true},
		{"rule on another component", config.Engine{Rules: []config.Rule{{When: "lowfan.SMN < 12 or hpc.SMN < 2"}}},
			false},
		{"rule on another value", config.Engine{Rules: []config.Rule{{When: "fan.PR < 12"}}}, false},
		{"limit", config.Engine{Limits: []config.Limit{{Path: "fan.SMN"}}}, true},
		{"limit of a case", config.Engine{Cases: []config.Case{{Limits: []config.Limit{{Path: "fan.SMN"}}}}}, true},
		{"target", config.Engine{Cases: []config.Case{{Solve: []config.Balance{{Until: "fan.SMN"}}}}}, true},
		{"transient", config.Engine{Cases: []config.Case{{Transient: &config.Transient{Save: smn}}}}, true},
		{"panel", config.Engine{Cases: []config.Case{{Transient: &config.Transient{Plot: []config.Panel{smn}}}}}, true},
		{"sweep", config.Engine{Sweeps: []config.Sweep{{Collect: smn}}}, true},
		{"control", config.Engine{Controls: []config.Control{{In: []config.Signal{{Path: "fan.SMN"}}}}}, true},
		{"another limit", config.Engine{Limits: []config.Limit{{Path: "hpc.SMN"}}}, false},
	} {
		if got := namesMargin(&c.engine, "fan"); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
