package rule_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// turbojet is the shape of a small engine's result.
func turbojet() map[string]any {
	state := func() map[string]any { return map[string]any{"W": 0.0, "Pt": 0.0, "Tt": 0.0, "MN": 0.0} }
	return map[string]any{
		"compressor": map[string]any{"type": "compressor", "PR": 0.0, "eff": 0.0, "SMN": 0.0, "in": state(),
			"out": state(),
			"map": map[string]any{"Nc": 0.0, "extrapolated": false}},
		"burner":      map[string]any{"type": "burner", "Wf": 0.0, "in": state(), "out": state()},
		"turbine":     map[string]any{"type": "turbine", "PR": 0.0, "eff": 0.0, "in": state(), "out": state()},
		"nozzle":      map[string]any{"type": "nozzle", "choked": 0.0, "in": state()},
		"performance": map[string]float64{"Fn": 0, "TSFC": 0},
	}
}

func compile(t testing.TB, user ...config.Rule) *rule.Set {
	t.Helper()
	for i := range user {
		if user[i].BuiltIn() {
			user[i].Pos = document.Pos{Line: i + 1, Column: 1}
		}
		if user[i].Severity == "" {
			user[i].Severity = rule.Warning
		}
	}
	return must.Value(rule.New(rule.Shape{Engine: turbojet(), Values: []string{"cfl"}}, user))(t)
}

// A user's rule stands behind the built-in ones, or in the place of its namesake.
func TestUserRules(t *testing.T) {
	names := compile(t,
		config.Rule{Name: "hung", When: "silent > 5"},
		config.Rule{Name: "mine", When: "compressor.SMN < 12"},
	).Names()
	if len(names) != 18 || names[5] != "hung" || names[17] != "mine" {
		t.Error(names)
	}
}

func TestBadRules(t *testing.T) {
	for _, c := range []struct{ when, message, want string }{
		{
			"compresor.SMN < 12", "",
			"there is no compresor, did you mean compressor?; the engine has burner, compressor, nozzle, " +
				"performance, turbine",
		},
		{
			"compressor.SMX < 12", "",
			"compressor has no SMX, did you mean SMN?; it has PR, SMN, eff, in, map, out, type",
		},
		{"compressor.in.Tx < 12", "", "compressor.in has no Tx, did you mean Tt?; it has MN, Pt, Tt, W"},
		{"component.SMX < 12", "", "component has no SMX, did you mean SMN?; it has"},
		{"iteraton > 3", "", "there is no iteraton, did you mean iteration?; a run has"},
		{"iteratons > 3", "", "there is no iteratons, did you mean iterations?; a run has"},
		{"residul < 1", "", "there is no residul, did you mean residual?; a run has"},
		{"drop(residul) < 1", "", "there is no residul, did you mean residual?; a run has"},
		{`drop("residul") < 1`, "", "there is no residul, did you mean residual?; a run has"},
		{
			"compressor.SMN < 12 and iteration > 10", "",
			"it names values of a case and, by iteration, of a run; use one in a condition",
		},
		{
			"component.SMN < 12 and compressor.SMN > 10", "",
			"it names values of a component and, by compressor, of a case",
		},
		{"compressor.SMN", "", "expected bool, but got float64"},
		{`compressor.SMN < "12"`, "", "the sides of < do not match: a number and a text, at column 16"},
		{"compressor.type > 3", "", "the sides of > do not match: a text and a number"},
		{"iteration >", "", "unexpected token EOF"},
		{"steady(W_in, 50)", "", "not enough arguments to call steady"},
		{"trend(residual, 1e9) > 0", "", "a window of 1e+09 iterations; at most 16777216 are remembered"},
		{"trend(residual, 1000*1000*100) > 0", "", "a window of 100000000 iterations; at most"},
		{"trend(residual, 2) > 0", "", "a window of 2 iterations; it takes at least 3 to say anything"},
		{"trend(residual, iteration) > 0", "", "its window is not a constant number of iterations"},
		{"drop(\"resi\" + \"dual\") > 0", "", "its argument 1 is the name of a value"},
		{"fired(status)", "", "put the name of the rule in quotes"},
		{"Residual < 1", "", "there is no Residual, did you mean residual?"},
		{"iter > 5", "", "there is no iter, did you mean iteration?"},
		{`fired("convergd")`, "", "there is no rule convergd, did you mean converged?; there are"},
		{"wobbel(residual, 5) > 0", "", "there is no wobbel"},
		{`ended and status != "convergd"`, "", `status is never "convergd", did you mean converged?`},
		{`"oscilating" == state`, "", `state is never "oscilating", did you mean oscillating?`},
		{"iteration > 5", "at {iteration", "a { without }"},
		{"iteration > 5", "at iteration}", "a } without {"},
		{"iteration > 5", "at {iterat}", "there is no iterat"},
		{"iteration > 5", "at {compressor.PR}", "there is no compressor"},
	} {
		u := config.Rule{Name: "mine", When: c.when, Message: c.message, Severity: rule.Warning,
			Pos: document.Pos{Line: 7, Column: 5}}
		_, err := rule.New(rule.Shape{Engine: turbojet()}, []config.Rule{u})
		var fault *language.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s %s: got %v", c.when, c.message, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), "7:5: rule mine: ") || !strings.Contains(fault.Reason, c.want) {
			t.Errorf("%s %s:\n got %v\nwant %s", c.when, c.message, err, c.want)
		}
	}
}

