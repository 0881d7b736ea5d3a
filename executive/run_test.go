package executive

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
)

func runAll(t testing.TB, cfg *config.Engine, workers int) *result.Results {
	t.Helper()
	return must.Value(Run(context.Background(), cfg, session.CaseNames(cfg), Options{Workers: workers}))(t)
}

// The design point solved off design is the design point.
func TestOffDesignAtDesign(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Turbojet+`
cases:
  again: {solve: [{vary: burner.FAR, until: burner.out.Tt = 2370 degR}]}
  away: {set: {ambient.mach: 0.4}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1200 K}]}
  back: {from: away, set: {ambient.mach: 0}, solve: [{vary: burner.FAR, until: burner.out.Tt = 2370 degR}]}
`)
	r := runAll(t, cfg, 1)
	design := r.Cases[0]
	for _, c := range []*result.Result{r.Cases[1], r.Cases[3]} {
		for name, s := range design.Stations {
			for what, pair := range map[string][2]float64{"W": {s.W, c.Stations[name].W},
				"Pt": {s.Pt, c.Stations[name].Pt}, "Tt": {s.Tt, c.Stations[name].Tt},
				"MN": {s.MN, c.Stations[name].MN}} {
				must.Near(t, c.Name+": "+what+" of "+name, pair[1], pair[0], 1e-8)
			}
		}
	}
}

// Neither the number of workers nor which cases are asked for changes an answer.
func TestResultsDoNotDependOnCompany(t *testing.T) {
	text := enginetest.Turbojet + `
cases:
  a: {solve: [{vary: burner.FAR, until: performance.Fn = 40 kN}]}
  b: {set: {ambient.mach: 0.8, ambient.altitude: 10 km}, solve: [{vary: burner.FAR, until: burner.out.Tt = 1300 K}]}
  c: {from: b, set: {ambient.dTs: 15 K}}
`
	cfg := enginetest.Parse(t, text)
	all := runAll(t, cfg, 1)
	must.Equal(t, asJSON(t, all), asJSON(t, runAll(t, cfg, 4)))
	alone := must.Value(Run(context.Background(), cfg, []string{"c"}, Options{}))(t)
	must.Equal(t, asJSON(t, all.Cases[3]), asJSON(t, alone.Cases[0]))
}

// A case without solve has that of the case it is from; an empty one has none.
func TestSolveIsInheritedUnlessGiven(t *testing.T) {
	r := runAll(t, enginetest.Parse(t, enginetest.Turbojet+`
cases:
  part: {solve: [{vary: burner.FAR, until: performance.Fn = 40 kN}]}
  same: {from: part, set: {ambient.dTs: 5 K}}
  given: {from: part, set: {burner.FAR: 0.012}, solve: []}
`), 1)
	must.Near(t, "thrust that is inherited", r.Cases[2].Performance.Fn, 40e3, 1e-9)
	if v := r.Cases[3].Components["burner"].Value("FAR"); v != 0.012 || !r.Cases[3].Converged {
		t.Errorf("given: FAR %v, %s", v, r.Cases[3].Message)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data := must.Value(json.MarshalIndent(v, "", " "))(t) // fails on values that are not finite
	return string(data)
}

// Every component's rules fire on an engine that deserves it, and stay silent on an engine that does not.
func TestRulesOnCases(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Turbojet+`
rules:
  - {name: hot, when: burner.out.Tt > 1300, severity: warning, message: "T4 is {burner.out.Tt} K"}
  - {name: cold, when: burner.out.Tt < 1300, severity: warning, message: cold}
  - {name: seen, when: compressor.in.Wc > 1, severity: warning, message: "corrected flow {compressor.in.Wc}"}
`)
	var fired []string
	for _, w := range runAll(t, cfg, 1).Warnings {
		said, _, _ := strings.Cut(w.Message, ".")
		fired = append(fired, w.Rule+": "+said)
	}
	must.Equal(t, []string{"hot: T4 is 1317 K", "seen: corrected flow 69"}, fired)
}

// A transient that left a map on its way is warned of, with the times.
func TestOutsideMapIsWarnedOf(t *testing.T) {
	m := must.Value(graph.New(enginetest.Parse(t, enginetest.Turbojet)))(t)
	judge := must.Value(rules.NewJudge(m))(t)
	judge.Result(&result.Result{
		Name: "dash", Converged: true,
		Outside: map[string]*result.Outside{"compressor": {From: 1, To: 2.5, Bounds: "X above"}},
	})
	w := judge.Warnings()
	if len(w) != 1 || w[0].Rule != "outside_map" || w[0].Component != "compressor" ||
		!strings.Contains(w[0].Message, "from 1 s to 2.5 s") {
		t.Errorf("%+v", w)
	}
}

// Every quantity of a station can be limited, ruled on and collected.
func TestEveryStationQuantityHasItsPlaces(t *testing.T) {
	var limits, rules, collect []string
	for _, f := range flow.Fields {
		limits = append(limits, fmt.Sprintf("{path: compressor.in.%[1]s, max: 1e9}, {path: inlet.out.%[1]s, max: 1e9}",
			f.Name))
		rules = append(rules,
			fmt.Sprintf(`{name: %[1]s, when: compressor.out.%[1]s > -1e9, message: "{compressor.out.%[1]s}"}`,
				f.Name))
		collect = append(collect, "inlet.out."+f.Name)
	}
	if err := Check(enginetest.Parse(t, enginetest.Turbojet+fmt.Sprintf(`
limits: [%s]
rules: [%s]
sweeps: {x: {over: {ambient.mach: [0.1]}, collect: [%s], solve: [{vary: burner.FAR, until: performance.Fn = 20 kN}]}}
`, strings.Join(limits, ", "), strings.Join(rules, ", "), strings.Join(collect, ", ")))); err != nil {
		t.Error(err)
	}
}

// Results read back from their JSON as they were.
func TestResultsRoundTrip(t *testing.T) {
	r := runAll(t, enginetest.E3(t), 1)
	data := must.Value(json.Marshal(r))(t)
	var back result.Results
	must.OK(t, json.Unmarshal(data, &back))
	rewritten := must.Value(json.Marshal(&back))(t)
	must.Equal(t, string(data), string(rewritten))
}

// A misspelt output is a mistake that shows, not a zero.
func TestMisspeltOutputPanics(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "Wcc") {
			t.Errorf("recovered %v", r)
		}
	}()
	runAll(t, enginetest.Parse(t, enginetest.Turbojet), 1).Cases[0].Components["compressor"].Value("Wcc")
}
