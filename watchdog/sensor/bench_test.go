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
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

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
	must.OK(b, board.Declare(s))
	local := must.Value(sensor.NewLocal(board, to, sensor.LocalOptions{Most: 1, Budget: -1}))(b)
	of := must.Value(board.Sensor("s"))(b)
	t := board.Thread("run", "thread")
	b.Cleanup(func() {
		t.Close()
		if err := local.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return of.In(t, "")
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
	i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Off: true}, nobody, sensor.BoardOptions{})
	calls(b, func() { i.Record(1, 2, 3, 4, 5, 6, 7, 8) }, 0)
}

func BenchmarkSampling(b *testing.B) {
	for _, c := range []struct {
		name   string
		kind   sensor.Kind
		fields int
	}{{"counter", sensor.Counter, 1}, {"value", sensor.Value, 1}, {"value_of_4", sensor.Value, 4}} {
		b.Run(c.name, func(b *testing.B) {
			i := begin(b, sensor.Spec{Kind: c.kind, Fields: fields(c.fields)}, nobody, sensor.BoardOptions{})
			values := []float64{1, 2, 3, 4}[:c.fields]
			calls(b, func() { i.Record(values...) }, 0)
		})
	}
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
	for _, full := range []sensor.Full{sensor.Drop, sensor.Wait, sensor.Thin} {
		b.Run(string(full), func(b *testing.B) {
			tick := reading(b)
			i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Full: full}, nobody,
				sensor.BoardOptions{Ring: 8 << 20})
			calls(b, func() { i.Record(1, 2, 3, 4, 5, 6, 7, 8) }, tick)
			b.ReportMetric(tick, "clock-ns")
		})
	}
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
		took := now.Sub(b.Records[i].Time)
		if err := l.histogram.RecordValue(min(max(1, int64(took)), l.histogram.HighestTrackableValue())); err != nil {
			return err
		}
	}
	l.n.Add(uint64(len(b.Records)))
	return nil
}

func (l *latencies) report(b *testing.B) {
	b.ReportMetric(float64(l.histogram.ValueAtPercentile(50))/1e3, "p50-us")
	b.ReportMetric(float64(l.histogram.ValueAtPercentile(99))/1e3, "p99-us")
	b.ReportMetric(float64(l.histogram.ValueAtPercentile(99.9))/1e3, "p999-us")
	b.ReportMetric(0, "ns/op")
}

// A record of a thread that is idle else, until its local monitor, which sleeps, has it. wake-us is what the
// thread pays to wake it.
func BenchmarkLatencyIdle(b *testing.B) {
	l := newLatencies()
	i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8)}, l, sensor.BoardOptions{})
	cost := hdrhistogram.New(1, int64(time.Second), 3)
	for b.Loop() {
		time.Sleep(5 * time.Millisecond)
		start := clock.Real.Now()
		i.Record(1, 2, 3, 4, 5, 6, 7, 8)
		must.OK(b, cost.RecordValue(min(int64(clock.Since(clock.Real, start)), int64(time.Second))))
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

// Threads record as fast as they can; one monitor reads them, by itself and with a central monitor and a
// sink, or one that writes the binary form, behind it.
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
				s := must.Value(central.Join(c.join, sensor.StreamOptions{}))(b)
				defer s.Leave(context.Background())
				lost = s.Lost
			}
			var n atomic.Uint64
			count := sensor.Func(func(ctx context.Context, batch sensor.Batch) error {
				n.Add(uint64(len(batch.Records)))
				return c.to.Take(ctx, batch)
			})
			i := begin(b, sensor.Spec{Kind: sensor.Tracing, Fields: fields(8), Full: sensor.Wait}, count,
				sensor.BoardOptions{Ring: 1 << 20})
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
