package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	runs "github.com/peregrine-sim/peregrine/zoom/run/record"
)

func TestMain(m *testing.M) {
	writer()
	os.Exit(m.Run())
}

var launchers = launch.Registry{local.Name: local.Open}

// later is a clock that is a minute ahead: nothing that the test has made can still change without its time.
func later() clock.Clock { return clock.NewManual(time.Now().Add(time.Minute)) }

// source is that of a work folder, with the warnings that were given.
func source(work string) (index.Source, *[]string) {
	warnings := new([]string)
	return index.Source{
		Work: work, Launchers: launchers, Clock: later(),
		Warn: func(text string) { *warnings = append(*warnings, text) },
	}, warnings
}

// ended makes the folder of a run that ended.
func ended(t testing.TB, work, study, name string, class event.Class, cfl float64) string {
	t.Helper()
	folder := filepath.Join(work, study, name)
	must.OK(t, os.MkdirAll(folder, 0o755))
	log := must.Value(event.Append(filepath.Join(folder, plugin.EventsFile)))(t)
	for i, e := range []event.Event{
		{Kind: event.Started, Cause: &event.Ref{Stream: event.Stream{Source: event.Executive}, Seq: 3}},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 20, "residual": 1}},
		{Kind: event.Iteration, Values: map[string]float64{"iteration": 40, "residual": 0.1}},
		{Kind: event.Ended, Class: class, Follows: true},
	} {
		e.Run, e.Component, e.Attempt, e.Source, e.Seq = name, "fan", 2, event.Host, int64(i+1)
		must.OK(t, log.Write(e))
	}
	at := time.Now().UTC().Add(-time.Hour)
	for file, content := range map[string]any{
		plugin.RequestFile: runs.Record{
			Request: plugin.Request{Study: study, Run: name, Numbers: map[string]float64{"cfl": cfl, "PR": 1},
				Texts: map[string]string{"mode": "cold"}},
			Key: "abc",
			Process: runs.ProcessRecord{Launcher: local.Name, Handle: []byte(`{"pid": 999999999, "mark": "x"}`),
				Host: process.ID{PID: 999999999, Mark: "x"}, Started: at, Solver: "throughflow 7"},
		},
		plugin.ResultFile: plugin.Ending{
			Result: plugin.Result{
				Class: class, Message: "that is why", Numbers: map[string]float64{"PR": 1.5, "eff": 0.9},
			},
			Ended: at.Add(time.Minute), Wall: time.Minute, WrittenBy: event.Host, Solver: "throughflow 7",
			Fidelity: "coarse", CPU: 50 * time.Second, Memory: 3e8,
		},
	} {
		must.OK(t, plugin.WriteFile(folder, file, content))
	}
	must.OK(t, log.Close())
	return folder
}

// names returns STUDY/RUN of the runs of a condition, in their order; of all if it is empty.
func names(t testing.TB, x *index.Index, where string) []string {
	t.Helper()
	var q index.Query
	if where != "" {
		q.Where = must.Value(x.Fields().Condition(where))(t)
	}
	q.Fields = must.Value(x.Fields().Choose([]string{"study", "run"}))(t)
	rows := must.Value(x.Find(t.Context(), q))(t)
	list := []string{}
	for _, row := range rows {
		list = append(list, fmt.Sprint(row[0], "/", row[1]))
	}
	return list
}

func open(t testing.TB, from index.Source) *index.Index {
	t.Helper()
	x := must.Value(index.Open(t.Context(), from))(t)
	t.Cleanup(x.Close)
	return x
}

// found opens an index, and returns the names of the runs of a condition.
func found(t testing.TB, from index.Source, where string) []string {
	t.Helper()
	x := open(t, from)
	defer x.Close()
	return names(t, x, where)
}

// look opens an index, and compares the runs that it has.
func look(t testing.TB, from index.Source, want ...string) {
	t.Helper()
	if got := found(t, from, ""); !slices.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
}

