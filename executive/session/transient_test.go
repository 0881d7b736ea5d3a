package session

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// move runs a case from the design of an engine in time.
func move(t testing.TB, cfg *config.Engine, c config.Case) *result.Result {
	t.Helper()
	c.Name, c.Kind = "move", "transient"
	for v, dst := range map[float64]*float64{1e-8: &c.Transient.RTol, 1e-6: &c.Transient.ATol} {
		if *dst == 0 {
			*dst = v
		}
	}
	if c.Transient.Integrator == "" {
		c.Transient.Integrator = "dormand-prince"
	}
	cfg.Cases = append(slices.DeleteFunc(slices.Clone(cfg.Cases),
		func(o config.Case) bool { return o.Name == c.Name }), c)
	s := must.Value(Open(context.Background(), cfg))(t)
	r := must.Value(s.Solve(context.Background(), []string{c.Name}, 1))(t)
	return r[0]
}

// Every example engine stays at its design point in time: the steady solution is a solution
// of the equations of motion.
func TestEnginesRest(t *testing.T) {
	for _, file := range enginetest.SomeExamples(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			r := move(t, enginetest.Moving(t, file), config.Case{Transient: &config.Transient{Duration: 5, RTol: 1e-9}})
			converged(t, r)
			if n := len(r.History.T); r.History.T[n-1] != 5 {
				t.Fatalf("it ends at %v s", r.History.T[n-1])
			}
			for k, q := range r.History.Columns {
				v := r.History.Values[k]
				// The steady solver leaves residuals of 1e-10; dependent results differ by more: of the E3, thrust by
				// 1.4e-8 and surge margins by 3.5e-8.
				limit := 1e-7
				if q.Dim == unit.Speed {
					limit = 1e-8
				}
				for i := range v {
					if math.Abs(v[i]-v[0]) > limit*math.Max(math.Abs(v[0]), 1) {
						t.Errorf("%s goes from %.12g to %.12g at %g s", q.Path, v[0], v[i], r.History.T[i])
						break
					}
				}
			}
		})
	}
}

// A transient ends at the operating point that the steady solver finds: engines with one
// shaft, with two, with four of which a propeller's governor keeps two, and with volumes.
func TestTransientEndsSteady(t *testing.T) {
	type engine struct {
		cfg      func() *config.Engine
		duration float64 // s
		method   string
	}
	moving := func(name string) func() *config.Engine {
		return func() *config.Engine { return enginetest.Moving(t, enginetest.Example(name+".yaml")) }
	}
	engines := map[string]engine{"turbojet": {moving("turbojet"), 200, ""}, "turbofan": {moving("turbofan"), 200, ""},
		"turboprop": {moving("turboprop"), 3e4, ""}} // heavy shafts for so small an engine
	if testenv.IsLong(t) {
		engines["E3 with volumes"] = engine{func() *config.Engine { return enginetest.E3WithVolumes(t) }, 300,
			"rosenbrock"}
	}
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			cfg := e.cfg()
			s := must.Value(Open(context.Background(), cfg))(t)
			less := 0.9 * s.Design().Performance.Wf
			r := move(t, cfg,
				config.Case{
					Transient: &config.Transient{Duration: e.duration, Integrator: e.method,
						Schedules: []config.Schedule{enginetest.Fuel(0, less)}},
				})
			converged(t, r)
			p := must.Value(s.Point())(t)
			steady := &config.Case{
				Name: "steady", Solve: []config.Balance{{Vary: "burner.FAR", Until: "burner.Wf", Target: less}},
			}
			must.Value(p.Solve(context.Background(), steady))(t)
			want := p.Result("steady")
			for shaft, v := range want.Shafts {
				near(t, shaft+": N at the end", r.Shafts[shaft]["N"], v["N"], 1e-8)
			}
			for _, key := range []string{"Fn", "power"} {
				got, _ := r.Performance.Value(key)
				steady, _ := want.Performance.Value(key)
				near(t, key+" at the end", got, steady, 1e-8)
			}
			if r.Shafts[cfg.Shafts[0].Name]["N"] > 0.999*s.Design().Shafts[cfg.Shafts[0].Name]["N"] {
				t.Error("the shaft did not slow down")
			}
		})
	}
}

// A step has two points at one time: speeds do not jump, fuel does. The integrator
// ends a step at every point of a schedule.
func TestStepsOfSchedules(t *testing.T) {
	r := move(t, enginetest.Moving(t, enginetest.Example("turbojet.yaml")),
		config.Case{Transient: &config.Transient{Duration: 3, RTol: 1e-4,
			Schedules: []config.Schedule{enginetest.Fuel(0, 1, 0.7, 0.9, 0.7, 1.1, 2.3, 1.2)}}})
	converged(t, r)
	h := r.History
	for _, at := range []float64{0, 0.7, 2.3, 3} {
		if !slices.Contains(h.T, at) {
			t.Errorf("no point at %v s", at)
		}
	}
	i := slices.Index(h.T, 0.7)
	wf, n := h.Column("performance.Wf"), h.Column("shafts.spool.N")
	if h.T[i+1] != 0.7 || math.Abs(wf[i]-0.9) > 1e-8 || math.Abs(wf[i+1]-1.1) > 1e-8 || n[i] != n[i+1] {
		t.Errorf("around 0.7 s: t %v, Wf %v, N %v", h.T[i:i+2], wf[i:i+2], n[i:i+2])
	}
	for i, at := range h.T {
		want := 1.1 + 0.1*(at-0.7)/1.6
		if at > 0.7 && at < 2.3 && math.Abs(wf[i]-want) > 1e-8 {
			t.Errorf("Wf is %g at %g s, scheduled %g", wf[i], at, want)
		}
	}
}

