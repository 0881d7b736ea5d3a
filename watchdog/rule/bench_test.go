package rule_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// long feeds a run of the given rules, event by event.
func long(b testing.TB, user ...config.Rule) (m *rule.Monitor, next func()) {
	m = rule.NewMonitor(compile(b, user...))
	e := event.Event{Run: "r", Source: event.File, File: "history.dat", Kind: event.Iteration, Time: epoch}
	e.Values = map[string]float64{}
	n := 0.0
	return m, func() {
		n++
		e.Values["iteration"], e.Values["residual"], e.Values["W_in"] = n, 1/n, 67
		e.Values["W_out"], e.Values["PR"], e.Values["eff"] = 66, 1.6, 0.9
		m.Event(e)
	}
}

// All built-in rules on one iteration of a run with a full window.
func BenchmarkEvent(b *testing.B) {
	_, next := long(b)
	for range 4000 {
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
	b.ReportAllocs()
	for b.Loop() {
		rule.NewMonitor(set).Case("cruise", env)
	}
}

// memory is what a run takes after so many iterations, in bytes.
func memory(b testing.TB, iterations int, user ...config.Rule) float64 {
	var before, after runtime.MemStats
	m, next := long(b, user...)
	next()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range iterations {
		next()
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	return float64(after.HeapAlloc) - float64(before.HeapAlloc)
}

// window asks for 100,000 samples more of values.
func window(when string) config.Rule { return config.Rule{Name: "mine", When: when} }

// The memory of a run that is watched for a million iterations, and what a user's window adds for each of its samples.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct {
		name string
		user []config.Rule
	}{
		{"built-in rules", nil},
		{"trend over 100000", []config.Rule{window("iteration < 0 and trend(residual, 100*1000) > 0")}},
		{"mean over 100000", []config.Rule{window("iteration < 0 and mean(PR, 100*1000) < 0")}},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				bytes := memory(b, 1_000_000, c.user...)
				b.ReportMetric(bytes, "B/run")
				if c.user != nil {
					b.ReportMetric(bytes/100_000, "B/sample")
				}
			}
		})
	}
}

// A run stays within 64 kB with the built-in rules, however long it is.
func TestMemory(t *testing.T) {
	if bytes := memory(t, 20_000); bytes > 64_000 {
		t.Errorf("%.0f bytes", bytes)
	}
}
