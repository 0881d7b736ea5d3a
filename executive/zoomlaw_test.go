package executive_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// knownLaw is a law as the engine takes it, without runs: the exact coupling.
type knownLaw struct {
	values func(place [2]float64) [2]float64
}

func (l *knownLaw) Values(place, v []float64) perfmap.Edge {
	var at [2]float64
	copy(at[:], place)
	all := l.values(at)
	copy(v, all[:])
	return 0
}

func (l *knownLaw) Scaling(place, v []float64) { l.Values(place, v) }
func (l *knownLaw) Name() string               { return "the component itself" }

// lawEngine is the engine of knownEngine with a component without a map zoomed, at three Mach numbers and temperatures.
func lawEngine(t testing.TB, component string, to float64, scale string) *config.Engine {
	t.Helper()
	engine := knownEngine(t, to, scale, 1300, 1400, 1500)
	for i, mach := range []float64{0.6, 0.78, 0.84} {
		engine.Cases[i].Set = []config.Setting{{Path: "ambient.mach", Value: config.Value{Num: mach, Set: true}}}
	}
	z := &engine.Zooms[0]
	z.Component, z.Geometry = component, ""
	return engine
}

// Components without a map get their parameters from runs, to the wanted error; their previous values differ by more.
func TestZoomWithoutAMap(t *testing.T) {
	for _, c := range []struct {
		component string
		ideal     bool
		law       func(place [2]float64) [2]float64
	}{
		{"core_nozzle", false, func(p [2]float64) [2]float64 {
			return [2]float64{0.985 - 0.06*math.Exp(-2*(p[0]-1)), 0.992 - 0.03*(p[0]-2)*(p[0]-2)}
		}},
		{"inlet", false, func(p [2]float64) [2]float64 {
			return [2]float64{0.99 - 0.08*(p[0]-0.7)*(p[0]-0.7) - 2e-7*(p[1]-600)*(p[1]-600)}
		}},
		{"core_duct", false, func(p [2]float64) [2]float64 { return [2]float64{0.02 * math.Pow(p[0]/60, 1.7)} }},
		{"burner", false, func(p [2]float64) [2]float64 {
			return [2]float64{0.05 * p[0] * p[0] / 36, 0.998 - 60*(p[1]-0.024)*(p[1]-0.024)}
		}},
	} {
		for _, scale := range []string{"absolute", "design"}[:enginetest.Trials(t, 1, 2, 2)] {
			t.Run(c.component+" "+scale, func(t *testing.T) {
				const to = 2e-4
				engine := lawEngine(t, c.component, to, scale)
				solver := mock.Passage{Type: engine.Component(c.component).Type.Name, Law: c.law, Ideal: c.ideal}
				exact := must.Value(solveWith(t, engine, func(m *steady.Solver) error {
					return m.Index[c.component].Declaration.LawUse.Set(&knownLaw{c.law}, scale == "absolute")
				}))(t)
				r := zoomKnown(t, engine, solver, 2)
				off := 0.0
				for i, at := range r.Cases {
					z, e := at.Zoom[c.component], trueError(at, exact[i])
					off = max(off, trueError(&result.Result{Performance: at.Unzoomed.Performance}, exact[i]))
					t.Logf("%s: %d runs in %d rounds, true error %.2g, estimate %.2g", at.Name, z.Runs, z.Rounds, e,
						z.Error)
					if !at.Converged || e > to || e > z.Error {
						t.Errorf("%s: converged %t, error %.2g, estimated %.2g, wanted %.2g: %s", at.Name,
							at.Converged, e, z.Error, to, at.Message)
					}
					if z.Runs > 9 || z.Failed > 0 {
						t.Errorf("%d runs, %d failed", z.Runs, z.Failed)
					}
					if place := at.Components[c.component].Map; place == nil || place.Extrapolated ||
						place.Name != c.component {
						t.Errorf("%s: works at %+v", at.Name, place)
					}
				}
				if off < 2*to {
					t.Errorf("without zoom the results are off by %.2g only: the test says nothing", off)
				}
				if len(r.Warnings) > 0 {
					t.Errorf("warnings: %v", r.Warnings)
				}
				if len(r.ZoomedMaps) > 0 {
					t.Errorf("%s has a map", c.component)
				}
			})
		}
	}
}

