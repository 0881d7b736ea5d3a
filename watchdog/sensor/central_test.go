package sensor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// origins are some, of two runs.
func origins() []*sensor.Origin {
	spec := &sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair[:1]}
	return []*sensor.Origin{{Spec: spec, Run: "a", Thread: "0"}, {Spec: spec, Run: "b", Thread: "0"}}
}

// numbered returns n records of an origin, with numbers and values that go on from last.
func numbered(o *sensor.Origin, n int, last *uint64) sensor.Batch {
	var b sensor.Batch
	for range n {
		*last++
		b.Records = append(b.Records,
			sensor.Record{From: o, Time: start, Sequence: *last, Values: []float64{float64(*last)}})
	}
	return b
}

// Sinks come and go while records flow: each sees, in order and once, all that it selected between its
// joining and its leaving.
func TestJoinAndLeave(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		type member struct {
			kept
			stream      *sensor.Stream
			only        string
			first, last [2]uint64
		}
		var c sensor.Central
		from, numbers := origins(), [2]uint64{}
		var members, gone []*member
		leave := func(k int) {
			m := members[k]
			m.last = numbers
			must.OK(t, m.stream.Leave(context.Background()))
			members, gone = append(members[:k:k], members[k+1:]...), append(gone, m)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch k := rapid.IntRange(0, 5).Draw(t, "what"); {
			case k == 0:
				m := &member{only: rapid.SampledFrom([]string{"", "a", "b", "?"}).Draw(t, "run"), first: numbers}
				m.stream = must.Value(c.Join(m, sensor.StreamOptions{Only: sensor.Selector{Run: m.only}}))(t)
				members = append(members, m)
			case k == 1 && len(members) > 0:
				leave(rapid.IntRange(0, len(members)-1).Draw(t, "who"))
			default:
				b := numbered(from[k%2], rapid.IntRange(0, 20).Draw(t, "n"), &numbers[k%2])
				must.OK(t, c.Take(context.Background(), b))
				for i := range b.Records { // what is lent is taken back
					b.Records[i].Values[0] = -1
				}
			}
		}
		for len(members) > 0 {
			leave(0)
		}
		for _, m := range gone {
			for run, name := range []string{"a", "b"} {
				next := m.first[run] + 1
				for _, r := range m.records {
					if r.From.Run != name {
						continue
					}
					if r.Sequence != next || r.Values[0] != float64(next) {
						t.Fatalf("run %s: record %d, %v; want %d", name, r.Sequence, r.Values, next)
					}
					next++
				}
				if want := m.last[run] + 1; (m.only == "" || m.only == "?" || m.only == name) && next != want ||
					m.only != "" && m.only != "?" && m.only != name && next != m.first[run]+1 {
					t.Fatalf("run %s, of which %q is selected: up to %d, want %d", name, m.only, next-1, want-1)
				}
			}
			if m.lost > 0 {
				t.Fatalf("%d are lost", m.lost)
			}
		}
		must.OK(t, c.Close(context.Background()))
	})
}

