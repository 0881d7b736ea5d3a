package sensor_test

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// Each measures what a thread pays for a call, but for the time of the monitor, and reports allocations. The numbers of
// BenchmarkTracing are percentiles of runs of 256 records, because one is shorter than the reading of a clock is exact. The clock
// is read in the same way, and taken off.

func fields(n int) []sensor.Field {
	var list []sensor.Field
	for i := range n {
		list = append(list, sensor.Field{Name: fmt.Sprint("x", i)})
	}
	return list
}

// nobody is a sink that does nothing.
var nobody = sensor.Func(func(context.Context, sensor.Batch) error { return nil })

// begin starts a board with one sensor, read by local monitors, and returns its instance in a thread.
func begin(b *testing.B, s sensor.Spec, to sensor.Sink, o sensor.BoardOptions) *sensor.Instance {
	b.Helper()
	board := sensor.NewBoard(o)
	s.Name = "s"
	if err := board.Declare(s); err != nil {
		b.Fatal(err)
	}
	local, err := sensor.NewLocal(board, to, sensor.LocalOptions{Most: 1, Budget: -1})
	if err != nil {
		b.Fatal(err)
	}
	of, err := board.Sensor("s")
	if err != nil {
		b.Fatal(err)
	}
	t := board.Thread("run", "thread")
	b.Cleanup(func() {
		t.Close()
		if err := local.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return of.In(t, "")
}

func BenchmarkOff(b *testing.B) {
	i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Off: true}, nobody, sensor.BoardOptions{})
	b.ReportAllocs()
	for b.Loop() {
		i.Record(1, 2, 3, 4, 5, 6, 7, 8)
	}
}

func BenchmarkSampling(b *testing.B) {
	for _, c := range []struct {
		name   string
		kind   sensor.Kind
		fields int
	}{{"counter", sensor.Counter, 1}, {"value", sensor.Value, 1}, {"value of 4", sensor.Value, 4}} {
		b.Run(c.name, func(b *testing.B) {
			i := begin(b, sensor.Spec{Kind: c.kind, Fields: fields(c.fields)}, nobody, sensor.BoardOptions{})
			values := []float64{1, 2, 3, 4}[:c.fields]
			b.ReportAllocs()
			for b.Loop() {
				i.Record(values...)
			}
		})
	}
}

func BenchmarkExtended(b *testing.B) {
	for _, f := range []sensor.Filter{
		{Op: sensor.EveryNth, N: 1000}, {Op: sensor.OnChange, Relative: 0.1}, {Op: sensor.Minimum, N: 1000}, {Op: sensor.Mean, N: 1000},
		{Op: sensor.Histogram, N: 1000, Resolution: 1e-3, Greatest: 1e6},
	} {
		b.Run(string(f.Op), func(b *testing.B) {
			i := begin(b, sensor.Spec{Kind: sensor.Extended, Fields: fields(8), Filter: f}, nobody, sensor.BoardOptions{})
			b.ReportAllocs()
			for b.Loop() {
				i.Record(1, 2, 3, 4, 5, 6, 7, 8)
			}
		})
	}
}

// A thread traces records of 64 bytes while a monitor reads them. beyond-clock-ns is the median of what a record takes beyond
// one reading of the clock.
func BenchmarkTracing(b *testing.B) {
	const run = 256
	i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Full: sensor.Wait}, nobody, sensor.BoardOptions{})
	one := hdrhistogram.New(1, int64(time.Second), 3) // ps
	ticks := hdrhistogram.New(1, int64(time.Second), 3)
	at := clock.Real
	var last time.Time
	b.ReportAllocs()
	for b.Loop() {
		start := at.Now()
		for range run {
			last = at.Now()
		}
		ticks.RecordValue(int64(last.Sub(start)) * 1000 / run)
		start = at.Now()
		for range run {
			i.Record(1, 2, 3, 4, 5, 6, 7, 8)
		}
		one.RecordValue(int64(clock.Since(at, start)) * 1000 / run)
	}
	tick := float64(ticks.ValueAtPercentile(50)) / 1000
	b.ReportMetric(tick, "clock-ns")
	b.ReportMetric(float64(one.ValueAtPercentile(50))/1000-tick, "beyond-clock-ns")
	b.ReportMetric(float64(one.ValueAtPercentile(99))/1000-tick, "p99-beyond-clock-ns")
	b.ReportMetric(0, "ns/op")
}

