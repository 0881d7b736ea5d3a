package sensor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// kept is a sink that keeps copies of everything.
type kept struct {
	mu      sync.Mutex
	records []sensor.Record
	events  []event.Event
	lost    uint64
}

func (k *kept) Take(_ context.Context, b sensor.Batch) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range b.Records {
		r.Values = slices.Clone(r.Values)
		k.records = append(k.records, r)
	}
	k.events = append(k.events, b.Events...)
	k.lost += b.Lost
	return nil
}

func (k *kept) len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.records)
}

// of returns the records of a thread.
func (k *kept) of(thread string) []sensor.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(k.records), func(r sensor.Record) bool { return r.From.Thread != thread })
}

type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// declare returns a board with sensors.
func declare(t failing, o sensor.BoardOptions, specs ...sensor.Spec) *sensor.Board {
	t.Helper()
	b := sensor.NewBoard(o)
	must.OK(t, b.Declare(specs...))
	return b
}

func instance(t failing, th *sensor.Thread, b *sensor.Board, name, block string) *sensor.Instance {
	t.Helper()
	s := must.Value(b.Sensor(name))(t)
	return s.In(th, block)
}

func watch(t failing, b *sensor.Board, to sensor.Sink, o sensor.LocalOptions) *sensor.Local {
	t.Helper()
	return must.Value(sensor.NewLocal(b, to, o))(t)
}

func end(t failing, l *sensor.Local) {
	t.Helper()
	must.OK(t, l.Close(context.Background()))
}

// eventually waits for something that other goroutines are to do.
func eventually(t failing, what string, is func() bool) {
	t.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal(what)
}

var pair = []sensor.Field{{Name: "n"}, {Name: "thread"}}

// record has threads record n times each, at the same time, and returns the board once all is over.
func record(t *rapid.T, full sensor.Full, threads, n int, to sensor.Sink, o sensor.LocalOptions) []sensor.Status {
	b := declare(t, sensor.BoardOptions{Ring: 1024},
		sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Full: full})
	l := watch(t, b, to, o)
	var all []*sensor.Thread
	var wait sync.WaitGroup
	for k := range threads {
		th := b.Thread("run", fmt.Sprint(k))
		all = append(all, th)
		i := instance(t, th, b, "s", "")
		wait.Go(func() {
			for n := range n {
				i.Record(float64(n+1), float64(k))
			}
		})
	}
	wait.Wait()
	eventually(t, "the rings are not read", func() bool {
		got := uint64(0)
		for _, s := range b.Status() {
			got += s.Recorded + s.Dropped + s.Thinned
		}
		return got == uint64(threads*n)
	})
	status := b.Status()
	for _, th := range all {
		th.Close()
	}
	end(t, l)
	if left := b.Status(); len(left) > 0 {
		t.Fatalf("closed threads are still there: %v", left)
	}
	return status
}

// A thread that waits loses nothing, makes nothing twice, and its order stays.
func TestWaitLosesNothing(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		threads, n := rapid.IntRange(1, 4).Draw(t, "threads"), rapid.IntRange(0, 3000).Draw(t, "n")
		var k kept
		status := record(t, sensor.Wait, threads, n, &k,
			sensor.LocalOptions{Most: rapid.IntRange(1, 3).Draw(t, "monitors")})
		var waited time.Duration
		for thread := range threads {
			for j, r := range k.of(fmt.Sprint(thread)) {
				if want := float64(j + 1); r.Values[0] != want || r.Values[1] != float64(thread) ||
					r.Sequence != uint64(j+1) {
					t.Fatalf("record %d of thread %d is %v, number %d", j, thread, r.Values, r.Sequence)
				}
				waited += r.Perturbation
			}
		}
		if len(k.records) != threads*n {
			t.Fatalf("%d records of %d", len(k.records), threads*n)
		}
		for _, s := range status {
			if s.Recorded != uint64(n) || s.Dropped+s.Thinned != 0 {
				t.Fatalf("status %+v", s)
			}
			waited -= s.Waited
		}
		if waited != 0 {
			t.Fatalf("records and status differ by %v in how long threads waited", waited)
		}
	})
}

