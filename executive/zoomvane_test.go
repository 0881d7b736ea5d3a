package executive_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// vanedFan is a fan behind a guide vane. At unchanged incidence of the rotor a swirl alpha in its direction leaves
//
//	Vz (tan beta + tan alpha) = U
//
// of the axial velocity, beta being the rotor's angle, deg; and losses grow with the square of the distance, deg,
// from the setting that suits the speed.
type vanedFan struct {
	fan               knownFan
	beta, loss, suits float64
}

// smoothVaned is the smooth fan behind a vane.
var smoothVaned = vanedFan{smooth, 55, 1e-4, 60}

func (f vanedFan) at(alpha float64) knownFan {
	const degree = math.Pi / 180
	share := math.Tan(f.beta*degree) / (math.Tan(f.beta*degree) + math.Tan(alpha*degree))
	turned := f.fan
	turned.flow = func(n, k float64) float64 { return share * f.fan.flow(n, k) }
	turned.eff = func(n, k float64) float64 {
		off := alpha - f.suits*(1-n)
		return f.fan.eff(n, k) - f.loss*off*off
	}
	return turned
}

func (f vanedFan) Describe() plugin.Description {
	d := f.at(0).Describe()
	d.Inputs = append(d.Inputs, plugin.Quantity{Name: machine.InSetting, Unit: "deg", Shape: plugin.Scalar,
		Doc: "of the vane"})
	return d
}

func (f vanedFan) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	return f.at(r.Numbers[machine.InSetting]).Run(ctx, r, emit)
}

// The fan itself in the engine, without runs.

func (f *vanedFan) At(alpha, nc, x float64, v *components.Responded) perfmap.Edge {
	return f.at(alpha).At(0, nc, x, v)
}
func (f *vanedFan) Design(v *components.Responded) (nc, x float64) { return f.at(0).Design(v) }
func (f *vanedFan) Bounds() (lo, hi float64)                       { return f.at(0).Bounds() }
func (f *vanedFan) Name() string                                   { return "the fan itself" }
func (f *vanedFan) Turns() bool                                    { return true }

// vane is a row ahead of the E3's rotor.
const vane = `
  - name: vane
    blades: 40
    stacking_axis: -20
    setting: 1
    radius:    [35, 70, 105.4]
    chord:     [12, 12, 12]
    stagger:   [0, 0, 0]
    beta_le:   [0, 0, 0]
    beta_te:   [0, 0, 0]
    tm_over_c: [0.08, 0.08, 0.08]
    max_thickness: {radius: [35, 105.4], at: [0.4, 0.4]}
`

// vaned is the turbofan of testdata with some cases, its fan behind a vane, zoomed in some way.
func vaned(t testing.TB, cases, zoom string) *config.Engine {
	t.Helper()
	rotor := must.Value(os.ReadFile(enginetest.Example("geometry/e3-fan.yaml")))(t)
	blades := filepath.Join(t.TempDir(), "vaned.yaml")
	before, after, _ := strings.Cut(string(rotor), "\nrows:\n")
	must.OK(t, os.WriteFile(blades, []byte(before+"\nrows:"+vane+after), 0o600))
	return enginetest.Parse(t, turning(t)+cases+"\nzoom:\n  fan: {solver: throughflow, geometry: \""+blades+"\", "+
		zoom+"}\n")
}

// steadyCases are cases with settings, deg, and turbine temperatures, K.
func steadyCases(cases ...[2]float64) string {
	var b strings.Builder
	b.WriteString("cases:\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "  a%g_%g: {set: {fan.alpha: %g}, solve: [{vary: burner.FAR, until: hpt.rotor.Tt = %g K}]}\n",
			c[0], c[1], c[0], c[1])
	}
	return b.String()
}

