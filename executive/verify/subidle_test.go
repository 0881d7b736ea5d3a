package verify

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// lowEngine is an engine with points far below its maps' lowest speed lines, down to
// windmilling with no fuel.
type lowEngine struct {
	name        string
	cfg         *config.Engine
	lp, hp      string // shafts
	compressors []string
	turbines    []string
}

// The E3's windmilling branch is reached over speeds that only a starter would hold, since the
// fuel-air ratio has a least value on the way, where the core is just self-sustaining.
const lowE3 = `
  ground_idle: {set: {ambient.altitude: 0 m, ambient.mach: 0, ambient.dTs: 0 K}, solve: [{vary: burner.FAR, until: performance.Fn = 10 kN}]}
  flight_idle: {set: {ambient.altitude: 11 km, ambient.mach: 0.8, ambient.dTs: 0 K}, solve: [{vary: burner.FAR, until: performance.Fn = 1.5 kN}]}
  n2_60: {from: flight_idle, solve: [{vary: burner.FAR, until: hp.N = 7600 rpm}]}
  n2_40: {from: n2_60, solve: [{vary: burner.FAR, until: hp.N = 5000 rpm}]}
  n2_20: {from: n2_40, solve: [{vary: burner.FAR, until: hp.N = 2500 rpm}]}
  n2_13: {from: n2_20, solve: [{vary: burner.FAR, until: hp.N = 1600 rpm}]}
  windmill: {from: n2_13, set: {burner.FAR: 0}, solve: []}
`

// The HBTF windmills without the 250 hp that its design takes from the core.
const lowHBTF = `
cases:
  ground_idle: {set: {fc.altitude: 0 m, fc.mach: 0}, solve: [{vary: burner.FAR, until: performance.Fn = 6.5 kN}]}
  flight_idle: {set: {fc.altitude: 11 km, fc.mach: 0.8}, solve: [{vary: burner.FAR, until: performance.Fn = 1.2 kN}]}
  sub_idle: {set: {fc.altitude: 11 km, fc.mach: 0.8, hp.offtake: 0 W, burner.FAR: 0.004}}
  windmill: {set: {fc.altitude: 11 km, fc.mach: 0.8, hp.offtake: 0 W, burner.FAR: 0}}
`

func lowEngines(t testing.TB) []lowEngine {
	t.Helper()
	return []lowEngine{
		{"E3", enginetest.E3(t, "\ncases:\n", "\ncases:"+lowE3), "lp", "hp", []string{"fan", "booster", "hpc"},
			[]string{"hpt", "lpt"}},
		{"HBTF", enginetest.Parse(t, hbtfText(t, lowHBTF)), "lp", "hp", []string{"fan", "lpc", "hpc"},
			[]string{"hpt", "lpt"}},
	}
}

// Idle on the ground and in flight, and windmilling, are reached by the solver like any other point, and are possible:
// no component destroys entropy, shafts balance, and windmilling components are reported.
func TestSubIdle(t *testing.T) {
	testenv.Long(t, "sub-idle points of two engines")
	var b strings.Builder
	b.WriteString("| engine | point | Fn, kN | fuel, g/s | N1, % | N2, % | BPR | Tt4, K | fan PR | HPC PR | HPT PR | " +
		"LPT PR | fan, kW | HPC, kW |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range lowEngines(t) {
		s := must.Value(session.Open(t.Context(), e.cfg))(t)
		names := session.CaseNames(e.cfg)
		results := must.Value(s.Solve(context.Background(), names, 2))(t)
		design := results[0]
		for _, r := range results[1:] {
			if slices.Contains([]string{"max_cruise", "takeoff"}, r.Name) {
				continue
			}
			if !r.Converged {
				t.Errorf("%s, %s: %s", e.name, r.Name, r.Message)
				continue
			}
			e.possible(t, r)
			n1, n2 := 100*r.Shafts[e.lp]["N"]/design.Shafts[e.lp]["N"], 100*r.Shafts[e.hp]["N"]/design.Shafts[e.hp]["N"]
			if r.Name == "windmill" {
				e.windmills(t, r, n1, n2)
			}
			v := func(part, of string) float64 { return r.Components[part].Value(of) }
			fmt.Fprintf(&b,
				"| %s | %s | %.3g | %.3g | %.1f | %.1f | %.3g | %.0f | %.3f | %.3f | %.3f | %.3f | %.4g | %.3g |\n",
				e.name, r.Name, r.Performance.Fn/1e3, 1e3*v("burner", "Wf"), n1, n2,
				r.Performance.BPR, r.Stations["burner.out"].Tt, v("fan", "PR"), v("hpc", "PR"), v("hpt", "PR"),
				v("lpt", "PR"), v("fan", "power")/1e3, v("hpc", "power")/1e3)
		}
	}
	t.Log("\n" + b.String())
	const page = "../../cmd/peregrine/help/verification/subidle.md"
	must.Contain(t, string(must.Value(os.ReadFile(page))(t)), b.String())
}

