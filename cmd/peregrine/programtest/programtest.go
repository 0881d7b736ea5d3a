// Package programtest holds steps of the tests of the whole program: its files, its processes and the go command.
package programtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Patience is far beyond the time that any step takes.
const Patience = time.Minute

// Read returns the text of a file.
func Read(t testing.TB, file string) string {
	t.Helper()
	return string(must.Value(intake.Read(file, intake.Limit{What: "a file of a test", Bytes: 1 << 30}))(t))
}

// Write writes a text file and makes its folder.
func Write(t testing.TB, file, text string) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must.OK(t, os.WriteFile(file, []byte(text), 0o644))
}

// Comes waits until is reports true. It returns false if that takes longer than Patience.
func Comes(t testing.TB, is func() bool) bool {
	for end := clock.Real.Now().Add(Patience); !is(); {
		if clock.Real.Now().After(end) || clock.Sleep(t.Context(), clock.Real, 20*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// ExitCode returns the exit code that the error of a process reports; -1: the process has none.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	return -1
}

// Go runs the go command in a folder, with additional variables, and ends the test if it fails.
func Go(t testing.TB, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
