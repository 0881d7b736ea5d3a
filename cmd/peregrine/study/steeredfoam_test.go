//go:build unix

package study

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Of a fan's runs by OpenFOAM that all swing at their relaxation, the one converges whose relaxation is lowered by a
// command line while it runs; those left alone do not. Its receipt says applied at an iteration at which the log has
// it, and its answer is marked.
func TestOpenFOAMSteeredByCommand(t *testing.T) {
	testenv.Long(t, "runs OpenFOAM")
	testenv.Program(t, "openfoam python3", "rhoSimpleFoam")
	t.Parallel()
	s := beginFoam(t, "runs: 3, settings: {refine: 0.5, relax: 0.8, iterations: 1500}}")
	s.steer("", "release")
	folder := filepath.Join(s.work(), s.name)
	s.until(func() bool {
		log, err := os.ReadFile(filepath.Join(folder, s.first, "solve.log"))
		return err == nil && strings.Contains(string(log), "\nTime = 300\n")
	})
	lines := strings.Split(strings.TrimSpace(s.steer(s.first, "set", "relax=0.3", "--expect", "0.8", "--json")), "\n")
	var last struct {
		State     event.State
		Iteration int64
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.State != event.Applied ||
		last.Iteration < 300 {
		t.Errorf("%q: %v", lines, err)
	}
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "no speed line has three answers") {
		t.Errorf("the zoom of runs that swing: %v", err)
	}
	end := s.result(s.first)
	if end.Class != event.Converged || len(end.Steered) != 1 || end.Steered[0].Iteration != last.Iteration {
		t.Errorf("steered: %s, %+v", end.Class, end.Steered)
	}
	runs, err := filepath.Glob(filepath.Join(folder, "fan-*"))
	if err != nil || len(runs) < 2 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	for _, run := range slices.DeleteFunc(runs, func(r string) bool { return filepath.Base(r) == s.first }) {
		if end := s.result(filepath.Base(run)); end.Class != event.Diverged && end.Class != event.NotConverged ||
			end.Steered != nil {
			t.Errorf("left alone, %s: %s", filepath.Base(run), end.Class)
		}
	}
}

// The example is all that is expected of a solver, and of one that is steered.
func TestOpenFOAMConforms(t *testing.T) {
	testenv.Long(t, "runs OpenFOAM")
	testenv.Program(t, "openfoam python3", "rhoSimpleFoam")
	t.Parallel()
	dir := t.TempDir()
	solvers := filepath.Join(dir, "solvers.yaml")
	example, err := filepath.Abs("../../../config/examples/openfoam/cascade.yaml")
	if err == nil {
		err = os.WriteFile(solvers, []byte("cascade: {external: "+example+"}\n"), 0o600)
	}
	must.OK(t, err)
	out, err := verb(t, "plugin", "check", "cascade", "--solvers", solvers)
	if err != nil || strings.Count(out, " ok\n") < 11 {
		t.Errorf("%v: %s", err, out)
	}
}

// beginFoam begins the zoom of the example's fan, held, with other words for how it is made and in its description,
// and waits for its first run.
func beginFoam(t *testing.T, zoom string, description ...string) *steeredStudy {
	t.Helper()
	dir := examplesFolder(t)
	engine := filepath.Join(dir, "examples", openfoamExample+".yaml")
	replaceIn(t, engine, "to: 1 %, most: 12}", zoom)
	replaceIn(t, filepath.Join(dir, "examples", "openfoam", "cascade.yaml"), description...)
	return beginStudy(t, dir, "swings", "zoom", engine, "fan", "--case", "cruise", "--trust")
}

// The plugin's process is killed when a change is written and nothing has shown that the program has read it: that is
// what is said, and the program dies with it.
func TestKilledBeforeConfirmed(t *testing.T) {
	testenv.Long(t, "runs a study of programs")
	if runtime.GOOS != "linux" {
		testenv.NotHere(t, "a program outlives its plugin until the host ends it")
	}
	t.Parallel()
	s := beginFoam(t, "runs: 3}",
		"  - {name: prepare, command: [python3, prepare.py], time: 1 min}\n  - {name: mesh,  command: [blockMesh], "+
			"time: 1 min}\n", "",
		"  stop: {stop_at: writeNow}\n", "",
		"command: [rhoSimpleFoam]", `command: [sh, -c, "echo $PPID $$ >ids; while :; do sleep 0.1; done"]`)
	s.steer("", "release")
	folder := filepath.Join(s.work(), s.name, s.first)
	var plugin, program int
	s.until(func() bool {
		text, _ := os.ReadFile(filepath.Join(folder, "ids"))
		n, _ := fmt.Sscan(string(text), &plugin, &program)
		return n == 2
	})
	said := make(chan string, 1)
	go func() {
		out, _ := verb(t, "steer", "set", s.name+"/"+s.first, "relax=0.2", "--json", "--work", s.work())
		said <- out
	}()
	dictionary := func() string {
		text, err := os.ReadFile(filepath.Join(folder, "system", "fvSolution"))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	s.until(func() bool { return strings.Contains(dictionary(), "p 0.2;") })
	must.OK(t, syscall.Kill(plugin, syscall.SIGKILL))
	lines := strings.Split(strings.TrimSpace(<-said), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, `"state":"unconfirmed"`) ||
		!strings.Contains(last, "its process ended") {
		t.Errorf("it is said %q", lines)
	}
	if text := dictionary(); !strings.Contains(text, "p 0.2;") {
		t.Errorf("the file is %s", text)
	}
	s.until(func() bool { return !process.Exists(program) })
	if _, err := verb(t, "steer", "stop", s.name, "--future", "--no-wait", "--work", s.work()); err != nil {
		t.Log(err)
	}
	<-s.ended
}