// A vane that turns is a coordinate of the model: thrust and fuel consumption are those of the fan itself within the
// wanted error, and within the estimate, by every method and scale.
func TestVaneThatTurns(t *testing.T) {
	testenv.Long(t, "four studies of 18 runs")
	cases := [][2]float64{{0, 1450}, {4, 1420}, {8, 1390}, {12, 1360}, {-5, 1440}}
	for _, c := range []struct {
		zoom string
		to   float64
		most int
	}{
		{"to: 0.02 %, scale: absolute", 2e-4, 18}, {"to: 0.02 %", 2e-4, 18},
		{"to: 0.02 %, scale: absolute, method: scalars", 2e-4, 18},
		{"to: 0.02 %, scale: absolute, method: direct", 2e-4, 18},
	} {
		t.Run(c.zoom, func(t *testing.T) {
			engine := vaned(t, steadyCases(cases...), c.zoom)
			exact := must.Value(couple(t, engine, &smoothVaned))(t)
			r := zoomKnown(t, engine, smoothVaned, 2)
			if off := math.Abs(r.Cases[2].Performance.Fn/fixedVane(t, engine, 2).Performance.Fn - 1); off < 0.01 {
				t.Errorf("the vane changes thrust by %.2g alone", off)
			}
			for i, at := range r.Cases {
				z, e := at.Zoom["fan"], trueError(at, exact[i])
				t.Logf("%s: %d runs in %d rounds, true error %.2g, estimate %.2g", at.Name, z.Runs, z.Rounds, e,
					z.Error)
				if !at.Converged || e > c.to || e > z.Error {
					t.Errorf("%s: converged %t, true error %.2g, estimate %.2g: %s", at.Name, at.Converged, e, z.Error,
						at.Message)
				}
				if z.Runs > c.most {
					t.Errorf("%d runs, more than %d", z.Runs, c.most)
				}
				if got := at.Components["fan"].Map.Alpha; got != cases[i][0] {
					t.Errorf("%s: the map's alpha is %g", at.Name, got)
				}
			}
			if len(r.Warnings) > 0 {
				t.Errorf("warnings: %v", r.Warnings)
			}
		})
	}
}

// fixedVane is a case with the fan itself, its vane at rest.
func fixedVane(t *testing.T, engine *config.Engine, i int) *result.Result {
	t.Helper()
	still := *engine
	still.Cases = append([]config.Case{}, engine.Cases[i])
	still.Cases[0].Set = nil
	exact := must.Value(couple(t, &still, &smoothVaned))(t)
	return exact[0]
}

// The map that is written has a plane for every few degrees, which have the model's values; another engine works on it.
func TestMapOfAVaneThatTurns(t *testing.T) {
	engine := vaned(t, steadyCases([2]float64{0, 1450}, [2]float64{6, 1400}, [2]float64{-4, 1440}),
		"to: 0.05 %, scale: absolute")
	r := zoomKnown(t, engine, smoothVaned, 2)
	m := r.ZoomedMaps["fan"].Map
	if m == nil || len(m.Alpha) != 5 || m.Alpha[0] != -4 || m.Alpha[4] != 6 || math.Abs(m.Design.Alpha) > 1.5 {
		t.Fatalf("map %+v", m)
	}
	for i, at := range r.Cases {
		fan := at.Components["fan"]
		p, err := m.Plane(m.Alpha[[]int{2, 4, 0}[i]])
		must.OK(t, err)
		if i == 0 {
			continue // its plane is 1 degree off
		}
		x, _, err := p.Solve("Wc", p.Alpha[0], fan.Value("Nc"), fan.Value("Wc"))
		must.OK(t, err)
		got, _ := p.Value("eff", perfmap.Point{Alpha: p.Alpha[0], Nc: fan.Value("Nc"), X: x})
		must.Within(t, at.Name+": efficiency on the map", got.V, fan.Value("eff"), 1e-3)
	}
}

