package insitu_test

import (
	"context"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/insitu"
)

// solver is what a solver has of steering: its registry, a residual, and a Courant number that a rule may change.
type solver struct {
	registry  *steer.Registry
	iteration int64
	residual  float64
	cfl       float64
	changed   time.Time // the Courant number
}

// begin returns a solver with rules, of which the events are dropped.
func begin(b *testing.B, rules ...config.Rule) *solver {
	b.Helper()
	s := &solver{registry: steer.New(clock.Real), residual: 1, cfl: 20}
	add := func(name string, x *float64, ops ...steer.Operation) {
		binding := steer.FloatAt(x)
		if name == "cfl" {
			binding.Set = func(v steer.Value) error {
				s.cfl, s.changed = v.Number, clock.Real.Now()
				return nil
			}
		}
		s.registry.Add(steer.Object{Name: name, Type: steer.Float, Effect: steer.Numerics, Operations: ops}, binding)
	}
	add("residual", &s.residual, steer.Sense)
	add("cfl", &s.cfl, steer.Sense, steer.Actuate)
	for i := range rules {
		rules[i].Where, rules[i].Act = config.RunsJudge, true
	}
	set := must.Value(rule.New(rule.Shape{}, rules))(b)
	text := must.Value(set.Text())(b)
	if text != "" {
		insitu.Board(text, "r", s.registry, func(e event.Event) {
			if e.Kind == event.Warning {
				b.Fatal(e.Text)
			}
		})
	}
	s.registry.Obey(context.Background(), 0)
	return s
}

// safe is the safe point behind an iteration.
func (s *solver) safe(residual float64) {
	s.iteration++
	s.residual = residual
	if s.registry.Armed() {
		s.registry.Obey(context.Background(), s.iteration)
	}
}

// The closed loop from a solver's value to its changed variable, by a rule that the run judges itself: from the end
// of the iteration in which the residual rises until the new Courant number stands.
func BenchmarkClosedLoop(b *testing.B) {
	halve := config.Rule{
		Name: "halve", When: "residual > 1", Severity: rule.Info, Message: "residual {residual}", Action: rule.Change,
		SetTo: map[string]string{"cfl": "cfl > 1 ? cfl / 2 : 20"},
	}
	h := hdrhistogram.New(1, int64(time.Minute), 3) // ns
	s := begin(b, halve)
	for b.Loop() {
		if s.iteration > 19_000 { // a rule may act so often
			b.StopTimer()
			s = begin(b, halve)
			b.StartTimer()
		}
		s.safe(0.5)
		start := clock.Real.Now()
		s.safe(2)
		if s.changed.Before(start) {
			b.Fatal("it was not changed")
		}
		must.OK(b, h.RecordValue(min(max(1, int64(s.changed.Sub(start))), h.HighestTrackableValue())))
	}
	b.ReportMetric(float64(h.ValueAtPercentile(50))/1e3, "p50-us")
	b.ReportMetric(float64(h.ValueAtPercentile(99))/1e3, "p99-us")
	b.ReportMetric(float64(h.ValueAtPercentile(99.9))/1e3, "p999-us")
	b.ReportMetric(0, "ns/op")
}

// What a run pays for each iteration: without rules, with one that looks at the last value, and with the governor of
// the Courant number, whose windows slide and which does not fire here.
func BenchmarkIteration(b *testing.B) {
	for _, c := range []struct {
		name  string
		rules []config.Rule
	}{
		{"none", nil},
		{
			"value",
			[]config.Rule{{Name: "high", When: "residual > 1", Severity: rule.Info, Message: "m", Action: rule.Stop}},
		},
		{"governor", []config.Rule{{Name: "cfl_governor", Pause: 1_000_000_000}}},
		{
			"window",
			[]config.Rule{
				{Name: "rises", When: "trend(residual, 20) > 1", Severity: rule.Info, Message: "m", Action: rule.Stop},
			},
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := begin(b, c.rules...)
			x := 1.0
			for b.Loop() {
				x *= 0.9999999
				s.safe(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/iteration")
			b.ReportMetric(0, "ns/op")
		})
	}
}
