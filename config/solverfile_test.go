package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestSolversFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "solvers.yaml")
	text := `mine:
  command: [bin/mine, --fast, "a b", near.py, far.py, bin]
  environment: [OMP_NUM_THREADS=1, _X=]
  version: 2.1
  doc: a solver of mine
other: {command: [python3, scripts/other.py]}
`
	near, other := filepath.Join(dir, "near.py"), filepath.Join(dir, "scripts", "other.py")
	must.OK(t, errors.Join(os.MkdirAll(filepath.Join(dir, "bin"), 0o755), os.MkdirAll(filepath.Dir(other), 0o755),
		os.WriteFile(near, nil, 0o644), os.WriteFile(other, nil, 0o644)))
	must.OK(t, os.WriteFile(file, []byte(text), 0o644))
	got, err := config.LoadSolvers(file, []string{"throughflow"})
	want := []config.SolverProgram{
		{Name: "mine", Command: []string{filepath.Join(dir, "bin/mine"), "--fast", "a b", near, "far.py", "bin"},
			Environment: []string{"OMP_NUM_THREADS=1", "_X="},
			Version:     "2.1", Doc: "a solver of mine", File: file, Path: "mine",
			Pos: document.Pos{Line: 1, Column: 1}},
		{Name: "other", Command: []string{"python3", other}, File: file, Path: "other",
			Pos: document.Pos{Line: 6, Column: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Everything that is wrong is reported at once, each with its place.
func TestBadSolversFile(t *testing.T) {
	text := `throughflow: {command: [x]}
2d: {comand: [x]}
shell: {command: python3 solver.py}
none: {command: []}
env: {command: [x], environment: [PATH, A=1, 2=3]}
again: {command: [x], version: [1]}
again: {command: [x]}
both: {command: [x], external: d.yaml}
neither: {doc: nothing}
nobody: {command: [x], licence: {of: 2}}
none_of: {command: [x], licence: {name: cfd}}
badly: {command: [x], licence: {name: ../cfd, of: 2}}
many: {command: [x], licence: {name: cfd, of: -1, free: lmstat}}
`
	_, err := config.ParseSolvers("solvers.yaml", []byte(text), []string{"throughflow"})
	if err == nil {
		t.Fatal("accepted")
	}
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if strings.HasPrefix(line, "solvers.yaml:") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	want := []string{
		`solvers.yaml:1:1: "throughflow": the name is taken: throughflow is built in`,
		`solvers.yaml:2:1: "2d": a name of a solver is letters, digits and _, first a letter`,
		`solvers.yaml:2:6: 2d: "comand": unknown key, did you mean command?`,
		`solvers.yaml:3:18: shell.command: "python3 solver.py": want a list of words: a program and its arguments, such as [python3, solver.py]`,
		`solvers.yaml:4:17: none.command: no program, want a list of words: a program and its arguments, such as [python3, solver.py]`,
		`solvers.yaml:5:35: env.environment[1]: "PATH": want NAME=value`,
		`solvers.yaml:5:46: env.environment[3]: "2=3": want NAME=value`,
		`solvers.yaml:6:32: again.version: a list, want a version`,
		`solvers.yaml:7:1: again: "again": the key is already at line 6`,
		`solvers.yaml:8:32: both.external: "d.yaml": command, environment and version stand in the description`,
		`solvers.yaml:9:10: neither: no key command, or external`,
		`solvers.yaml:10:33: nobody.licence: no key name`,
		`solvers.yaml:11:34: none_of.licence: neither of, their number, nor free, a command that asks the licence server`,
		`solvers.yaml:12:39: badly.licence.name: "../cfd": a name of a licence is letters, digits and _, first a letter`,
		`solvers.yaml:13:47: many.licence.of: "-1": too small, want 1 to 10000`,
		`solvers.yaml:13:57: many.licence.free: "lmstat": want a list of words: a program and its arguments, such as [python3, solver.py]`,
	}
	must.Equal(t, want, lines)
}

// What a solver's entry is not to blame for can be told from what it is: a full disk has another exit code.
func TestSolverErrorKeepsItsCause(t *testing.T) {
	s := &config.SolverProgram{File: "solvers.yaml", Name: "mine"}
	full := &os.PathError{Op: "write", Path: "host.key", Err: syscall.ENOSPC}
	if err := s.SolverError(full); !fault.Is(err) || !strings.Contains(err.Error(), "mine: write host.key: ") {
		t.Error(err)
	}
}
