package record_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// a returns the record of a run with a long text.
func a(run string) record.Record {
	return record.Record{Key: "k",
		Process: record.ProcessRecord{Launcher: "local", Handle: []byte("{}"), Solver: "mock 1"},
		Request: plugin.Request{Run: run, Numbers: map[string]float64{"x": 2},
			Texts: map[string]string{"script": "iterate 2", "geometry": strings.Repeat("z: 1\n", 200)}}}
}

// names returns the names of a folder's files.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	for _, e := range must.Value(os.ReadDir(folder))(t) {
		all = append(all, e.Name())
	}
	return all
}

// A run leaves one file with its request and its end, and its study each long text once. It is read alike before the
// end, after it, and between the two files' writing and removal.
func TestRecordBecomesPartOfTheResult(t *testing.T) {
	study := t.TempDir()
	end := plugin.Ending{Result: plugin.Result{Class: event.Converged, Numbers: map[string]float64{"x": 7}}}
	for _, run := range []string{"one", "two"} {
		folder := filepath.Join(study, run)
		must.OK(t, os.Mkdir(folder, 0o700))
		read := func() {
			t.Helper()
			if diff := cmp.Diff(a(run), must.Value(record.Read(folder))(t)); diff != "" {
				t.Error(diff)
			}
		}
		must.OK(t, record.Write(folder, a(run)))
		read()
		begun := must.Value(os.ReadFile(filepath.Join(folder, plugin.RequestFile)))(t)
		must.OK(t, record.WriteEnd(folder, a(run), end))
		read()
		must.Equal(t, []string{plugin.ResultFile}, names(t, folder))
		must.OK(t, os.WriteFile(filepath.Join(folder, plugin.RequestFile), begun, 0o600))
		read()
		r, was, _, err := record.ReadEnding(t.Context(), folder, nil)
		if err != nil || r.Key != "k" || r.Class != event.Converged || r.Err != nil || was.Numbers["x"] != 7 {
			t.Errorf("%+v, %+v, %v", r, was, err)
		}
	}
	must.Equal(t, []string{"one", record.TextsDir, "two"}, names(t, study))
	if n := len(names(t, filepath.Join(study, record.TextsDir))); n != 1 {
		t.Errorf("the text of two runs is kept %d times", n)
	}
}

// A run whose solver did not start has no record; a folder of an earlier version has its texts in its request.
func TestFoldersWithoutATextOfTheStudy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	must.OK(t, os.Mkdir(folder, 0o700))
	must.OK(t, record.WriteEnd(folder, record.Record{}, plugin.Ending{Result: plugin.Result{Class: event.Hung}}))
	if _, err := record.Read(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no record: %v", err)
	}
	must.OK(t, plugin.WriteFile(folder, plugin.RequestFile, a("run")))
	if diff := cmp.Diff(a("run"), must.Value(record.Read(folder))(t)); diff != "" {
		t.Error(diff)
	}
}

// lost makes a run with a long text, which it removes from the study.
func lost(t *testing.T, make func(folder string, r record.Record) error) (folder, text string) {
	t.Helper()
	study := t.TempDir()
	folder = filepath.Join(study, "run")
	must.OK(t, os.Mkdir(folder, 0o700))
	must.OK(t, make(folder, a("run")))
	text = filepath.Join(study, record.TextsDir, names(t, filepath.Join(study, record.TextsDir))[0])
	must.OK(t, os.Remove(text))
	return folder, text
}