// What is lost is counted, and missing from the numbers; what is left has its order.
func TestLossIsCounted(t *testing.T) {
	for _, full := range []sensor.Full{sensor.Drop, sensor.Thin} {
		testenv.Check(t, func(t *rapid.T) {
			threads, n := rapid.IntRange(1, 3).Draw(t, "threads"), rapid.IntRange(0, 3000).Draw(t, "n")
			var k kept
			status := record(t, full, threads, n, &k, sensor.LocalOptions{Most: 2})
			for j, s := range status {
				got, last := k.of(fmt.Sprint(j)), uint64(0)
				for _, r := range got {
					if r.Sequence <= last || r.Values[0] != float64(r.Sequence) || r.Perturbation != 0 {
						t.Fatalf("record %d, number %d, waited %v, is behind %d", int(r.Values[0]), r.Sequence,
							r.Perturbation, last)
					}
					last = r.Sequence
				}
				if uint64(len(got)) != s.Recorded || s.Recorded+s.Dropped+s.Thinned != uint64(n) ||
					(full == sensor.Drop && s.Thinned > 0) {
					t.Fatalf("%d records of %d; status %+v", len(got), n, s)
				}
			}
		})
	}
}

// Without a monitor nobody waits: a solver is not held up by what nobody looks at.
func TestNobodyWaitsForNobody(t *testing.T) {
	b := declare(t, sensor.BoardOptions{Ring: 1024},
		sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Full: sensor.Wait})
	i := instance(t, b.Thread("run", "t"), b, "s", "")
	for n := range 1000 {
		i.Record(float64(n), 0)
	}
	if s := b.Status()[0]; s.Dropped == 0 || s.Dropped > 1000 {
		t.Errorf("%d dropped", s.Dropped)
	}
}

// Threads that wait while the monitors are closed go on.
func TestCloseFreesThreads(t *testing.T) {
	b := declare(t, sensor.BoardOptions{Ring: 1024},
		sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Full: sensor.Wait})
	held := make(chan struct{})
	l := watch(t, b, sensor.Func(func(ctx context.Context, _ sensor.Batch) error {
		<-held
		return nil
	}), sensor.LocalOptions{})
	i := instance(t, b.Thread("run", "t"), b, "s", "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			i.Record(0, 0)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	close(held)
	must.OK(t, l.Close(ctx))
	<-done
	s := b.Status()[0]
	if s.Recorded+s.Dropped > 1000 {
		t.Errorf("status %+v", s)
	}
}

// A sink that fails gets no more, and holds up nobody; the error is that of Close.
func TestSinkFails(t *testing.T) {
	b := declare(t, sensor.BoardOptions{Ring: 1024},
		sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Full: sensor.Wait})
	broken, calls := errors.New("disk full"), 0
	l := watch(t, b, sensor.Func(func(context.Context, sensor.Batch) error {
		calls++
		return broken
	}), sensor.LocalOptions{Most: 1})
	th := b.Thread("run", "t")
	i := instance(t, th, b, "s", "")
	for range 5000 {
		i.Record(0, 0)
	}
	if err := l.Close(t.Context()); err != broken || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
	if err := l.Close(t.Context()); err != broken {
		t.Errorf("error %v when closed again", err)
	}
}

func TestOneLocalMonitor(t *testing.T) {
	b := declare(t, sensor.BoardOptions{})
	l := watch(t, b, nobody, sensor.LocalOptions{})
	if _, err := sensor.NewLocal(b, nobody, sensor.LocalOptions{}); err == nil {
		t.Error("a board has two")
	}
	end(t, l)
	end(t, watch(t, b, nobody, sensor.LocalOptions{}))
}

