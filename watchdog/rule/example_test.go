package rule_test

import (
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// A user's rule on a solver's run, with what it proves.
func ExampleMonitor() {
	set, err := rule.New(rule.Shape{}, []config.Rule{{
		Name: "slow", When: "iteration >= 3 and drop(residual) < 1",
		Severity: rule.Warning, Message: "only {drop(residual)} orders after {iteration} iterations",
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := rule.NewMonitor(set)
	for i, residual := range []float64{1, 0.8, 0.5} {
		findings := m.Event(event.Event{
			Run: "run-1", Source: event.File, Kind: event.Iteration, Time: time.Unix(int64(i), 0),
			Values: map[string]float64{"iteration": float64(i + 1), "residual": residual},
			File:   "history.dat", Line: fmt.Sprint(i+1, " ", residual),
		})
		for _, f := range findings {
			fmt.Println(f.Severity, f.Rule+":", f.Message)
			for _, e := range f.Evidence {
				fmt.Println("  ", e)
			}
		}
	}
	// Output:
	// warning slow: only 0.301 orders after 3 iterations
	//    history.dat: 1 1
	//    history.dat: 2 0.8
	//    history.dat: 3 0.5
	//    drop(residual) = 0.301
	//    iteration = 3
}

// A rule on an engine's results; the shape lets a misspelt name be found before
// anything runs.
func ExampleNew() {
	shape := rule.Shape{Engine: map[string]any{
		"hpc": map[string]any{"type": "compressor", "PR": 0.0, "SMN": 0.0},
	}}
	_, err := rule.New(shape, []config.Rule{{
		Name: "surge", When: "hpc.SMM < 12", Severity: rule.Warning, Pos: document.Pos{Line: 31, Column: 5},
	}})
	fmt.Println(err)

	set, err := rule.New(shape, []config.Rule{{
		Name: "surge", When: "hpc.SMN < 12", Severity: rule.Warning, Message: "surge margin {hpc.SMN} %",
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result := map[string]any{"hpc": map[string]any{"type": "compressor", "PR": 23.0, "SMN": 9.5}}
	for _, f := range rule.NewMonitor(set).Case("takeoff", result) {
		fmt.Println(f.Case, f.Rule, f.Message)
	}
	// Output:
	// 31:5: rule surge: "hpc.SMM < 12": hpc has no SMM, did you mean SMN?; it has PR, SMN, type
	// takeoff surge surge margin 9.5 %
}
