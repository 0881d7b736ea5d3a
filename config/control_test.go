package config_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
)

const controlled = `
controls:
  valve:    {type: actuator, of: least, lag: 50 ms, rate: 2 lbm/s, min: 0.1 kg/s, max: 1.5 kg/s, moves: burner.Wf}
  least:    {type: min, of: [governor, scheduled, 1.2 kg/s], period: 20 ms}
  lever:    {type: input, value: 30 %}
  asked:    {type: table, of: lever, points: [[0 %, 5000 rpm], [100 %, 8000 rpm]]}
  speed:    {type: sensor, of: shafts.spool.N, bias: 10 rpm}
  governor: {type: pi, of: speed, demand: asked, gain: 1e-3, integral: 2e-3, period: 20 ms}
  ratio:    {type: table, of: speed, by: ambient.mach, at: [0, 0.8], points: [[5000, 0.1, 0.2], [8000, 0.3, 0.4]], period: 20 ms}
  scheduled: {type: formula, is: "ratio * compressor.out.Pt + ratio * max(0, t - 1)", period: 20 ms}
  warm:     {type: input, value: 20 degC}
`

// Signals get their dimensions from what is measured and moved, however far away, and
// values of signals are parameters that cases may schedule.
func TestControls(t *testing.T) {
	data := must.Value(os.ReadFile("testdata/turbojet.yaml"))(t)
	text := strings.Replace(string(data), "cases:\n", controlled+`cases:
  slam:
    kind: transient
    duration: 3 s
    schedule: {lever.value: [[1 s, 0.3], [1 s, 100 %]], controls.governor.gain: 2e-3, least.of3: 1 kg/s}
    save: [governor.out, controls.speed.bias]
  free: {kind: transient, duration: 3 s, controls: off, schedule: {burner.Wf: 1 kg/s}}
`, 1)
	e := must.Value(config.Parse("jet.yaml", []byte(text), catalogue(), []string{"valve.lag = 0.1 s"}))(t)
	dims := map[string]unit.Dimension{}
	got := map[string]config.Control{}
	for _, c := range e.Controls {
		dims[c.Name], got[c.Name] = c.Dim, c
	}
	want := map[string]unit.Dimension{"valve": unit.MassFlow, "least": unit.MassFlow, "governor": unit.MassFlow,
		"scheduled": unit.MassFlow,
		"lever":     unit.None, "asked": unit.Speed, "speed": unit.Speed, "ratio": unit.None, "warm": unit.Temperature}
	must.Equal(t, want, dims)
	v := got["valve"].Values
	numbers := []float64{v.Num("lag"), v.Num("rate"), v.Num("min"), got["least"].Values.Num("of3"),
		got["warm"].Values.Num("value"), got["least"].Period}
	must.Equal(t, []float64{0.1, 0.90718474, 0.1, 1.2, 293.15, 0.02}, numbers, cmpopts.EquateApprox(1e-12, 0))
	must.Equal(t, config.Move{Path: "burner.Wf", Vary: "burner.FAR"}, got["valve"].Moves,
		cmpopts.IgnoreTypes(document.Pos{}))
	must.Equal(t, &config.Formula{Text: "ratio * compressor.out.Pt + ratio * max(0, t - 1)",
		Inputs: []string{"ratio", "compressor.out.Pt"}, Timed: true},
		got["scheduled"].Formula)
	must.Equal(t, &config.Points{
		X: []float64{5000, 8000}, At: []float64{0, 0.8}, Values: [][]float64{{0.1, 0.2}, {0.3, 0.4}},
	}, got["ratio"].Points)
	in := []config.Signal{{Control: "governor", Dim: unit.MassFlow}, {Control: "scheduled", Dim: unit.MassFlow},
		{Param: "of3", Dim: unit.MassFlow}}
	must.Equal(t, in, got["least"].In)
	// Inputs stand as the type has them, whatever the order of keys.
	swapped := must.Value(config.Parse("jet.yaml",
		[]byte(strings.Replace(text, "of: speed, demand: asked", "demand: asked, of: speed", 1)), catalogue(), nil))(t)
	i := slices.IndexFunc(swapped.Controls, func(c config.Control) bool { return c.Name == "governor" })
	if d := cmp.Diff(got["governor"].In, swapped.Controls[i].In); d != "" ||
		!strings.Contains(text, "of: speed, demand: asked") {
		t.Error(d)
	}
	slam := e.Case("slam").Transient
	if !slam.Controls || e.Case("free").Transient.Controls || len(slam.Schedules) != 3 ||
		slam.Schedules[2].Values[0] != 1 {
		t.Errorf("%+v", slam)
	}
	must.OK(t, resolved(t).Validate(instance(t, []byte(text))))
}
