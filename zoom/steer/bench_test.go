package steer_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// hundred is a registry of a hundred numbers that may be used for an operation, and their names.
func hundred(b *testing.B, op steer.Operation) (*steer.Registry, []string) {
	r, names := steer.New(clock.Real), make([]string, 100)
	least := -1.0
	for i := range names {
		names[i] = fmt.Sprintf("object%d", i)
		r.Add(steer.Object{Name: names[i], Type: steer.Float, Min: &least, Operations: []steer.Operation{op}},
			new(steer.Gauge).Binding())
	}
	r.Obey(b.Context(), 0)
	b.Cleanup(r.Close)
	return r, names
}

// percentiles reports the median of durations and the one that a hundredth of them exceeds, in microseconds.
func percentiles(b *testing.B, list []time.Duration, median, p99 string) {
	slices.Sort(list)
	at := func(q float64) float64 { return float64(list[min(len(list)-1, int(q*float64(len(list))))]) / 1e3 }
	b.ReportMetric(at(0.5), median)
	b.ReportMetric(at(0.99), p99)
}

// What a solver pays at a safe point when nobody commands anything.
func BenchmarkSafePoint(b *testing.B) {
	r, _ := hundred(b, steer.Actuate)
	for b.Loop() {
		if r.Armed() {
			b.Fatal("it is armed")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/point")
}

// A hundred commands, each of which writes one object by a probe, as fast as they go.
func BenchmarkProbes(b *testing.B) {
	r, names := hundred(b, steer.Write)
	var list []time.Duration
	given := 0
	for b.Loop() {
		if given+len(names) > 50_000 { // a run takes so many commands
			b.StopTimer()
			r, names = hundred(b, steer.Write)
			given = 0
			b.StartTimer()
		}
		begun := time.Now()
		for _, name := range names {
			given++
			c := steer.Command{
				ID: fmt.Sprint(given), Verb: steer.Poke,
				Changes: []steer.Change{{Object: name, Value: steer.FloatValue(float64(given))}},
			}
			r.Submit(c, func(x event.Receipt) {
				if x.State.Final() && x.State != event.Applied {
					b.Errorf("%+v", x)
				}
			})
		}
		list = append(list, time.Since(begun))
	}
	percentiles(b, list, "us/100", "us/100-p99")
}

// A hundred objects actuated by one command: what it takes to give it, and what the solver's thread takes at the safe
// point.
func BenchmarkActuations(b *testing.B) {
	r, names := hundred(b, steer.Actuate)
	var given, done []time.Duration
	n := int64(0)
	for b.Loop() {
		n++
		if n%50_000 == 0 {
			b.StopTimer()
			r, names = hundred(b, steer.Actuate)
			b.StartTimer()
		}
		begun := time.Now()
		c := steer.Command{ID: fmt.Sprint(n), Verb: steer.Set}
		for _, name := range names {
			c.Changes = append(c.Changes, steer.Change{Object: name, Value: steer.FloatValue(float64(n))})
		}
		applied := false
		r.Submit(c, func(x event.Receipt) { applied = x.State == event.Applied })
		there := time.Now()
		r.Obey(context.Background(), n)
		given, done = append(given, there.Sub(begun)), append(done, time.Since(there))
		if !applied {
			b.Fatal("it was not applied")
		}
	}
	percentiles(b, given, "us/given", "us/given-p99")
	percentiles(b, done, "us/done", "us/done-p99")
}

// The list of ten thousand objects.
func BenchmarkList(b *testing.B) {
	r := steer.New(clock.Real)
	for i := range 10_000 {
		r.Add(steer.Object{Name: fmt.Sprintf("object%d", i), Type: steer.Float, Operations: steer.Operations[:2]},
			new(steer.Gauge).Binding())
	}
	for b.Loop() {
		if len(r.List()) != 10_000 {
			b.Fatal("some are missing")
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/list")
}
