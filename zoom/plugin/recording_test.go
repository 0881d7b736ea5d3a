package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// A run records what its objects say: which sensors, which threads, in which mode, within which quota.
func TestRecordingIsSteered(t *testing.T) {
	r, folder := steer.New(clock.Real), t.TempDir()
	s := must.Value(newSensing([]sensor.Spec{
		{Name: "history", Kind: sensor.Tracing, Fields: []sensor.Field{{Name: "iteration"}}},
		{Name: "sweep", Kind: sensor.Region}, {Name: "barrier", Kind: sensor.Region},
	}, "fan-1", folder, r, clock.Real, func(event.Event) { t.Error("a record became an event") }))(t)
	iteration := int64(0)
	give := func(object string, v steer.Value, want event.State) {
		t.Helper()
		state := event.State("")
		r.Submit(steer.Command{ID: fmt.Sprint(object, v), Verb: steer.Set,
			Changes: []steer.Change{{Object: object, Value: v}}}, func(x event.Receipt) { state = x.State })
		iteration++
		r.Obey(t.Context(), iteration)
		if state != want {
			t.Errorf("%s: %s, want %s", object, state, want)
		}
	}
	give("sensors.mode", steer.TextValue("rings"), event.Refused)
	give("sensors.record", steer.TextValue("regions"), event.Refused)
	give("sensors.quota.records", steer.FloatValue(-1), event.Refused)
	give("sensors.mode", steer.TextValue("ring"), event.Applied)
	give("sensors.buffer", steer.FloatValue(7), event.Applied)
	give("sensors.begin", steer.FloatValue(0.5), event.Applied)
	for _, o := range r.List() {
		if o.Name == "sensors.begin" && o.Value.Number != 0.5 {
			t.Errorf("it begins at %v", o.Value)
		}
	}
	give("sensors.begin", steer.FloatValue(0), event.Applied)
	give("sensors.threads", steer.TextValue("worker 0, worker 1"), event.Applied)
	give("sensors.record", steer.TextValue("region"), event.Applied)
	for _, thread := range []string{"worker 0", "worker 1", "worker 2"} {
		sweep, barrier := s.board.Region("sweep", thread, ""), s.board.Region("barrier", thread, "")
		for range 10 {
			sweep.Enter()
			sweep.Leave()
			barrier.Enter()
			barrier.Leave()
		}
	}
	s.board.Sensor("history", "main", "").Record(1)
	give("sensors.record", steer.TextValue("none"), event.Applied)
	s.board.Region("sweep", "worker 0", "").Enter()
	r.Close()
	must.OK(t, s.close())
	f := must.Value(os.Open(filepath.Join(folder, SensorsFile)))(t)
	list := must.Value(format.All(f, nil, func(p trace.Problem) { t.Errorf("%+v", p) }))(t)
	must.OK(t, f.Close())
	if len(list) != 7+2 || list[6].Process != "fan-1/worker 1" || list[6].Kind != trace.Leave {
		t.Fatalf("got %+v", list)
	}
	must.Equal(t, 2*40-7, int(trace.Analyse(list, nil).Lost))
}
