package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

const exampleFolder = "../../zoom/example"

// meanline builds the example of a solver in Go, once for all tests.
var meanline = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "meanline")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "meanline")
	if out, err := exec.Command("go", "build", "-o", program, exampleFolder+"/meanline").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(program)
})

// userSolvers is a workshop with solvers.yaml and the programs that it names. The one in Python is
// there only if python is.
func userSolvers(t *testing.T, python bool) (w *workshop, file string) {
	t.Helper()
	w = newWorkshop(t)
	must.OK(t, os.CopyFS(w.path("solvers"), os.DirFS(exampleFolder)))
	program, err := meanline()
	if err == nil {
		err = os.WriteFile(w.path("solvers", "meanline", "meanline"), program, 0o755)
	}
	must.OK(t, err)
	if python {
		from := filepath.Dir(mock.Python(t, exampleFolder))
		for _, name := range []string{"meanline.py", "solver_pb2.py", "event_pb2.py"} {
			writeFile(t, w.path("solvers", name), readFile(t, filepath.Join(from, name)))
			must.OK(t, os.Chmod(w.path("solvers", name), 0o755))
		}
	}
	return w, w.path("solvers", "solvers.yaml")
}

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
	code = exitCode(cmd.Run())
	return code, out.String(), problems.String()
}

// fanZoomed writes an engine whose fan is zoomed by a solver, with settings, and returns its file.
func (w *workshop) fanZoomed(solver, settings string) string {
	w.Helper()
	file := w.path("examples", "with-"+solver+strings.TrimRight(settings, ".: 0123456789")+".yaml")
	writeFile(w.T, file, readFile(w.T, w.path("examples", "turbofan-fan3d.yaml")))
	replaceIn(w.T, file, "fidelity: bladerow, geometry: geometry/e3-fan.yaml, settings: {refine: 1}",
		"solver: "+solver+", geometry: geometry/e3-fan.yaml, runs: 6, settings: {"+settings+"}")
	return file
}

// An engine is zoomed by solvers of the user's own, in Go and in Python, which compute the
// same: the results agree as far as two languages' powers do.
func TestUserSolvers(t *testing.T) {
	testenv.Long(t, "compiles a solver")
	t.Parallel()
	w, solvers := userSolvers(t, true)
	thrust := map[string]float64{}
	for _, name := range []string{"meanline", "meanline_python"} {
		code, out, problems := w.peregrine("run", w.fanZoomed(name, "slope: 1.1"), "--solvers", solvers, "--json")
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, problems)
		}
		var r result.Results
		must.OK(t, json.Unmarshal([]byte(out), &r))
		c := r.Cases[0]
		z := c.Zoom["fan"]
		if z == nil || z.Runs < 6 || z.Failed > 0 || !strings.HasPrefix(z.Fidelity, name+" 1, straight") {
			t.Fatalf("%s: zoom %+v", name, z)
		}
		thrust[name] = c.Performance.Fn
	}
	if a, b := thrust["meanline"], thrust["meanline_python"]; a/b-1 > 1e-9 || b/a-1 > 1e-9 {
		t.Errorf("thrusts %v", thrust)
	}
	w.nothingLeft()
}

// The verbs that know solvers know the user's own, and say where one is named that cannot be used.
func TestVerbsKnowUserSolvers(t *testing.T) {
	testenv.Long(t, "compiles a solver")
	t.Parallel()
	w, solvers := userSolvers(t, false)
	for _, c := range []struct {
		args []string
		code int
		want string // part of what is printed
	}{
		{[]string{"check", w.fanZoomed("meanline", "slope: 1.1"), "--solvers", solvers}, 0, "no errors"},
		{[]string{"check", w.fanZoomed("meanline", "slop: 1.1"), "--solvers", solvers}, 2, "zoom.fan.settings.slop: no setting of meanline, did you mean slope?"},
		{[]string{"check", w.fanZoomed("meanline", "slope: 1.1")}, 2, `zoom.fan.solver: "meanline": unknown word, want bladerow, faulty or throughflow`},
		{[]string{"check", w.fanZoomed("meanline_python", ""), "--solvers", solvers}, 2, solvers + ":16:1: meanline_python: "}, // it lacks its messages
		{[]string{"schema", "--solvers", solvers}, 0, `"meanline_python"`},
		{[]string{"plugin", "describe", "meanline", "--solvers", solvers}, 0, "meanline 1: straight characteristic"},
		{[]string{"__complete", "plugin", "describe", "--solvers", solvers, ""}, 0, "bladerow\nfaulty\nmeanline\nmeanline_python\nthroughflow\n"},
		{[]string{"plugin", "list", "--solvers", solvers}, 2, "meanline         1        straight characteristic"},
		{[]string{"plugin", "list", "--solvers", w.path("nowhere.yaml")}, 2, "no such file, want a file of solvers"},
	} {
		code, out, problems := w.peregrine(c.args...)
		if code != c.code || !strings.Contains(out+problems, c.want) {
			t.Errorf("%q: exit code %d, want %d; %q is not in\n%s%s", c.args, code, c.code, c.want, out, problems)
		}
	}
	w.nothingLeft()
}

// A solver's answers are kept apart by its version, and not by where its file is.
func TestUserSolversAreKeptByTheirVersion(t *testing.T) {
	testenv.Long(t, "compiles a solver")
	t.Parallel()
	w, solvers := userSolvers(t, false)
	engine := w.fanZoomed("meanline", "")
	text := readFile(t, solvers)
	var got []int
	for _, version := range []string{"1", "1", "2"} {
		versioned := strings.Replace(text, "[./meanline/meanline]\n", "[./meanline/meanline]\n  version: "+version+"\n", 1)
		writeFile(t, solvers, versioned)
		code, out, problems := w.peregrine("run", engine, "--solvers", solvers, "--json")
		var r result.Results
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v: %s", code, err, problems)
		}
		got = append(got, r.Cases[0].Zoom["fan"].Runs)
	}
	if diff := cmp.Diff([]int{got[0], 0, got[0]}, got); diff != "" || got[0] == 0 {
		t.Errorf("runs made: %v", got)
	}
	w.nothingLeft()
}

// A solver that is killed while it is looked at is looked at once more.
func TestSolverKilledWhileDescribed(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	writeFile(t, w.path("flaky.sh"), "if mkdir '"+w.path("killed")+"'; then kill -9 $$; fi\nexec env PEREGRINE_MOCK_SOLVER=1 '"+w.path("peregrine")+"'\n")
	writeFile(t, w.path("flaky.yaml"), "flaky: {command: [sh, flaky.sh]}\n")
	code, out, problems := w.peregrine("plugin", "describe", "flaky", "--solvers", w.path("flaky.yaml"))
	if _, err := os.Stat(w.path("killed")); err != nil || code != 0 || !strings.Contains(out, "mock 1: ") {
		t.Errorf("exit code %d, %v: %s%s", code, err, out, problems)
	}
	w.nothingLeft()
}
