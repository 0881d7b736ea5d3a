package trace

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// written is a buffer of two goroutines.
type written struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write implements [io.Writer].
func (w *written) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.Write(text)
}

// names are the names of the records so far, by time.
func (w *written) names(t *testing.T) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var names []string
	last := 0.0
	for line := range bytes.Lines(w.Bytes()) {
		var r trace.Record
		must.OK(t, json.Unmarshal(line, &r))
		if r.Time < last || r.Time > r.Measured != (r.Name == "late") {
			t.Errorf("%s: at %v, after %v; measured %v", r.Name, r.Time, last, r.Measured)
		}
		last = r.Time
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

// The records of a study are printed while it is under way, in the order of their times: of its log, and of files that
// its runs begin to write later. One that comes late has the time of the one before. The command ends with the study.
func TestCatFollows(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "study")
	run := filepath.Join(folder, "a")
	must.OK(t, os.MkdirAll(run, 0o700))
	synctest.Test(t, func(t *testing.T) {
		log := studylog.New(clock.Real, func(event.Event) {})
		must.OK(t, log.Open(folder))
		record := func(e event.Event) {
			e.Time = clock.Real.Now().UTC()
			log.Record(e)
		}
		mark := func(name string, ago time.Duration) {
			f := must.Value(os.OpenFile(filepath.Join(run, plugin.MarksFile),
				os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
			at := float64(clock.Real.Now().Add(-ago).UnixNano()) / 1e9
			must.Value(f.WriteString(string(must.Value(json.Marshal(at))(t)) + " main enter " + name + "\n"))(t)
			must.OK(t, f.Close())
		}
		record(event.Event{Kind: event.StudyBegun, Source: event.Executive})
		out, done := &written{}, make(chan error)
		go func() {
			ctx, _ := cli.WithEnvironment(t.Context(), clock.Real)
			cmd := Verb()
			cmd.SetOut(out)
			cmd.SetArgs([]string{"cat", "--follow", "--json", folder})
			done <- cmd.ExecuteContext(ctx)
		}()
		await := func(want string) {
			t.Helper()
			time.Sleep(5 * time.Second)
			must.Equal(t, want, out.names(t))
		}
		await("study")
		record(event.Event{Kind: event.Started, Source: event.Host, Run: "a", Attempt: 1})
		started := "study idle  send  run"
		await(started)
		mark("solve", 0)
		time.Sleep(200 * time.Millisecond)
		record(event.Event{Kind: event.Span, Name: "start", Source: event.Executive, Run: "a", Attempt: 1, Wall: 3})
		await(started + " solve span")
		mark("late", 10*time.Second)
		await(started + " solve span late")
		mark("last", 0)
		record(event.Event{Kind: event.Ended, Source: event.Host, Run: "a", Attempt: 1, Class: event.Converged})
		record(event.Event{Kind: event.StudyEnded, Source: event.Executive, Class: event.Converged})
		must.OK(t, log.Close())
		must.OK(t, <-done)
		must.Equal(t, started+" solve span late last  send  run idle study", out.names(t))
	})
}

// A study whose process was killed is followed for as long as it may be resumed at once, then the command ends and says
// so.
func TestCatOfAKilledStudyEnds(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "study")
	must.OK(t, os.MkdirAll(folder, 0o700))
	synctest.Test(t, func(t *testing.T) {
		begins := func() *studylog.Log {
			log := studylog.New(clock.Real, func(event.Event) {})
			must.OK(t, log.Open(folder))
			log.Record(event.Event{Time: clock.Real.Now().UTC(), Kind: event.StudyBegun, Source: event.Executive})
			return log
		}
		killed := begins().Close
		out, done := &written{}, make(chan error, 1)
		go func() {
			ctx, _ := cli.WithEnvironment(t.Context(), clock.Real)
			cmd := Verb()
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			cmd.SetOut(out)
			cmd.SetArgs([]string{"cat", "--follow", "--json", folder})
			done <- cmd.ExecuteContext(ctx)
		}()
		time.Sleep(time.Minute) // nothing is heard of its process, which lives
		must.OK(t, killed())
		time.Sleep(5 * time.Second)
		killed = begins().Close
		time.Sleep(time.Minute)
		must.OK(t, killed())
		time.Sleep(time.Minute)
		select {
		case err := <-done:
			code, text := cli.ExitCode(t.Context(), err)
			if code != cli.NotConverged ||
				!strings.Contains(text, "study study: the process that computed it has ended") {
				t.Errorf("%d: %s", code, text)
			}
		default:
			t.Fatal("it goes on")
		}
		must.Equal(t, "study study idle idle study", out.names(t))
	})
}

// Of the faults of a run's file as many are told as of a trace that is read at once.
func TestFaultsOfAFollowedFileAreBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), plugin.MarksFile)
	must.OK(t, os.WriteFile(path, []byte(strings.Repeat("no mark\n", 3*mostTold)), 0o600))
	var told []string
	f := &following{ctx: t.Context(), clock: clock.Real, warn: func(text string) { told = append(told, text) }}
	ended := make(chan struct{})
	close(ended)
	f.recording(path, ended)
	f.recording(path+"none", ended) // it never came
	if len(told) != mostTold+1 || !strings.HasSuffix(told[mostTold], "and 40 more lines") {
		t.Errorf("%d: %q", len(told), told)
	}
}
