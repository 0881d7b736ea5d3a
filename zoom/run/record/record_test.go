package record_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
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

// A long text that was lost or changed is damage, which names it.
func TestLostText(t *testing.T) {
	study := t.TempDir()
	folder := filepath.Join(study, "run")
	must.OK(t, os.Mkdir(folder, 0o700))
	must.OK(t, record.WriteEnd(folder, a("run"), plugin.Ending{Result: plugin.Result{Class: event.Converged}}))
	text := filepath.Join(study, record.TextsDir, names(t, filepath.Join(study, record.TextsDir))[0])
	must.OK(t, os.WriteFile(text, []byte("z: 2"), 0o600))
	_, err := record.Read(folder)
	must.OK(t, os.Remove(text))
	r := record.ReadRun(t.Context(), folder, nil)
	for what, err := range map[string]error{"changed": err, "lost": r.Err} {
		if err == nil || !strings.Contains(err.Error(), "text geometry of the request of run run") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if r.Class != event.Converged {
		t.Errorf("its class is %s", r.Class)
	}
}
