package executive

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/throughflow"
)

// brew is an engine with as much wrong as one can have that is solved: a burner
// that releases less heat than its fuel takes up, a choked duct that cools, a
// turbine whose cooling air is hotter and more than its gas.
const brew = `
engine: brew
components:
  ambient: {type: ambient}
  inlet: {type: inlet}
  compressor: {type: compressor, PR: 13.5, eff: 83 %}
  burner: {type: burner, dPqP: 3 %, eff: 1 %, FAR: 0.01}
  duct: {type: duct, MN: 1, Q: -5 MW}
  turbine: {type: turbine, eff: 35 %, PR: 1.1}
  nozzle: {type: nozzle}
  motor: {type: motor}
flow:
  - ambient -> inlet -> compressor -> burner -> duct -> turbine -> nozzle
bleeds:
  - {name: cooling, from: compressor, to: turbine, W: 60 %}
shafts:
  spool: {N: 8070 rpm, drives: [compressor], driven_by: [turbine, motor]}
design:
  - {vary: ambient.W, until: performance.Fg = 20 kN}
`

// warned lists rules with the components that they warn of.
func warned(all []result.Warning) []string {
	var out []string
	for _, w := range all {
		out = append(out, fmt.Sprint(w.Rule, " ", w.Component))
	}
	return out
}

// Rules on results fire on solved engines with the faults that they describe, and not on the same engines corrected.
func TestRulesOnSolvedEngines(t *testing.T) {
	duct := strings.Replace(enginetest.Turbojet, "compressor -> burner -> turbine",
		"compressor -> burner -> duct -> turbine", 1)
	sound := strings.Replace(duct, "  nozzle:", "  duct: {type: duct, MN: 0.3}\n  nozzle:", 1) +
		"cases:\n  warm: {set: {ambient.dTs: 10 K}}\n"
	for _, c := range []struct{ rule, component, old, new string }{
		{"surge_margin", "compressor", "MN: 0.3}", "MN: 0.3, map_x: 1.1}"},
		{"outside_map", "compressor", "dTs: 10 K", "dTs: -60 K"},
		{"burner_does_not_heat", "burner", sound, brew},
		{"choked", "duct", sound, brew},
		{"turbine_heats", "turbine", sound, brew},
		{"cooling_flows_back", "turbine", "W: 3 %}", "W: 3 %, pressure: 50 %, work: 50 %, nonchargeable: true}"},
	} {
		fires := func(text string) bool {
			return slices.Contains(warned(runAll(t, enginetest.Parse(t, text), 1).Warnings), c.rule+" "+c.component)
		}
		if fires(sound) {
			t.Errorf("%s fires on a sound engine", c.rule)
		}
		if wrong := strings.Replace(sound, c.old, c.new, 1); wrong == sound || !fires(wrong) {
			t.Errorf("%s does not fire with %s", c.rule, c.new)
		}
	}
}

// Rules on a run's findings fire on a solver's runs: the E3's fan at 30 % of its speed with its throttle open is blown
// through, a turbine rather than a fan. At its design it is sound.
func TestRulesOnSolverRuns(t *testing.T) {
	cfg := must.Value(config.Load(enginetest.Example("e3.yaml"), components.Catalogue(), nil))(t)
	text := must.Value(os.ReadFile(cfg.Path(cfg.Zoom("fan").Geometry)))(t)
	g := must.Value(blade.Parse(text))(t)
	c := throughflow.Case{
		Geometry: g, Gas: march.Gas{Gamma: 1.4, R: 287.05},
		Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
		N:     3739, Settings: throughflow.Settings{NZ: 40, NR: 12, Levels: 2},
	}
	k := must.Value(c.DesignThrottle(643.7, 1.68, 1.18))(t)
	blown := []string{"compressor_lowers_pressure fan"} // as a turbine, whose efficiency it has
	for _, run := range []struct {
		speed, throttle float64
		want            []string
	}{{1, 1, nil}, {0.3, 0.6, blown}} {
		c := c
		c.N *= run.speed
		c.Exit.K = k * run.throttle
		s := must.Value(throughflow.New(c))(t)
		r, err := s.Run(t.Context(), nil)
		if err != nil || r.Status != march.Converged {
			t.Fatalf("%v, %+v", err, r.Message)
		}
		m := must.Value(graph.New(cfg))(t)
		j := must.Value(rules.NewJudge(m))(t)
		j.Observe(event.Event{Run: "fan-1", Component: "fan", Kind: event.Result, Source: event.Host,
			Values: map[string]float64{"PR": r.PR, "eff": r.Eff, "W_in": r.W}})
		got := warned(j.Warnings())
		slices.Sort(got)
		if !slices.Equal(got, run.want) {
			t.Errorf("at %g of the speed PR %.3f, eff %.3f: %v, want %v", run.speed, r.PR, r.Eff, got, run.want)
		}
	}
}

// A rule that lacks a value is named once for all cases, with how to get the value; a rule that cannot be judged with
// any run's values is named too.
func TestRulesThatWereNotJudgedAreNamed(t *testing.T) {
	m := must.Value(graph.New(enginetest.Parse(t, enginetest.Turbojet+`
zoom:
  compressor: {solver: throughflow, geometry: fan.yaml}
rules:
  - {name: surge, when: 'compressor.SMN < 15', message: low}
  - {name: hot, when: ['compressor.SMW < 15', 'burner.out.Tt > 1 K'], message: hot}
  - {name: drag, when: drag_count > 3, message: high}
`)))(t)
	j := must.Value(rules.NewJudge(m))(t)
	for _, name := range []string{"design", "climb", "climb"} {
		r := m.Result(name, "offdesign")
		r.Converged = true
		delete(r.Components, "compressor")
		delete(r.Components, "turbine") // which this result gives no values
		j.Result(r)
	}
	j.Observe(event.Event{Run: "a", Kind: event.Iteration, Source: event.Plugin,
		Values: map[string]float64{"iteration": 1, "drag_counts": 4}})
	j.Unoffered()
	got := ""
	for _, w := range j.Warnings() {
		got += w.Severity + " " + w.Rule + ": " + w.Message + "\n"
	}
	const want = `warning surge: the rule was not judged in design and climb: compressor.SMN has no value there, ` +
		`as its map has no stall line; ends: true, or to:, in zoom.compressor seeks one
error drag: the rule was not judged: no run reports drag_count, did you mean drag_counts?; ` +
		`if other runs do, write value("drag_count")
`
	must.Equal(t, want, got)
}
