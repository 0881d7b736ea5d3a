package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A folder has the files of the last run, and files of no run: files of a former run that the last did not write would
// pass for its own. A run that continues the former keeps them.
func TestFormerFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(filepath.Dir(dir), "outside.csv")
	for _, name := range []string{filepath.Join(dir, "mine.csv"), outside} {
		must.OK(t, os.WriteFile(name, nil, 0o600))
	}
	run := func(continued bool, cases ...string) []string {
		t.Helper()
		r := &result.Results{Engine: "e", Warnings: []result.Warning{}}
		for _, name := range cases {
			r.Cases = append(r.Cases,
				&result.Result{Name: name, Kind: "transient", Converged: true, History: &result.History{
					Columns: []config.Quantity{{Path: "performance.Fn", Dim: unit.Force}}, T: []float64{0, 1},
					Values: [][]float64{{1, 2}}}})
		}
		must.OK(t, WriteFolder(t.Context(), dir, r, unit.SI, continued))
		found := must.Value(filepath.Glob(filepath.Join(dir, "*.csv")))(t)
		for i := range found {
			found[i] = filepath.Base(found[i])
		}
		slices.Sort(found)
		return found
	}
	for _, step := range []struct {
		continued bool
		cases     []string
		want      []string
	}{
		{false, []string{"a", "b"}, []string{"a.csv", "b.csv", "mine.csv", "stations.csv"}},
		{true, []string{"b"}, []string{"a.csv", "b.csv", "mine.csv", "stations.csv"}},
		{false, []string{"c"}, []string{"c.csv", "mine.csv", "stations.csv"}},
	} {
		if d := cmp.Diff(step.want, run(step.continued, step.cases...)); d != "" {
			t.Errorf("after %v: %s", step.cases, d)
		}
	}
	// A checkpoint is of the run that wrote it, also if that run was killed before it wrote its results.
	checkpoint := filepath.Join(dir, "c.checkpoint")
	must.OK(t, os.WriteFile(checkpoint, nil, 0o600))
	must.OK(t, Add(dir, "c.checkpoint"))
	for _, step := range []struct {
		continued bool
		beside    []string
		stays     bool
	}{{false, []string{"c.checkpoint"}, true}, {true, nil, true}, {false, nil, false}} {
		must.OK(t, WriteFolder(t.Context(), dir, &result.Results{Engine: "e", Warnings: []result.Warning{}}, unit.SI,
			step.continued, step.beside...))
		if _, err := os.Stat(checkpoint); (err == nil) != step.stays {
			t.Errorf("%+v: the checkpoint is there: %t", step, err == nil)
		}
	}
	// A list that names files elsewhere is not followed.
	must.OK(t, os.WriteFile(filepath.Join(dir, writtenFile), []byte(`{"results": ["../outside.csv"]}`), 0o600))
	run(false, "c")
	must.Value(os.Stat(outside))(t)
}
