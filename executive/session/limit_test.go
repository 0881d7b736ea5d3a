package session

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Whichever limit comes first binds, and is reported; the target is met where no
// limit comes before it.
func TestLimits(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Turbojet+`
limits:
  - {path: burner.out.Tt, max: 1250 K}
cases:
  easy: {solve: [{vary: burner.FAR, until: performance.Fn = 35 kN}]}
  hot: {solve: [{vary: burner.FAR, until: performance.Fn = 50 kN}]}
  fast: {solve: [{vary: burner.FAR, until: performance.Fn = 50 kN}], limits: [{path: spool.N, max: 7500 rpm}]}
  slow: {solve: [{vary: burner.FAR, until: performance.Fn = 10 kN}], limits: [{path: spool.N, min: 7000 rpm}]}
  beyond: {solve: [{vary: burner.FAR, until: performance.Fn = 500 kN}]}
`)
	r := solveAll(t, cfg)
	for i, want := range []struct {
		limited []string
		read    func(*result.Result) float64
		value   float64
	}{
		{nil, func(r *result.Result) float64 { return r.Performance.Fn }, 35e3},
		{[]string{"burner.out.Tt max 1250 K"}, func(r *result.Result) float64 { return r.Stations["burner.out"].Tt },
			1250},
		{[]string{"spool.N max 7500 rpm"}, func(r *result.Result) float64 { return r.Shafts["spool"]["N"] }, 7500},
		{[]string{"spool.N min 7000 rpm"}, func(r *result.Result) float64 { return r.Shafts["spool"]["N"] }, 7000},
		{[]string{"burner.out.Tt max 1250 K"}, func(r *result.Result) float64 { return r.Stations["burner.out"].Tt },
			1250},
	} {
		c := r.Cases[i+1]
		if !c.Converged {
			t.Errorf("%s: %s", c.Name, c.Message)
			continue
		}
		if diff := cmp.Diff(want.limited, c.Limited); diff != "" {
			t.Errorf("%s: limited by %s", c.Name, diff)
		}
		near(t, c.Name, want.read(c), want.value, 1e-9)
	}
}

// One geometry meets targets at the design point and at two other cases.
func TestMultiPointDesign(t *testing.T) {
	cfg := enginetest.Parse(t, strings.Replace(enginetest.Turbojet, "performance.Fn = 11800 lbf",
		"performance.Fn = 12 kN, at: cruise", 1)+`
  - {vary: compressor.PR, until: performance.OPR = 12, at: cruise}
cases:
  cruise: {set: {ambient.altitude: 10 km, ambient.mach: 0.8}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1300 K}]}
`)
	r := solveAll(t, cfg)
	converged(t, r.Cases[0], r.Cases[1])
	near(t, "T4 at design", r.Cases[0].Stations["burner.out"].Tt, 2370/1.8, 1e-7)
	near(t, "Fn at cruise", r.Cases[1].Performance.Fn, 12e3, 1e-7)
	near(t, "OPR at cruise", r.Cases[1].Performance.OPR, 12, 1e-7)
}

// A two-point design that does not converge reports the missed target, its case, the deviation and the bound, and
// returns the best iterate.
func TestMultiPointDesignFails(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Turbojet+`
  - {vary: compressor.PR, until: performance.OPR = 40, at: cruise, max: 20}
cases:
  cruise: {set: {ambient.altitude: 10 km, ambient.mach: 0.8}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1250 K}]}
`)
	r := must.Value(runCases(t.Context(), cfg, CaseNames(cfg), transient.Options{}))(t)
	c := r.Cases[0]
	if c.Converged {
		t.Fatal("converged")
	}
	must.Contain(t, c.Message, "cruise: performance.OPR is not met: it is ", "where the target is 40",
		"at its bound: compressor.PR = 20")
	if pr := c.Components["compressor"].Value("PR"); math.Abs(pr-20) > 1e-6 ||
		math.Abs(c.Stations["compressor.out"].Pt/c.Stations["inlet.out"].Pt-pr) > 1e-6 {
		t.Errorf("the result is of PR %g, not of the bound", pr)
	}
}

