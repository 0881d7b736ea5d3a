package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// started runs jobs in the background until all have made some iterations.
func started(t *testing.T, p *pool.Pool, jobs ...run.Job) (outcomes func() []run.Outcome) {
	t.Helper()
	at, seen := make(chan string, 1000), map[string]bool{}
	p.Observe = func(e event.Event) {
		if e.Kind == event.Iteration && e.Values["iteration"] == 3 {
			at <- e.Run
		}
	}
	result := make(chan []run.Outcome, 1)
	go func() {
		out, err := p.Run(context.Background(), jobs)
		noError(t, err)
		result <- out
	}()
	for len(seen) < len(jobs) {
		seen[<-at] = true
	}
	return func() []run.Outcome { return <-result }
}

func TestListAndControlRuns(t *testing.T) {
	p := newPool(t)
	p.Policy = run.DefaultPolicy()
	p.Workers = 2
	work := filepath.Dir(p.Host.Folder())
	log := studylog.New(nil, func(event.Event) {})
	must.OK(t, log.Open(p.Host.Folder()))
	defer func() { _ = log.Close() }()
	p.Record = log.Record
	must.Value(p.Run(context.Background(), []run.Job{job("past", 1, "")}))(t)
	outcomes := started(t, p, job("long", 2, "iterate 100000 2ms"), job("longer", 3, "iterate 100000 2ms"))
	runs := must.Value(record.ListRuns(t.Context(), work, launchers))(t)
	if len(runs) != 3 || !runs[0].Running || !runs[1].Running || runs[2].Running || runs[2].Class != event.Converged ||
		runs[0].Orphan {
		t.Fatalf("runs %+v", runs)
	}
	strangersAreTurnedAway(t, runs[0].Folder)
	long, task, err := record.Attach(context.Background(), runs[0], launchers)
	must.OK(t, err)
	defer task.Release()
	ctx := context.Background()
	given := 0
	give := func(c steer.Command, want string) {
		t.Helper()
		given++
		c.ID = fmt.Sprint("test ", given)
		err := long.Give(ctx, c, "long")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	set := func(name string, value float64) steer.Command {
		return steer.Command{
			Verb: steer.Set, Changes: []steer.Change{{Object: name, Value: steer.FloatValue(value)}},
		}
	}
	give(steer.Command{Verb: "dance"}, "unknown command")
	give(set("x", 1), `there is no object "x"`)
	give(set("gain", 2), "want at most 1")
	give(set("gain", 1), "")
	give(steer.Command{Verb: steer.Pause}, "")
	before := -1
	until(t, "the pause", func() bool { // one iteration may be under way while it is taken
		last := before
		time.Sleep(50 * time.Millisecond)
		before = iterations(p.Host.Folder(), "long")
		return before == last
	})
	give(steer.Command{Verb: steer.Resume}, "")
	until(t, "an iteration", func() bool { return iterations(p.Host.Folder(), "long") > before })
	give(steer.Command{Verb: steer.Stop, Now: true}, "")
	noError(t, record.Stop(ctx, runs[1], launchers, "somebody"))
	for _, o := range outcomes() {
		if o.Class != event.Killed || o.Result.Message != plugin.ErrStopped.Error() {
			t.Errorf("%s: %s: %s", o.Job.Name, o.Class, o.Result.Message)
		}
		if o.Attempts != 1 {
			t.Errorf("%s: was stopped and has %d attempts", o.Job.Name, o.Attempts)
		}
	}
	commandIsRecorded(t, filepath.Join(p.Host.Folder(), "longer", plugin.EventsFile))
	commandIsRecorded(t, filepath.Join(p.Host.Folder(), studylog.FileName))
	if _, _, err := record.Attach(ctx, record.ReadRun(ctx, runs[0].Folder, launchers), launchers); !errors.Is(err,
		record.ErrNotRunning) {
		t.Errorf("attach to an ended run: %v", err)
	}
}

// commandIsRecorded checks that a log names who stopped the run "longer", as the cause of its end.
func commandIsRecorded(t *testing.T, path string) {
	t.Helper()
	events := must.Value(event.Read(path))(t)
	var command, end event.Event
	for _, e := range events {
		switch {
		case e.Run != "longer":
		case e.Kind == event.Command:
			command = e
		case e.Kind == event.Ended && e.Source == event.Host:
			end = e
		}
	}
	if command.Name != string(steer.Stop) || command.Text != "by somebody" || command.Cause == nil {
		t.Errorf("command %+v", command)
	}
	if end.Cause == nil || *end.Cause != *command.Ref() {
		t.Errorf("the end %+v is not caused by the command", end)
	}
}

// strangersAreTurnedAway calls a plugin with the certificates of another study.
func strangersAreTurnedAway(t *testing.T, folder string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	must.Value(certificate.Open(other))(t)
	r, err := record.Read(folder)
	var h local.Handle
	must.OK(t, errors.Join(err, json.Unmarshal(r.Process.Handle, &h)))
	conn := must.Value(hosting.Dial(h.Socket, other))(t)
	defer func() { _ = conn.Close() }()
	c := plugin.NewClient(conn)
	if _, err := c.Describe(context.Background()); status.Code(err) != codes.Unavailable {
		t.Errorf("a stranger called a plugin: %v", err)
	}
}

// The age of a run is what its result says, as files may be copies. The date of the events stands in for a lost result.
func TestOldRunsAreCollected(t *testing.T) {
	p, fake := newFake(t, nil)
	launchers, work := fake.Registry(), filepath.Dir(p.Host.Folder())
	must.Value(p.Run(context.Background(), []run.Job{job("old", 1, ""), job("new", 1, ""), job("lost", 1, "")}))(t)
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"new", "lost"} {
		must.OK(t, os.Chtimes(filepath.Join(p.Host.Folder(), name, plugin.EventsFile), past, past))
	}
	var end plugin.Ending
	must.OK(t, plugin.ReadFile(filepath.Join(p.Host.Folder(), "old"), plugin.ResultFile, &end))
	end.Ended = past
	must.OK(t, plugin.WriteResult(filepath.Join(p.Host.Folder(), "old"), end))
	must.OK(t, os.Remove(filepath.Join(p.Host.Folder(), "lost", plugin.ResultFile)))
	if r := record.ReadRun(t.Context(), filepath.Join(p.Host.Folder(), "lost"), launchers); r.Class != event.Lost {
		t.Errorf("a run without process and result is %s", r.Class)
	}
	removed, err := study.Collect(t.Context(), work, launchers, time.Now().Add(-time.Minute), none)
	if err != nil || len(removed) != 2 || removed[0].Name != "lost" || removed[1].Name != "old" {
		t.Errorf("removed %+v, %v", removed, err)
	}
	left, err := record.ListRuns(t.Context(), work, launchers)
	if err != nil || len(left) != 1 || left[0].Name != "new" {
		t.Errorf("left %+v, %v", left, err)
	}
	if none, err := record.ListRuns(t.Context(), filepath.Join(work, "absent"), launchers); none != nil || err != nil {
		t.Errorf("a folder that is not there: %v, %v", none, err)
	}
}

