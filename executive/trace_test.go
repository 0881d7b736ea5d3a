package executive_test

import (
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// The section `trace` selects which runs record what, from when to when. It is no part of a request: the answers of
// recorded runs count for a study without it. An engine without it has that of the settings.
func TestTraceSelects(t *testing.T) {
	at := settings.Settings{Cache: t.TempDir(), Work: t.TempDir(), Launcher: "local", Workers: 2}
	study := func(selection *recording.Trace) (records map[string][]trace.Record, runs int) {
		t.Helper()
		studies := must.Value(executive.NewStudies(at))(t)
		engine := must.Value(config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil))(t)
		engine.Trace = selection
		r := must.Value(executive.Run(t.Context(), engine, []string{"cruise"}, executive.Options{Zoomer: studies}))(t)
		must.OK(t, studies.Close())
		z := r.Cases[0].Zoom["fan"]
		records = map[string][]trace.Record{}
		files := must.Value(filepath.Glob(filepath.Join(at.Work, "*", "*", plugin.SensorsFile)))(t)
		for _, name := range files {
			f := must.Value(intake.Open(name))(t)
			run := filepath.Base(filepath.Dir(name))
			records[run] = must.Value(format.All(f, nil, func(p trace.Problem) { t.Errorf("%s: %+v", name, p) }))(t)
			must.OK(t, f.Close())
		}
		return records, z.Runs
	}
	records, runs := study(&recording.Trace{
		Hosts: []string{"there", "loc*"}, Processes: []string{"fan-*-k+0[12]"},
		Kinds: []recording.Kind{recording.Tracing},
		From:  recording.Moment{When: "iteration > 99"}, To: recording.Moment{Iteration: 140},
	})
	if runs != 3 || len(records) != 2 {
		t.Errorf("%d of %d runs are recorded", len(records), runs)
	}
	for run, list := range records {
		numbers := 0
		for _, r := range list {
			if r.Name != "history" {
				continue
			}
			numbers++
			if n, is := r.Values["iteration"].(float64); !is || n < 100 || n > 141 {
				t.Errorf("%s: %+v", run, r)
			}
		}
		if numbers == 0 {
			t.Errorf("%s: no iteration is recorded", run)
		}
	}
	if _, runs := study(nil); runs != 0 {
		t.Errorf("without the section %d runs were made", runs)
	}
	at.Cache, at.Work = t.TempDir(), t.TempDir()
	at.Trace = &recording.Trace{Hosts: []string{"nowhere"}}
	if records, runs := study(nil); runs != 3 || len(records) != 0 {
		t.Errorf("%d of %d runs on another host are recorded", len(records), runs)
	}
}
