package executive_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// knownTurbine is a turbine whose flow over the design's and efficiency are functions of corrected speed over the
// design's and of the pressure ratio: Stodola's ellipse and a parabola in U/C0. Behind it the static pressure is
// knownExit of the total pressure.
type knownTurbine struct {
	np, wp, pr, eff float64 // of the engine's design
	factor          float64 // of the flow, over the engine's
	spoil           func(*plugin.Result)
}

const knownExit = 0.86

func (t knownTurbine) flow(n, pr float64) float64 {
	open := func(pr float64) float64 { return math.Sqrt(1 - math.Pow(pr, -4)) }
	return t.factor * t.wp * open(pr) / open(t.pr) * (1 - 0.06*(n-1))
}

func (t knownTurbine) efficiency(n, pr float64) float64 {
	jet := func(pr float64) float64 { return math.Sqrt(1 - math.Pow(pr, -0.23)) }
	x := n * jet(t.pr) / jet(pr)
	return t.eff - 0.35*(x-1.02)*(x-1.02)
}

func (t knownTurbine) Describe() plugin.Description {
	d := knownFan{}.Describe()
	d.Outputs = append(d.Outputs, plugin.Quantity{Name: machine.OutPR, Shape: plugin.Scalar, Doc: "exit over inlet"})
	return d
}

// Run looks for the pressure ratio at which the throttle passes the flow.
func (t knownTurbine) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	pt, tt := r.Arrays[machine.InPt][0], r.Arrays[machine.InTt][0]
	n := r.Numbers[machine.InSpeed] / math.Sqrt(tt/flow.Tref) / t.np
	actual := pt / flow.Pref / math.Sqrt(tt/flow.Tref)
	lo, hi := 1.0001, 50.0
	for range 100 {
		pr := math.Sqrt(lo * hi)
		w := actual * t.flow(n, pr)
		if r.Numbers[machine.InThrottle]*w*w > knownExit*pt/pr {
			hi = pr
		} else {
			lo = pr
		}
	}
	pr := math.Sqrt(lo * hi)
	w, eff, gamma := actual*t.flow(n, pr), t.efficiency(n, pr), r.Numbers[machine.InGamma]
	tr := 1 - eff*(1-math.Pow(pr, -(gamma-1)/gamma))
	answer := plugin.Result{
		Class:   event.Converged,
		Numbers: map[string]float64{machine.OutW: w, machine.OutMass: 1e-6, machine.OutEnergy: 1e-6},
		Arrays: map[string][]float64{
			machine.OutExitW: {
				w / 2,
				w / 2,
			}, machine.OutExitPt: {pt / pr, pt / pr}, machine.OutExitTt: {tt * tr, tt * tr},
		},
	}
	if t.spoil != nil {
		t.spoil(&answer)
	}
	return answer, nil
}

// The turbine itself in the engine, without runs: the exact coupling.

func (t knownTurbine) At(_, nc, x float64, v *components.Responded) perfmap.Edge {
	n := nc / t.np
	v.Wc, v.PR[0], v.Eff[0] = t.flow(n, x), x, t.efficiency(n, x)
	return 0
}

func (t knownTurbine) Design(v *components.Responded) (nc, x float64) {
	t.At(0, t.np, t.pr, v)
	return t.np, t.pr
}

func (t knownTurbine) Bounds() (lo, hi float64) { return 1, 50 }
func (t knownTurbine) Name() string             { return "the turbine itself" }

// turbineEngine is the engine of knownEngine with its high-pressure turbine zoomed instead of the fan.
func turbineEngine(t testing.TB, to float64, scale string, temperatures ...float64) *config.Engine {
	t.Helper()
	engine := knownEngine(t, to, scale, temperatures...)
	z := &engine.Zooms[0]
	z.Component, z.Geometry = "hpt", "../../config/examples/geometry/hpt-stage.yaml"
	return engine
}

// turbineOf is a known turbine whose design is that of the engine's high-pressure turbine.
func turbineOf(t testing.TB, engine *config.Engine, factor float64) knownTurbine {
	t.Helper()
	s := must.Value(session.Open(t.Context(), engine))(t)
	out := s.Model.Index["hpt"].Outputs()
	return knownTurbine{np: out["Nc"], wp: out["Wc"], pr: out["PR"], eff: out["eff"] - 0.005, factor: factor}
}