// A study under way reads the folders of runs that ended just now, and of those that are about to have a process.
func TestRunsOfAStudyThatGoesOn(t *testing.T) {
	p, fake := newFake(t, nil)
	must.Value(p.Run(t.Context(), []run.Job{job("ended", 1, ""), job("begins", 1, "")}))(t)
	must.OK(t, os.Remove(filepath.Join(p.Host.Folder(), "begins", plugin.ResultFile)))
	log := studylog.New(clock.Real, func(event.Event) {})
	must.OK(t, log.Open(p.Host.Folder()))
	for i, before := range []time.Duration{time.Minute, 2 * time.Hour, time.Minute} {
		if i == 2 {
			must.OK(t, log.Close())
		}
		removed := must.Value(study.Collect(t.Context(), filepath.Dir(p.Host.Folder()), fake.Registry(),
			time.Now().Add(before), none))(t)
		names := convert.All(removed, func(r record.Run) string { return r.Name })
		must.Equal(t, []string{"", "ended", "begins"}[i], strings.Join(names, " "))
	}
}

// The long texts of requests go with the last run that has them; removing the study removes them, and its maps.
func TestTextsGoWithTheirRuns(t *testing.T) {
	work := t.TempDir()
	folder := filepath.Join(work, "study")
	create(t, filepath.Join(folder, studylog.FileName))
	create(t, filepath.Join(folder, studylog.MapPrefix+"fan-1.json"))
	texts := filepath.Join(folder, record.TextsDir)
	past := time.Now().Add(-time.Hour)
	for i, name := range []string{"a", "b", "c"} {
		run := filepath.Join(folder, name)
		create(t, filepath.Join(run, plugin.EventsFile))
		must.OK(t, os.Chtimes(filepath.Join(run, plugin.EventsFile), past, past))
		r := record.Record{Process: record.ProcessRecord{Launcher: "local"}}
		r.Texts = map[string]string{"all": strings.Repeat("z", 1000), "own": strings.Repeat(name, 1000+i)}
		must.OK(t, record.WriteEnd(run, r, plugin.Ending{Result: plugin.Result{Class: event.Converged}}))
	}
	for _, name := range entries(texts) {
		if info := must.Value(os.Stat(filepath.Join(texts, name)))(t); info.Size() != 1002 { // c's is of now
			must.OK(t, os.Chtimes(filepath.Join(texts, name), past, past))
		}
	}
	for i, kept := range []int{3, 3, 1} { // c's own text may be of a run that is about to begin
		stays := []string{"bc", "b", ""}[i]
		must.Value(study.Collect(t.Context(), work, launchers, time.Now().Add(-time.Minute),
			func(r record.Run) bool { return strings.Contains(stays, r.Name) }))(t)
		must.Equal(t, kept, len(entries(texts)))
		for _, run := range strings.Split(stays, "") {
			must.Equal(t, 2, len(must.Value(record.Read(filepath.Join(folder, run)))(t).Texts))
		}
	}
	if removed, left, err := study.Remove(folder); err != nil || !removed || left != nil {
		t.Errorf("%t, %v, %v", removed, left, err)
	}
	must.Equal(t, 0, len(entries(work)))
}