// latencies is a sink that notes how long records took to reach it.
type latencies struct {
	histogram *hdrhistogram.Histogram // ns
	n         atomic.Uint64
}

func newLatencies() *latencies {
	return &latencies{histogram: hdrhistogram.New(1, int64(time.Minute), 3)}
}

func (l *latencies) Take(_ context.Context, b sensor.Batch) error {
	now := clock.Real.Now()
	for i := range b.Records {
		l.histogram.RecordValue(max(1, int64(now.Sub(b.Records[i].Time))))
	}
	l.n.Add(uint64(len(b.Records)))
	return nil
}

func (l *latencies) report(b *testing.B) {
	for _, p := range []float64{50, 99, 99.9} {
		b.ReportMetric(float64(l.histogram.ValueAtPercentile(p))/1e3, fmt.Sprintf("p%v-us", p))
	}
	b.ReportMetric(0, "ns/op")
}

// A record of a thread that is idle else, until its local monitor, which sleeps, has it. wake-us is what the thread pays to wake it.
func BenchmarkLatencyIdle(b *testing.B) {
	l := newLatencies()
	i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8)}, l, sensor.BoardOptions{})
	cost := hdrhistogram.New(1, int64(time.Second), 3)
	for b.Loop() {
		time.Sleep(200 * time.Microsecond)
		start := clock.Real.Now()
		i.Record(1, 2, 3, 4, 5, 6, 7, 8)
		cost.RecordValue(int64(clock.Since(clock.Real, start)))
	}
	l.report(b)
	b.ReportMetric(float64(cost.ValueAtPercentile(50))/1e3, "wake-us")
}

// A thread makes 1,000,000 records a second, as evenly as it can.
func BenchmarkLatencyMillion(b *testing.B) {
	l := newLatencies()
	i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Full: sensor.Wait}, l, sensor.BoardOptions{})
	start, n := clock.Real.Now(), 0
	for b.Loop() {
		for range 1000 {
			for clock.Since(clock.Real, start) < time.Duration(n)*time.Microsecond {
			}
			i.Record(1, 2, 3, 4, 5, 6, 7, 8)
			n++
		}
	}
	rate := float64(n) / clock.Since(clock.Real, start).Seconds()
	l.report(b)
	b.ReportMetric(rate, "records/s")
}

// Threads record as fast as they can; one monitor reads them, by itself and with a central monitor and a sink, or one that
// writes the binary form, behind it.
func BenchmarkDrain(b *testing.B) {
	var central sensor.Central
	defer central.Close(context.Background())
	for _, c := range []struct {
		name string
		to   sensor.Sink
		join sensor.Sink
	}{{"local", nobody, nil}, {"central", &central, nobody}, {"binary", &central, sensor.NewWriter(io.Discard)}} {
		b.Run(c.name, func(b *testing.B) {
			var lost func() uint64
			if c.join != nil {
				s, err := central.Join(c.join, sensor.StreamOptions{})
				if err != nil {
					b.Fatal(err)
				}
				defer s.Leave(context.Background())
				lost = s.Lost
			}
			var n atomic.Uint64
			count := sensor.Func(func(ctx context.Context, batch sensor.Batch) error {
				n.Add(uint64(len(batch.Records)))
				return c.to.Take(ctx, batch)
			})
			i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Full: sensor.Wait}, count, sensor.BoardOptions{Ring: 1 << 20})
			start := clock.Real.Now()
			for b.Loop() {
				i.Record(1, 2, 3, 4, 5, 6, 7, 8)
			}
			b.ReportMetric(float64(n.Load())/clock.Since(clock.Real, start).Seconds(), "records/s")
			if lost != nil {
				b.ReportMetric(float64(lost())/float64(b.N)*100, "%lost")
			}
		})
	}
}