// Runs of a turbine in rounds bring thrust and fuel consumption to the error that is wanted; flow and power balance.
func TestZoomOfATurbine(t *testing.T) {
	for _, c := range []struct {
		name   string
		scale  string
		factor float64
		most   int // runs
		cases  []float64
	}{
		{"scaled, of another size", "design", 0.8, 8, []float64{1400, 1500}},
		{"one point, absolute, of another size", "absolute", 1.02, 5, []float64{1400}},
		{"absolute", "absolute", 1, 8, []float64{1300, 1400, 1500}},
		{"scaled", "design", 1, 8, []float64{1300, 1400, 1500}},
	}[:enginetest.Trials(t, 2, 4, 4)] {
		t.Run(c.name, func(t *testing.T) {
			const to = 2e-4
			engine := turbineEngine(t, to, c.scale, c.cases...)
			turbine := turbineOf(t, engine, c.factor)
			exact := must.Value(solveWith(t, engine, installed("hpt", &turbine, c.scale == "absolute")))(t)
			r := zoomKnown(t, engine, turbine, 2)
			for i, at := range r.Cases {
				z, e := at.Zoom["hpt"], trueError(at, exact[i])
				t.Logf("%s: %d runs in %d rounds, true error %.2g, estimate %.2g, unzoomed off by %.2g", at.Name,
					z.Runs, z.Rounds, e, z.Error, trueError(&result.Result{Performance: at.Unzoomed.Performance},
						exact[i]))
				if !at.Converged || e > to || e > z.Error {
					t.Errorf("%s: converged %t, error %.2g, estimated %.2g, wanted %.2g: %s", at.Name, at.Converged, e,
						z.Error, to, at.Message)
				}
				if z.Runs > c.most || z.Failed > 0 {
					t.Errorf("%d runs, %d failed; at most %d are needed", z.Runs, z.Failed, c.most)
				}
				hpt, hpc := at.Components["hpt"], at.Components["hpc"]
				must.Near(t, at.Name+": power of the turbine", hpt.Value("power"), hpc.Value("power"), 1e-6)
				if in, out := at.Stations["hpt.rotor"].W*hpt.Value("dhqT")*at.Stations["hpt.rotor"].Tt, hpt.Value(
					"power"); math.Abs(in/out-1) > 1e-9 {
					t.Errorf("%s: work %.6g W, power %.6g W", at.Name, in, out)
				}
			}
			if len(r.Warnings) > 0 {
				t.Errorf("warnings: %v", r.Warnings)
			}
			m := r.ZoomedMaps["hpt"]
			if m.Map == nil || m.Map.Kind != perfmap.Turbine {
				t.Fatalf("map %+v", m.Map)
			}
			for _, at := range r.Cases {
				hpt := at.Components["hpt"]
				v, _ := m.Map.Value("Wp",
					perfmap.Point{Nc: hpt.Value("Nc") / m.Scale.Nc, X: 1 + (hpt.Value("PR")-1)/m.Scale.PR})
				must.Near(t, at.Name+": Wp on the map", v.V*m.Scale.Wc, hpt.Value("Wc"), 1e-3)
			}
		})
	}
}

// vaneAlone is a geometry file with the turbine's vane alone.
func vaneAlone(t *testing.T) string {
	t.Helper()
	text := must.Value(os.ReadFile("../config/examples/geometry/hpt-stage.yaml"))(t)
	vane, _, found := strings.Cut(string(text), "  - name: rotor")
	file := filepath.Join(t.TempDir(), "vane.yaml")
	if err := os.WriteFile(file, []byte(vane), 0o600); err != nil || !found {
		t.Fatal(err, found)
	}
	return file
}

// fanAndTurbine is a fan and a turbine, by the names of their runs.
type fanAndTurbine struct {
	knownFan
	turbine knownTurbine
}

func (s fanAndTurbine) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	if strings.HasPrefix(r.Run, "hpt") {
		return s.turbine.Run(ctx, r, emit)
	}
	return s.knownFan.Run(ctx, r, emit)
}

// A fan and a turbine zoomed at once give the engine of both, to the error that is wanted of both together, and the
// answer does not depend on how many runs are made at a time.
func TestZoomOfTwoAtOnce(t *testing.T) {
	const to = 2e-4
	for _, scale := range []string{"absolute", "design"}[:enginetest.Trials(t, 1, 2, 2)] {
		engine := func() *config.Engine {
			e := knownEngine(t, to, scale, 1325, 1400, 1475)
			e.Zooms = append(e.Zooms, turbineEngine(t, to, scale).Zooms...)
			return e
		}
		fan, turbine := smooth, turbineOf(t, engine(), 1.01)
		exact := must.Value(solveWith(t, engine(), func(m *steady.Solver) error {
			return errors.Join(installed("fan", &fan, scale == "absolute")(m),
				installed("hpt", &turbine, scale == "absolute")(m))
		}))(t)
		one := zoomKnown(t, engine(), fanAndTurbine{fan, turbine}, 1)
		four := zoomKnown(t, engine(), fanAndTurbine{fan, turbine}, 4)
		for i, r := range one.Cases {
			f, h, e := r.Zoom["fan"], r.Zoom["hpt"], trueError(r, exact[i])
			t.Logf("%s, %s: %d and %d runs, true error %.2g, estimates %.2g and %.2g, together %.2g", scale, r.Name,
				f.Runs, h.Runs, e, f.Error, h.Error, f.Whole)
			if !r.Converged || e > f.Whole || f.Whole > to || f.Runs > 10 || h.Runs > 10 {
				t.Errorf("%s, %s: converged %t, error %.2g, estimated %.2g and %.2g, together %.2g", scale, r.Name,
					r.Converged, e, f.Error, h.Error, f.Whole)
			}
			if f.Whole != h.Whole || f.Whole < max(f.Error, h.Error) ||
				f.Whole > (1+1e-9)*math.Hypot(f.Error, h.Error) {
				t.Errorf("%s, %s: errors %.3g and %.3g, together %.3g and %.3g", scale, r.Name, f.Error, h.Error,
					f.Whole, h.Whole)
			}
			if a, b := r.Performance, four.Cases[i].Performance; a.Fn != b.Fn || a.TSFC != b.TSFC {
				t.Errorf("%s, %s: %v N by one run at a time, %v by four", scale, r.Name, a.Fn, b.Fn)
			}
		}
	}
}