// The run stays from whose checkpoint another one goes on, or is about to.
func TestRunsThatOthersNeedAreNotCollected(t *testing.T) {
	var left []string
	p, fake := newFake(t, nil)
	collect := func(s *study.Study) {
		if _, err := study.Collect(t.Context(), filepath.Dir(s.Pool.Host.Folder()), fake.Registry(),
			time.Now().Add(2*time.Hour), none); err != nil {
			t.Error(err)
		}
		names, err := record.Names(s.Pool.Host.Folder())
		noError(t, err)
		left = append(left, strings.Join(names, " "))
	}
	s := branchedStudy(t, nil, &study.Study{Pool: p})
	must.Value(s.Evaluate(t.Context(), []run.Job{saved("a", "iterate 10"), saved("aa", "iterate 5")}))(t)
	log := studylog.New(clock.Real, func(event.Event) {})
	must.OK(t, log.Open(s.Pool.Host.Folder()))
	must.Value(s.Pool.Live.Branch(branching("b", "a", 0.9)))(t)
	collect(s) // while it waits
	must.OK(t, log.Close())
	s.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Iteration && e.Run == "a-b1" && len(left) == 1 {
			collect(s) // while it goes on
		}
	}
	must.OK(t, study.Finish(t.Context(), []*study.Study{s}))
	collect(s)
	must.Equal(t, []string{"a", "a a-b1", ""}, left)
}

// A study's log outlives its runs; what is left of a study that has none goes with its last run.
func TestLogsOutliveRuns(t *testing.T) {
	work := t.TempDir()
	for _, name := range []string{"logged", "bare"} {
		create(t, filepath.Join(work, name, "first", plugin.EventsFile))
	}
	logged := filepath.Join(work, "logged", studylog.FileName)
	create(t, logged)
	removed, err := study.Collect(t.Context(), work, launchers, time.Now().Add(time.Minute), none)
	if err != nil || len(removed) != 2 {
		t.Fatalf("removed %+v, %v", removed, err)
	}
	must.Value(os.Stat(logged))(t)
	if _, err := os.Stat(filepath.Join(work, "bare")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the study without a log: %v", err)
	}
}