// Answers that cannot be are no answers; the reason is that of the run.
func TestContradictoryAnswers(t *testing.T) {
	turbine := turbineEngine(t, 1e-3, "absolute", 1400)
	fan := knownEngine(t, 1e-3, "absolute", 1400)
	burner, nozzle := lawEngine(t, "burner", 1e-3, "absolute"), lawEngine(t, "core_nozzle", 1e-3, "absolute")
	for _, c := range []struct {
		name   string
		engine *config.Engine
		solver func(spoil func(*plugin.Result)) plugin.Solver
		spoil  func(*plugin.Result)
		want   string
	}{
		{
			"a fan's efficiency", fan, fanSpoiled,
			func(r *plugin.Result) { r.Arrays[machine.OutExitTt] = []float64{300, 300} },
			"its exit flow has an efficiency of ",
		},
		{"a fan's pressure ratio", fan, fanSpoiled, func(r *plugin.Result) { r.Numbers[machine.OutPR] = 1.2 },
			"PR is 1.2, and the average of exit_Pt over that of inlet_Pt between 1."},
		{"a fan's temperature ratio", fan, fanSpoiled, func(r *plugin.Result) { r.Numbers[machine.OutTR] = 1.4 },
			"TR is 1.4, and the average of exit_Tt over that of inlet_Tt between 1."},
		{
			"no work", turbine, turbineSpoiled(t, turbine),
			func(r *plugin.Result) { r.Arrays[machine.OutExitTt] = []float64{1500, 1500} }, "no work is done",
		},
		{
			"efficiency", turbine, turbineSpoiled(t, turbine),
			func(r *plugin.Result) { r.Arrays[machine.OutExitTt] = []float64{900, 900} }, "above 1",
		},
		{"pressure ratio", turbine, turbineSpoiled(t, turbine),
			func(r *plugin.Result) { r.Numbers[machine.OutPR] = 0.9 },
			"PR is 0.9, and the average of exit_Pt over that of inlet_Pt between 0."},
		{"burner", burner, burnerSpoiled, func(r *plugin.Result) { r.Numbers[machine.OutEff] = 1.2 },
			"burner has an efficiency outside 0 to 1"},
		{"discharge", nozzle, nozzleSpoiled, func(r *plugin.Result) { r.Numbers[machine.OutW] *= 1.3 },
			"its Cd is 1.274, which cannot be: it is above 0 and at most 1"},
		{"gain", burner, burnerSpoiled, func(r *plugin.Result) { r.Arrays[machine.OutExitPt] = []float64{1e9, 1e9} },
			"its dPqP is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.engine.Zooms[0].Most = 2
			_, err := zoomBy(t, c.engine, c.solver(c.spoil), 1)
			must.Fail(t, err, "could not be zoomed")
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// spoiledFan is the smooth fan with an answer that something is wrong with.
type spoiledFan struct {
	knownFan
	spoil func(*plugin.Result)
}

func (f spoiledFan) Describe() plugin.Description {
	d := f.knownFan.Describe()
	for _, name := range []string{machine.OutPR, machine.OutTR} {
		d.Outputs = append(d.Outputs, plugin.Quantity{Name: name, Shape: plugin.Scalar})
	}
	return d
}

func (f spoiledFan) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	out, err := f.knownFan.Run(ctx, r, emit)
	if err == nil && out.Class == event.Converged {
		f.spoil(&out)
	}
	return out, err
}

func fanSpoiled(spoil func(*plugin.Result)) plugin.Solver { return spoiledFan{smooth, spoil} }

func turbineSpoiled(t *testing.T, engine *config.Engine) func(func(*plugin.Result)) plugin.Solver {
	return func(spoil func(*plugin.Result)) plugin.Solver {
		turbine := turbineOf(t, engine, 1)
		turbine.spoil = spoil
		return turbine
	}
}

func burnerSpoiled(spoil func(*plugin.Result)) plugin.Solver {
	return mock.Passage{Type: "burner", Law: func([2]float64) [2]float64 { return [2]float64{0.05, 0.99} },
		Spoil: spoil}
}

func nozzleSpoiled(spoil func(*plugin.Result)) plugin.Solver {
	return mock.Passage{Type: "nozzle", Law: func([2]float64) [2]float64 { return [2]float64{0.98, 0.99} },
		Spoil: spoil}
}

// An option that a kind of component does not support is reported before any run, with its place.
func TestWhatAKindCannotBe(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*config.Engine, *config.Zoom)
		want   string
	}{
		{
			"whole map", func(_ *config.Engine, z *config.Zoom) { z.Span = "whole" },
			"testdata/zoomed.yaml:46:3: zoom of hpt: a turbine is zoomed to an error alone, as in to: 0.1 %",
		},
		{
			"ends", func(_ *config.Engine, z *config.Zoom) { z.Ends.Both = true },
			"testdata/zoomed.yaml:46:3: zoom of hpt: ends: those of speed lines are sought of fans and compressors " +
				"alone",
		},
		{
			"grid", func(_ *config.Engine, z *config.Zoom) { z.To = nil },
			"testdata/zoomed.yaml:46:3: zoom of hpt: a turbine is zoomed to an error alone, as in to: 0.1 %",
		},
		{
			"method", func(_ *config.Engine, z *config.Zoom) { z.Method = "scalars" },
			"method: scalars corrects the map of a fan or compressor; a turbine is zoomed by method: map",
		},
		{
			"rotor of a fan", func(_ *config.Engine, z *config.Zoom) {
				z.Geometry = "../../config/examples/geometry/e3-fan.yaml"
			},
			`zoom of hpt: its row "rotor" turns the flow as a compressor's does`},
		{"rotor of a turbine", func(_ *config.Engine, z *config.Zoom) {
			z.Component, z.Geometry = "hpc", "../../config/examples/geometry/hpt-stage.yaml"
		},
			`zoom of hpc: its row "rotor" turns the flow as a turbine's does: a compressor's rotor has beta_le above beta_te`},
		{"vane alone", func(_ *config.Engine, z *config.Zoom) { z.Geometry = vaneAlone(t) },
			"no row of its geometry rotates: no work is done"},
		{"exit of a nozzle", func(e *config.Engine, z *config.Zoom) {
			z.Component, z.Geometry = "core_nozzle", ""
			v := e.Component("core_nozzle").Values
			v["kind"], v["exit"] = config.Value{Text: "convergent-divergent", Set: true}, config.Value{Text: "fixed",
				Set: true}
		}, "zoom of core_nozzle: the area of its exit is fixed"},
		{"recovery", func(e *config.Engine, z *config.Zoom) {
			z.Component, z.Geometry = "inlet", ""
			e.Component("inlet").Values["recovery"] = config.Value{Text: "MIL-E-5008B", Set: true}
		}, "zoom of inlet: law MIL-E-5008B gives its recovery already"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := turbineEngine(t, 1e-3, "design", 1400)
			engine.Zooms[0].Pos = document.Pos{Line: 46, Column: 3}
			c.change(engine, &engine.Zooms[0])
			must.Refuse(zoomBy(t, engine, mock.Passage{}, 1))(t, c.want)
		})
	}
}
