// Package slurm gets blocks of nodes from the batch system Slurm, by the commands of its users: sbatch, squeue,
// scancel, and sacct if the site keeps accounts. It needs Slurm 20.11 or later, and a machine that can submit jobs.
//
//	Submit   sbatch --array: equal blocks are the elements of one job array; the ID of a block is JOB_INDEX
//	List     one squeue for all blocks of all studies of this user, shared by all callers
//	Cancel   scancel
//
// A block is found by its job's name, peregrine-STUDY. The job's script is in the request's folder, with the output of
// the block in block-JOB_INDEX.txt unless the options name a file. Jobs are put back into the queue when their node
// fails; a block of several nodes continues without failed nodes. The options of the launcher follow Peregrine's own
// and take precedence.
//
// # Frequency of queries
//
// squeue is called at most once in ten seconds, and less often if it is slow ([batchqueue.Queue]).
//
// # A block that is not listed
//
// Slurm forgets a job MinJobAge after its end (default 300 s), so squeue does not show jobs that ended before. A block
// that this Provider has submitted or listed has ended if it is missing in two queries. Another process finds the
// blocks of a study by their name; for it, a missing block has ended, or never existed. While the controller is down,
// List is an error, and the state of every block is unknown.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// Provider has blocks from Slurm.
type Provider struct {
	options []string
	caller  batchqueue.Caller
	queue   *batchqueue.Queue
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider of blocks, by a launcher's entry. Package config/hosts refuses some options; the entry must
// not have these.
func New(l *hosts.Launcher, at clock.Clock) *Provider {
	p := &Provider{options: slices.Clone(l.Options), caller: batchqueue.Caller{
		// If this process runs in a job, a new job that inherited Slurm's variables would take this job's nodes for its
		// own. The other variables change the form of answers, submit to another cluster, or make sbatch wait for the
		// block's end.
		Without: []string{"SLURM_", "SLURMD_", "SRUN_", "SQUEUE_", "SCANCEL_", "SACCT_", "SBATCH_CLUSTERS",
			"SBATCH_WAIT"},
		But: []string{"SLURM_CONF"},
		Set: []string{"LC_ALL=C", "SLURM_TIME_FORMAT=%s"},
	}}
	p.queue = batchqueue.NewQueue(at, 0, p.look)
	return p
}

// prefix begins the name of a block's job; the study's follows.
const prefix = "peregrine-"

// largestArray is the largest number of blocks in one array: Slurm's own limit is MaxArraySize, by default 1001.
const largestArray = 1000

var blockID = regex.Lazy(`^[0-9]+_[0-9]+$`)

// Submit implements [provider.Provider]. When sbatch does not answer in time, or its context ends, Slurm may have
// accepted the blocks nevertheless: List finds them.
func (p *Provider) Submit(ctx context.Context, r provider.Request, blocks int) (ids []string, err error) {
	if err := r.Check(blocks); err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	path, err := writeScript(r.Folder, r.There, r.Command, p.options)
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }() // Slurm has its copy
	for blocks > 0 {
		n := min(blocks, largestArray)
		words := append(p.sbatch(r), "--parsable", fmt.Sprintf("--array=0-%d", n-1), "--job-name="+prefix+r.Study, path)
		out, err := p.caller.Ask(ctx, r.Folder, words...)
		if err != nil {
			p.queue.Doubt()
			return ids, provider.Refused(fmt.Errorf("slurm: %w", err))
		}
		job, err := jobID(out)
		if err != nil {
			p.queue.Doubt()
			return ids, err
		}
		for i := range n {
			ids = append(ids, fmt.Sprintf("%s_%d", job, i))
		}
		p.queue.Submitted(r.Study, ids[len(ids)-n:]...)
		blocks -= n
	}
	return ids, nil
}