// Without an engine a rule on results names the place where it belongs.
func TestRuleOnResultsWithoutEngine(t *testing.T) {
	_, err := rule.New(rule.Shape{}, []config.Rule{{Name: "surge", When: "fan.SMN < 10", Severity: rule.Warning}})
	must.Fail(t, err, "there is no engine here, so no fan: a rule on results belongs into the engine file")
}

// All faults come at once.
func TestAllFaults(t *testing.T) {
	_, err := rule.New(rule.Shape{}, []config.Rule{
		{Name: "a", When: "residul > 1", Severity: rule.Warning},
		{Name: "b", When: "iteration > 1", Severity: "fatal"},
		{Name: "c", When: "iteration > 1", Severity: rule.Warning, Action: "explode"},
	})
	for _, want := range []string{
		"rule a", "a severity is info, warning or error",
		"an action is stop, unusable, pause, resume, checkpoint, urgent, {set:",
	} {
		must.Fail(t, err, want)
	}
}

// A rule of the user's that may end a run for its history keeps runs from going on from a checkpoint.
func TestEndsRuns(t *testing.T) {
	at := document.Pos{Line: 1, Column: 1}
	for _, c := range []struct {
		rule config.Rule
		want bool
	}{
		{config.Rule{Name: "a", When: "drop(residual) < 2", Pos: at}, false},
		{config.Rule{Name: "a", When: "drop(residual) < 2", Action: rule.Stop, Act: true, Pos: at}, true},
		{config.Rule{Name: "a", When: "drop(residual) < 2", Action: rule.Stop, Pos: at}, false}, // it is only noted
		{config.Rule{Name: "a", When: "drop(residual) < 2", Severity: rule.Severe, Pos: at}, true},
		{
			config.Rule{Name: "a", When: "compressor.SMN < 5", Severity: rule.Severe, Action: rule.Stop, Act: true,
				Pos: at}, false,
		},
	} {
		if got := compile(t, c.rule).EndsRuns(); got != c.want {
			t.Errorf("%+v: %t", c.rule, got)
		}
	}
	if compile(t).EndsRuns() {
		t.Error("the built-in rules")
	}
}

// Each rule is true, false, or lacks a value, and says why.
func TestExplain(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "holds", When: "x > 1 and iteration > 1"},
		config.Rule{Name: "fails", When: "x > 1 and iteration > 5"},
		config.Rule{Name: "lacks", When: "y > 1 and iteration > 5"},
		config.Rule{Name: "one", When: "y > 1", Or: []string{"rise(x) > 0.5"}},
		config.Rule{Name: "off", When: "false"},
		config.Rule{Name: "case", When: "compressor.SMN < 5"},
		config.Rule{Name: "held", When: "x > 1", Hold: 3},
	)
	m, _ := feed(t, set, append(iterations(1, 2, 4), result(map[string]float64{"PR": 0.9}))...)
	got := map[string]string{}
	for _, e := range m.Explain("r") {
		got[e.Rule] = e.State + ": " + e.Reason
	}
	for name, want := range map[string]string{
		"holds":                      "true: x > 1 is true: x = 4, iteration > 1 is true: iteration = 3",
		"fails":                      "false: iteration > 5 is false: iteration = 3",
		"lacks":                      "missing: y is missing",
		"one":                        "true: rise(x) > 0.5 is true: rise(x) = 0.6021",
		"off":                        "false: it is switched off",
		"case":                       "missing: compressor.SMN is missing",
		"held":                       "true: x > 1 is true: x = 4 (3 times in a row, of 3)",
		"compressor_lowers_pressure": `true: component.type in ["compressor", "fan"] is true: component.type = fan, component.PR < 1 is true: component.PR = 0.9`,
	} {
		if got[name] != want {
			t.Errorf("%s: %s; want %s", name, got[name], want)
		}
	}
	if e := m.Explain("unknown"); e != nil {
		t.Error(e)
	}
	for _, e := range m.Explain("r") {
		if e.Rule == "holds" && (e.Fired != 1 || *e.Iteration != 2) {
			t.Errorf("%+v", e)
		}
	}
}

func TestList(t *testing.T) {
	list := compile(t, config.Rule{Name: "mine", When: "iteration  > 5", Pos: document.Pos{Line: 1, Column: 1},
		Action: rule.Change, Set: map[string]float64{"CFL": 5}, Message: "five"}).List()
	var mine rule.Listed
	for _, l := range list {
		if l.Builtin && l.Source == "" {
			t.Errorf("%s: nothing says why its thresholds are what they are", l.Name)
		}
		if l.Name == "mine" {
			mine = l
		}
	}
	want := rule.Listed{Name: "mine", Judges: "a run", When: []string{"iteration > 5"}, Hold: 1, Severity: "warning",
		Message: "five", Action: "set CFL = 5"}
	must.Equal(t, want, mine)
}
