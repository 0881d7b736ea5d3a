package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A setting of words is checked in the engine file, and `plugin check` shows the end of the logs of a run without an
// answer.
func TestDescribedSolver(t *testing.T) {
	testenv.Program(t, "python3", "python3")
	dir := t.TempDir()
	for _, f := range fencesOf(programtest.Read(t, "help/external.md")) {
		text := strings.NewReplacer("settings:\n", "settings:\n  mode: {words: [fast, robust]}\n",
			"throttle: 0.29", "throttle: 1e-4", "runs: 4", "runs: 4, settings: {mode: fats}").Replace(f.text)
		if f.file != "" {
			must.OK(t, os.WriteFile(filepath.Join(dir, f.file), []byte(text), 0o600))
		}
	}
	solvers := filepath.Join(dir, "solvers.yaml")
	must.Refuse(verb(t, "check", filepath.Join(dir, "engine.yaml"), "--solvers", solvers))(t,
		`zoom.fan.settings.mode: "fats": unknown word, did you mean fast?`)
	must.Contain(t, must.Value(verb(t, "plugin", "describe", "rotor", "--solvers", solvers))(t),
		"text; fast or robust, default fast")
	out, _ := verb(t, "plugin", "check", "rotor", "--solvers", solvers)
	must.Contain(t, out, "    first: stalled: solve.log: no such flow\n    solve.log ends with:\n",
		"\n      no such flow\nexit flow ")
}

// A solver that is killed while it is looked at is looked at once more.
func TestSolverKilledWhileDescribed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killed, solvers := filepath.Join(dir, "killed"), filepath.Join(dir, "flaky.yaml")
	programtest.Write(t, filepath.Join(dir, "flaky.sh"), "if mkdir '"+killed+"'; then kill -9 $$; fi\n"+
		"exec env PEREGRINE_MOCK_SOLVER=1 '"+must.Value(os.Executable())(t)+"'\n")
	programtest.Write(t, solvers, "flaky: {command: [sh, flaky.sh]}\n")
	must.Contain(t, must.Value(verb(t, "plugin", "describe", "flaky", "--solvers", solvers))(t), "mock 1: ")
	must.Value(os.Stat(killed))(t)
}
