package slurmtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
)

// A cluster runs a command on each of its nodes, two clusters do so at a time, and nothing of them is left.
func TestCluster(t *testing.T) {
	var folders []string
	t.Run("up", func(t *testing.T) {
		for range 2 {
			c := slurmtest.Start(t, 2)
			folders = append(folders, filepath.Dir(c.Conf))
			if out := c.Command("srun", "-N2", "sh", "-c", "echo $SLURMD_NODENAME"); len(strings.Fields(out)) != 2 || !strings.Contains(out, "n1") || !strings.Contains(out, "n2") {
				t.Errorf("srun printed %q", out)
			}
		}
	})
	for _, folder := range folders {
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", folder, err)
		}
	}
}

// A frozen node is taken for dead, and is back when it goes on.
func TestFreeze(t *testing.T) {
	c := slurmtest.Start(t, 2)
	c.Freeze(1)
	c.AwaitNodes("down", 1)
	c.Thaw(1)
	c.AwaitNodes("idle", 2)
}
