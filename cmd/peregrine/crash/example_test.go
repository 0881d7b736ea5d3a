//go:build linux

package crash

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The examples that play a scene and judge it themselves.

// The example of 1994 fails by itself where the map differs, a run was made more than twice, or a process is left. Long
// tests have its scene in TestNineteenNinetyFour.
func TestExample1994(t *testing.T) {
	testenv.Soak(t, "a scene of minutes")
	t.Parallel()
	if out := plays(t, "hosts/examples/1994.sh"); !strings.Contains(out, "node2 is lost") {
		t.Errorf("it says:\n%s", out)
	}
}

// The scene of thirty runs that somebody steers fails by itself where a run that should converge does not, or one
// that should not does, where the hopeless go on, a command was done twice, a replay is another or a process is left.
func TestSceneSteered(t *testing.T) {
	testenv.Soak(t, "a scene of a minute")
	t.Parallel()
	if out := plays(t, "examples/e3-steered.sh"); strings.Count(out, "the same to the last bit") != 3 {
		t.Errorf("it says:\n%s", out)
	}
}

// plays plays a script of the folder config, which must end well and leave nothing, and returns what it said.
func plays(t *testing.T, script string) string {
	t.Helper()
	s := newSuite(t)
	c := exec.Command("sh", "../../../config/"+script)
	tmp := t.TempDir()
	c.Env = append(os.Environ(), "PEREGRINE="+s.shop.program(), "TMPDIR="+tmp, "HOME="+tmp, "XDG_CONFIG_HOME=")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	return string(out)
}
