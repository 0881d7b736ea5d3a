package executive_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// A script has a run answer otherwise than others of its request, or with the flow of a faster line.
const otherAnswer, otherLine event.Class = "other answer", "other line"

// knownFan is a fan whose flow and efficiency are functions of corrected speed over the design's and of the
// throttle k over that which passes the design flow at PR 1. At its exit the flow is uniform, so that PR and
// efficiency are those of both streams, and
//
//	PR = k (W/W_d)^2/0.72
type knownFan struct {
	flow, eff func(n, k float64) float64   // flow over the design's
	noise     float64                      // of flow and efficiency, relative
	fails     func(run string) event.Class // how a run ends, or answers; nil or empty: it converges
	lost      float64                      // share of the runs that give no answer
	stall     func(n float64) float64      // throttle beyond which the flow is not steady; nil: always steady
}

const (
	knownFlow  = 643.7 // kg/s, of the engine's design
	knownShare = 0.72
)

var knownSpeed = 3450 / math.Sqrt(246.9/288.15) // corrected, of the engine's design

// smooth is a fan whose lines are parabolas.
var smooth = knownFan{
	flow: func(n, k float64) float64 { return n * (1 - 0.2*(k-1.176)*(k-1.176) - 0.3*(k-1.176)) },
	eff:  func(n, k float64) float64 { return 0.915 - 0.5*(n-0.96)*(n-0.96) - 0.4*(k-1.2)*(k-1.2) },
}

// choked is a fan whose lines are vertical where it works.
var choked = knownFan{
	flow: func(n, k float64) float64 {
		return math.Pow(n, 0.8) * (1.001 - 0.02*math.Log1p(math.Exp((k-1.3)/0.04))*0.04)
	},
	eff: func(n, k float64) float64 { return 0.9 - 0.3*(n-0.95)*(n-0.95) - 0.8*(k-1.25)*(k-1.25) },
}

func (f knownFan) Describe() plugin.Description {
	list := func(shape plugin.Shape, names ...string) (out []plugin.Quantity) {
		for _, name := range names {
			out = append(out, plugin.Quantity{Name: name, Shape: shape, Required: true, Doc: name})
		}
		return out
	}
	return plugin.Description{
		Name: "known", Version: "1", Fidelity: "known",
		Inputs: slices.Concat(list(plugin.Text, machine.InGeometry),
			list(plugin.Scalar, machine.InSpeed, machine.InGamma, machine.InR, machine.InThrottle),
			list(plugin.Profile, machine.InSpan, machine.InPt, machine.InTt, machine.InAlpha)),
		Outputs: slices.Concat(list(plugin.Scalar, machine.OutW, machine.OutMass, machine.OutEnergy),
			list(plugin.Profile, machine.OutExitW, machine.OutExitPt, machine.OutExitTt)),
	}
}

func (f knownFan) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	var class event.Class
	if f.fails != nil {
		class = f.fails(r.Run)
	}
	switch class {
	case event.Crashed:
		return plugin.Result{}, errors.New("scripted crash")
	case event.Stalled, event.Diverged:
		return plugin.Result{Class: class, Message: "scripted"}, nil
	}
	n, k := r.Numbers[machine.InSpeed]/knownSpeed, r.Numbers[machine.InThrottle]*knownFlow*knownFlow/101325
	if class == otherLine {
		n *= 1.1
	}
	if (1+chance(n, k, "lost")/math.Sqrt(3))/2 < f.lost {
		return plugin.Result{Class: event.Diverged, Message: "lost"}, nil
	}
	if f.stall != nil && k > f.stall(n) {
		return plugin.Result{Class: event.Stalled, Message: "the flow swings"}, nil
	}
	w := f.flow(n, k) * knownFlow * (1 + f.noise*chance(n, k, "flow"))
	eff := f.eff(n, k) * (1 + f.noise*chance(n, k, "efficiency"))
	pr := k * w * w / (knownShare * knownFlow * knownFlow)
	if class == otherAnswer {
		pr *= 1 + 1e-12
	}
	gamma := r.Numbers[machine.InGamma]
	tr := 1 + (math.Pow(pr, (gamma-1)/gamma)-1)/eff
	return plugin.Result{
		Class:   event.Converged,
		Numbers: map[string]float64{machine.OutW: w, machine.OutMass: max(f.noise, 1e-6), machine.OutEnergy: 1e-6},
		Arrays: map[string][]float64{
			machine.OutExitW: {w / 2, w / 2}, machine.OutExitPt: {101325 * pr, 101325 * pr},
			machine.OutExitTt: {288.15 * tr, 288.15 * tr},
		},
	}, nil
}

