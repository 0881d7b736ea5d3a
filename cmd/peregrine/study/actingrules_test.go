package study

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A rule has a run save its state, another sends it back there with a setting that is made of what it had, a third
// switches a sensor, and a fourth acts on the study. What they did are events, and the run that was sent back is one
// of its own.
func TestRulesSteer(t *testing.T) {
	testenv.Long(t, "runs a study")
	t.Parallel()
	dir := e3With(t, "runs: 3, settings: {"+coarseFan+"}", "\nrules:\n", `
rules:
  - {name: save, when: iteration >= 40, most: 1, act: true, action: {checkpoint: here}}
  - {name: back, when: iteration >= 100, most: 1, act: true, action: {rewind: here, set: {cfl: cfl * 0.8}}}
  - {name: look, when: iteration >= 20, most: 1, act: true, action: {set: {sensors.history.on: true, sensors.history.every: 10}}}
  - {name: more, when: iteration >= 20, most: 1, act: true, action: {first: '*k-03'}}
`)
	engine := filepath.Join(dir, "examples", "e3.yaml")
	work := filepath.Join(dir, "work")
	if _, err := verb(t, "run", engine, "--case", "takeoff", "--json", "--study", "mine", "--cache",
		filepath.Join(dir, "cache"), "--work", work); err != nil {
		t.Fatal(err)
	}
	runs := must.Value(filepath.Glob(filepath.Join(work, "mine", "*", plugin.EventsFile)))(t)
	var did []string
	back, sensed := 0, 0
	for _, file := range runs {
		events := must.Value(event.Read(file))(t)
		for _, e := range events {
			if e.Kind == event.Sensed {
				sensed++
			}
			if e.Act == nil || e.Act.State != "applied" {
				continue
			}
			for _, d := range e.Act.Effects {
				did = append(did, string(e.Act.Verb)+" "+d.Object)
			}
			if e.Act.Verb == "checkpoint" {
				did = append(did, "checkpoint "+e.Act.Name)
			}
		}
		if name := filepath.Base(filepath.Dir(file)); !strings.HasSuffix(name, "~2") {
			continue
		}
		var end plugin.Ending
		must.OK(t, plugin.ReadFile(filepath.Dir(file), plugin.ResultFile, &end))
		if back++; end.Class != event.Converged || len(end.Steered) != 1 || end.Steered[0].Effects[0].Object != "cfl" {
			t.Errorf("%s ended %s and answers for %+v", file, end.Class, end.Steered)
		}
	}
	for _, want := range []string{"checkpoint here", "set cfl", "set sensors.history.on", "set sensors.history.every"} {
		if !slices.Contains(did, want) {
			t.Errorf("nobody did %q: %q", want, did)
		}
	}
	if back == 0 || sensed == 0 {
		t.Errorf("%d runs went back, %d records", back, sensed)
	}
	log := must.Value(event.Read(filepath.Join(work, "mine", studylog.FileName)))(t)
	if !slices.ContainsFunc(log, func(e event.Event) bool {
		return e.Act != nil && e.Act.Verb == "call" && strings.Contains(e.Act.By, "rule more") &&
			e.Act.State == "applied"
	}) {
		t.Error("the log does not say that the order of the runs was changed")
	}
}
