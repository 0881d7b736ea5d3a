package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	linkProgram(t, w.path("peregrine"))
	return w
}

func (w *workshop) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w *workshop) edit(old, new string) {
	w.Helper()
	replaceIn(w.T, w.path("examples", "e3.yaml"), old, new)
}

// start begins `peregrine run e3.yaml --json` with arguments added.
func (w *workshop) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	w.Helper()
	args = append([]string{"run", w.path("examples", "e3.yaml"), "--json", "--cache", w.path("cache"), "--work", w.path("runs")}, args...)
	cmd := exec.Command(w.path("peregrine"), args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+w.path("tmp"))
	if err := os.MkdirAll(w.path("tmp"), 0o755); err != nil {
		w.Fatal(err)
	}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("standard error:\n%s", stderr.String())
		}
	})
	return cmd, &out
}

func (w *workshop) decode(out *bytes.Buffer) *result.Results {
	w.Helper()
	var r result.Results
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		w.Fatalf("%v in %.300s", err, out.String())
	}
	return &r
}

func exitCode(err error) int {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// processes are those of this workshop that live.
func (w *workshop) processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		testenv.NotHere(w, "processes are found in /proc")
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if bytes.Contains(env, []byte("TMPDIR="+w.path("tmp")+"\x00")) && !bytes.Contains(stat, []byte(") Z ")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// nothingLeft holds that no process, socket or scratch folder stays behind.
func (w *workshop) nothingLeft() {
	w.Helper()
	deadline := time.Now().Add(patience)
	for {
		pids := w.processes()
		left, err := os.ReadDir(w.path("tmp"))
		if err != nil {
			w.Fatal(err)
		}
		if len(pids) == 0 && len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("left behind: processes %v, files %v", pids, left)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// sealed holds that nobody else may look into the run folders, and that the keys of the studies,
// which have ended, are gone.
func (w *workshop) sealed() {
	w.Helper()
	folders := 0
	err := filepath.WalkDir(w.path("runs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		folders++
		if info, err := d.Info(); err != nil || info.Mode().Perm() != 0o700 {
			w.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		if d.Name() == local.CertificateDir {
			w.Errorf("%s is left", path)
		}
		return nil
	})
	if err != nil || folders < 3 {
		w.Errorf("%d folders, %v", folders, err)
	}
}

// answers are results, as JSON, without the account of which runs were made now.
func answers(t *testing.T, r *result.Results) string {
	t.Helper()
	for _, c := range r.Cases {
		for _, z := range c.Zoom {
			z.Runs, z.Cached = 0, 0
		}
	}
	data := must.Value(json.MarshalIndent(r.Cases, "", " "))(t)
	return string(data)
}

func TestMainJob(t *testing.T) {
	testenv.Long(t, "zooms three cases twice")
	t.Parallel()
	w := newWorkshop(t)
	cmd, out := w.start()
	if code := exitCode(cmd.Wait()); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	first := w.decode(out)
	for _, c := range first.Cases {
		z := c.Zoom["fan"]
		if !c.Converged || z == nil || c.Unzoomed == nil {
			t.Fatalf("%s: converged %v, zoom %v", c.Name, c.Converged, z)
		}
		if z.Runs < 15 || z.Runs-z.Failed < 9 {
			t.Errorf("%s: %d runs, %d failed; want 5 on each of 3 lines at least", c.Name, z.Runs, z.Failed)
		}
		if !(z.Error > 0 && z.Error < 0.02) {
			t.Errorf("%s: estimated error %g", c.Name, z.Error)
		}
	}
	// At the design point a map scaled to the design changes nothing.
	d := first.Cases[0]
	if a, b := d.Performance.Fn, d.Unzoomed.Performance.Fn; a/b-1 > 1e-9 || a/b-1 < -1e-9 {
		t.Errorf("the zoomed design gives %g N, the design %g N", a, b)
	}
	// Away from it the two differ, or nothing was zoomed.
	c := first.Cases[2]
	if a, b := c.Shafts["lp"]["N"], c.Unzoomed.Shafts["lp"]["N"]; a == b {
		t.Errorf("takeoff turns at %g rpm with and without zoom", a)
	}

	cmd, out = w.start()
	if code := exitCode(cmd.Wait()); code != 0 {
		t.Fatalf("second time: exit code %d", code)
	}
	second := w.decode(out)
	for _, c := range second.Cases {
		if z := c.Zoom["fan"]; z.Runs != 0 || z.Cached == 0 {
			t.Errorf("second time: %s made %d runs, %d from the cache", c.Name, z.Runs, z.Cached)
		}
	}
	if diff := cmp.Diff(answers(t, first), answers(t, second)); diff != "" {
		t.Errorf("the second time differs:\n%s", diff)
	}
	if diff := cmp.Diff(warned(first), warned(second)); diff != "" {
		t.Errorf("the second time warns otherwise:\n%s", diff)
	}
	w.nothingLeft()
}

func warned(r *result.Results) map[string]int {
	n := map[string]int{}
	for _, w := range r.Warnings {
		n[w.Rule+" "+w.Run+w.Case]++
	}
	return n
}

// A zoom of which nothing comes is exit code 3, and the engine without it is printed.
func TestNoZoomToBeHad(t *testing.T) {
	testenv.Long(t, "runs a study")
	t.Parallel()
	w := newWorkshop(t)
	w.edit("max_iterations: 1500", "max_iterations: 3")
	cmd, out := w.start("--case", "max_climb")
	if code := exitCode(cmd.Wait()); code != exitNoZoom {
		t.Errorf("exit code %d, want %d", code, exitNoZoom)
	}
	r := w.decode(out)
	if !r.Cases[0].Converged || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Rule, "not_converged") {
		t.Errorf("converged %v, warnings %v", r.Cases[0].Converged, r.Warnings)
	}
	w.nothingLeft()
}