// chance is a number of mean 0 and standard deviation 1 that a point and a word alone determine.
func chance(n, k float64, word string) float64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %x %s", n, k, word)
	u := float64(h.Sum64()>>11) / (1 << 53)
	return (2*u - 1) * math.Sqrt(3)
}

// The fan itself in the engine, without runs: the exact coupling. Its third coordinate is ln(Wc^2/PR), which the
// throttle alone determines.

func (f knownFan) At(_, nc, x float64, v *components.Responded) perfmap.Edge {
	n, k := nc/knownSpeed, knownShare*knownFlow*knownFlow*math.Exp(-x)
	v.Wc = knownFlow * f.flow(n, k)
	v.PR = [2]float64{v.Wc * v.Wc / math.Exp(x), v.Wc * v.Wc / math.Exp(x)}
	v.Eff = [2]float64{f.eff(n, k), f.eff(n, k)}
	return 0
}

// Design is where the flow is the engine's at the design speed.
func (f knownFan) Design(v *components.Responded) (nc, x float64) {
	lo, hi := f.Bounds()
	for range 100 {
		x = (lo + hi) / 2
		if f.At(0, knownSpeed, x, v); v.Wc < knownFlow {
			lo = x
		} else {
			hi = x
		}
	}
	return knownSpeed, x
}

func (f knownFan) Bounds() (lo, hi float64) {
	x := math.Log(knownFlow * knownFlow / 1.634)
	return x - 0.6, x + 0.6
}

func (f knownFan) Name() string { return "the fan itself" }

// knownZoomer makes the runs of a solver without processes.
type knownZoomer struct {
	t       testing.TB
	solver  plugin.Solver
	workers int
	answers *cache.Cache // nil: none
	verify  bool
}

func (z knownZoomer) Study(_ context.Context, _ *config.Zoom, judge *executive.Judge) (*study.Study, error) {
	fake := &launchtest.Fake{Solver: func() plugin.Solver { return z.solver }}
	host, err := attempt.NewHost(z.t.TempDir(), fake.Registry(), launchtest.Name)
	if err != nil {
		return nil, err
	}
	z.t.Cleanup(func() {
		if err := host.Close(); err != nil {
			z.t.Error(err)
		}
	})
	return &study.Study{
		Cache: z.answers,
		Pool: &pool.Pool{
			Runner: attempt.Runner{
				Host: host, Program: launch.Program{Command: []string{"known"}, Code: "known"}, Study: "known",
				Monitor: judge,
			},
			Workers: z.workers,
		},
		Description: z.solver.Describe(), Verify: z.verify,
	}, nil
}

// knownEngine is the zoomed turbofan with some cases: turbine temperatures, K, at cruise.
func knownEngine(t testing.TB, to float64, scale string, temperatures ...float64) *config.Engine {
	t.Helper()
	solvers := must.Value(executive.Solvers(settings.Settings{Launcher: "local"}))(t)
	engine := must.Value(config.Load("testdata/zoomed.yaml", executive.Catalogue(solvers), nil))(t)
	z := &engine.Zooms[0]
	z.Settings, z.Scale = nil, scale
	if to > 0 {
		z.To = []config.Goal{{Error: to}}
	}
	engine.Cases = nil
	for _, tt := range temperatures {
		engine.Cases = append(engine.Cases,
			config.Case{
				Name:  fmt.Sprintf("%gK", tt),
				Solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt", Target: tt}},
			})
	}
	return engine
}

// zoomOn runs the cases of an engine on a zoomer.
func zoomOn(t testing.TB, engine *config.Engine, z executive.Zoomer) (*result.Results, error) {
	t.Helper()
	var names []string
	for _, c := range engine.Cases {
		names = append(names, c.Name)
	}
	return executive.Run(t.Context(), engine, names, executive.Options{Zoomer: z})
}

// zoomBy runs the cases of an engine zoomed by a solver.
func zoomBy(t testing.TB, engine *config.Engine, solver plugin.Solver, workers int) (*result.Results, error) {
	t.Helper()
	return zoomOn(t, engine, knownZoomer{t: t, solver: solver, workers: workers})
}

// zoomKnown is zoomBy without errors.
func zoomKnown(t testing.TB, engine *config.Engine, solver plugin.Solver, workers int) *result.Results {
	t.Helper()
	return must.Value(zoomBy(t, engine, solver, workers))(t)
}

// exactly solves the cases with the fan itself in the engine.
func exactly(t testing.TB, engine *config.Engine, fan knownFan) []*result.Result {
	t.Helper()
	return must.Value(couple(t, engine, &fan))(t)
}

