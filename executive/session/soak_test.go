package session

import (
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Metal in a steady stream approaches the gas's temperature exponentially, in the time m c/(W cp (1 - exp(-hA/(W
// cp)))). The energy that it gains is lost by the gas.
func TestSoakingMetal(t *testing.T) {
	lhv := 42.8e6
	fuel := must.Value(gas.NewFuel("Jet-A", "", &lhv, nil))(t)
	const w, cold, hot, mass, c, hA, end = 5.0, 600.0, 1100.0, 12.0, 480.0, 3000.0, 1.5
	comp, decl, err := components.New(&config.Component{Name: "burner", Type: components.Catalogue().Type("burner"),
		Values: config.Values{"eff": {Num: 1}, "FAR": {Num: 0}, "soak_mass": {Num: mass}, "soak_c": {Num: c},
			"soak_hA": {Num: hA}, "soak_exponent": {Num: 0.8}}})
	must.OK(t, err)
	x := components.Context{Gas: gas.NewFrozen(fuel, gas.Standard), Mode: components.Design}
	in := flow.Station{W: w}
	*decl.Inlets[0].At = &in
	at := func(tt float64) {
		must.OK(t, in.SetTP(x.Gas, tt, 1e6))
		must.OK(t, comp.Eval(&x))
	}
	at(cold) // the design, at rest
	x.Mode, x.Stores = components.OffDesign, true
	at(hot)
	out := decl.Outlets[0].At
	gained := 0.0
	states := append(decl.States, components.State{Name: "heat", At: &gained, Rate: new(float64), Typical: new(1e6)})
	lost := states[1].Rate
	drift(t, states, end, func() error {
		err := comp.Eval(&x)
		*lost = w * (in.H - out.H)
		return err
	})
	tau := mass * c / (w * in.Cp * -math.Expm1(-hA/(w*in.Cp)))
	got, want := *decl.States[0].At, hot+(cold-hot)*math.Exp(-end/tau)
	must.Within(t, "temperature of metal", got, want, 1e-7)
	if stored := mass * c * (got - cold); math.Abs(gained/stored-1) > 1e-9 {
		t.Errorf("the gas lost %.10g J, the metal gained %.10g J", gained, stored)
	}
}

// soaking is the turbojet of these tests with metal in compressor, burner and turbine.
func soaking() string {
	const metal = ", soak_mass: 60 kg, soak_c: 500 J/(kg K), soak_hA: 4 kW/K}"
	text := enginetest.Volumes()
	for _, end := range []string{"eff: 0.83}", "dPqP: 3 %}", "eff: 0.86}"} {
		text = strings.Replace(text, end, strings.TrimSuffix(end, "}")+metal, 1)
	}
	return text
}

// Metal changes no steady point. It slows an acceleration, which ends at the same operating
// point.
func TestSoakInAnEngine(t *testing.T) {
	without := performsAlike(t, enginetest.Parse(t, enginetest.Volumes()), enginetest.Parse(t, soaking()), 0)
	if without.Cases[0].Components["turbine"].Has("T_metal") {
		t.Error("a turbine without metal reports a metal temperature")
	}
	slam := func(text string) *result.Result {
		r := move(t, enginetest.Parse(t, text),
			config.Case{Transient: &config.Transient{Duration: 300, RTol: 1e-9, Integrator: "rosenbrock", Every: 1,
				Schedules: []config.Schedule{enginetest.Fuel(0, 0.9, 20, 0.9, 20.5, 0.7)},
				Save:      []config.Quantity{{Path: "performance.Fn"}}}})
		converged(t, r)
		return r
	}
	dry, wet := slam(enginetest.Volumes()), slam(soaking())
	low := without.Cases[1]
	for _, r := range []*result.Result{dry, wet} {
		near(t, "N at the end", r.Shafts["spool"]["N"], low.Shafts["spool"]["N"], 1e-8)
	}
	// Throttled back, the metal gives heat to the gas, and the shaft slows down later.
	i := len(dry.History.T) - 270
	a, b := dry.History.Column("shafts.spool.N")[i], wet.History.Column("shafts.spool.N")[i]
	if at := dry.History.T[i]; at != wet.History.T[i] || at < 25 || at > 35 || b-a < 1 {
		t.Errorf("at %g s N is %.6g rpm, with metal %.6g rpm", at, a, b)
	}
}

// An incomplete description of metal is an error with its place.
func TestSoakInPart(t *testing.T) {
	cfg := enginetest.Parse(t, strings.Replace(soaking(), ", soak_c: 500 J/(kg K)", "", 1))
	must.Refuse(graph.New(cfg))(t,
		"test.yaml:5:3: compressor: metal that soaks heat needs soak_mass, soak_c and soak_hA above 0: they are 60 "+
			"kg, 0 J/(kg K) and 4000 W/K")
}