// A long text that was lost or changed is damage, which names it.
func TestLostText(t *testing.T) {
	folder, text := lost(t, func(folder string, r record.Record) error {
		return record.WriteEnd(folder, r, plugin.Ending{Result: plugin.Result{Class: event.Converged}})
	})
	r := record.ReadRun(t.Context(), folder, nil)
	must.OK(t, os.WriteFile(text, []byte("z: 2"), 0o600))
	_, err := record.Read(folder)
	for what, err := range map[string]error{"changed": err, "lost": r.Err} {
		if err == nil || !strings.Contains(err.Error(), "text geometry of the request of run run") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if r.Class != event.Converged {
		t.Errorf("its class is %s", r.Class)
	}
}

// failing is a launcher that attaches to no process.
type failing struct {
	launch.Launcher
	err error
}

func (f failing) Attach(context.Context, launch.Handle) (launch.Task, error) { return nil, f.err }

func (failing) Close() error { return nil }

// A run without one of its texts, or with a damaged record, is not taken for one that has ended: its process decides.
func TestRunUnderWayWithoutItsText(t *testing.T) {
	unreached := errors.New("unreached")
	folder, _ := lost(t, record.Write)
	for _, x := range []struct {
		err  error
		runs bool
	}{{unreached, true}, {launch.ErrGone, false}} {
		launchers := launch.Registry{launch.Any: func(string) launch.Launcher { return failing{err: x.err} }}
		r := record.ReadRun(t.Context(), folder, launchers)
		if r.MayRun() != x.runs || r.Orphan != x.runs || r.Key != "k" || r.Solver != "mock 1" || r.Err == nil {
			t.Errorf("%v: %+v", x.err, r)
		}
		must.Equal(t, x.runs, must.Value(record.AnyRunning(t.Context(), filepath.Dir(folder), launchers))(t))
	}
	made := must.Value(record.Brief(folder))(t)
	must.Equal(t, map[string]string{"script": "iterate 2"}, made.Texts)
	left, err := record.Fence(filepath.Dir(folder), "run", "run~2", time.Now(), func(string) bool { return false })
	if err != nil || !strings.Contains(left, "nothing was heard of it since") {
		t.Errorf("%q, %v", left, err)
	}
	must.OK(t, os.Remove(filepath.Join(folder, plugin.ResultFile)))
	must.OK(t, os.WriteFile(filepath.Join(folder, plugin.RequestFile), nil, 0o600))
	if some, err := record.AnyRunning(t.Context(), filepath.Dir(folder), nil); !some || err != nil {
		t.Errorf("with a damaged record: %t, %v", some, err)
	}
	for _, works := range []bool{true, false} { // a process on the study
		work := log.New(clock.Real, nil)
		if works {
			must.OK(t, work.Open(filepath.Dir(folder)))
		}
		r := record.ReadRun(t.Context(), folder, nil)
		if r.Unknown != works || (r.Class == event.Lost) == works || r.Err == nil {
			t.Errorf("a process works on the study: %t: %+v", works, r)
		}
		must.OK(t, work.Close())
	}
}

// A text that was lost, cut short or changed before this process used it is written anew.
func TestTextIsMended(t *testing.T) {
	whole := a("run").Request.Texts["geometry"]
	for _, is := range []string{whole[1:], "x" + whole[1:]} {
		study := t.TempDir()
		folder := filepath.Join(study, "run")
		texts := filepath.Join(study, record.TextsDir)
		must.OK(t, os.Mkdir(folder, 0o700))
		must.OK(t, os.Mkdir(texts, 0o700))
		sum := sha256.Sum256([]byte(whole))
		must.OK(t, os.WriteFile(filepath.Join(texts, hex.EncodeToString(sum[:])), []byte(is), 0o600))
		must.OK(t, record.Write(folder, a("run")))
		must.Equal(t, whole, must.Value(record.Read(folder))(t).Texts["geometry"])
	}
}

// A run whose texts cannot be kept leaves its result all the same, and the request that it has.
func TestResultWithoutARecord(t *testing.T) {
	folder, text := lost(t, record.Write)
	must.OK(t, os.Remove(filepath.Dir(text)))
	must.OK(t, os.WriteFile(filepath.Dir(text), nil, 0o600))
	err := record.WriteEnd(folder, a("run"), plugin.Ending{Result: plugin.Result{Class: event.Converged}})
	if err == nil || !strings.Contains(err.Error(), "text geometry of the request") {
		t.Error(err)
	}
	must.Equal(t, []string{plugin.RequestFile, plugin.ResultFile}, names(t, folder))
	must.Equal(t, event.Converged, record.ReadRun(t.Context(), folder, nil).Class)
}

// A result that a crash of the machine emptied is none.
func TestEmptyResult(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	must.OK(t, os.Mkdir(folder, 0o700))
	must.OK(t, os.WriteFile(filepath.Join(folder, plugin.ResultFile), nil, 0o600))
	if r := record.ReadRun(t.Context(), folder, nil); r.Class != event.Lost || r.Err != nil {
		t.Errorf("%+v", r)
	}
}
