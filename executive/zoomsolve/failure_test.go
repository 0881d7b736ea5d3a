package zoomsolve

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Steps after failures that a solver cannot take are refused at their places before any run is started.
func TestFailuresSuitTheSolver(t *testing.T) {
	at := func(line int) config.Value {
		return config.Value{Text: "word", Set: true, Pos: document.Pos{Line: line, Column: 9}}
	}
	zoom := func(steps ...config.FailureStep) *config.Zoom {
		return &config.Zoom{
			Component: "fan", Solver: "throughflow", Geometry: enginetest.Example("geometry/e3-fan.yaml"),
			Settings: config.Values{"cfl": {Text: "40", Num: 40, Set: true}},
			Failures: map[string][]config.FailureStep{"diverged": steps},
		}
	}
	cfg := &config.Engine{
		File:       "engine.yaml",
		Components: []config.Component{{Name: "fan", Type: &config.Type{Name: "fan", Zoomable: true}}},
	}
	throughflow := solver.Builtin("throughflow").Describe()
	change := func(name string, factor float64, v config.Value) config.FailureStep {
		return config.FailureStep{
			Change: []config.ChangeSetting{{Name: name, Factor: factor, Value: v, Number: factor == 0}},
		}
	}
	must.OK(t, checkZoom(cfg, zoom(change("cfl", 0.5, at(1)), config.FailureStep{Nearest: true}), &throughflow))
	err := checkZoom(cfg, zoom(change("CFL", 0.5, at(7)), change("cfl", 5, at(8)), change("orders", 0, at(9))),
		&throughflow)
	var got []string
	for line := range strings.Lines(err.Error()) {
		if strings.HasPrefix(line, "engine.yaml") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		`engine.yaml:7:9: zoom.fan.failures.diverged.change.CFL: "word": no setting of throughflow, did you mean cfl?`,
		`engine.yaml:8:9: zoom.fan.failures.diverged.change.cfl: "word": 5 times 40: want a number within 0.1 to 100`,
		`engine.yaml:9:9: zoom.fan.failures.diverged.change.orders: "word": want a number within 1 to 14`,
	}
	must.Equal(t, want, got)
	alone := throughflow
	alone.Inputs = nil
	for _, q := range throughflow.Inputs {
		if q.Name != plugin.InNeighbour {
			alone.Inputs = append(alone.Inputs, q)
		}
	}
	step := config.FailureStep{Nearest: true, Pos: document.Pos{Line: 6, Column: 3}}
	must.Fail(t, checkZoom(cfg, zoom(step), &alone),
		"engine.yaml:6:3: zoom.fan.failures.diverged: \"from: nearest\": throughflow does not start")
	if kept := failuresOfOther(map[string][]config.FailureStep{"diverged": {step}, "killed": {{Retry: 3}}}); len(
		kept) != 1 || kept["killed"] == nil {
		t.Errorf("another solver has %v", kept)
	}
}
