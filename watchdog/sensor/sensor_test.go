package sensor

import (
	"errors"
	"fmt"
	"math"
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
)

// kept keeps copies of batches.
type kept struct {
	mu      sync.Mutex
	records []Record
	events  []event.Event
}

func (k *kept) take(b Batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range b.Records {
		r.Values = slices.Clone(r.Values)
		k.records = append(k.records, r)
	}
	k.events = append(k.events, b.Events...)
}

func (k *kept) len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.records)
}

// of returns the records of a thread.
func (k *kept) of(thread string) []Record {
	return slices.DeleteFunc(slices.Clone(k.records), func(r Record) bool { return r.From.Thread != thread })
}

// eventually waits for something that other goroutines are to do.
func eventually(t must.T, what string, is func() bool) {
	t.Helper()
	for range 12000 { // a minute
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal(what)
}

var (
	pair  = []Field{{Name: "n"}, {Name: "thread"}}
	start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	free  = math.Inf(1) // any budget
)

// on returns a board whose sensors, each with the fields n and thread, are on.
func on(t must.T, at clock.Clock, names ...string) *Board {
	t.Helper()
	var specs []Spec
	for _, name := range names {
		specs = append(specs, Spec{Name: name, Kind: Tracing, Fields: pair})
	}
	b := must.Value(NewBoard("run", at, specs...))(t)
	for _, name := range names {
		b.Switch(name, true, 1)
	}
	return b
}

// Of n records of a thread, one in so many is taken while the sensor is on, in order, and the last of them before the
// monitor has closed, too. A ring that is full loses records, whose numbers are missing.
func TestRecords(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		threads, n := rapid.IntRange(1, 4).Draw(t, "threads"), rapid.IntRange(0, 3000).Draw(t, "n")
		every := rapid.SampledFrom([]int{1, 1, 2, 50}).Draw(t, "every")
		b := on(t, clock.Real, "s")
		b.Switch("s", true, every)
		small := rapid.Bool().Draw(t, "small")
		if small {
			b.words = 128
		}
		var k kept
		m := startMonitor(b, k.take, free)
		var wait sync.WaitGroup
		for thread := range threads {
			i := b.Sensor("s", fmt.Sprint(thread), "")
			wait.Go(func() {
				for n := range n {
					i.Record(float64(n+1), float64(thread))
				}
			})
		}
		wait.Wait()
		b.Switch("s", false, 1)
		for thread := range threads {
			b.Sensor("s", fmt.Sprint(thread), "").Record(0, 0)
		}
		m.Close()
		for thread := range threads {
			got, last := k.of(fmt.Sprint(thread)), uint64(0)
			for _, r := range got {
				if r.Sequence <= last || r.Values[0] != float64(every)*float64(r.Sequence) ||
					r.Values[1] != float64(thread) || r.From.Run != "run" {
					t.Fatalf("record %v, number %d, of thread %d is behind %d", r.Values, r.Sequence, thread, last)
				}
				last = r.Sequence
			}
			if len(got) > n/every || !small && len(got) != n/every || n >= every && len(got) == 0 {
				t.Fatalf("%d of %d records, one in %d is wanted", len(got), n, every)
			}
		}
	})
}

// A ring that nobody reads loses what does not fit: a solver is not held up.
func TestFullRing(t *testing.T) {
	b := on(t, clock.Real, "s")
	b.words = 128
	i := b.Sensor("s", "t", "")
	for n := range 1000 {
		i.Record(float64(n), 0)
	}
	var k kept
	startMonitor(b, k.take, free).Close()
	must.Equal(t, 128/(headWords+2), len(k.records))
}

// A switch counts for all threads, also for those that come later.
func TestSwitch(t *testing.T) {
	b := must.Value(NewBoard("run", clock.Real, Spec{Name: "a", Kind: Tracing, Fields: pair},
		Spec{Name: "b", Kind: Tracing, Fields: pair, Every: 3}))(t)
	state := func() (text string) {
		for _, thread := range []string{"0", "1"} {
			for _, name := range []string{"a", "b"} {
				for _, block := range []string{"rotor", "stator"} {
					i := b.Sensor(name, thread, block)
					if i != b.Sensor(name, thread, block) {
						t.Errorf("%s has two instances in thread %s for block %s", name, thread, block)
					}
					text += fmt.Sprint(i.On(), i.(*instance).every.Load(), " ")
				}
			}
		}
		return text
	}
	b.Sensor("b", "0", "rotor")
	b.Switch("b", true, 7)
	must.Equal(t, "false 0 false 0 true 7 true 7 false 0 false 0 true 7 true 7 ", state())
	b.Switch("b", false, 7)
	b.Switch("a", true, 1)
	must.Equal(t, "true 1 true 1 false 0 false 0 true 1 true 1 false 0 false 0 ", state())
}