// A surge ends a transient. Its time is located, and the history before it is kept.
func TestSurgeEndsTransient(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	ramp := move(t, cfg,
		config.Case{
			Transient: &config.Transient{
				Duration: 12, Schedules: []config.Schedule{enginetest.Fuel(0, 0.7, 5, 0.7, 5.1, 2.5)},
			},
		})
	if ramp.Converged || ramp.Ended == nil || ramp.Ended.Reason != "surge" {
		t.Fatalf("%v %+v", ramp.Converged, ramp.Ended)
	}
	if e := ramp.Ended.T; e <= 5 || e >= 5.1 || ramp.History.T[len(ramp.History.T)-1] != e {
		t.Errorf("it ends at %v s, its history at %v s", e, ramp.History.T[len(ramp.History.T)-1])
	}
	smn := ramp.History.Column("compressor.SMN")
	must.Within(t, "SMN at the end", smn[len(smn)-1], 0, 1e-4)
	if !strings.Contains(ramp.Message, "at t = 5.0") ||
		!strings.Contains(ramp.Message, "compressor passes its stall line") {
		t.Error(ramp.Message)
	}
	seldom := move(t, cfg,
		config.Case{
			Transient: &config.Transient{
				Duration: 12, Every: 1, Schedules: []config.Schedule{enginetest.Fuel(0, 0.7, 5, 0.7, 5.1, 2.5)},
			},
		})
	if h := seldom.History.T; seldom.Ended == nil || h[len(h)-1] != seldom.Ended.T || h[len(h)-2] != 5 {
		t.Errorf("%+v, and points at %v s", seldom.Ended, h)
	}
	step := move(t, cfg,
		config.Case{
			Transient: &config.Transient{
				Duration: 12, Schedules: []config.Schedule{enginetest.Fuel(0, 0.7, 5, 0.7, 5, 2.3)},
			},
		})
	if step.Ended == nil || step.Ended.Reason != "surge" || step.Ended.T != 5 {
		t.Errorf("%+v %s", step.Ended, step.Message)
	}
}

// A history at given times is that of the steps in between, to the tolerance.
func TestHistoryAtTimes(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	at := func(duration, every float64) *result.Result {
		return move(t, cfg,
			config.Case{
				Transient: &config.Transient{
					Duration: duration, Every: every, Schedules: []config.Schedule{enginetest.Fuel(0, 0.9)},
				},
			})
	}
	r := at(1.05, 0.1)
	want := []float64{0, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.05}
	if len(r.History.T) != len(want) {
		t.Fatalf("times %v", r.History.T)
	}
	for i := range want {
		if r.History.T[i] != want[i] {
			t.Fatalf("times %v", r.History.T)
		}
	}
	exact := at(0.5, 0).Shafts["spool"]["N"] // a step ends there
	near(t, "N at 0.5 s", r.History.Column("shafts.spool.N")[6], exact, 1e-7)
}

// A case that cannot be turned into equations of motion is an error with its place.
func TestBadTransients(t *testing.T) {
	const head = `engine: Bad
components:
  ambient: {type: ambient}
  compressor: {type: compressor, PR: 10, eff: 0.85}
  burner: {type: burner}
  turbine: {type: turbine, eff: 0.88}
  nozzle: {type: nozzle}
flow: [ambient -> compressor -> burner -> turbine -> nozzle]
`
	for _, c := range []struct{ shaft, transient, want string }{
		{"{N: 8000 rpm, drives: compressor, driven_by: turbine}", "{kind: transient, duration: 1 s}",
			"bad.yaml:10:3: case move: shaft spool has no inertia"},
		{"{N: 8000 rpm, inertia: 0 kg m2, drives: compressor, driven_by: turbine}", "{kind: transient, duration: 1 s}",
			"shaft spool has no inertia"},
		{
			"{N: 8000 rpm, inertia: 9 kg m2, drives: compressor, driven_by: turbine}",
			"{kind: transient, duration: 1 s, schedule: {spool.N: 7000 rpm}}",
			"spool.N follows from the shaft's motion",
		},
		{
			"{N: 8000 rpm, inertia: 9 kg m2, drives: compressor, driven_by: turbine}",
			"{kind: transient, duration: 1 s, set: {compressor.PR: 9}}", "compressor.PR fixes the design",
		},
		{
			"{N: 8000 rpm, inertia: 9 kg m2, drives: compressor, driven_by: turbine}",
			"{kind: transient, duration: 1 s, solve: [{vary: burner.FAR, until: spool.N = 7000 rpm}]}",
			"spool.N follows from the shaft's motion and cannot be asked for",
		},
	} {
		cfg := must.Value(config.Parse("bad.yaml",
			[]byte(head+"shafts:\n  spool: "+c.shaft+"\ncases:\n  move: "+c.transient+"\n"), components.Catalogue(),
			nil))(t)
		must.Fail(t, check(cfg), c.want)
	}
}

