package study

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// nextLine is what `plugin new` says to do.
var nextLine = regexp.MustCompile(`(?m)^next: peregrine (.*)$`)

// Each start passes the check that it names, as it is made; the one of a described program TestPagesRun makes and
// checks. What its entry says in a comment has to be done before: to compile the one in Go, here against this module
// and not a published one, and to make the messages of the one in Python.
func TestStartsPassTheirCheck(t *testing.T) {
	testenv.Long(t, "compiles a solver")
	t.Parallel()
	root := must.Value(filepath.Abs("../../.."))(t)
	for kind, prepare := range map[string]func(t *testing.T, dir string){
		"go": func(t *testing.T, dir string) {
			programtest.Write(t, filepath.Join(dir, "go.sum"), programtest.Read(t, filepath.Join(root, "go.sum")))
			for _, args := range [][]string{
				{"mod", "edit", "-require=github.com/peregrine-sim/peregrine@v0.0.0",
					"-replace=github.com/peregrine-sim/peregrine=" + root},
				{"mod", "tidy"},
				{"build", "-o", filepath.Base(dir)},
			} {
				programtest.Go(t, dir, []string{"GOFLAGS=-mod=mod " + os.Getenv("GOFLAGS"), "GOWORK=off"}, args...)
			}
		},
		"python": func(t *testing.T, dir string) {
			python := mock.Python(t, exampleFolder) // has what it takes, or the test is skipped
			cmd := exec.Command("protoc", "--python_out=.", "solver.proto", "event.proto")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			interpreted(t, python, filepath.Join(dir, filepath.Base(dir)+".py"))
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorkshop(t)
			name := "made_" + kind
			code, out, problems := w.in(w.dir, "plugin", "new", kind, name)
			next := nextLine.FindStringSubmatch(out)
			if code != 0 || next == nil {
				t.Fatalf("exit code %d: %s%s", code, out, problems)
			}
			prepare(t, w.path(name))
			code, out, problems = w.in(w.dir, strings.Fields(next[1])...)
			if code != 0 || strings.Count(out, " ok\n") < 6 {
				t.Errorf("exit code %d: %s%s", code, out, problems)
			}
			w.nothingLeft()
		})
	}
}

// interpreted gives a script the interpreter of another one: python3 of the path may lack grpcio.
func interpreted(t *testing.T, like, script string) {
	t.Helper()
	head, _, _ := strings.Cut(programtest.Read(t, like), "\n")
	_, rest, _ := strings.Cut(programtest.Read(t, script), "\n")
	must.OK(t, os.WriteFile(script, []byte(head+"\n"+rest), 0o755))
}