// A sink that does not read loses, is told how much, where, and holds up nobody.
func TestSlowSink(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	var c sensor.Central
	var slow, fast kept
	free := make(chan struct{})
	reading := make(chan struct{}, 1000)
	s, err := c.Join(sensor.Func(func(ctx context.Context, b sensor.Batch) error {
		reading <- struct{}{}
		<-free
		return slow.Take(ctx, b)
	}), sensor.StreamOptions{Queue: 100})
	must.OK(t, err)
	must.Value(c.Join(&fast, sensor.StreamOptions{Queue: 1 << 20}))(t)
	var n uint64
	from := origins()[0]
	give := func(k int) {
		must.OK(t, c.Take(t.Context(), numbered(from, k, &n)))
	}
	give(1)
	<-reading // it hangs now
	for range 200 {
		give(10)
	}
	if lost := s.Lost(); lost != 1900 {
		t.Errorf("%d are lost; 100 of 2000 have room", lost)
	}
	must.OK(t, c.Take(t.Context(), sensor.Batch{Events: []event.Event{{Kind: event.Rate}}}))
	close(free)
	eventually(t, "it is not told", func() bool {
		slow.mu.Lock()
		defer slow.mu.Unlock()
		return slow.lost == s.Lost()
	})
	give(5)
	must.OK(t, c.Close(t.Context()))
	if len(fast.records) != 2006 || fast.lost != 0 || len(fast.events) != 1 {
		t.Errorf("the other one has %d records, %d are lost", len(fast.records), fast.lost)
	}
	missing, last := uint64(0), uint64(0)
	for _, r := range slow.records {
		missing += r.Sequence - last - 1
		last = r.Sequence
	}
	if got := uint64(len(slow.records)); got+slow.lost != 2006 || missing != 1900 || slow.lost != 1900 {
		t.Errorf("%d records and %d lost, of 2006; %d numbers are missing", got, slow.lost, missing)
	}
	must.OK(t, c.Close(t.Context()))
	if _, err := c.Join(&fast, sensor.StreamOptions{}); err == nil {
		t.Error("a closed monitor takes sinks")
	}
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// A sink that would block for ever is told to end.
func TestLeaveEndsSink(t *testing.T) {
	var c sensor.Central
	in := make(chan struct{})
	s, err := c.Join(sensor.Func(func(ctx context.Context, _ sensor.Batch) error {
		close(in)
		<-ctx.Done()
		return ctx.Err()
	}), sensor.StreamOptions{})
	must.OK(t, err)
	var n uint64
	for range 3 {
		must.OK(t, c.Take(t.Context(), numbered(origins()[0], 1, &n)))
		<-in // what follows waits in the queue
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Leave(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s.Lost() != 2 {
		t.Errorf("%d records are counted that it did not take, want 2", s.Lost())
	}
}

// A sink that fails leaves by itself.
func TestFailedSinkLeaves(t *testing.T) {
	var c sensor.Central
	broken := errors.New("disk full")
	s, err := c.Join(sensor.Func(func(context.Context, sensor.Batch) error { return broken }), sensor.StreamOptions{})
	must.OK(t, err)
	var n uint64
	must.OK(t, c.Take(t.Context(), numbered(origins()[0], 1, &n)))
	<-s.Done()
	must.OK(t, c.Take(t.Context(), numbered(origins()[0], 1, &n)))
	if err := s.Leave(t.Context()); err != broken {
		t.Errorf("error %v", err)
	}
	if _, err := c.Join(nobody, sensor.StreamOptions{Only: sensor.Selector{Block: "["}}); err == nil {
		t.Error("a bad pattern is taken")
	}
}

// Threads, monitors and sinks that come and go, all at once: for the race detector.
func TestEverythingAtOnce(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	var c sensor.Central
	b := declare(t, sensor.BoardOptions{Ring: 1024},
		sensor.Spec{Name: "trace", Kind: sensor.Tracing, Fields: pair, Full: sensor.Wait},
		sensor.Spec{Name: "state", Kind: sensor.Value, Fields: pair, Interval: sensor.DefaultInterval / 100},
		sensor.Spec{Name: "mean", Kind: sensor.Extended, Fields: pair, Filter: sensor.Filter{Op: sensor.Mean, N: 10},
			Full: sensor.Thin},
		sensor.Spec{
			Name: "spread", Kind: sensor.Extended, Fields: pair,
			Filter: sensor.Filter{Op: sensor.Histogram, N: 10, Resolution: 1, Greatest: 1e6},
		})
	l := watch(t, b, &c, sensor.LocalOptions{Most: 3})
	var threads, others sync.WaitGroup
	stop := make(chan struct{})
	var all kept
	must.Value(c.Join(&all, sensor.StreamOptions{Only: sensor.Selector{Sensor: "trace"}, Queue: math.MaxInt}))(t)
	const n = 3000
	for k := range 4 {
		threads.Go(func() {
			th := b.Thread("run", fmt.Sprint(k))
			defer th.Close()
			var list []*sensor.Instance
			for _, name := range []string{"trace", "state", "mean", "spread"} {
				list = append(list, instance(t, th, b, name, ""))
			}
			for j := range n {
				for _, i := range list {
					i.Record(float64(j), float64(k))
				}
			}
		})
	}
	others.Go(func() {
		for off := false; ; off = !off {
			select {
			case <-stop:
				return
			default:
			}
			b.Status()
			if _, err := b.Switch(sensor.Selector{Sensor: "mean"}, sensor.Setting{Off: off}); err != nil {
				t.Error(err)
			}
			s, err := c.Join(&kept{}, sensor.StreamOptions{Queue: 10})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Leave(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	threads.Wait()
	close(stop)
	others.Wait()
	end(t, l)
	must.OK(t, c.Close(t.Context()))
	for k := range 4 { // fewer than n if the budget is used up
		got := all.of(fmt.Sprint(k))
		for j, r := range got {
			if r.Sequence != uint64(j+1) || j > 0 && r.Values[0] <= got[j-1].Values[0] {
				t.Fatalf("record %d of thread %d has the number %d", j, k, r.Sequence)
			}
		}
		if len(got) == 0 {
			t.Errorf("no records of thread %d", k)
		}
	}
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}