// couple is exactly for a fan on which the engine may have no solution.
func couple(t testing.TB, engine *config.Engine, fan components.Response) ([]*result.Result, error) {
	t.Helper()
	return solveWith(t, engine, installed("fan", fan, engine.Zooms[0].Scale == "absolute"))
}

// installed puts a response into a component of an engine, as it is or scaled to its design.
func installed(component string, r components.Response, absolute bool) func(*steady.Solver) error {
	return func(m *steady.Solver) error {
		return m.Index[component].Component.(components.Responder).SetResponse(r, absolute)
	}
}

// coupled is an engine with something installed in it, without runs.
func coupled(t testing.TB, engine *config.Engine,
	install func(*steady.Solver) error) (s *session.Session, m *steady.Solver, err error) {
	if s, err = session.Open(t.Context(), engine); err == nil {
		m, err = s.Model.Clone()
	}
	if err == nil {
		err = install(m)
	}
	if err == nil {
		_, err = m.OffDesign(t.Context(), &newton.Solver{}, s.DesignAsCase())
	}
	if err == nil {
		m.Rebase()
	}
	return s, m, err
}

// solveWith solves the cases with something installed in the engine.
func solveWith(t testing.TB, engine *config.Engine,
	install func(*steady.Solver) error) (out []*result.Result, err error) {
	t.Helper()
	s, m, err := coupled(t, engine, install)
	if err != nil {
		return nil, err
	}
	for i := range engine.Cases {
		r, err := s.SolveCase(t.Context(), m, &engine.Cases[i])
		if err != nil || !r.Converged {
			return nil, fmt.Errorf("%s without runs: %v %s", engine.Cases[i].Name, err, r.Message)
		}
		out = append(out, r)
	}
	return out, nil
}

// trueError is the largest relative error of thrust and fuel consumption.
func trueError(r, exact *result.Result) float64 {
	p, q := r.Performance, exact.Performance
	return max(math.Abs(p.Fn/q.Fn-1), math.Abs(p.TSFC/q.TSFC-1))
}

// Answers do not depend on how many runs are made at a time, to the last bit, and on the order of the
// cases by less than the error that is wanted.
func TestRoundsDoNotDependOnTheWay(t *testing.T) {
	const to = 1e-3
	temperatures := []float64{1325, 1375, 1425, 1475, 1500}[:enginetest.Trials(t, 2, 5, 5)]
	one := zoomKnown(t, knownEngine(t, to, "design", temperatures...), smooth, 1)
	four := zoomKnown(t, knownEngine(t, to, "design", temperatures...), smooth, 4)
	slices.Reverse(temperatures)
	back := zoomKnown(t, knownEngine(t, to, "design", temperatures...), smooth, 2)
	for i, r := range one.Cases {
		if a, b := r.Performance.Fn, four.Cases[i].Performance.Fn; a != b {
			t.Errorf("%s: %v N by one run at a time, %v by four", r.Name, a, b)
		}
		other := back.Cases[len(back.Cases)-1-i]
		if a, b := r.Performance.Fn, other.Performance.Fn; r.Name != other.Name || math.Abs(a/b-1) > to {
			t.Errorf("%s: %v N, in the other order %s %v", r.Name, a, other.Name, b)
		}
	}
}

// Lost runs are warned of, and the answer comes from the others.
func TestRoundsWithLostRuns(t *testing.T) {
	fan := smooth
	lost := ""
	fan.fails = func(run string) event.Class {
		if lost == "" {
			lost, _, _ = strings.Cut(run, ".") // the speed of the first one
		}
		return crash(lost + ".")(run)
	}
	engine := knownEngine(t, 1e-3, "absolute", 1300, 1500)
	exact := exactly(t, engine, fan)
	r := zoomKnown(t, engine, fan, 1)
	if !slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.Rule == "zoom_runs_failed" }) {
		t.Errorf("no warning of lost runs: %v", r.Warnings)
	}
	for i, at := range r.Cases {
		if z := at.Zoom["fan"]; z.Failed == 0 || trueError(at, exact[i]) > max(2*z.Error, 1e-3) {
			t.Errorf("%s: %d failed, true error %.2g, estimated %.2g", at.Name, z.Failed, trueError(at, exact[i]),
				z.Error)
		}
	}
}

// If the solver fails in all runs of the first round by one cause, no further runs are made.
func TestRoundsOfABrokenSolver(t *testing.T) {
	fan := smooth
	fan.fails = crash("fan")
	r, err := zoomBy(t, knownEngine(t, 1e-3, "absolute", 1300, 1500), fan, 1)
	must.Fail(t, err, "no map could be made: all runs failed by one cause, so that no further ones were made\n"+
		"  2 runs ")
	must.Equal(t, []string{"zoom_runs_failed fan"}, warnedOf(r.Warnings))
}

