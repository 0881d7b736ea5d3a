//go:build linux

package crash

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The scene of thirty runs that somebody steers does what it says: it fails by itself where a run that should converge does not, or one that should not
// does, where the hopeless go on, a command was done twice, a replay is another or a process is left.
func TestSceneSteered(t *testing.T) {
	s := newSuite(t)
	c := exec.Command("sh", "../../../config/examples/e3-steered.sh")
	tmp := t.TempDir()
	c.Env = append(os.Environ(), "PEREGRINE="+s.shop.program(), "TMPDIR="+tmp, "HOME="+tmp, "XDG_CONFIG_HOME=")
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "the same to the last bit") != 3 {
		t.Errorf("%v:\n%s", err, out)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
