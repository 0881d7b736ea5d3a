package sensor

import (
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// eight are the fields of a record of 64 bytes, which numbers fills.
var (
	eight   = slices.Repeat([]Field{{Name: "x"}}, 8)
	numbers = []float64{1, 2, 3, 4, 5, 6, 7, 8}
)

func init() {
	for k := range eight {
		eight[k].Name += fmt.Sprint(k)
	}
}

// begin starts a board with one sensor of 8 fields, read by a monitor, and returns the sensor in a thread.
func begin(b *testing.B, take func(Batch), words int) Taker {
	b.Helper()
	board := must.Value(NewBoard("run", clock.Real, Spec{Name: "s", Kind: Tracing, Fields: eight}))(b)
	board.words = words
	board.Switch("s", true, 1)
	b.Cleanup(startMonitor(board, take, free).Close)
	return board.Sensor("s", "thread", "")
}

// calls measures what a call takes by runs of 256 of them, as one is shorter than a reading of the clock is
// exact, and reports percentiles of the runs, less what is not the call's own. They are of the thread alone:
// where a machine has other things to do, a mean would have their time.
func calls(b *testing.B, call func(), less float64) {
	h := timed(b, call)
	b.ReportMetric(h(50)-less, "p50-ns")
	b.ReportMetric(h(99)-less, "p99-ns")
	b.ReportMetric(0, "ns/op")
}

const run = 256

// timed returns percentiles of what a call takes, ns.
func timed(b *testing.B, call func()) func(percent float64) float64 {
	h := hdrhistogram.New(1, int64(time.Second), 3) // ps
	b.ReportAllocs()
	for b.Loop() {
		start := clock.Real.Now()
		for range run {
			call()
		}
		must.OK(b, h.RecordValue(min(int64(clock.Since(clock.Real, start))*1000/run, h.HighestTrackableValue())))
	}
	return func(percent float64) float64 { return float64(h.ValueAtPercentile(percent)) / 1000 }
}

func BenchmarkOff(b *testing.B) {
	i := begin(b, func(Batch) {}, ringWords)
	i.(*instance).every.Store(0)
	calls(b, func() { i.Record(numbers...) }, 0)
}

// reading is what one reading of the clock takes, ns: the median of runs, as of calls.
func reading(b *testing.B) float64 {
	h := hdrhistogram.New(1, int64(time.Second), 3) // ps
	for range 2000 {
		start, last := clock.Real.Now(), time.Time{}
		for range run {
			last = clock.Real.Now()
		}
		must.OK(b, h.RecordValue(min(int64(last.Sub(start))*1000/run, h.HighestTrackableValue())))
	}
	return float64(h.ValueAtPercentile(50)) / 1000
}

// A thread traces records of 64 bytes while a monitor reads them. The percentiles are of what a record takes
// beyond one reading of the clock, clock-ns.
func BenchmarkTracing(b *testing.B) {
	tick := reading(b)
	i := begin(b, func(Batch) {}, 1<<20)
	calls(b, func() { i.Record(numbers...) }, tick)
	b.ReportMetric(tick, "clock-ns")
}

// latencies notes how long records took to reach it.
type latencies struct{ *hdrhistogram.Histogram } // ns

func newLatencies() latencies { return latencies{hdrhistogram.New(1, int64(time.Minute), 3)} }

func (l latencies) take(b Batch) {
	now := clock.Real.Now()
	for i := range b.Records {
		_ = l.RecordValue(min(max(1, int64(now.Sub(b.Records[i].Time))), l.HighestTrackableValue())) // it is in bounds
	}
}

func (l latencies) report(b *testing.B) {
	b.ReportMetric(float64(l.ValueAtPercentile(50))/1e3, "p50-us")
	b.ReportMetric(float64(l.ValueAtPercentile(99))/1e3, "p99-us")
	b.ReportMetric(float64(l.ValueAtPercentile(99.9))/1e3, "p999-us")
	b.ReportMetric(0, "ns/op")
}

// A record of a thread that is idle else, until its monitor, which sleeps, has it. wake-us is what the
// thread pays to wake it.
func BenchmarkLatencyIdle(b *testing.B) {
	l := newLatencies()
	i := begin(b, l.take, ringWords)
	cost := hdrhistogram.New(1, int64(time.Second), 3)
	for b.Loop() {
		time.Sleep(5 * time.Millisecond)
		start := clock.Real.Now()
		i.Record(numbers...)
		must.OK(b, cost.RecordValue(min(int64(clock.Since(clock.Real, start)), int64(time.Second))))
	}
	l.report(b)
	b.ReportMetric(float64(cost.ValueAtPercentile(50))/1e3, "wake-us")
}

// A thread makes 1,000,000 records a second, as evenly as it can.
func BenchmarkLatencyMillion(b *testing.B) {
	l := newLatencies()
	i := begin(b, l.take, ringWords)
	start, n := clock.Real.Now(), 0
	for b.Loop() {
		for range 1000 {
			for clock.Since(clock.Real, start) < time.Duration(n)*time.Microsecond {
			}
			i.Record(numbers...)
			n++
		}
	}
	rate := float64(n) / clock.Since(clock.Real, start).Seconds()
	l.report(b)
	b.ReportMetric(rate, "records/s")
}

// A thread records as fast as it can; a monitor reads the records, and drops them or writes the binary form.
func BenchmarkDrain(b *testing.B) {
	for name, take := range map[string]func(Batch) error{
		"monitor": func(Batch) error { return nil }, "binary": NewWriter(io.Discard).Write,
	} {
		b.Run(name, func(b *testing.B) {
			var n atomic.Uint64
			i := begin(b, func(batch Batch) {
				if take(batch) == nil {
					n.Add(uint64(len(batch.Records)))
				}
			}, 1<<17)
			start := clock.Real.Now()
			for b.Loop() {
				i.Record(numbers...)
			}
			b.ReportMetric(float64(n.Load())/clock.Since(clock.Real, start).Seconds(), "records/s")
		})
	}
}
