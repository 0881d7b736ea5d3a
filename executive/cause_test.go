package executive_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// causes are the kinds of event that lead to those of a study's log.
var causes = map[event.Kind][]event.Kind{
	event.Planned:    {event.StudyBegun, event.Engine},
	event.Started:    {event.Planned, event.Ended},
	event.Ended:      {event.Started, event.Planned, event.Command, event.Finding}, // Planned: from the cache
	event.Map:        {event.Ended},
	event.Chart:      {event.Map},
	event.Engine:     {event.Map},
	event.Estimate:   {event.Engine},
	event.StudyEnded: {event.StudyBegun},
}

// A study with runs and a study with cached runs: every event but the first names its cause, an event in the log of the
// study or of a run.
func TestEveryEventHasItsCause(t *testing.T) {
	testenv.Long(t, "two studies of the throughflow solver")
	dir := t.TempDir()
	settings := settings.Settings{Cache: filepath.Join(dir, "cache"), Work: filepath.Join(dir, "runs"),
		Launcher: "local", Workers: 2}
	for _, name := range []string{"runs", "cached"} {
		t.Run(name, func(t *testing.T) {
			events := zoomStudy(t, settings, name)
			known := map[event.Ref]event.Kind{}
			for _, e := range slices.Concat(events, runEvents(t, events)) {
				known[*e.Ref()] = e.Kind
			}
			seen := map[event.Kind]bool{}
			for _, e := range events {
				seen[e.Kind] = true
				if e.Kind == event.StudyBegun {
					continue
				}
				if e.Cause == nil {
					t.Errorf("%s %d %s has no cause", e.Source, e.Seq, e.Kind)
					continue
				}
				kind, found := known[*e.Cause]
				if want := causes[e.Kind]; !found || want != nil && !slices.Contains(want, kind) {
					t.Errorf("%s %d %s: its cause is %q (in a log: %t), want one of %q", e.Source, e.Seq, e.Kind, kind,
						found, want)
				}
			}
			for kind := range causes {
				if !seen[kind] && (kind != event.Started || name == "runs") {
					t.Errorf("the study has no event %s", kind)
				}
			}
		})
	}
}

// zoomStudy runs a zoomed engine as a study of that name and returns the study's log.
func zoomStudy(t *testing.T, settings settings.Settings, name string) []event.Event {
	studies := must.Value(executive.NewStudies(settings))(t)
	engine, err := config.Load("testdata/zoomed.yaml", executive.Catalogue(studies.Solvers), nil)
	if err == nil {
		err = studies.Begin(name, engine, "", "")
	}
	if err == nil {
		_, err = executive.Run(t.Context(), engine, []string{"cruise"}, executive.Options{Zoomer: studies})
	}
	if ended := studies.End(event.Converged, ""); err == nil {
		err = ended
	}
	must.OK(t, err)
	return must.Value(studylog.Read(filepath.Join(settings.Work, name)))(t)
}

// runEvents returns the events in the folders of a study's runs.
func runEvents(t *testing.T, events []event.Event) (all []event.Event) {
	for _, e := range events {
		if e.Folder == "" || e.Kind != event.Ended {
			continue
		}
		more := must.Value(event.Read(filepath.Join(e.Folder, event.LogName)))(t)
		all = append(all, more...)
	}
	return all
}