func TestFollowsFolders(t *testing.T) {
	work := t.TempDir()
	from, warnings := source(filepath.Join(work, "absent"))
	look(t, from)
	from, _ = source(work)
	look(t, from)
	ended(t, work, "b", "one", event.Converged, 1)
	look(t, from, "b/one")
	from.Clock = later()
	ended(t, work, "a", "two", event.Diverged, 2)
	ended(t, work, "b", "three", event.Converged, 3)
	must.OK(t, os.WriteFile(filepath.Join(work, "b", "study.jsonl"), nil, 0o644))
	look(t, from, "a/two", "b/one", "b/three")
	must.OK(t, os.RemoveAll(filepath.Join(work, "b", "one")))
	look(t, from, "a/two", "b/three")
	must.OK(t, os.RemoveAll(filepath.Join(work, "a")))
	look(t, from, "b/three")
	if len(*warnings) > 0 {
		t.Error(*warnings)
	}
}

func TestFields(t *testing.T) {
	work := t.TempDir()
	folder := ended(t, work, "s", "r", event.Diverged, 3)
	from, _ := source(work)
	x := open(t, from)
	fields := x.Fields().All()
	rows, err := x.Find(t.Context(), index.Query{Fields: fields})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	var b strings.Builder
	for i, f := range fields {
		if f.Name != "started" && f.Name != "ended" && f.Name != "age" && f.Name != "bytes" {
			fmt.Fprintf(&b, "%s %v; ", f.Name, rows[0][i])
		}
	}
	want := "study s; run r; class diverged; solver throughflow; version 7; fidelity coarse; component fan; seeks " +
		"<nil>; attempt 2; follows true; parent <nil>; host <nil>; block <nil>; waited <nil>; cores <nil>; " +
		"pid <nil>; orphan false; wall 60; cpu 50; memory 3e+08; files 3; iterations 40; state diverged; " +
		"residual 0.1; message that is why; cause " +
		"executive 3; key abc; problem <nil>; tag ; note <nil>; kept false; " +
		"input.PR 1; cfl 3; mode cold; output.PR 1.5; eff 0.9; "
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
	x.Close()

	// A run that has ended is read once, unless its folder changes.
	path := filepath.Join(folder, plugin.ResultFile)
	text := must.Value(os.ReadFile(path))(t)
	must.OK(t, os.WriteFile(path, []byte(strings.Replace(string(text), "diverged", "stalled ", 1)), 0o644))
	if n := found(t, from, `class == "diverged"`); len(n) != 1 {
		t.Error("it was read twice")
	}
	ended(t, work, "s", "r", event.Converged, 3) // as by a rename
	ended(t, work, "s", "new", event.Converged, 3)
	if n := found(t, from, `class == "converged"`); len(n) != 2 {
		t.Errorf("of the folder as it is now: %v", n)
	}
}

// A run whose solver is being started has no process yet: it is not lost for good.
// The index follows the notes of a study, whose folder they do not change.
func TestMarks(t *testing.T) {
	work := t.TempDir()
	for _, run := range []string{"one", "two"} {
		ended(t, work, "a", run, event.Converged, 1)
	}
	ended(t, work, "b", "one", event.Converged, 1)
	from, warnings := source(work)
	from.Clock = later()
	mark := func(study, run, name, text string) {
		t.Helper()
		must.OK(t, log.AddNote(filepath.Join(work, study), nil, event.Event{Run: run, Name: name, Text: text}))
	}
	mark("a", "one", log.Tag, "good")
	look(t, from, "a/one", "a/two", "b/one")
	mark("a", "one", log.Tag, "good.1")
	mark("a", "", log.Tag, "old")
	mark("a", "two", log.Note, "odd shock")
	mark("a", "two", log.Keep, "")
	for where, want := range map[string]string{
		`tag == "good"`: "a/one", `"good" == tag`: "a/one", `tag == "goo"`: "", `tag == "good.1"`: "a/one",
		`tag == "good01"`: "", `tag == "old"`: "a/one a/two", `not (tag == "good")`: "a/two b/one",
		`tag in ["x", "good"]`: "a/one", `tag contains "oo" and kept`: "", `kept`: "a/two",
		`note contains "shock"`: "a/two", `not kept`: "a/one b/one", `tag == ""`: "b/one",
	} {
		if got := strings.Join(found(t, from, where), " "); got != want {
			t.Errorf("%s: %q, want %q", where, got, want)
		}
	}
	must.Refuse(open(t, from).Fields().Condition(`tag != "good"`))(t, `not (tag == "x")`)
	mark("a", "two", log.Unkeep, "")
	if got := found(t, from, "kept"); len(got) > 0 || len(*warnings) > 0 {
		t.Error(got, *warnings)
	}
}

