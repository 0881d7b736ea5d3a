package slurm

// How the commands of Slurm are called.

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
)

const (
	callTime = 2 * time.Minute // that a command may take; those of a busy controller wait for it, and repeat what it does not answer
	callMost = 256 << 20       // bytes that it may print: squeue of a million jobs
)

// caller calls commands, and counts them.
type caller struct{ calls atomic.Int64 }

// call is a caller in a folder.
type call struct {
	*caller
	folder string
}

func (c *caller) in(folder string) call { return call{c, folder} }

func (c *caller) ask(ctx context.Context, words ...string) (string, error) {
	return call{caller: c}.ask(ctx, words...)
}

func (c call) ask(ctx context.Context, words ...string) (string, error) {
	c.calls.Add(1)
	q := process.Question{Words: words, Folder: c.folder, Environment: environment(), Limit: callTime, Most: callMost}
	return q.Ask(ctx)
}

// environment is the user's, which sbatch hands on to the job, less what is Peregrine's own, what would change the form of answers, and what Slurm
// itself has set where this process runs in a job: a job that inherited that would take its own nodes for those of the other.
// Times are to be Unix times.
func environment() []string {
	kept := slices.DeleteFunc(os.Environ(), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		for _, prefix := range []string{"PEREGRINE_", "SLURM_", "SLURMD_", "SQUEUE_", "SCANCEL_", "SACCT_", "SRUN_"} {
			if strings.HasPrefix(name, prefix) {
				return name != "SLURM_CONF" && name != "SLURM_CONF_SERVER"
			}
		}
		return name == "LC_ALL"
	})
	return append(kept, "LC_ALL=C", "SLURM_TIME_FORMAT=%s")
}
