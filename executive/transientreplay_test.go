package executive_test

import (
	"errors"
	"io/fs"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// steeredBy runs a case of an engine in a study, whose transient gets commands from a client at its first step.
func steeredBy(t *testing.T, s *executive.Studies, cfg *config.Engine, zoom bool, names []string,
	commands ...steer.Command) {
	t.Helper()
	must.OK(t, s.Begin("mine", cfg, "test", "test"))
	by := client.Client{Work: s.Settings.Work, Launchers: executive.Launchers(), Clock: clock.Real}
	var once sync.Once
	opt := executive.Options{Zoomer: s, Record: func(e event.Event) event.Event {
		if e.Kind != event.Progress {
			return s.Log.Record(e)
		}
		reached, err := by.Reach(t.Context(), client.Address{Study: "mine", Runs: names[len(names)-1]})
		if err != nil { // it is not zoomed yet
			return s.Log.Record(e)
		}
		defer reached.Close()
		once.Do(func() {
			for _, c := range commands {
				order := client.RunCommand{Run: reached.Runs[0], Order: client.Order{Command: c, Arms: true}}
				must.OK(t, client.Give(t.Context(), []client.RunCommand{order}, func(*client.Run, event.Receipt) {}))
			}
		})
		return s.Log.Record(e)
	}}
	if !zoom {
		cfg.Zooms = nil
	}
	results, err := executive.Run(t.Context(), cfg, names, opt)
	if err != nil || !results.Cases[len(names)-1].Converged {
		t.Fatalf("%v, %+v", err, results.Cases[len(names)-1].Message)
	}
	must.OK(t, s.Close())
}

func fuelAt(id string, at int64, v float64) steer.Command {
	return steer.Command{
		ID: id, Verb: steer.Set, At: at, Changes: []steer.Change{{Object: "burner.Wf", Value: steer.FloatValue(v)}},
	}
}

func loaded(t *testing.T, file string) *config.Engine {
	t.Helper()
	return must.Value(config.Load(file, components.Catalogue(), nil))(t)
}

// A transient with a lever moved by hand is repeated from the record of its study, to the last bit, also on zoomed
// maps. A transient that was not steered has no record; the record of another engine file is refused.
func TestReplayTransient(t *testing.T) {
	for name, engine := range map[string]func() *config.Engine{
		"plain":  func() *config.Engine { return loaded(t, enginetest.Example("turbojet-slam.yaml")) },
		"zoomed": func() *config.Engine { return slowing(t, "1 %", "extend") },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "zoomed" {
				testenv.Long(t, "three transients of a zoomed engine")
			}
			settings := settings.Settings{Cache: t.TempDir(), Work: t.TempDir(), Launcher: "local", Workers: 2}
			s := must.Value(executive.NewStudies(settings))(t)
			names, fuel := []string{"slam"}, 0.5
			if name == "zoomed" {
				names, fuel = []string{"part", "dip"}, 0.7
			}
			of := names[len(names)-1]
			steeredBy(t, s, engine(), name == "zoomed", names, fuelAt("a", 10, fuel), fuelAt("b", 25, 1.02*fuel))
			record, err := s.ReadSteeredTransient("mine", of)
			if err != nil || len(record.Acts) != 2 || len(record.Zooms) != 2*(len(names)-1) {
				t.Fatalf("%v, %+v", err, record.Acts)
			}
			r, err := s.ReplayTransient(t.Context(), "mine", record, engine(), "test")
			if err != nil || r.Difference != "" || r.Commands != 2 || r.Iterations < 50 || r.Class != event.Converged {
				t.Errorf("%v, %+v", err, r)
			}
			record.Acts[1].Iteration++
			if r, err = s.ReplayTransient(t.Context(), "mine", record, engine(), "test"); err != nil ||
				r.Difference == "" {
				t.Errorf("another step: %v, %+v", err, r)
			}
			other := engine()
			other.Digest = "another"
			must.Refuse(s.ReplayTransient(t.Context(), "mine", record, other, "test"))(t, "another file")
			steeredBy(t, s, engine(), name == "zoomed", names)
			if _, err := s.ReadSteeredTransient("mine", of); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("not steered: %v", err)
			}
		})
	}
}