func TestStartingRun(t *testing.T) {
	work := t.TempDir()
	folder := filepath.Join(work, "s", "r")
	must.OK(t, os.MkdirAll(folder, 0o755))
	log := must.Value(event.Append(filepath.Join(folder, plugin.EventsFile)))(t)
	must.OK(t, log.Close())
	record := runs.Record{
		Process: runs.ProcessRecord{Launcher: local.Name, Handle: []byte(`{"pid": 999999999, "mark": "x"}`),
			Host: process.Self(), Started: time.Now()},
	}
	must.OK(t, runs.Write(folder, record))
	from, _ := source(work)
	if n := found(t, from, `class == "lost"`); len(n) != 1 {
		t.Fatal(n)
	}
	must.OK(t,
		plugin.WriteFile(folder, plugin.ResultFile,
			plugin.Ending{Result: plugin.Result{Class: event.Converged}, Ended: time.Now()}))
	if n := found(t, from, `class == "converged"`); len(n) != 1 {
		t.Error("its end was not seen")
	}
}

// Values for which there is no room are named. Once there is room, also as runs are removed, the index has them; so
// what it answers depends on the folders that are there alone. A name that no run has any more is unknown again.
func TestRoomForValues(t *testing.T) {
	defer index.SetMostValues(6)() // a run has cfl, PR and mode, and as outputs PR and eff
	work := t.TempDir()
	with := func(name string, inputs ...string) string {
		folder := ended(t, work, "s", name, event.Converged, 1)
		request := plugin.Request{Numbers: map[string]float64{"cfl": 1}}
		for _, input := range inputs {
			request.Numbers[input] = 2
		}
		must.OK(t, plugin.WriteFile(folder, plugin.RequestFile, request))
		return folder
	}
	has := func(x *index.Index, name string) bool {
		_, err := x.Fields().Condition(name + " == 2")
		return err == nil
	}
	big := with("a", "p", "q", "r", "s")
	with("b", "t")
	from, warnings := source(work)
	x := open(t, from)
	if has(x, "t") || !has(x, "p") || len(*warnings) != 1 || !strings.Contains((*warnings)[0], "input.t") {
		t.Errorf("a full index: %q", *warnings)
	}
	x.Close()
	must.OK(t, os.RemoveAll(big))
	for range 2 {
		from, warnings = source(work)
		x = open(t, from)
		if got := names(t, x, "t == 2"); !slices.Equal(got, []string{"s/b"}) || has(x, "p") || len(*warnings) != 0 {
			t.Errorf("with room again: %q, p is known: %t, %q", got, has(x, "p"), *warnings)
		}
		x.Close()
	}
	with("c", "u", "v")
	from, warnings = source(work)
	x = open(t, from)
	if !has(x, "u") || !has(x, "v") || len(*warnings) != 0 {
		t.Errorf("columns are not used again: %q", *warnings)
	}
}

