package session

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// closes checks a transient's energy account: it is complete, and the parts have the signs and sizes of an engine that
// is throttled back.
func closes(t *testing.T, r *result.Result, limit float64) *result.Ledger {
	t.Helper()
	converged(t, r)
	l := r.Ledger
	t.Logf("%+v", *l)
	if !(math.Abs(l.Missing) < limit) {
		t.Errorf("of %.6g J of fuel %.3g are missing", l.Fuel, l.Missing)
	}
	if !(l.Fuel > 0 && l.Kinetic > 0 && l.Heat > l.Kinetic && l.Kinetic+l.Heat < 1.2*l.Fuel && l.Rotors < 0) {
		t.Errorf("%+v", *l)
	}
	return l
}

// storing is a enginetest.Turbojet with everything that stores: volumes, metal, and a shaft that loses
// power.
func storing(t *testing.T) *config.Engine {
	t.Helper()
	text := strings.Replace(soaking(), "type: turbine, ", "type: turbine, MN: 0.4, ", 1)
	text = strings.Replace(text, "compressor -> burner -> turbine -> nozzle",
		"compressor -> cold -> burner -> turbine -> jetpipe -> nozzle", 1)
	text = strings.Replace(text, "flow: [",
		"  cold: {type: volume, volume: 0.2 m3}\n  jetpipe: {type: volume, volume: 0.5 m3}\nflow: [", 1)
	text = strings.Replace(text, "inertia: 60 kg m2", "inertia: 60 kg m2, loss: 1 %, offtake: 40 kW", 1)
	return enginetest.Parse(t,
		strings.Replace(text, "W: 3 %}", "W: 3 %}\n  - {name: cabin, from: compressor, W: 1 %, work: 50 %}", 1))
}

// The account of the energy closes with everything that stores, by every integrator.
func TestLedger(t *testing.T) {
	cfg := storing(t)
	for _, method := range methods(t) {
		t.Run(method, func(t *testing.T) {
			r := move(t, cfg,
				config.Case{
					Transient: &config.Transient{Duration: 1, RTol: 1e-6, ATol: 1e-3, Integrator: method,
						Schedules: []config.Schedule{enginetest.Fuel(0, 0.7)}},
				})
			l := closes(t, r, 1e-6)
			if !(l.Volumes < 0 && l.Metal < 0 && l.Losses > 0) || math.Abs(l.Shaft/40e3-1) > 1e-9 {
				t.Errorf("%+v", *l)
			}
		})
	}
}

// A flame that is out for a while burns no fuel then.
func TestLedgerWithoutFlame(t *testing.T) {
	dark := config.Schedule{Quantity: config.Quantity{Path: "burner.lit"}, T: []float64{0, 0.2, 0.2, 0.5, 0.5},
		Values: []float64{1, 1, 0, 0, 1}}
	r := move(t, storing(t),
		config.Case{Transient: &config.Transient{Duration: 1, RTol: 1e-7, ATol: 1e-4, Integrator: config.Integrators[0],
			Schedules: []config.Schedule{
				{Quantity: config.Quantity{Path: "burner.FAR"}, T: []float64{0}, Values: []float64{0.02}}, dark,
			}}})
	closes(t, r, 1e-6)
}

// The account closes in every example engine: with loads, gearboxes, generators, motors,
// propellers, heat exchangers and afterburners.
func TestLedgerOfEveryEngine(t *testing.T) {
	for _, file := range enginetest.SomeExamples(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			cfg := enginetest.Moving(t, file)
			for i := range cfg.Shafts {
				cfg.Shafts[i].Values["loss"] = config.Value{Num: 0.01, Set: true}
			}
			at := cfg.Component("ambient").Values.Num("dTs")
			warms := config.Schedule{Quantity: config.Quantity{Path: "ambient.dTs"}, T: []float64{0, 1},
				Values: []float64{at, at + 5}}
			r := move(t, cfg,
				config.Case{
					Transient: &config.Transient{Duration: 1.5, RTol: 1e-7, ATol: 1e-4,
						Integrator: config.Integrators[0], Schedules: []config.Schedule{warms}},
				})
			if !r.Converged || r.Ledger == nil {
				t.Fatal(r.Message)
			}
			t.Log(r.Ledger)
			if l := r.Ledger; !(math.Abs(l.Missing) < 1e-6) || !(l.Losses > 0) {
				t.Errorf("%+v", *l)
			}
		})
	}
}
