package study

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

const exampleFolder = "../../../zoom/example"

// peregrine runs a verb of the workshop's program, and returns the exit code and what it printed.
func (w *workshop) peregrine(args ...string) (code int, stdout, stderr string) {
	w.Helper()
	return w.in("", args...)
}

// in does so in a folder; empty: in that of the test.
func (w *workshop) in(dir string, args ...string) (code int, stdout, stderr string) {
	w.Helper()
	cmd := exec.Command(w.path("peregrine"), args...)
	cmd.Dir = dir
	if err := os.MkdirAll(w.path("tmp"), 0o755); err != nil {
		w.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "TMPDIR="+w.path("tmp"), "HOME="+w.dir, "XDG_CONFIG_HOME=",
		"PEREGRINE_CACHE="+w.path("cache"), "PEREGRINE_WORK="+w.path("runs"))
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	code = programtest.ExitCode(cmd.Run())
	return code, out.String(), problems.String()
}

// fanZoomed writes an engine whose fan is zoomed by a solver, with settings, and returns its file.
func (w *workshop) fanZoomed(solver, settings string) string {
	w.Helper()
	file := w.path("examples", "with-"+solver+strings.TrimRight(settings, ".: 0123456789")+".yaml")
	programtest.Write(w.T, file, programtest.Read(w.T, w.path("examples", "turbofan-fan3d.yaml")))
	replaceIn(w.T, file, "fidelity: bladerow, geometry: geometry/e3-fan.yaml, settings: {refine: 1}",
		"solver: "+solver+", geometry: geometry/e3-fan.yaml, runs: 6, settings: {"+settings+"}")
	return file
}

// An engine is zoomed by solvers of the user's own, in Go and in Python, which compute the same: the results agree as
// far as two languages' powers do. A solver's answers are kept apart by its version, and not by where its file is.
func TestUserSolvers(t *testing.T) {
	testenv.Long(t, "compiles a solver")
	t.Parallel()
	w := newWorkshop(t)
	must.OK(t, os.CopyFS(w.path("solvers"), os.DirFS(exampleFolder)))
	programtest.Go(t, ".", nil, "build", "-o", w.path("solvers", "meanline", "meanline"), exampleFolder+"/meanline")
	from := filepath.Dir(mock.Python(t, exampleFolder))
	for _, name := range []string{"meanline.py", "solver_pb2.py", "event_pb2.py"} {
		programtest.Write(t, w.path("solvers", name), programtest.Read(t, filepath.Join(from, name)))
		must.OK(t, os.Chmod(w.path("solvers", name), 0o755))
	}
	solvers := w.path("solvers", "solvers.yaml")
	thrust := map[string]float64{}
	made := 0
	for _, name := range []string{"meanline", "meanline_python"} {
		c := w.resultsOf(0, w.fanZoomed(name, "slope: 1.1"), "--solvers", solvers).Cases[0]
		z := c.Zoom["fan"]
		if z == nil || z.Runs < 6 || z.Failed > 0 || !strings.HasPrefix(z.Fidelity, name+" 1, straight") {
			t.Fatalf("%s: zoom %+v", name, z)
		}
		thrust[name], made = c.Performance.Fn, z.Runs
	}
	if a, b := thrust["meanline"], thrust["meanline_python"]; a/b-1 > 1e-9 || b/a-1 > 1e-9 {
		t.Errorf("thrusts %v", thrust)
	}
	text := programtest.Read(t, solvers)
	for _, c := range []struct {
		version string
		runs    int
	}{{"1", made}, {"1", 0}, {"2", made}} {
		versioned := "[./meanline/meanline]\n  version: " + c.version + "\n"
		programtest.Write(t, solvers, strings.Replace(text, "[./meanline/meanline]\n", versioned, 1))
		r := w.resultsOf(0, w.fanZoomed("meanline", ""), "--solvers", solvers)
		if n := r.Cases[0].Zoom["fan"].Runs; n != c.runs {
			t.Errorf("version %s: %d runs made, want %d", c.version, n, c.runs)
		}
	}
	w.nothingLeft()
}
