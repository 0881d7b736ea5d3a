package play

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// ring is a record of processes that send to the next and receive from the one before: each in turn enters its receive,
// begins its send, ends it, and ends the receive.
func ring(i int, names []string) *trace.Record {
	k := i % len(names)
	me, before, next := names[k], names[(k+len(names)-1)%len(names)], names[(k+1)%len(names)]
	at := float64(i) * 1e-3
	r := &trace.Record{Time: at, Measured: at, Process: me, Seq: uint64(i)}
	switch i / len(names) % 4 {
	case 0:
		r.Kind, r.From, r.To, r.Bytes = trace.Send, me, next, 8
	case 1:
		r.Kind, r.Name = trace.Leave, trace.Sending
	case 2:
		r.Kind, r.Name, r.From, r.To = trace.Enter, trace.Receiving, before, me
	case 3:
		r.Kind, r.From, r.To = trace.Receive, before, me
	}
	return r
}

// BenchmarkPlay measures, on 5,000,000 records of 64 processes: to take one, to reach any time, and a step back, each
// with the state that follows. heap-MB is the memory of the player.
func BenchmarkPlay(b *testing.B) {
	const n = 5_000_000
	random := rand.New(rand.NewPCG(1, 2))
	names := make([]string, 64)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, begin := New(clock.Real), time.Now()
	for i := range n {
		p.Add(ring(i, names))
	}
	took := time.Since(begin)
	runtime.GC()
	runtime.ReadMemStats(&after)
	measure := func(name string, do func()) {
		b.Run(name, func(b *testing.B) {
			worst := time.Duration(0)
			for b.Loop() {
				at := time.Now()
				do()
				p.State()
				worst = max(worst, time.Since(at))
			}
			b.ReportMetric(worst.Seconds()*1e3, "worst-ms")
			b.ReportMetric(float64(took.Nanoseconds())/n, "ns/record")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
		})
	}
	measure("time", func() { p.UntilTime(random.Float64() * n * 1e-3) })
	p.Step(n)
	measure("back", func() { p.Step(-1) })
}
