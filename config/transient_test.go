package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// transients are cases in the text of a good engine file.
func transients(t *testing.T, cases string) string {
	t.Helper()
	data := must.Value(os.ReadFile("testdata/bad/transients.yaml"))(t)
	head, _, _ := strings.Cut(string(data), "cases:\n")
	return head + "cases:\n  idle: {solve: [{vary: burner.FAR, until: performance.Fn = 4000 lbf}]}\n" + cases
}

// Times and values come in SI, an output with the parameter that brings it about,
// what is not given with its default.
func TestTransient(t *testing.T) {
	text := transients(t, `
  slam:
    kind: transient
    from: idle
    duration: 0.5 min
    schedule:
      burner.Wf: [[0 s, 0.5 kg/s], [100 ms, 0.5 kg/s], [100 ms, 3600 kg/h]]
      components.ambient.altitude: [[1 s, 0 ft], [11 s, 1 km]]
      spool.inertia: 2 kg m2
    save: [burner.out.Tt, shafts.spool.power]
    plot: [compressor.SMN, [burner.out.Tt, compressor.out.Tt]]
  bodie: {duration: 3 s, rtol: 1e-4, atol: 0.1 rpm, integrator: adams, steady: rk4, every: 20 ms, kind: transient}
`)
	e := must.Value(config.Parse("jet.yaml", []byte(text), catalogue(), nil))(t)
	if err := resolved(t).Validate(instance(t, []byte(text))); err != nil {
		t.Errorf("the schema refuses it: %v", err)
	}
	want := &config.Transient{
		Duration: 30, Integrator: "rosenbrock", Steady: "auto", RTol: 1e-6, ATol: 1e-3, FlameOut: "end", Controls: true,
		Schedules: []config.Schedule{
			{Quantity: config.Quantity{Path: "burner.Wf", Dim: unit.MassFlow}, Vary: "burner.FAR",
				T: []float64{0, 0.1, 0.1}, Values: []float64{0.5, 0.5, 1}},
			{Quantity: config.Quantity{Path: "ambient.altitude", Dim: unit.Length}, T: []float64{1, 11},
				Values: []float64{0, 1000}},
			{Quantity: config.Quantity{Path: "spool.inertia", Dim: unit.Inertia}, T: []float64{0},
				Values: []float64{2}},
		},
		Save: []config.Quantity{{Path: "burner.out.Tt", Dim: unit.Temperature}, {Path: "spool.power", Dim: unit.Power}},
		Plot: []config.Panel{
			{{Path: "compressor.SMN"}},
			{{Path: "burner.out.Tt", Dim: unit.Temperature}, {Path: "compressor.out.Tt", Dim: unit.Temperature}},
		},
	}
	places := cmpopts.IgnoreTypes(document.Pos{})
	must.Equal(t, want, e.Case("slam").Transient, places, cmpopts.EquateApprox(1e-12, 0))
	want = &config.Transient{Duration: 3, Integrator: "adams", Steady: "rk4", RTol: 1e-4, ATol: 0.1, Every: 0.02,
		FlameOut: "end", Controls: true}
	must.Equal(t, want, e.Case("bodie").Transient, places)
	if e.Case("idle").Transient != nil || e.Case("slam").Kind != "transient" || e.Case("slam").From != "idle" {
		t.Errorf("%+v", e.Cases)
	}
}