// Under load, monitors help each other, and leave again.
func TestMoreMonitorsUnderLoad(t *testing.T) {
	b := declare(t, sensor.BoardOptions{Ring: 1024}, sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair})
	goroutines := runtime.NumGoroutine()
	for k := range 2 {
		i := instance(t, b.Thread("run", fmt.Sprint(k)), b, "s", "")
		for range 1000 {
			i.Record(0, 0) // both rings are full
		}
	}
	var both sync.WaitGroup // two are in the sink at a time, or this does not end
	both.Add(2)
	l := watch(t, b, sensor.Func(func(context.Context, sensor.Batch) error {
		both.Done()
		both.Wait()
		return nil
	}), sensor.LocalOptions{Most: 3, Budget: -1})
	both.Wait()
	if l.Peak() < 2 {
		t.Errorf("%d monitors worked at a time", l.Peak())
	}
	eventually(t, "helpers stay", func() bool { return runtime.NumGoroutine() <= goroutines+1 })
	end(t, l)
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// The monitor reads what a thread counts, and what it recorded last, at its rate.
func TestSampling(t *testing.T) {
	at := clock.NewManual(start)
	b := declare(t, sensor.BoardOptions{Clock: at},
		sensor.Spec{Name: "cells", Kind: sensor.Counter, Fields: pair[:1], Interval: time.Second},
		sensor.Spec{Name: "state", Kind: sensor.Value, Fields: pair, Interval: 3 * time.Second})
	th := b.Thread("run", "t")
	cells, state := instance(t, th, b, "cells", ""), instance(t, th, b, "state", "rotor")
	var k kept
	l := watch(t, b, &k, sensor.LocalOptions{Budget: -1})
	advance := func(want int) {
		t.Helper()
		must.OK(t, at.AwaitPending(t.Context(), 1))
		at.Advance(time.Second)
		eventually(t, fmt.Sprintf("%d samples", want), func() bool { return k.len() >= want })
	}
	cells.Record(5)
	cells.Record(2)
	advance(1)
	cells.Record(1)
	advance(2)
	state.Record(8, 9)
	advance(4)
	th.Close()
	end(t, l)
	var got []string
	for _, r := range k.records {
		got = append(got, fmt.Sprint(r.From.Spec.Name, r.From.Block, " ", r.Time.Sub(start), " ", r.Sequence, r.Values))
	}
	want := []string{"cells 1s 1 [7]", "cells 2s 2 [8]", "cells 3s 3 [8]", "staterotor 3s 1 [8 9]"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What a counter stands at when its thread closes is not lost.
func TestLastSample(t *testing.T) {
	var k kept
	b := declare(t, sensor.BoardOptions{}, sensor.Spec{Name: "cells", Kind: sensor.Counter, Fields: pair[:1],
		Interval: time.Hour})
	l := watch(t, b, &k, sensor.LocalOptions{})
	th := b.Thread("run", "t")
	i := instance(t, th, b, "cells", "")
	for range 1000 {
		i.Record(1)
	}
	th.Close()
	th.Close()
	end(t, l)
	if len(k.records) != 1 || k.records[0].Values[0] != 1000 {
		t.Errorf("%+v", k.records)
	}
}

// Fields of a value that were recorded together are read together.
func TestValuesAreWhole(t *testing.T) {
	at := clock.NewManual(start)
	b := declare(t, sensor.BoardOptions{Clock: at},
		sensor.Spec{Name: "v", Kind: sensor.Value, Fields: pair, Interval: time.Millisecond})
	i := instance(t, b.Thread("run", "t"), b, "v", "")
	var k kept
	l := watch(t, b, &k, sensor.LocalOptions{Budget: -1})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; k.len() < 200; n++ {
			i.Record(float64(n), -float64(n))
			at.Advance(time.Millisecond)
		}
	}()
	<-done
	end(t, l)
	for _, r := range k.records {
		if r.Values[0] != -r.Values[1] {
			t.Fatalf("%v were not recorded together", r.Values)
		}
	}
}

// No call allocates: a solver's garbage collector has no work from its sensors.
func TestNoAllocation(t *testing.T) {
	specs := []sensor.Spec{
		{Name: "off", Kind: sensor.Tracing, Off: true}, {Name: "tracing", Kind: sensor.Tracing},
		{Name: "thin", Kind: sensor.Tracing, Full: sensor.Thin},
		{Name: "counter", Kind: sensor.Counter}, {Name: "value", Kind: sensor.Value},
	}
	for _, f := range []sensor.Filter{
		{Op: sensor.EveryNth, N: 3}, {Op: sensor.OnChange, Absolute: 1}, {Op: sensor.Minimum, N: 3},
		{Op: sensor.Maximum, N: 3},
		{Op: sensor.Mean, N: 3}, {Op: sensor.Histogram, N: 3, Resolution: 1, Greatest: 100},
	} {
		specs = append(specs, sensor.Spec{Name: string(f.Op), Kind: sensor.Extended, Filter: f})
	}
	for k := range specs {
		specs[k].Fields = pair
	}
	b := declare(t, sensor.BoardOptions{}, specs...)
	th := b.Thread("run", "t")
	for _, s := range specs {
		i := instance(t, th, b, s.Name, "")
		x := 0.0
		if n := testing.AllocsPerRun(1000, func() {
			x++
			i.Record(x, 2)
		}); n > 0 {
			t.Errorf("%s: %v allocations a record", s.Name, n)
		}
	}
}

func TestWrongNumberOfFieldsPanics(t *testing.T) {
	b := declare(t, sensor.BoardOptions{}, sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair})
	i := instance(t, b.Thread("run", "t"), b, "s", "")
	defer func() {
		if got, want := recover(), "sensor s: a record of 1 numbers, it has 2 fields: n, thread"; got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}()
	i.Record(1)
}

