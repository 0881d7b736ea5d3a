package rule_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// Where plugin and file report the same iterations, as the host announces, the rules see the plugin's
// values once, whichever come first.
func TestPluginWins(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "probe", When: "ended", Message: "{residual} {W_in} {mean(residual, 4)} {iterations}"})
	one := func(source event.Source, it, residual float64) event.Event {
		values := map[string]float64{"iteration": it, "residual": residual}
		if source == event.File {
			values["W_in"] = 70 + it // only the file tells it
		}
		return event.Event{Run: "r", Source: source, Kind: event.Iteration, Time: epoch, Values: values}
	}
	plugin, file := func(it float64) event.Event {
		return one(event.Plugin, it, it)
	}, func(it float64) event.Event { return one(event.File, it, 100) }
	for name, order := range map[string][]event.Event{
		"plugin first": {plugin(1), file(1), plugin(2), plugin(3), file(2), file(3), plugin(4), file(4)},
		"file first":   {file(1), file(2), plugin(1), plugin(2), plugin(3), file(3), file(4), plugin(4)},
	} {
		_, found := feed(
			t,
			set,
			slices.Concat([]event.Event{watched}, order, []event.Event{ended(event.Plugin, event.Converged)})...)
		if f, n := of(found, "probe"); n != 1 || !strings.HasPrefix(f.Message, "4 74 2.5 ") {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// Residuals by equation count by their largest.
func TestSeveralResiduals(t *testing.T) {
	set := compile(t, config.Rule{Name: "probe", When: "residual < 0.5"})
	e := event.Event{Run: "r", Source: event.File, Kind: event.Iteration, Time: epoch,
		Values: map[string]float64{"iteration": 1, "residual_p": 0.1, "residual_Ux": 0.9}}
	if _, found := feed(t, set, e); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	e.Values["residual_Ux"] = 0.3
	if _, found := feed(t, set, e); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	e.NonFinite = []string{"residual_k"}
	_, found := feed(t, set, e)
	if _, n := of(found, "non_finite"); n != 1 {
		t.Errorf("%+v", found)
	}
}

// Time comes in by Tick where no event does.
func TestTick(t *testing.T) {
	m, _ := feed(t, compile(t), recorded(t, "throughflow-converges.dat")[:30]...)
	last := epoch.Add(3 * time.Second)
	if found := m.Tick(last.Add(59 * time.Second)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	found := m.Tick(last.Add(61 * time.Second))
	if f, n := of(found, "hung"); n != 1 || f.Action != rule.Stop ||
		f.Message != "no output for 61 s after 30 iterations" {
		t.Errorf("%+v", found)
	}
	if class := m.Class("r"); class != event.Hung {
		t.Error(class)
	}
	if found := m.Tick(last.Add(time.Hour)); len(found) != 0 {
		t.Errorf("again: %+v", found)
	}
}

// A time for which the machine was suspended is no silence of the run, nor is one by which its clock was set.
func TestGapIsNoSilence(t *testing.T) {
	for _, gap := range []time.Duration{time.Hour, -time.Hour} {
		m, _ := feed(t, compile(t), recorded(t, "throughflow-converges.dat")[:30]...)
		last := epoch.Add(3*time.Second + gap)
		found := m.Event(event.Event{Run: "r", Source: event.Host, Kind: event.Message, Name: event.Gap,
			Time: last.Add(time.Second), Wall: gap.Seconds()})
		if found = append(found, m.Tick(last.Add(59*time.Second))...); len(found) != 0 {
			t.Errorf("a gap of %v: %+v", gap, found)
		}
		if _, n := of(m.Tick(last.Add(61*time.Second)), "hung"); n != 1 {
			t.Errorf("a gap of %v: a minute later it is not hung", gap)
		}
	}
}

// A run stays within 64 kB with the built-in rules, however long it is.
func TestMemory(t *testing.T) {
	m, n := rule.NewMonitor(compile(t)), 0.0
	e := event.Event{Run: "r", Source: event.File, File: "history.dat", Kind: event.Iteration, Time: epoch,
		Values: map[string]float64{}}
	next := func() {
		n++
		e.Values["iteration"], e.Values["residual"], e.Values["W_in"] = n, 1/n, 67
		e.Values["W_out"], e.Values["PR"], e.Values["eff"] = 66, 1.6, 0.9
		m.Event(e)
	}
	heap := func() int64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	next()
	before := heap()
	for range 20_000 {
		next()
	}
	if bytes := heap() - before; bytes > 64_000 {
		t.Errorf("%d bytes", bytes)
	}
	runtime.KeepAlive(m)
}