// A limit that the design passes gives a warning, because limits do not act on the design.
func TestLimitPassedAtDesign(t *testing.T) {
	for text, want := range map[string]int{"max: 1000 K": 1, "max: 1500 K": 0, "min: 1000 K": 0, "min: 1500 K": 1} {
		r := solveAll(t, enginetest.Parse(t, enginetest.Turbojet+"\nlimits: [{path: burner.out.Tt, "+text+"}]\n"))
		if len(r.Warnings) != want {
			t.Errorf("%s: %+v", text, r.Warnings)
		}
		for _, w := range r.Warnings {
			if w.Rule != "limit_at_design" || w.Case != "design" ||
				!strings.Contains(w.Message, "burner.out.Tt "+text[:3]+" "+text[5:]) {
				t.Errorf("%+v", w)
			}
		}
	}
}

// A limit binds where it is passed on the way to a target's extreme value, and not where the target is beyond that
// within the limits: from the design, which passes the limit, and from a point that does not.
func TestLimitsAndFolds(t *testing.T) {
	ramjet := `
engine: Ramjet
components:
  ambient: {type: ambient, altitude: 11 km, mach: 2.3, W: 55 kg/s}
  inlet: {type: inlet, recovery: MIL-E-5008B, ram_recovery: 94 %}
  burner: {type: burner, dPqP: 11 %, eff: 95 %}
  nozzle: {type: nozzle, kind: convergent-divergent, Cv: 0.98}
flow:
  - ambient -> inlet -> burner -> nozzle
design:
  - {vary: burner.FAR, until: performance.Fn = 32 kN}
limits:
  - {path: burner.out.Tt, max: 1330 K}
cases:
  much: {set: {ambient.mach: 0.7}, solve: [{vary: burner.FAR, until: performance.Fn = 11 kN}]}
  slow: {set: {ambient.altitude: 4500 m, ambient.mach: 0.5}, solve: [{vary: burner.FAR, until: performance.Fn = 10 kN}]}
  near: {set: {ambient.mach: 0.6}, solve: [{vary: burner.FAR, until: performance.Fn = 11 kN}]}
`
	turbojet := enginetest.Turbojet + `
limits:
  - {path: spool.N, max: 7000 rpm}
cases:
  cold: {solve: [{vary: burner.FAR, until: burner.out.Tt = 700 K}]}
  near: {solve: [{vary: burner.FAR, until: performance.Fn = 15 kN}]}
`
	for _, c := range []struct{ text, name, limited, reason string }{
		{ramjet, "much", "burner.out.Tt max 1330 K", ""},
		// at any temperature: a single limit has no contradiction
		{ramjet, "slow", "", "the flow does not fit the nozzle's area"},
		{turbojet, "cold", "", "burner.out.Tt = 700 K is out of reach: it has its least value, "},
	} {
		s, err := Open(t.Context(), enginetest.Parse(t, c.text))
		must.OK(t, err)
		judge := func(from string, err error, limited []string) {
			if c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) ||
				c.reason == "" && err != nil {
				t.Errorf("%s, %s: %v, limited by %v", c.name, from, err, limited)
			}
			if c.limited != "" && !slices.Equal(limited, []string{c.limited}) {
				t.Errorf("%s, %s: limited by %v", c.name, from, limited)
			}
		}
		p, err := s.Point()
		must.OK(t, err)
		_, err = p.Solve(t.Context(), s.Engine.Case(c.name))
		judge("from the design", err, p.Result("").Limited)
		must.Value(p.Solve(t.Context(), s.Engine.Case("near")))(t)
		_, err = p.Solve(t.Context(), s.Engine.Case(c.name))
		judge("after another point", err, p.Result("").Limited)
	}
}

// That limits contradict each other is found at the price of another failure.
func TestContradictingLimits(t *testing.T) {
	contradicted := 0
	for n := 27000.0; n <= 31000; n += float64(enginetest.Trials(t, 2000, 500, 500)) {
		s := must.Value(Open(t.Context(),
			enginetest.Edited(t, "recuperated", "\ncases:",
				fmt.Sprintf(
					"\nlimits: [{path: turbine.rotor.Tt, max: 1490 K}, {path: gas_generator.N, max: %g rpm}]\ncases:",
					n))))(t)
		for _, name := range []string{"third", "two_thirds"} {
			r := must.Value(s.SolveCase(t.Context(), s.Model, s.Engine.Case(name)))(t)
			if strings.Contains(r.Message, "contradict") {
				contradicted++
			}
			if r.Solver.Evaluations > 5000 {
				t.Errorf("%s within %g rpm: %d evaluations, %s", name, n, r.Solver.Evaluations, r.Message)
			}
		}
	}
	if contradicted == 0 {
		t.Error("no limits contradict each other")
	}
}