// The largest number of runs is respected, and the estimate reports its cost.
func TestMostRuns(t *testing.T) {
	engine := knownEngine(t, 1e-5, "absolute", 1300, 1500)
	engine.Zooms[0].Most = 3
	exact := exactly(t, engine, smooth)
	r := zoomKnown(t, engine, smooth, 2)
	for i, at := range r.Cases {
		z := at.Zoom["fan"]
		if n := z.Next; n == nil || n.Gain <= 0 || n.Gain > z.Error || n.Inputs["N"] < 3000 ||
			n.Inputs["throttle"] <= 0 {
			t.Errorf("%s: next run %+v", at.Name, n)
		}
		if z.Runs != 3 || z.Error < 1e-5 || trueError(at, exact[i]) > z.Error {
			t.Errorf("%s: %d runs, true error %.2g, estimated %.2g", at.Name, z.Runs, trueError(at, exact[i]), z.Error)
		}
		if w := r.Warnings[i]; w.Case != at.Name || len(w.Evidence) != 1 ||
			w.Evidence[0] != "run to add: "+z.Next.String() {
			t.Errorf("%s: warning %+v", at.Name, w)
		}
	}
}

// A run to add is not a lost run, and is that of the design point if scaling by it causes most of the error.
func TestRunToAdd(t *testing.T) {
	fan := smooth
	fan.fails = crash("fan-n09")
	engine := knownEngine(t, 1e-5, "absolute", 1300, 1500)
	engine.Zooms[0].Most = 6
	r := zoomKnown(t, engine, fan, 2)
	next := r.Cases[0].Zoom["fan"].Next
	if next == nil || r.Cases[0].Zoom["fan"].Failed == 0 {
		t.Fatalf("zoomed by %+v", r.Cases[0].Zoom["fan"])
	}
	for _, w := range r.Warnings {
		if made := fmt.Sprintf("n%07.3f-", 100*next.Inputs["N"]/knownSpeed); w.Rule == "zoom_runs_failed" &&
			strings.Contains(strings.Join(w.Evidence, " "), made) {
			t.Errorf("a run to add is at %s; %v", made, w.Evidence)
		}
	}
	fan.fails = crash("fan-n100")
	engine = knownEngine(t, 1e-5, "design", 1300)
	engine.Zooms[0].Most = 4
	z := zoomKnown(t, engine, fan, 2).Cases[0].Zoom["fan"]
	if next := z.Next; next == nil || math.Abs(next.Inputs["N"]/knownSpeed-1) > 0.01 || next.Gain < 0.25*z.Error {
		t.Errorf("error %.2g, run to add %v; the error is that of the design point, whose runs were lost", z.Error,
			next)
	}
}

// A result without a value cannot be brought to an error.
func TestErrorOfNothing(t *testing.T) {
	engine := knownEngine(t, 1e-3, "absolute", 1400)
	engine.Zooms[0].To = []config.Goal{{Path: "fan.SMN", Error: 1e-3, Pos: document.Pos{Line: 7, Column: 3}}}
	must.Refuse(zoomBy(t, engine, smooth, 1))(t,
		`zoomed.yaml:7:3: zoom.fan.to: "fan.SMN": it has no value in case 1400K`)
}

// The model of the runs is written as a map for files and pictures: through the operating points.
func TestMapOfRounds(t *testing.T) {
	for _, scale := range []string{"absolute", "design"}[:enginetest.Trials(t, 1, 2, 2)] {
		engine := knownEngine(t, 1e-3, scale, 1300, 1400, 1500)
		r := zoomKnown(t, engine, smooth, 2)
		m, ok := r.ZoomedMaps["fan"]
		if !ok {
			t.Fatalf("%s: no map: %v", scale, r.Warnings)
		}
		for _, c := range r.Cases {
			fan := c.Components["fan"]
			nc := fan.Value("Nc") / m.Scale.Nc
			x, _, err := m.Map.Solve("Wc", m.Map.Alpha[0], nc, fan.Value("Wc")/m.Scale.Wc)
			if err != nil {
				t.Fatalf("%s, %s: %v", scale, c.Name, err)
			}
			pr, _ := m.Map.Value("PR", perfmap.Point{Alpha: m.Map.Alpha[0], Nc: nc, X: x})
			must.Near(t, scale+", "+c.Name+": PR on the map", 1+m.Scale.PR*(pr.V-1), fan.Value("PR"), 2e-3)
		}
	}
}
