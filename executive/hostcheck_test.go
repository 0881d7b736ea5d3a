package executive_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// past makes the folder of a run of a component that ended a while ago.
func past(t *testing.T, work, name, component string, class event.Class, wall time.Duration) {
	t.Helper()
	folder, at := filepath.Join(work, "study", name), clock.Real.Now().UTC().Add(-time.Hour)
	must.OK(t, os.MkdirAll(folder, 0o755))
	log := must.Value(event.Append(filepath.Join(folder, plugin.EventsFile)))(t)
	for i, e := range []event.Event{{Kind: event.Started}, {Kind: event.Ended, Class: class}} {
		e.Run, e.Component, e.Attempt, e.Source, e.Seq = name, component, 1, event.Host, int64(i+1)
		must.OK(t, log.Write(e))
	}
	must.OK(t, log.Close())
	must.OK(t, plugin.WriteFile(folder, plugin.RequestFile, record.Record{
		Request: plugin.Request{Study: "study", Run: name},
		Process: record.ProcessRecord{Launcher: local.Name, Handle: []byte(`{"pid": 999999999, "mark": "x"}`),
			Host: process.ID{PID: 999999999, Mark: "x"}, Started: at, Solver: "slow 1"}}))
	must.OK(t, plugin.WriteFile(folder, plugin.ResultFile, plugin.Ending{Result: plugin.Result{Class: class},
		Ended: at.Add(wall), Wall: wall, WrittenBy: event.Host, Solver: "slow 1"}))
}

// A launcher whose blocks cannot hold the shortest run of a zoom is refused, unless its runs go on from checkpoints.
func TestBlocksHoldRuns(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	past(t, work, "fan-1", "fan", event.Converged, 56*time.Second)
	past(t, work, "fan-2", "fan", event.Converged, 5*time.Minute)
	past(t, work, "fan-3", "fan", event.Diverged, time.Second)
	past(t, work, "hpc-1", "hpc", event.Converged, time.Second)
	file := filepath.Join(t.TempDir(), "hosts.yaml")
	cfg := &config.Engine{Zooms: []config.Zoom{{Component: "fan", Solver: "slow"}, {Component: "lpt", Solver: "slow"}}}
	from := index.Source{Work: work, Launchers: executive.Launchers(), Clock: clock.Real,
		Warn: func(text string) { t.Error(text) }}
	for _, c := range []struct {
		launcher string
		resumes  bool
		want     string
	}{
		{"cluster: {provider: slurm, time: 1 min}", false, "hosts.yaml:1:13: launchers.cluster.time: 1m0s cannot " +
			"hold a run of fan: with slow the shortest one took 56s"}, // it is to leave after 54 s
		{"cluster: {provider: slurm, time: 1 min}", true, ""},
		{"cluster: {provider: slurm, time: 2 min}", false, ""},
		{"cluster: {provider: slurm}", false, ""},
		{"other: {provider: slurm, time: 1 min}", false, ""},
	} {
		must.OK(t, os.WriteFile(file, []byte("launchers: {"+c.launcher+"}\n"), 0o644))
		err := executive.CheckBlocks(t.Context(), cfg, settings.Settings{Hosts: file, Launcher: "cluster"},
			func(context.Context, string) (plugin.Description, error) {
				return plugin.Description{Name: "slow", WholeState: c.resumes,
					Inputs: []plugin.Quantity{{Name: plugin.InRestart, Shape: plugin.FileName}}}, nil
			}, from)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.launcher, err, c.want)
		}
	}
}
