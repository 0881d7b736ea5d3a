package makespan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// BenchmarkReport reports on a study of 1,000 runs on 16 workers, from its log on the disk. Goal: 1 s.
func BenchmarkReport(b *testing.B) {
	folder := b.TempDir()
	log := studylog.New(nil, func(event.Event) {})
	if err := log.Open(folder); err != nil {
		b.Fatal(err)
	}
	for _, e := range manyRuns(1000, 16) {
		log.Record(e)
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		events, err := studylog.Read(folder)
		if err != nil {
			b.Fatal(err)
		}
		if r := makespan.Of(events); r.Workers.Runs != 1000 || r.Explained < 0.95 {
			b.Fatal(r.Workers, r.Explained)
		}
	}
}

// manyRuns returns the events of a study whose runs have random lengths.
func manyRuns(runs, workers int) (events []event.Event) {
	random := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	put := func(s float64, e event.Event) {
		e.Time, e.Component = begin.Add(time.Duration(s*float64(time.Second))), "fan"
		events = append(events, e)
	}
	put(0, event.Event{Kind: event.StudyBegun, Source: event.Executive})
	for i := range runs {
		put(0, event.Event{Kind: event.Planned, Source: event.Executive, Run: fmt.Sprint(i)})
	}
	free, last := make([]float64, workers), 0.0
	for i := range runs {
		w := 0
		for k := range free {
			if free[k] < free[w] {
				w = k
			}
		}
		from, long, run := free[w], 1+random.ExpFloat64(), fmt.Sprint(i)
		free[w] = from + long
		last = max(last, free[w])
		put(from, event.Event{Kind: event.Started, Source: event.Host, Run: run, Attempt: 1})
		put(from+0.1, event.Event{Kind: event.Span, Name: "start", Source: event.Executive, Run: run,
			Attempt: 1, Wall: 0.1})
		put(from+long, event.Event{Kind: event.Span, Name: "iterate", Source: event.Executive, Run: run, Attempt: 1,
			Wall: long - 0.2})
		put(from+long, event.Event{Kind: event.Ended, Source: event.Host, Run: run, Attempt: 1, Class: event.Converged})
		put(from+long, event.Event{Kind: event.Span, Name: "slot", Source: event.Executive, Run: run, Wall: long,
			Values: map[string]float64{"batch": 1, "workers": float64(workers)}})
	}
	put(last+1, event.Event{Kind: event.StudyEnded, Source: event.Executive, Class: event.Converged})
	return events
}
