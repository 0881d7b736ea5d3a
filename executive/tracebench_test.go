//go:build unix

package executive_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/turns"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// BenchmarkTracedZoom measures what tracing costs a zoom of the E3's fan by 24 runs of bladerow, in processor time of
// the study and its runs: everything against nothing, in turns of a study, and the spans of every study's log by the
// time that the same events take in a log of their own. Goals: 3 % and 1 %.
func BenchmarkTracedZoom(b *testing.B) {
	const count = 7
	for b.Loop() {
		var times []float64
		var log []event.Event
		for i := range count {
			at := settings.Settings{Cache: b.TempDir(), Work: b.TempDir(), Launcher: "local", Workers: 2}
			if i%2 == 1 {
				at.Trace = &recording.Trace{}
			}
			before := processorTime(b)
			tracedZoom(b, at)
			times = append(times, processorTime(b)-before)
			folder := must.Value(filepath.Glob(filepath.Join(at.Work, "*")))(b)[0]
			log = must.Value(studylog.Read(folder))(b)
			files := must.Value(filepath.Glob(filepath.Join(folder, "*", "sensors.bin")))(b)
			if recorded := len(files) >= 24; recorded != (i%2 == 1) {
				b.Fatalf("%d runs are recorded", len(files))
			}
			b.Logf("%.2f s", times[i])
		}
		median, upper := turns.Cost(times)
		b.ReportMetric(100*median, "%everything")
		b.ReportMetric(100*upper, "%everything-upper")
		b.ReportMetric(100*spanTime(b, log)/times[0], "%spans")
	}
}

// tracedZoom makes the zoom.
func tracedZoom(b *testing.B, at settings.Settings) {
	b.Helper()
	studies := must.Value(executive.NewStudies(at))(b)
	engine := must.Value(config.Load(enginetest.Example("turbofan-zoomed.yaml"), executive.Catalogue(studies.Solvers),
		nil))(b)
	z := *engine.Zoom("fan")
	z.Solver, z.Settings = "bladerow", config.Values{"model": {Text: "euler", Set: true},
		"refine": {Num: 0.3, Text: "0.3", Set: true}}
	z.Span, z.Speeds, z.Runs, z.To = "whole", []float64{0.85, 0.9, 0.95, 1}, 6, nil
	engine.Zooms = []config.Zoom{z}
	r := must.Value(executive.Run(b.Context(), engine, []string{"part_power"}, executive.Options{Zoomer: studies}))(b)
	if made := r.Cases[0].Zoom["fan"].Runs; made != 24 {
		b.Fatalf("%d runs", made)
	}
	must.OK(b, studies.Close())
}

// processorTime is the processor time of this process and of those that it awaited, s.
func processorTime(b *testing.B) float64 {
	b.Helper()
	sum := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		must.OK(b, syscall.Getrusage(who, &u))
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	return sum
}

// spanTime is the processor time that the spans of a log take to be recorded, s.
func spanTime(b *testing.B, events []event.Event) float64 {
	b.Helper()
	const times = 100
	log := studylog.New(clock.Real, func(event.Event) {})
	folder := filepath.Join(b.TempDir(), "study")
	must.OK(b, os.Mkdir(folder, 0o700))
	must.OK(b, log.Open(folder))
	spans, before := 0, processorTime(b)
	for range times {
		for _, e := range events {
			if e.Kind == event.Span {
				log.Record(e)
				spans++
			}
		}
	}
	took := processorTime(b) - before
	must.OK(b, log.Close())
	b.Logf("%d spans", spans/times)
	return took / times
}
