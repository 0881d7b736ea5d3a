package rule_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// All built-in rules on one iteration of a run with a full window.
func BenchmarkEvent(b *testing.B) {
	m := rule.NewMonitor(compile(b))
	e := event.Event{Run: "r", Source: event.File, Kind: event.Iteration, Time: epoch}
	n := 0.0
	next := func() {
		n++
		e.Values = map[string]float64{"iteration": n, "residual": 1 / n, "W_in": 67, "W_out": 66, "PR": 1.6, "eff": 0.9}
		m.Event(e)
	}
	for range 2 * rule.MaxWindow {
		next()
	}
	b.ReportAllocs()
	for b.Loop() {
		next()
	}
}

// All built-in rules on the result of an engine of seven components.
func BenchmarkCase(b *testing.B) {
	set, env := compile(b), engine()
	for b.Loop() {
		rule.NewMonitor(set).Case("cruise", env)
	}
}
