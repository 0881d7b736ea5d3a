package run_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// A folder of before the record was one file is read: the process stood there before the request, the key with either.
func TestFormerRecord(t *testing.T) {
	folder := t.TempDir()
	if _, err := run.ReadRecord(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	write := func(name string, v any) {
		t.Helper()
		must.OK(t, plugin.WriteFile(folder, name, v))
	}
	write("key.json", map[string]string{"key": "abc"})
	write("process.json", map[string]any{"launcher": "local", "solver": "s 1", "handle": map[string]int{"pid": 7}})
	if r, err := run.ReadRecord(folder); err != nil || r.Process.Solver != "s 1" || r.Key != "abc" || r.Numbers != nil {
		t.Errorf("before the request: %+v, %v", r, err)
	}
	write("request.json", map[string]any{"run": "r", "numbers": map[string]float64{"x": 2}})
	if r, err := run.ReadRecord(folder); err != nil || r.Process.Launcher != "local" || r.Key != "abc" || r.Numbers["x"] != 2 {
		t.Errorf("with the request: %+v, %v", r, err)
	}
}