// A person asks the index with SQLite alone, under the names of the fields; they follow the runs that are there.
func TestView(t *testing.T) {
	work := t.TempDir()
	ended(t, work, "s", "r", event.Diverged, 200)
	folder := ended(t, work, "s", "q", event.Diverged, 3)
	must.OK(t, plugin.WriteFile(folder, plugin.RequestFile, plugin.Request{Numbers: map[string]float64{`a"b`: 7}}))
	from, _ := source(work)
	var run, class string
	var pr float64
	query := `SELECT run, class, "output.PR" FROM runs WHERE "input.cfl" > 100 AND message LIKE '%why%'`
	x := open(t, from)
	must.OK(t, x.DB().QueryRow(query).Scan(&run, &class, &pr))
	if run != "r" || class != "diverged" || pr != 1.5 {
		t.Error(run, class, pr)
	}
	query = `SELECT count("input.a""b"), sum("input.a""b") FROM runs WHERE 1`
	must.OK(t, x.DB().QueryRow(query).Scan(&run, &pr))
	if run != "1" || pr != 7 {
		t.Error(run, pr)
	}
	x.Close()
	must.OK(t, os.RemoveAll(folder))
	query = `SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'input.a"b'`
	must.OK(t, open(t, from).DB().QueryRow(query).Scan(&run))
	if run != "0" {
		t.Error("a name of a run that is gone is there")
	}
}

// Of a number and a text of a name the number is the field.
func TestNumberAndTextOfName(t *testing.T) {
	x := filled(t, []index.Sample{
		{Run: "a", Solver: "throughflow", Inputs: map[string]float64{"mode": 3}},
		{Run: "b", Solver: "throughflow", Texts: map[string]string{"mode": "cold"}},
	})
	if got := names(t, x, "mode > 0"); !slices.Equal(got, []string{"s/a"}) {
		t.Errorf("%q", got)
	}
}

// A study and a run to which links lead are listed as others are.
func TestLinks(t *testing.T) {
	work, elsewhere := t.TempDir(), t.TempDir()
	ended(t, work, "s", "r", event.Converged, 1)
	ended(t, elsewhere, "far", "away", event.Converged, 1)
	for from, to := range map[string]string{filepath.Join(work, "far"): filepath.Join(elsewhere, "far"),
		filepath.Join(work, "s", "q"): filepath.Join(elsewhere, "far", "away")} {
		if err := os.Symlink(to, from); err != nil {
			testenv.NotHere(t, "no symbolic links")
		}
	}
	from, _ := source(work)
	if got := names(t, open(t, from), "true"); !slices.Equal(got, []string{"far/away", "s/q", "s/r"}) {
		t.Errorf("%q", got)
	}
}

// A run whose machine cannot be asked neither goes on nor has ended, and is looked at again.
func TestUnknown(t *testing.T) {
	work := t.TempDir()
	folder := ended(t, work, "s", "r", event.Converged, 3)
	must.OK(t, os.Remove(filepath.Join(folder, plugin.ResultFile)))
	record := must.Value(runs.Read(folder))(t)
	record.Process.Launcher, record.Process.Machine, record.Process.Block = "away", "n1", "b7"
	must.OK(t, runs.Write(folder, record))
	from, _ := source(work)
	gone := false
	from.Launchers = launch.Registry{launch.Any: func(string) launch.Launcher { return away{&gone} }}
	for _, want := range []string{index.Unknown, string(event.Lost)} {
		x := open(t, from)
		fields := must.Value(x.Fields().Choose([]string{"class", "orphan", "block", "problem"}))(t)
		rows, err := x.Find(t.Context(), index.Query{Fields: fields})
		if err != nil || len(rows) != 1 || rows[0][0] != want || rows[0][2] != "b7" ||
			(rows[0][3] != nil) != (want == index.Unknown) {
			t.Errorf("%v, %v; want class %s", rows, err, want)
		}
		gone = true
	}
}

// away is a launcher whose machines do not answer, until they are gone.
type away struct{ gone *bool }

func (away) Name() string { return "away" }
func (away) Start(context.Context, launch.TaskSpec) (launch.Task, error) {
	return nil, errors.New("no machine")
}
func (a away) Attach(context.Context, launch.Handle) (launch.Task, error) {
	if *a.gone {
		return nil, launch.ErrGone
	}
	return nil, errors.New("no answer")
}
func (away) Close() error { return nil }
