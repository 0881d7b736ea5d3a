//go:build linux

package crash

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The example of 1994 does what it says: it fails by itself where the map differs, a run was made more than twice, or a process is left.
func TestExample1994(t *testing.T) {
	s := newSuite(t)
	c := exec.Command("sh", "../../../config/hosts/examples/1994.sh")
	tmp := t.TempDir()
	c.Env = append(os.Environ(), "PEREGRINE="+s.shop.program(), "TMPDIR="+tmp, "HOME="+tmp, "XDG_CONFIG_HOME=")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "node2 is lost") {
		t.Errorf("%v:\n%s", err, out)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
