package sensor

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// costly is a clock each of whose readings takes a while: that long is then a record, which reads it once.
type costly struct {
	*clock.Manual
	step atomic.Int64
}

func (c *costly) Now() time.Time {
	c.Advance(time.Duration(c.step.Load()))
	return c.Manual.Now()
}

// A sensor that costs too much gets a lower rate, and its rate back when there is room.
func TestBudget(t *testing.T) {
	at := &costly{Manual: clock.NewManual(start)}
	b := on(t, at, "s")
	i := b.Sensor("s", "t", "")
	var k kept
	m := startMonitor(b, k.take, 0.05)
	reports := func() []event.Event {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.events
	}
	lowered := func() uint32 {
		b.mu.Lock()
		defer b.mu.Unlock()
		factor := b.sensors["s"].factor
		must.Equal(t, factor, i.(*instance).every.Load())
		return factor
	}

	at.step.Store(int64(time.Millisecond)) // seconds pass, in records and in the monitor
	for lowered() == 1 {
		before := k.len()
		for range 20 {
			i.Record(0, 0)
		}
		eventually(t, "the monitor does nothing", func() bool { return k.len() > before || lowered() > 1 })
	}
	at.step.Store(0)
	eventually(t, "no event reports it", func() bool { return len(reports()) > 0 })
	for _, e := range reports() {
		if e.Kind != event.Rate || e.Name != "s" || e.Run != "run" || e.Source != event.Plugin ||
			e.Values["budget"] != 0.05 {
			t.Errorf("event %+v", e)
		}
	}
	if first := reports()[0]; !strings.Contains(first.Text, "lowered to 1/2 of what is set") ||
		!(first.Values["share"] > 0.05) {
		t.Errorf("event %+v", first)
	}
	for range 100 { // no records are made: there is room
		if lowered() == 1 {
			break
		}
		must.OK(t, at.AwaitPending(t.Context(), 1))
		at.Advance(time.Second)
	}
	must.Equal(t, uint32(1), lowered())
	m.Close()
	if last := k.events[len(k.events)-1]; !strings.Contains(last.Text, "raised to 1/1 of what is set") {
		t.Errorf("event %+v", last)
	}
}

// The dearest sensor of the slowest thread is lowered, in all threads, until what is left fits; what is cheap is left
// alone.
func TestDearestIsLowered(t *testing.T) {
	at := clock.NewManual(start)
	b := on(t, at, "cheap", "dear")
	g := newBudget(b, 0.05)
	spend := func(name, thread string, calls uint64, each time.Duration) {
		m := &b.Sensor(name, thread, "").(*instance).cost
		m.calls += calls
		m.took(int64(each))
	}
	spend("cheap", "slow", 2, time.Millisecond)
	spend("dear", "slow", 300, time.Millisecond)
	spend("dear", "quick", 10, time.Millisecond)
	at.Advance(time.Second)
	events := g.review(b.now())
	must.Equal(t, 3, len(events)) // 302 ms of a second, 151, 75.5; 37.8 fit
	for n, factor := range []float64{2, 4, 8} {
		must.Equal(t, "dear", events[n].Name)
		must.Equal(t, factor, events[n].Values["lowered"])
	}
	must.Near(t, "share", events[0].Values["share"], 0.302, 1e-12)
	for name, want := range map[string]uint32{"cheap": 1, "dear": 8} {
		for _, thread := range []string{"slow", "quick"} {
			must.Equal(t, want, b.Sensor(name, thread, "").(*instance).every.Load())
		}
	}
}