func TestNilInstanceIsOff(t *testing.T) {
	var i *sensor.Instance
	i.Record(1, 2, 3)
	if i.On() {
		t.Error("it is on")
	}
}

func TestBadSpecs(t *testing.T) {
	one := []sensor.Field{{Name: "x"}}
	for want, s := range map[string]sensor.Spec{
		`sensor "": its name has 0 bytes; give it 1 to 256`: {},
		`sensor "a": there is no kind "gauge"; choose counter, value, tracing or extended`: {
			Kind: "gauge",
		},
		`sensor "a": it has 0 fields; give it 1 to 64`: {
			Kind: sensor.Value,
		},
		`sensor "a": two fields are called "x"; rename one`: {
			Kind: sensor.Value, Fields: []sensor.Field{{Name: "x"}, {Name: "x"}},
		},
		`sensor "a": every is -1; choose 0 to 2147483647`: {
			Kind: sensor.Tracing, Fields: one, Every: -1,
		},
		`sensor "a": its interval is 1µs; choose at least 1ms, or 0 for 100ms`: {
			Kind: sensor.Value, Fields: one, Interval: time.Microsecond,
		},
		`sensor "a": full and every are for tracing and extended sensors; a sampling one has an interval`: {
			Kind: sensor.Value, Fields: one, Every: 2,
		},
		`sensor "a": an interval is for sampling sensors; this one has every`: {
			Kind: sensor.Tracing, Fields: one, Interval: time.Second,
		},
		`sensor "a": full is "burst"; choose drop, wait or thin`: {
			Kind: sensor.Tracing, Fields: one, Full: "burst",
		},
		`sensor "a": a filter is what makes a sensor extended: give both or neither`: {
			Kind: sensor.Extended, Fields: one,
		},
		`sensor "a": there is no filter "sum"; choose every, change, min, max, mean or histogram`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: "sum"},
		},
		`sensor "a": its filter looks at field "y"; it has x`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: sensor.Minimum, Field: "y", N: 1},
		},
		`sensor "a": the n of its filter is 0; choose 1 to 2147483647`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: sensor.Minimum},
		},
		`sensor "a": a filter on change has no n`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: sensor.OnChange, N: 2},
		},
		`sensor "a": the tolerances of its filter are NaN and 0; choose none below 0`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: sensor.OnChange, Absolute: math.NaN()},
		},
		`sensor "a": the histogram goes from 0 to 1; choose a resolution above 0 and 2 to 1e+12 times that`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: sensor.Histogram, N: 1, Greatest: 1},
		},
		`sensor "a": the histogram has 4 digits; choose 1 to 3, or 0 for 2`: {
			Kind: sensor.Extended, Fields: one, Filter: sensor.Filter{Op: sensor.Histogram, N: 1, Digits: 4},
		},
		`sensor "a": field 1 has a name of 0 and a unit of 0 bytes; give it 1 to 256 and at most 256`: {
			Kind: sensor.Value, Fields: []sensor.Field{{}},
		},
	} {
		if s.Kind != "" {
			s.Name = "a"
		}
		err := sensor.NewBoard(sensor.BoardOptions{}).Declare(s)
		var bad *sensor.SpecError
		if !errors.As(err, &bad) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDeclareTwice(t *testing.T) {
	s := sensor.Spec{Name: "s", Kind: sensor.Value, Fields: pair}
	b := declare(t, sensor.BoardOptions{}, s, s)
	s.Fields = pair[:1]
	if err := b.Declare(s); err == nil || !strings.Contains(err.Error(), "otherwise") {
		t.Errorf("error %v", err)
	}
	if _, err := b.Sensor("t"); err == nil {
		t.Error("an unknown sensor is there")
	}
}

func TestEventOfRecord(t *testing.T) {
	o := &sensor.Origin{Spec: &sensor.Spec{Name: "s", Fields: pair, Event: event.Iteration}, Run: "r", Thread: "t",
		Block: "b"}
	r := sensor.Record{From: o, Time: start, Sequence: 7, Perturbation: time.Millisecond,
		Values: []float64{1, math.NaN()}}
	want := event.Event{
		Run: "r", Source: event.Plugin, Time: start, Kind: event.Iteration, Name: "s",
		Values: map[string]float64{"n": 1}, NonFinite: []string{"thread"},
		Sensor: &event.Sensor{Thread: "t", Block: "b", Sequence: 7, Perturbation: 1e-3},
	}
	must.Equal(t, want, r.Event())
}