// Threads, a monitor and switches, all at once: for the race detector.
func TestEverythingAtOnce(t *testing.T) {
	b := on(t, clock.Real, "trace", "state")
	b.words = 128
	var k kept
	m := NewMonitor(b, k.take)
	var threads, others sync.WaitGroup
	stop := make(chan struct{})
	for thread := range 4 {
		threads.Go(func() {
			trace, state := b.Sensor("trace", fmt.Sprint(thread), ""), b.Sensor("state", fmt.Sprint(thread), "")
			for j := range 3000 {
				trace.Record(float64(j), 0)
				if state.On() {
					state.Record(float64(j), 1)
				}
			}
		})
	}
	others.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
				b.Switch("state", n%2 == 0, n%5)
			}
		}
	})
	threads.Wait()
	close(stop)
	others.Wait()
	m.Close()
	for thread := range 4 {
		last, n := map[string]Record{}, 0
		for _, r := range k.of(fmt.Sprint(thread)) {
			name := r.From.Spec.Name
			if l, ok := last[name]; ok && (r.Sequence <= l.Sequence || r.Values[0] <= l.Values[0]) {
				t.Fatalf("record %d of %s in thread %d is behind %d", r.Sequence, name, thread, l.Sequence)
			}
			last[name] = r
			n++
		}
		if n == 0 {
			t.Errorf("no records of thread %d", thread)
		}
	}
}

// No call allocates: a solver's garbage collector has no work from its sensors.
func TestNoAllocation(t *testing.T) {
	b := on(t, clock.Real, "on", "off")
	b.Switch("off", false, 1)
	numbers := make([]float64, 2)
	for _, name := range []string{"on", "off"} {
		i := b.Sensor(name, "t", "")
		if n := testing.AllocsPerRun(1000, func() { i.Record(numbers...) }); n > 0 {
			t.Errorf("%s: %v allocations a record", name, n)
		}
	}
}

// A program that uses a sensor otherwise than it declared it is told so.
func TestMistakesPanic(t *testing.T) {
	b, marks := on(t, clock.Real, "residual"), switchedOn(t, clock.Real)
	for want, call := range map[string]func(){
		"sensor residual: a record of 1 numbers, it has 2 fields: n, thread": func() {
			b.Sensor("residual", "t", "").Record(1)
		},
		`run run: unknown sensor "residul", did you mean residual?; declare it in the solver's description`: func() {
			b.Sensor("residul", "t", "")
		},
		"marker int8: 128 is no int8":                       func() { marks.Mark("int8", "main").Int(128) },
		"marker text: 1.5 is no text":                       func() { marks.Mark("text", "main").Float(1.5) },
		"marker int64: a text is no int64":                  func() { marks.Mark("int64", "main").Text("x") },
		`sensor "region" is declared as a region, and is u`: func() { marks.Sensor("region", "main", "") },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}()
			call()
		}()
	}
}

func TestBadSpecs(t *testing.T) {
	one := []Field{{Name: "x"}}
	for want, s := range map[string]Spec{
		`sensor "": its name has 0 bytes; give it 1 to 256`: {},
		`sensor "a": unknown kind "gauge"; the kinds are ` +
			`[tracing region send receive fork join marker]`: {Kind: "gauge", Fields: one},
		`sensor "a": it has 0 fields; give it 1 to 64`:       {Kind: Tracing},
		`sensor "a": two fields are called "x"; rename one`:  {Kind: Tracing, Fields: append(one, one...)},
		`sensor "a": every is -1; choose 0 to 2147483647`:    {Kind: Tracing, Fields: one, Every: -1},
		`sensor "a": its doc has 4097 bytes; cut it to 4096`: {Kind: Tracing, Doc: string(make([]byte, 4097))},
		`sensor "a": field 1 has a name of 0 and a unit of 0 bytes; give it 1 to 256 and at most 256`: {
			Kind: Tracing, Fields: []Field{{}},
		},
		`sensor "twice": it is declared twice; rename one`: {Name: "twice", Kind: Tracing, Fields: one},
	} {
		if s.Kind != "" && s.Name == "" {
			s.Name = "a"
		}
		_, err := NewBoard("run", clock.Real, Spec{Name: "twice", Kind: Tracing, Fields: one}, s)
		if _, ok := errors.AsType[*SpecError](err); !ok || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestEventOfRecord(t *testing.T) {
	o := &Origin{Spec: &Spec{Name: "s", Fields: pair}, Run: "r", Thread: "t", Block: "b"}
	r := Record{From: o, Time: start, Sequence: 7, Values: []float64{1, math.NaN()}}
	want := event.Event{
		Run: "r", Source: event.Plugin, Time: start, Kind: event.Sensed, Name: "s",
		Values: map[string]float64{"n": 1}, NonFinite: []string{"thread"},
		Sensor: &event.Sensor{Thread: "t", Block: "b", Sequence: 7},
	}
	must.Equal(t, want, r.Event())
}