func create(t *testing.T, path string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.OK(t, os.WriteFile(path, nil, 0o644))
}

func TestDamagedRunFolderIsTold(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "study", "run")
	must.OK(t, os.MkdirAll(folder, 0o755))
	for _, name := range []string{plugin.EventsFile, plugin.ResultFile, plugin.RequestFile} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte("{tr"), 0o644))
	}
	runs, err := record.ListRuns(t.Context(), filepath.Dir(filepath.Dir(folder)), launchers)
	if err != nil || len(runs) != 1 || runs[0].Err == nil {
		t.Errorf("%+v, %v", runs, err)
	}
	// the record of an ended run is in its result: the damaged file is named, not the missing one
	must.OK(t, os.Remove(filepath.Join(folder, plugin.RequestFile)))
	result := filepath.Join(folder, plugin.ResultFile)
	for _, text := range []string{"{tr", `{"class": "converged", "record": [1]}`} {
		must.OK(t, os.WriteFile(result, []byte(text), 0o644))
		if _, err := record.Read(folder); err == nil || !strings.Contains(err.Error(), result+" is damaged") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// none spares no run.
func none(record.Run) bool { return false }

// A run that somebody stopped is not made once more, also if its solver does not obey and is ended as hung; and
// whatever other processes command stands in its events, in order.
func TestStoppedThoughDeaf(t *testing.T) {
	p := newPool(t)
	p.Policy = run.DefaultPolicy()
	at := clock.NewManual(clock.Real.Now())
	p.Clock, p.Limits.Hung, p.Limits.Grace = at, 2*time.Second, 300*time.Millisecond
	outcomes := started(t, p, job("deaf", 1, "deaf; iterate 3 1ms; sleep 300s"))
	r := record.ReadRun(t.Context(), filepath.Join(p.Host.Folder(), "deaf"), launchers)
	for range 2 {
		must.OK(t, record.Stop(t.Context(), r, launchers, "somebody"))
	}
	pace(t, at, 20*time.Millisecond)
	o := outcomes()[0]
	if o.Class != event.Hung || o.Attempts != 1 || !o.Stopped {
		t.Errorf("%s after %d attempts, stopped %t", o.Class, o.Attempts, o.Stopped)
	}
	events := must.Value(event.Read(filepath.Join(o.Folder, plugin.EventsFile)))(t)
	var last time.Time
	commands := 0
	for _, e := range events {
		if e.Kind == event.Command && e.Text == "by somebody" {
			commands++
			if e.Time.Before(last) {
				t.Error("commands are out of order")
			}
			last = e.Time
		}
	}
	if commands != 2 {
		t.Errorf("%d of 2 commands are in the events", commands)
	}
}

// A folder of before the record was one file is read: the process stood there before the request, the key with either.
func TestFormerRecord(t *testing.T) {
	folder := t.TempDir()
	if _, err := record.Read(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	write := func(name string, v any) {
		t.Helper()
		must.OK(t, plugin.WriteFile(folder, name, v))
	}
	write("key.json", map[string]string{"key": "abc"})
	write("process.json", map[string]any{"launcher": "local", "solver": "s 1", "handle": map[string]int{"pid": 7}})
	if r, err := record.Read(folder); err != nil || r.Process.Solver != "s 1" || r.Key != "abc" || r.Numbers != nil {
		t.Errorf("before the request: %+v, %v", r, err)
	}
	write("request.json", map[string]any{"run": "r", "numbers": map[string]float64{"x": 2}})
	if r, err := record.Read(folder); err != nil || r.Process.Launcher != "local" || r.Key != "abc" ||
		r.Numbers["x"] != 2 {
		t.Errorf("with the request: %+v, %v", r, err)
	}
}
