package study

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// TestMain removes the program that the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(programFolder)
	os.Exit(code)
}

var (
	programFolder string
	building      sync.Once
)

// program returns the path of the program, which the first test builds.
func program(t testing.TB) string {
	t.Helper()
	building.Do(func() {
		programFolder = must.Value(os.MkdirTemp("", "study"))(t)
		programtest.Go(t, "..", nil, "build", "-o", filepath.Join(programFolder, "peregrine"), ".")
	})
	return filepath.Join(programFolder, "peregrine")
}

// failure is the end of a command line with another exit code than 0.
type failure struct {
	code int
	text string // on standard error
}

func (f *failure) Error() string { return f.text }

// verb runs a command line and returns its output. Its error is a *failure.
func verb(t testing.TB, args ...string) (string, error) {
	t.Helper()
	var out, problems strings.Builder
	cmd := exec.Command(program(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if code := programtest.ExitCode(cmd.Run()); code != 0 {
		return out.String(), &failure{code, problems.String()}
	}
	return out.String(), nil
}