// A case whose limits become active one after another has one budget for all of these rounds together: without
// convergence it costs as much as without limits, plus the last step begun.
func TestRoundsOfLimitsShareOneBudget(t *testing.T) {
	s := must.Value(Open(t.Context(), enginetest.Edited(t, "recuperated")))(t)
	for _, altitude := range []float64{8000, 12000} {
		for n := 31000.0; n <= 35000; n += float64(enginetest.Trials(t, 4000, 1000, 1000)) {
			for _, hottest := range []float64{1300, 1500} {
				fastest := 20000.0
				c := config.Case{
					Name:   "point",
					Set:    []config.Setting{{Path: "ambient.altitude", Value: config.Value{Num: altitude}}},
					Solve:  []config.Balance{{Vary: "burner.FAR", Until: "gas_generator.N", Target: n}},
					Limits: []config.Limit{{Path: "turbine.rotor.Tt", Max: &hottest}, {Path: "power.N", Max: &fastest}}}
				r, err := s.SolveCase(t.Context(), s.Model, &c)
				if err != nil || r.Converged {
					t.Fatalf("%g m, %g rpm: converged, %v", altitude, n, err)
				}
				if r.Solver.Evaluations > 3700 {
					t.Errorf("%g m, %g rpm, at most %g K: %d evaluations, %s", altitude, n, hottest,
						r.Solver.Evaluations, r.Message)
				}
			}
		}
	}
}

// The limit that binds is that of the case, and not a limit exceeded on the way to its settings.
func TestLimitBehindThatOfTheWay(t *testing.T) {
	s, err := Open(t.Context(), enginetest.Parse(t, `
engine: Recuperated turboshaft
components:
  ambient: {type: ambient, altitude: 1836 m, dTs: -15.7 K}
  inlet: {type: inlet, ram_recovery: 96.8 %}
  compressor: {type: compressor, PR: 9.28, eff: 88 %}
  recuperator: {type: heat_exchanger, effectiveness: 72.6 %, dPqP_cold: 3 %, dPqP_hot: 4 %}
  burner: {type: burner, dPqP: 4.5 %, eff: 99.5 %}
  turbine: {type: turbine, eff: 86 %}
  power_turbine: {type: turbine, eff: 77.3 %}
  nozzle: {type: nozzle}
  load: {type: load}
flow:
  - ambient -> inlet -> compressor -> recuperator.cold -> burner -> turbine -> power_turbine -> recuperator.hot -> nozzle
bleeds:
  - {name: vane, from: compressor, to: turbine, W: 8.4 %, nonchargeable: true}
shafts:
  gas_generator: {N: 34000 rpm, drives: [compressor], driven_by: [turbine]}
  power: {N: 22500 rpm, drives: [load], driven_by: [power_turbine]}
design:
  - {vary: ambient.W, until: performance.power = 3738 kW}
  - {vary: burner.FAR, until: turbine.rotor.Tt = 1610.8 K}
  - {vary: power_turbine.PR, until: nozzle.PR = 1.953}
limits: [{path: turbine.rotor.Tt, max: 1341 K}, {path: power.N, max: 22499 rpm}]
cases:
  part: {set: {ambient.altitude: 783 m, ambient.dTs: 32.3 K, load.power: 604 kW}, solve: [{vary: burner.FAR, until: power.N = 22500 rpm}]}
`))
	must.OK(t, err)
	r, err := s.SolveCase(t.Context(), s.Model, s.Engine.Case("part"))
	if err != nil || !r.Converged || !slices.Equal(r.Limited, []string{"power.N max 22499 rpm"}) {
		t.Errorf("%v, %s, limited by %v at %g rpm and %g K", err, r.Message, r.Limited, r.Shafts["power"]["N"],
			r.Stations["turbine.rotor"].Tt)
	}
}
