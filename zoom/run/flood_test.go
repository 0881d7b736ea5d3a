package run_test

// Solvers that report without end: what they report is judged, and neither the disk nor the memory of the executive
// takes it all.

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// flooded is a monitor that counts iterations, and measures now and then the memory in use.
type flooded struct {
	iterations int
	peak       uint64
}

func (c *flooded) Observe(e event.Event) *attempt.Halt {
	if e.Kind != event.Iteration {
		return nil
	}
	if c.iterations++; c.iterations%10_000 == 0 { // and the solver is faster than this
		c.peak = max(c.peak, inUse())
	}
	return nil
}

// inUse is the memory in use, of earlier tests too, in bytes.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestEventsOfARunAreLimited(t *testing.T) {
	const limit, emitted = 50_000, 40_000
	seen := &flooded{}
	p := warmPool(t)
	p.Workers, p.Limits.Events, p.Monitor = 1, limit, seen
	before := inUse()
	out := runAll(t, p, job("flood", 3, "emit 40000"), job("next", 4, "emit 3"))
	if !out[0].OK() || !out[1].OK() || seen.iterations != emitted+3 {
		t.Errorf("%v, %v, %d events judged", out[0].Err, out[1].Err, seen.iterations)
	}
	if held := int64(seen.peak) - int64(before); held > 10e6 {
		t.Errorf("%d bytes held", held)
	}
	if info := must.Value(os.Stat(filepath.Join(out[0].Folder, plugin.EventsFile)))(t); info.Size() > limit+3000 {
		t.Errorf("%d bytes of events", info.Size())
	}
	var kept, dropped int
	var warnings []string
	must.OK(t, event.Each(filepath.Join(out[0].Folder, plugin.EventsFile), func(e event.Event) {
		switch {
		case e.Kind == event.Iteration:
			kept++
		case e.Kind == event.Warning:
			warnings = append(warnings, e.Text)
		case e.Values["dropped"] > 0:
			dropped = int(e.Values["dropped"])
		}
	}))
	if len(warnings) != 1 || !strings.Contains(warnings[0], "limits.events") || kept == 0 || kept+dropped != emitted {
		t.Errorf("%d kept, %d dropped, warnings %q", kept, dropped, warnings)
	}
	for _, e := range must.Value(event.Read(filepath.Join(out[1].Folder, plugin.EventsFile)))(t) {
		if e.Kind == event.Warning {
			t.Errorf("the next run: %s", e.Text)
		}
	}
}

// A log of any length is read event by event.
func TestEachReadsALongLogInLittleMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), event.LogName)
	log := must.Value(event.Append(path))(t)
	for i := range 20_000 {
		must.OK(t, log.Write(event.Event{Kind: event.Iteration, Values: run.With(nil, "iteration", float64(i))}))
	}
	must.OK(t, log.Close())
	seen, before := &flooded{}, inUse()
	must.OK(t, event.Each(path, func(e event.Event) { seen.Observe(e) }))
	if held := int64(seen.peak) - int64(before); seen.iterations != 20_000 || held > 3e6 {
		t.Errorf("%d events, %d bytes held", seen.iterations, held)
	}
}