// Twice the inertia makes everything take twice the time, without another effect.
func TestInertiaStretchesTime(t *testing.T) {
	run := func(inertia, stretch float64) *result.Result {
		cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
		cfg.Shafts[0].Values["inertia"] = config.Value{Num: inertia, Set: true}
		return move(t, cfg,
			config.Case{
				Transient: &config.Transient{Duration: 4 * stretch, Every: 0.5 * stretch, RTol: 1e-9, ATol: 1e-7,
					Schedules: []config.Schedule{enginetest.Fuel(0, 1.25, 1*stretch, 0.8)}}})
	}
	once, twice := run(30, 1), run(60, 2)
	if !once.Converged || !twice.Converged || len(once.History.T) != len(twice.History.T) {
		t.Fatalf("%s %s", once.Message, twice.Message)
	}
	for k, q := range once.History.Columns {
		for i, a := range once.History.Values[k] {
			if b := twice.History.Values[k][i]; math.Abs(a-b) > 1e-7*math.Max(math.Abs(a), 1) {
				t.Errorf("%s is %.12g at %g s, with twice the inertia %.12g at %g s", q.Path, a, once.History.T[i], b,
					twice.History.T[i])
			}
		}
	}
}

// Of shafts that a gearbox joins one has the inertia of both, on whichever it is
// given, times the speed ratio squared; on both it is an error.
func TestInertiaBehindGearbox(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("geared.yaml"))
	for i := range cfg.Components {
		if cfg.Components[i].Type.Name == "gearbox" { // the accelerating power of a shaft behind it has its losses, too
			cfg.Components[i].Values["eff"] = config.Value{Num: 1, Set: true}
		}
	}
	m := must.Value(graph.New(cfg))(t)
	group := m.ShaftGroups()
	var pair []int
	for i := range group {
		for j := range i {
			if group[i] == group[j] {
				pair = []int{j, i}
			}
		}
	}
	if pair == nil {
		t.Fatal("no shafts are geared")
	}
	a, b := &cfg.Shafts[pair[0]], &cfg.Shafts[pair[1]]
	less := config.Transient{Duration: 2, Every: 0.5, Schedules: []config.Schedule{enginetest.Fuel(0, 0)}}
	s := must.Value(Open(context.Background(), cfg))(t)
	less.Schedules[0].Values[0] = 0.93 * s.Design().Performance.Wf
	run := func(ia, ib float64) *result.Result {
		a.Values["inertia"], b.Values["inertia"] = config.Value{Num: ia, Set: true}, config.Value{Num: ib, Set: true}
		tr := less
		r := move(t, cfg, config.Case{Transient: &tr})
		converged(t, r)
		return r
	}
	ratio := a.Values.Num("N") / b.Values.Num("N")
	on, behind := run(30, 0), run(0, 30*ratio*ratio)
	for k, q := range on.History.Columns {
		v := on.History.Values[k]
		for i := range v {
			if w := behind.History.Values[k][i]; math.Abs(v[i]-w) > 1e-6*math.Max(math.Abs(v[i]), 1) {
				t.Errorf("%s at %g s: %.10g, with the inertia behind the gearbox %.10g", q.Path, on.History.T[i], v[i],
					w)
			}
		}
	}
	if v := on.History.Values[0]; v[len(v)-1] > 0.999*v[0] {
		t.Error("the shafts did not slow down")
	}
	a.Values["inertia"] = config.Value{Num: 1, Set: true}
	cfg.Cases = []config.Case{{Name: "move", Kind: "transient", Transient: &less}}
	must.Fail(t, check(cfg), "turn together through a gearbox")
}

// A generator of constant power brings its turbine to a standstill. The time is located, and the message has the
// suggested change.
func TestStandstillEndsTransient(t *testing.T) {
	cfg := enginetest.Moving(t, enginetest.Example("turboshaft-2.yaml"))
	for _, method := range []string{"rosenbrock", "dormand-prince"} {
		r := move(t, cfg,
			config.Case{Transient: &config.Transient{Duration: 20, Integrator: method, Schedules: []config.Schedule{{
				Quantity: config.Quantity{Path: "generator.power"}, T: []float64{0, 0.5},
				Values: []float64{26e6, 28e6}}}}})
		if r.Ended == nil || r.Ended.Reason != "standstill" || !(r.Ended.T > 0.5 && r.Ended.T < 10) {
			t.Fatalf("%+v %s", r.Ended, r.Message)
		}
		must.Contain(t, r.Message, fmt.Sprintf("at t = %.6g s: shaft power has slowed down to 1 %% of the speed",
			r.Ended.T),
			"lower the load, or let it fall with the speed")
		n := r.History.Column("shafts.power.N")
		must.Within(t, "N at the end", n[len(n)-1], 48, 0.1)
	}
}
