package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A machine that lacks what a study needs ends it with a line and the exit code of a fault of the machine.
func TestMachineWithoutWhatAStudyNeeds(t *testing.T) {
	testenv.Long(t, "mounts a folder in place of /proc")
	dir := t.TempDir()
	must.OK(t, os.Symlink(programNamed(t, "peregrine"), filepath.Join(dir, "peregrine")))
	must.OK(t, os.Symlink(filepath.Join(dir, "missing"), filepath.Join(dir, "dangling")))
	must.OK(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	noProc := `mount --bind "$0/empty" /proc; exec "$0/peregrine" "$@"`
	for name, c := range map[string]struct {
		shell []string
		cache string
		text  string
	}{
		"a cache that leads nowhere": {
			[]string{"sh", "-c", `exec "$0/peregrine" "$@"`}, "dangling",
			`peregrine: cache: .*dangling is a link to .*missing, where no folder is\n$`,
		},
		"no /proc": {
			[]string{testenv.Program(t, "util-linux", "unshare"), "--user", "--map-root-user", "--mount", "sh", "-c",
				noProc}, "cache",
			`peregrine: the path of this program is unknown: .*\n$`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(c.shell[1:], dir, "run", "../../config/examples/e3.yaml", "--work",
				filepath.Join(dir, "work"), "--cache", filepath.Join(dir, c.cache))
			cmd := exec.CommandContext(t.Context(), c.shell[0], args...)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != cli.Fault || !regexp.MustCompile(c.text).Match(out) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
