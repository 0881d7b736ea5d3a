package study

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
)

// The main job, end to end: the shipped E3 with its fan zoomed, on a coarse mesh.

// workshop is a user's folder with the shipped examples, a program and a cache.
type workshop struct {
	*testing.T
	dir string
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{t, e3With(t, "runs: 5, settings: {"+coarseFan+", max_iterations: 1500}")}
	must.OK(t, os.Symlink(program(t), w.path("peregrine")))
	return w
}

func (w *workshop) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w *workshop) edit(old, new string) {
	w.Helper()
	replaceIn(w.T, w.path("examples", "e3.yaml"), old, new)
}

// results runs the workshop's E3 with arguments, which must end with an exit code, and returns its results.
func (w *workshop) results(code int, args ...string) *result.Results {
	w.Helper()
	return w.resultsOf(code, append([]string{w.path("examples", "e3.yaml")}, args...)...)
}

// resultsOf is results of another engine, which is the first argument.
func (w *workshop) resultsOf(code int, args ...string) *result.Results {
	w.Helper()
	got, out, problems := w.peregrine(append([]string{"run", "--json"}, args...)...)
	if got != code {
		w.Fatalf("exit code %d, want %d: %s", got, code, problems)
	}
	var r result.Results
	must.OK(w, json.Unmarshal([]byte(out), &r))
	return &r
}

// processes are those of this workshop that live, by their files of the process table. A zombie has no environment.
func (w *workshop) processes() (live []string) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		testenv.NotHere(w, "processes are found in /proc")
	}
	for _, file := range files {
		if env, _ := os.ReadFile(file); bytes.Contains(env, []byte("TMPDIR="+w.path("tmp")+"\x00")) {
			live = append(live, file)
		}
	}
	return live
}

// nothingLeft holds that no process, socket or scratch folder stays behind.
func (w *workshop) nothingLeft() {
	w.Helper()
	var live []string
	var left []os.DirEntry
	if !programtest.Comes(w, func() bool {
		live, left = w.processes(), must.Value(os.ReadDir(w.path("tmp")))(w)
		return len(live) == 0 && len(left) == 0
	}) {
		w.Fatalf("left behind: processes %v, files %v", live, left)
	}
}

// sealed holds that nobody else may look into the run folders, and that the keys of the studies,
// which have ended, are gone.
func (w *workshop) sealed() {
	w.Helper()
	folders := 0
	must.OK(w, filepath.WalkDir(w.path("runs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		folders++
		if info, err := d.Info(); err != nil || info.Mode().Perm() != 0o700 || d.Name() == local.CertificateDir {
			w.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	}))
	if folders < 3 {
		w.Errorf("%d folders", folders)
	}
}

// answers are results, as JSON, without the account of which runs were made now, and how often each rule warned.
func answers(t *testing.T, r *result.Results) string {
	t.Helper()
	for _, c := range r.Cases {
		for _, z := range c.Zoom {
			z.Runs, z.Cached = 0, 0
		}
	}
	warned := map[string]int{}
	for _, w := range r.Warnings {
		warned[w.Rule+" "+w.Run+w.Case]++
	}
	return string(must.Value(json.MarshalIndent([]any{r.Cases, warned}, "", " "))(t))
}

// What the E3 with its fan zoomed gives TestExamplesUnchanged holds. The second time all comes from the cache.
func TestMainJob(t *testing.T) {
	testenv.Long(t, "zooms three cases twice")
	t.Parallel()
	w := newWorkshop(t)
	first := w.results(0)
	// At the design point a map scaled to the design changes nothing.
	d := first.Cases[0]
	if a, b := d.Performance.Fn, d.Unzoomed.Performance.Fn; a/b-1 > 1e-9 || a/b-1 < -1e-9 {
		t.Errorf("the zoomed design gives %g N, the design %g N", a, b)
	}
	second := w.results(0)
	for _, c := range second.Cases {
		if z := c.Zoom["fan"]; z.Runs != 0 || z.Cached < 9 {
			t.Errorf("second time: %s made %d runs, %d from the cache", c.Name, z.Runs, z.Cached)
		}
	}
	if diff := cmp.Diff(answers(t, first), answers(t, second)); diff != "" {
		t.Errorf("the second time differs:\n%s", diff)
	}
	w.nothingLeft()
	w.sealed()
}

// A zoom of which nothing comes is exit code 3, and the engine without it is printed.
func TestNoZoomToBeHad(t *testing.T) {
	testenv.Long(t, "runs a study")
	t.Parallel()
	w := newWorkshop(t)
	w.edit("max_iterations: 1500", "max_iterations: 3")
	r := w.results(cli.NoZoom, "--case", "max_climb")
	if !r.Cases[0].Converged || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Rule, "not_converged") {
		t.Errorf("converged %v, warnings %v", r.Cases[0].Converged, r.Warnings)
	}
	w.nothingLeft()
}
