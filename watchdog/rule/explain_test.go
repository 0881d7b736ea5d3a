package rule_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

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
	list := compile(t, config.Rule{Name: "mine", When: "iteration  > 5", Pos: document.Pos{Line: 1, Column: 1}, Action: rule.Change, Set: map[string]float64{"CFL": 5}, Message: "five"}).List()
	var mine rule.Listed
	for _, l := range list {
		if l.Builtin && l.Source == "" {
			t.Errorf("%s: nothing says why its thresholds are what they are", l.Name)
		}
		if l.Name == "mine" {
			mine = l
		}
	}
	want := rule.Listed{Name: "mine", Judges: "a run", When: []string{"iteration > 5"}, Hold: 1, Severity: "warning", Message: "five", Action: "set CFL = 5"}
	must.Equal(t, want, mine)
}