// A transient that turns the vane makes the runs that it needs on its way, and a sweep of the setting uses the cases'
// maps.
func TestVaneInTimeAndInASweep(t *testing.T) {
	testenv.Long(t, "a transient and a sweep of a zoomed vane")
	text := `cases:
  open: {solve: [{vary: burner.FAR, until: burner.Wf = 0.8 kg/s}]}
  shut: {set: {fan.alpha: 5}, solve: [{vary: burner.FAR, until: burner.Wf = 0.75 kg/s}]}
  close:
    kind: transient
    from: open
    duration: 4 s
    every: 0.1 s
    rtol: 1e-8
    schedule: {burner.Wf: [[0 s, 0.8 kg/s], [4 s, 0.7 kg/s]], fan.alpha: [[0 s, 0], [1 s, 0], [3 s, 10]]}
sweeps:
  setting: {from: open, over: {fan.alpha: [0, 2, 4]}, collect: [performance.Fn]}`
	engine := vaned(t, text, "to: 0.1 %, scale: absolute")
	exact := transientWith(t, engine, "close", installed("fan", &smoothVaned, true))
	r := zoomKnown(t, engine, smoothVaned, 2)
	shut, moving := r.Cases[1], r.Cases[2]
	e := farthest(exact, moving, "performance.Fn")
	z := moving.Zoom["fan"]
	t.Logf("%d runs, %d of them in time; thrust is at most %.2g off", z.Runs, len(z.InTime.Extended), e)
	if !moving.Converged || e > 1e-3 || z.Runs <= shut.Zoom["fan"].Runs {
		t.Errorf("converged %t, thrust off by %.2g, %d runs", moving.Converged, e, z.Runs)
	}
	vaned := knownZoomer{t: t, solver: smoothVaned, workers: 2}
	session, _, err := executive.ZoomedSession(t.Context(), engine, executive.Options{Zoomer: vaned})
	must.OK(t, err)
	swept := must.Value(sweep.Solve(t.Context(), session, engine.Sweep("setting"), sweep.Options{Zoomed: true}))(t)
	for i, row := range swept.Rows {
		t.Logf("alpha and thrust %v %s", row.Values, row.Message)
		if !row.Converged || i > 0 && !(row.Values[1] < swept.Rows[i-1].Values[1]) {
			t.Errorf("thrust does not fall as the vane closes: %v, then %v", swept.Rows[i-1], row)
		}
	}
}

// BenchmarkZoomVanes measures the honesty of estimates on unseen fans behind vanes, at settings drawn at random.
func BenchmarkZoomVanes(b *testing.B) {
	for _, method := range config.ZoomMethods {
		b.Run(method, func(b *testing.B) {
			var h honesty
			r := rand.New(rand.NewPCG(2, 0))
			for b.Loop() {
				for range studiesOfHonesty {
					h.vanes(b, r, method)
				}
			}
			h.report(b)
		})
	}
}

// vanes zooms a fan behind a vane, both drawn at random, at three settings and temperatures, and counts its cases.
func (h *honesty) vanes(b *testing.B, r *rand.Rand, method string) {
	fan := vanedFan{fan: anyFan(r), beta: 45 + 20*r.Float64(), loss: 2e-4 * r.Float64(), suits: 80 * r.Float64()}
	fan.fan.noise = []float64{0, 3e-5, 3e-4}[r.IntN(3)]
	var cases [][2]float64
	for i := range 3 {
		cases = append(cases,
			[2]float64{math.Round(20*r.Float64()) - 6, math.Round(1320 + 60*float64(i) + 40*r.Float64())})
	}
	to := max([]float64{2e-4, 5e-4, 1e-3}[r.IntN(3)], 3*fan.fan.noise)
	how := fmt.Sprintf("to: %g %%, method: %s, scale: %s", 100*to, method, []string{"absolute", "design"}[r.IntN(2)])
	engine := vaned(b, steadyCases(cases...), how)
	exact, err := couple(b, engine, &fan)
	if err != nil {
		h.vanes(b, r, method)
		return
	}
	got := zoomKnown(b, engine, fan, 2)
	for i := range got.Cases {
		h.add(got.Cases[i], exact[i], fan.fan.noise)
	}
	h.runs += got.Cases[0].Zoom["fan"].Runs
}