// jobID returns the job's number in the output of sbatch: NUMBER or NUMBER;CLUSTER, perhaps after output of a site's
// plugins.
func jobID(printed string) (string, error) {
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	id, _, _ := strings.Cut(lines[len(lines)-1], ";")
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return "", fmt.Errorf("slurm: sbatch printed %.200q, want the number of a job", printed)
	}
	return id, nil
}

// sbatch returns the begin of the command that submits a block. Of repeated options Slurm takes the last.
func (p *Provider) sbatch(r provider.Request) []string {
	words := []string{"sbatch", "--nodes=" + strconv.Itoa(r.Nodes), "--ntasks-per-node=1", "--requeue",
		"--output=/dev/null", fmt.Sprintf("--signal=B:USR1@%d", int(provider.Warning(r.Time).Seconds()))}
	if r.Nodes > 1 {
		words = append(words, "--no-kill")
	}
	if r.Cores > 0 {
		words = append(words, "--cpus-per-task="+strconv.Itoa(r.Cores))
	}
	if r.Memory > 0 {
		words = append(words, fmt.Sprintf("--mem=%dM", max(r.Memory>>20, 1)))
	}
	if r.Time > 0 {
		seconds := int((r.Time + time.Second - 1) / time.Second)
		words = append(words, fmt.Sprintf("--time=%d:%02d", seconds/60, seconds%60))
	}
	if len(r.Licences) > 0 {
		var list []string
		for name, n := range r.Licences {
			list = append(list, fmt.Sprintf("%s:%d", name, n))
		}
		slices.Sort(list)
		words = append(words, "--licenses="+strings.Join(list, ","))
	}
	return append(words, p.options...)
}

// begins matches the answer of sbatch --test-only in its error output, with the time. The nodes and the partition,
// which follow, are written otherwise by each version.
var begins = regex.Lazy(`(?m)^(?:sbatch: )?Job \S+ to start at (\S+) using `)

// Begin returns the time at which Slurm would start a block if it was submitted now. It submits nothing.
func (p *Provider) Begin(ctx context.Context, r provider.Request) (time.Time, error) {
	words := append([]string{"sh", "-c", `exec "$@" 2>&1`, "sh"}, p.sbatch(r)...)
	out, err := p.caller.Ask(ctx, "", append(words, "--test-only", "--wrap=true")...)
	if list := begins().FindAllStringSubmatch(out, -1); err == nil && len(list) > 0 {
		if at := parseTime(list[len(list)-1][1]); !at.IsZero() {
			return at, nil
		}
	}
	if err == nil || out != "" {
		err = fmt.Errorf("sbatch --test-only printed %.200q, want the time of a start", strings.TrimSpace(out))
	}
	return time.Time{}, fmt.Errorf("slurm: %w", err)
}

// List implements [provider.Provider].
func (p *Provider) List(ctx context.Context, study string) ([]provider.State, error) {
	states, err := p.queue.List(ctx, study)
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	return states, nil
}

// look asks for all blocks. The user is given by number: some have no name on some machines.
func (p *Provider) look(ctx context.Context) (map[string][]provider.State, error) {
	out, err := p.caller.Ask(ctx, "", "squeue", "--noheader", "--array", "--states=all",
		"--user="+strconv.Itoa(os.Getuid()), "--Format="+queueFormat())
	if err != nil {
		return nil, err
	}
	return parseQueue(out)
}

// Cancel implements [provider.Provider].
func (p *Provider) Cancel(ctx context.Context, id string) error {
	if !blockID().MatchString(id) {
		return nil // no job of Slurm's
	}
	_, err := p.caller.Ask(ctx, "", "scancel", id)
	var answer *process.AnswerError
	if errors.As(err, &answer) && (strings.Contains(answer.Printed, "Invalid job id") ||
		strings.Contains(answer.Printed, "already completing or completed")) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	return nil
}

// Close implements [provider.Provider].
func (p *Provider) Close() error {
	p.queue.Close()
	return nil
}

// Calls is how many commands of Slurm this provider has called.
func (p *Provider) Calls() int { return p.caller.Calls() }
