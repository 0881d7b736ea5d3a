package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// The trace of a study that has ended has the residuals of its runs, of each at most so many.
func TestResidualsOfAnEndedStudy(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "study")
	for _, run := range []string{"a", "b"} {
		must.OK(t, os.MkdirAll(filepath.Join(folder, run), 0o700))
	}
	log := studylog.New(clock.Real, func(event.Event) {})
	must.OK(t, log.Open(folder))
	log.Record(event.Event{Kind: event.StudyBegun, Source: event.Executive, Time: time.Unix(1000, 0)})
	for run, iterations := range map[string]int{"a": 3, "b": 4 * curvePoints} {
		e := event.Event{Run: run, Source: event.Host, Kind: event.Started, Time: time.Unix(1001, 0)}
		log.Record(e)
		of := must.Value(event.Append(filepath.Join(folder, run, event.LogName)))(t)
		for i := range iterations {
			must.OK(t, of.Write(event.Event{Run: run, Source: event.Plugin, Kind: event.Iteration, Seq: int64(i + 1),
				Time: time.Unix(1002, 1000*int64(i)), Values: map[string]float64{"residual": 0.5}}))
		}
		must.OK(t, of.Close())
		e.Kind, e.Class, e.Time = event.Ended, event.Converged, time.Unix(1003, 0)
		log.Record(e)
	}
	must.OK(t, log.Close())
	file := filepath.Join(t.TempDir(), "study.csv")
	ctx, _ := cli.WithEnvironment(t.Context(), clock.Real)
	cmd := Verb()
	cmd.SetArgs([]string{"export", folder, "--to", "csv", "-o", file})
	must.OK(t, cmd.ExecuteContext(ctx))
	got := map[string]int{}
	for line := range strings.Lines(string(must.Value(os.ReadFile(file))(t))) {
		if cells := strings.Split(line, ","); cells[6] == "count" && strings.Contains(line, "residual") {
			got[cells[3]]++
		}
	}
	must.Equal(t, map[string]int{"a": 3, "b": curvePoints}, got)
}
