package sensor_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
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
	b := declare(t, sensor.BoardOptions{Clock: at},
		sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Full: sensor.Wait})
	th := b.Thread("run", "t")
	i := instance(t, th, b, "s", "")
	var k kept
	l := watch(t, b, &k, sensor.LocalOptions{Budget: 0.05})
	rates := func() []event.Event {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.events
	}
	lowered := func() int { return b.Status()[0].Lowered }

	at.step.Store(int64(time.Millisecond)) // seconds pass, in records and in the monitor
	for lowered() == 1 {
		before := k.len()
		for range 20 {
			i.Record(0, 0)
		}
		eventually(t, "the monitor stands still", func() bool { return k.len() > before || lowered() > 1 })
	}
	at.step.Store(0)
	eventually(t, "nothing is said", func() bool { return len(rates()) > 0 })
	events := rates()
	for _, e := range events {
		if e.Kind != event.Rate || e.Name != "s" || e.Run != "run" || e.Source != event.Plugin ||
			e.Values["budget"] != 0.05 {
			t.Errorf("event %+v", e)
		}
	}
	if first := events[0]; !strings.Contains(first.Text, "lowered to 1/2 of what is set") ||
		!(first.Values["share"] > 0.05) {
		t.Errorf("event %+v", first)
	}
	if s := b.Status()[0]; s.Lowered < 2 || s.Every != s.Lowered {
		t.Errorf("status %+v", s)
	}
	for range 100 { // nothing is recorded: there is room
		if lowered() == 1 {
			break
		}
		must.OK(t, at.AwaitPending(t.Context(), 1))
		at.Advance(time.Second)
	}
	if s := b.Status()[0]; s.Every != 1 || s.Lowered != 1 {
		t.Errorf("status %+v", s)
	}
	th.Close()
	end(t, l)
	events = rates()
	if last := events[len(events)-1]; !strings.Contains(last.Text, "raised to 1/1 of what is set") {
		t.Errorf("event %+v", last)
	}
}

// Without a budget nothing is lowered.
func TestNoBudget(t *testing.T) {
	at := &costly{Manual: clock.NewManual(start)}
	at.step.Store(int64(10 * time.Millisecond))
	b := declare(t, sensor.BoardOptions{Clock: at},
		sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Full: sensor.Wait})
	th := b.Thread("run", "t")
	i := instance(t, th, b, "s", "")
	var k kept
	l := watch(t, b, &k, sensor.LocalOptions{Budget: -1})
	for range 2000 {
		i.Record(0, 0)
	}
	th.Close()
	end(t, l)
	if len(k.events) > 0 || len(k.records) != 2000 {
		t.Errorf("%d records, events %v", len(k.records), k.events)
	}
}
