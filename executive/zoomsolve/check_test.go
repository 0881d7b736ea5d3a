package zoomsolve

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// A solver that is no solver of turbomachines is found before anything is solved.
func TestUnfitSolver(t *testing.T) {
	cfg := &config.Engine{
		File:       "engine.yaml",
		Components: []config.Component{{Name: "fan", Type: &config.Type{Name: "fan", Zoomable: true}}},
	}
	err := checkZoom(cfg, &config.Zoom{Component: "fan", Pos: document.Pos{Line: 3, Column: 5}},
		&plugin.Description{Name: "weather"})
	must.Fail(t, err, "engine.yaml:3:5: zoom of fan: weather cannot serve a zoom: it has no output exit_Tt, a profile")
}

// A geometry may be left out if neither the solver nor a setting needs it.
func TestZoomWithoutGeometry(t *testing.T) {
	cfg := &config.Engine{
		File:       "engine.yaml",
		Components: []config.Component{{Name: "fan", Type: &config.Type{Name: "fan", Zoomable: true}}},
	}
	needs := solver.Builtin("throughflow").Describe()
	free := needs
	free.Inputs = slices.Clone(needs.Inputs)
	i := slices.IndexFunc(free.Inputs, func(q plugin.Quantity) bool { return q.Name == "geometry" })
	free.Inputs[i].Required = false
	z := &config.Zoom{Component: "fan", Solver: "own", Settings: config.Values{},
		Pos: document.Pos{Line: 3, Column: 5}}
	must.OK(t, checkZoom(cfg, z, &free))
	must.Fail(t, checkZoom(cfg, z, &needs),
		"engine.yaml:3:5: zoom of fan: no geometry is given; the solver needs the blades")
	z.Settings["hub_layer"] = config.Value{Num: 0.1, Text: "0.1", Set: true}
	must.Fail(t, checkZoom(cfg, z, &free), "no geometry is given; the setting hub_layer shapes the flow in its annulus")
}

// A rotor with a stator behind it: the default cells suit, and cells that are too few for two rows
// are refused with their place before any run is started.
func TestCellsSuitTheRows(t *testing.T) {
	rotor := must.Value(os.ReadFile(enginetest.Example("geometry/e3-fan.yaml")))(t)
	stage := filepath.Join(t.TempDir(), "stage.yaml")
	must.OK(t, os.WriteFile(stage, append(rotor, []byte(`
  - name: stator
    blades: 60
    rotating: false
    stacking_axis: 40
    radius:    [46.5, 75, 102.5]
    chord:     [14, 14, 14]
    stagger:   [22, 19, 16]
    beta_le:   [48, 42, 36]
    beta_te:   [-4, -4, -4]
    tm_over_c: [0.08, 0.08, 0.08]
    max_thickness: {radius: [46.5, 102.5], at: [0.5, 0.5]}
`)...), 0o600))
	description := solver.Builtin("throughflow").Describe()
	cfg := &config.Engine{
		File:       "engine.yaml",
		Components: []config.Component{{Name: "fan", Type: &config.Type{Name: "fan", Zoomable: true}}},
	}
	for _, c := range []struct{ name, text, want string }{
		{},
		{"cells_z", "96", ""},
		{
			"cells_z", "80",
			`engine.yaml:7:9: zoom.fan.settings.cells_z: "80": 80; want a multiple of 4 from 96 to 4096, for 2 blade rows`,
		},
		{"cells_z", "98", "a multiple of 4"},
		{"cells_r", "18", "a multiple of 4"},
		{"swirll", "5", "no setting of throughflow or of its inlet, did you mean swirl?"},
	} {
		z := &config.Zoom{Component: "fan", Solver: "throughflow", Geometry: stage, Settings: config.Values{}}
		if c.name != "" {
			n := must.Value(strconv.ParseFloat(c.text, 64))(t)
			z.Settings[c.name] = config.Value{Num: n, Text: c.text, Set: true, Pos: document.Pos{Line: 7, Column: 9}}
		}
		err := checkZoom(cfg, z, &description)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s: got %v", c.name, c.text, err)
		}
	}
}

// A solver that does not compute the blades of a kind of component is refused with its place.
func TestSolverWithoutSuchRows(t *testing.T) {
	cfg := &config.Engine{
		File:       "engine.yaml",
		Components: []config.Component{{Name: "hpt", Type: &config.Type{Name: "turbine", Zoomable: true}}},
	}
	for _, c := range []struct{ solver, want string }{
		{"bladerow", ""},
		{"throughflow", `engine.yaml:7:9: zoom of hpt: throughflow: Geometry: row "rotor" is a turbine's`},
	} {
		z := &config.Zoom{Component: "hpt", Solver: c.solver, Geometry: enginetest.Example("geometry/hpt-stage.yaml"),
			To: []config.Goal{{Error: 1e-3}}, Pos: document.Pos{Line: 7, Column: 9}}
		description := solver.Builtin(c.solver).Describe()
		err := checkZoom(cfg, z, &description)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v", c.solver, err)
		}
	}
}

// Blades of another engine are refused with the numbers, before any run; those of the example are not.
func TestBladesBelongToTheDesignPoint(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"lp.N=3539 rpm", ""},
		{"lp.N=4500 rpm", ""}, // at Mach 1.5 of its tip
		{"lp.N=10000 rpm", "e3.yaml:89:3: zoom of fan: the blades do not belong to the design point: the tip would " +
			"turn at Mach 3.38, want 0.05 to 1.9. The design has a corrected speed of 10565 rpm and a corrected flow " +
			"of 643.7 kg/s; the blades have a tip radius of 1.039 m and a face of 3.086 m2. Give the blades of this " +
			"engine, or correct N and the flow"},
		{"lp.N=58.983 rpm", "the tip would turn at Mach 0.0199, want"},
	} {
		cfg := must.Value(config.Load(enginetest.Example("e3.yaml"), components.Catalogue(), []string{c.set}))(t)
		if err := checkBlades(t.Context(), cfg); c.want == "" {
			must.OK(t, err)
		} else {
			must.Fail(t, err, c.want)
		}
	}
}