// windmills checks an engine without fuel at Mach 0.8.
func (e lowEngine) windmills(t *testing.T, r *result.Result, n1, n2 float64) {
	t.Helper()
	c := r.Components
	if c["burner"].Value("Wf") != 0 || c["burner"].Value("burning") != 0 {
		t.Errorf("%s: fuel %g kg/s, burning %g", e.name, c["burner"].Value("Wf"), c["burner"].Value("burning"))
	}
	if c["fan"].Value("windmilling") != 1 || c["fan"].Value("power") >= 0 || c["fan"].Value("PR") >= 1 {
		t.Errorf("%s: the fan does not windmill: %+v", e.name, c["fan"].Outputs)
	}
	if v, ok := c["fan"].Outputs["eff"]; ok && !math.IsNaN(v) {
		t.Errorf("%s: a windmilling fan has the efficiency %g", e.name, v)
	}
	// Walsh and Fletcher, Gas Turbine Performance, 2nd ed., chapter 10: at Mach 0.8 the fan of a turbofan turns at
	// about a third of its speed.
	if n1 < 20 || n1 > 45 || n2 < 5 || n2 > 50 {
		t.Errorf("%s windmills at %g and %g %%", e.name, n1, n2)
	}
	if r.Performance.Fn >= 0 || -r.Performance.Fn > 0.3*r.Performance.Fram {
		t.Errorf("%s: net thrust %g N, ram drag %g N", e.name, r.Performance.Fn, r.Performance.Fram)
	}
}

// possible fails the test if a component of a result destroys entropy, or a shaft does not
// balance.
func (e lowEngine) possible(t *testing.T, r *result.Result) {
	t.Helper()
	lhv := 42.8e6
	fuel := must.Value(gas.NewFuel("Jet-A", "", &lhv, nil))(t)
	g := gas.NewEquilibrium(fuel, gas.Standard)
	entropy := func(station string) (w, s float64) {
		at, ok := r.Stations[station]
		if !ok {
			t.Fatalf("no station %s", station)
		}
		st := must.Value(g.TP(gas.Composition{FAR: at.FAR, WAR: at.WAR}, at.Tt, at.Pt))(t)
		return at.W, st.S
	}
	for _, name := range e.compressors {
		_, in := entropy(r.Inlets[name+".in"])
		for _, port := range []string{"out", "core", "bypass"} {
			if _, ok := r.Stations[name+"."+port]; !ok {
				continue
			}
			if _, out := entropy(name + "." + port); out < in-1e-6 {
				t.Errorf("%s, %s: %s destroys %g J/(kg K)", e.name, r.Name, name, in-out)
			}
		}
		c := r.Components[name]
		if (c.Value("power") < 0) != (c.Value("windmilling") == 1) ||
			c.Value("windmilling") == 1 && c.Value("PR") >= 1 {
			t.Errorf("%s, %s: %s gives %g W at PR %g, windmilling %g", e.name, r.Name, name, -c.Value("power"),
				c.Value("PR"), c.Value("windmilling"))
		}
	}
	for _, name := range e.turbines {
		w, s := entropy(name + ".out")
		made := w * s
		w, s = entropy(r.Inlets[name+".in"])
		made -= w * s
		for _, bleed := range e.cfg.Bleeds {
			if bleed.To == name {
				w, s := entropy(bleed.Name)
				made -= w * s
			}
		}
		if made < -1e-6*w {
			t.Errorf("%s, %s: %s destroys %g W/K", e.name, r.Name, name, -made)
		}
		if c := r.Components[name]; c.Value("PR") < 1 || (c.Value("power") < 0) != (c.Value("driven") == 1) {
			t.Errorf("%s, %s: %s gives %g W at PR %g, driven %g", e.name, r.Name, name, c.Value("power"),
				c.Value("PR"), c.Value("driven"))
		}
	}
}

// From flight idle the fuel falls all the way to windmilling without a jump.
func TestFromIdleToWindmill(t *testing.T) {
	balance := func(until string, target float64) []config.Balance {
		return []config.Balance{{Vary: "burner.FAR", Until: until, Target: target}}
	}
	for i, e := range lowEngines(t) {
		s := must.Value(session.Open(t.Context(), e.cfg))(t)
		p := must.Value(s.Point())(t)
		ambient := e.cfg.Components[0].Name
		set := append(inFlight(ambient, 11000, 0.8, 0)[:2], config.Setting{Path: "hp.offtake"})
		var steps []config.Case
		if i == 0 {
			for n := 10500.0; n >= 1500; n -= 250 {
				steps = append(steps, config.Case{Set: set, Solve: balance("hp.N", n)})
			}
		} else {
			for far := 0.0095; far > 0.0004; far -= 0.0005 {
				steps = append(steps,
					config.Case{
						Set: append(slices.Clone(set),
							config.Setting{Path: "burner.FAR", Value: config.Value{Num: far}}),
					})
			}
		}
		steps = append(steps, config.Case{Set: append(slices.Clone(set), config.Setting{Path: "burner.FAR"})})
		var last *result.Result
		for k := range steps {
			if _, err := p.Solve(context.Background(), &steps[k]); err != nil {
				t.Fatalf("%s, step %d: %v", e.name, k, err)
			}
			r := p.Result("")
			e.possible(t, r)
			if last != nil {
				was, is := last.Components["burner"].Value("Wf"), r.Components["burner"].Value("Wf")
				if is >= was {
					t.Errorf("%s, step %d: the fuel goes from %g to %g kg/s", e.name, k, was, is)
				}
				for _, shaft := range []string{e.lp, e.hp} {
					if from, to := last.Shafts[shaft]["N"], r.Shafts[shaft]["N"]; math.Abs(to-from) > 0.16*from {
						t.Errorf("%s, step %d: %s goes from %g to %g rpm", e.name, k, shaft, from, to)
					}
				}
			}
			last = r
		}
	}
}
