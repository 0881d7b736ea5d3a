package plugin

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// A sensor finds nothing until it is switched on by its object; then each of its records, or of so many one, is an
// event of the run.
func TestSensing(t *testing.T) {
	r, folder := steer.New(clock.Real), t.TempDir()
	var mu sync.Mutex
	all := make(chan struct{})
	var seen, filed []event.Event
	s, err := newSensing([]sensor.Spec{
		{Name: "history", Kind: sensor.Tracing, Fields: []sensor.Field{{Name: "iteration"}, {Name: "residual"}}},
	}, "fan-1", folder, r, clock.Real, func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		if seen = append(seen, e); len(seen) == 40 {
			close(all)
		}
	})
	must.OK(t, err)
	history := s.board.Sensor("history", "main", "")
	march := func(from, n int) {
		for i := range n {
			r.Obey(t.Context(), int64(from+i))
			if history.On() {
				history.Record(float64(from+i), 0.5)
			}
		}
	}
	give := func(object string, v steer.Value) {
		t.Helper()
		r.Submit(steer.Command{ID: object, Verb: steer.Set, Changes: []steer.Change{{Object: object, Value: v}}},
			func(x event.Receipt) {
				if x.State.Final() && x.State != event.Applied {
					t.Errorf("%+v", x)
				}
			})
	}
	march(0, 10)
	give("sensors.history.on", steer.BoolValue(true))
	march(10, 20)
	give("sensors.history.every", steer.IntValue(5))
	march(30, 100)
	<-all
	give("sensors.file", steer.BoolValue(true))
	march(130, 50)
	r.Close()
	must.OK(t, s.close())
	if file, err := os.ReadFile(filepath.Join(folder, SensorsFile)); err != nil {
		t.Error(err)
	} else if err := sensor.NewReader(bytes.NewReader(file)).Events(func(e event.Event) error {
		filed = append(filed, e)
		return nil
	}); err != nil {
		t.Error(err)
	}
	if n := len(filed); n != 10 || filed[n-1].Values["iteration"] < 170 {
		t.Fatalf("%d records in the file", n)
	}
	if len(seen) != 20+20 || seen[0].Kind != event.Sensed || seen[0].Values["iteration"] != 10 ||
		seen[0].Values["residual"] != 0.5 {
		t.Errorf("%d events, the first %+v", len(seen), seen[:min(1, len(seen))])
	}
}
