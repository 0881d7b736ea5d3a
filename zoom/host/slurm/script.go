package slurm

// The script of a block for Slurm's batch step, which starts the command on every node.

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// script is the text of the batch script. The words of the command replace %[1]s, the line that opens its output %[2]s,
// and lines that set more variables %[3]s.
//
// Slurm sends signals of `--signal` to every process of a step, including the solvers started by the command, most of
// which would end. So the batch script takes the signal, and a second step passes it on to the command alone, whose
// process ID each node has left in a file. The shell handles signals only between commands and in wait; so srun runs in
// the background.
//
// The script opens its output itself, unless the user's options name a file: sbatch interprets percent signs and
// backslashes in the path of a folder.
//
// A step takes all cores of its nodes only if it does not request a number of them, as SLURM_CPUS_PER_TASK would.
const script = `#!/bin/sh
# A block of nodes for runs of Peregrine: starts its command once on each node.
PEREGRINE_BLOCK=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
%[2]s
PEREGRINE_RESTARTS=${SLURM_RESTART_COUNT:-0}
PEREGRINE_ENDS=${SLURM_JOB_END_TIME:-$(SLURM_TIME_FORMAT=%%s squeue --noheader --jobs="$SLURM_JOB_ID" --format=%%e 2>&-)}
export PEREGRINE_BLOCK PEREGRINE_RESTARTS PEREGRINE_ENDS
%[3]scase $PEREGRINE_ENDS in '' | *[!0-9]*) unset PEREGRINE_ENDS ;; esac
unset SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK SLURM_TRES_PER_TASK
once() { # on each node; the loss of one does not end the others
    srun --quiet --ntasks-per-node=1 --no-kill --kill-on-bad-exit=0 --wait=0 --cpu-bind=none --mpi=none --input=none --export=ALL "$@"
}
once sh -c 'echo $$ >".$PEREGRINE_BLOCK.$SLURMD_NODENAME.pid"
PEREGRINE_NODE=$SLURMD_NODENAME
export PEREGRINE_NODE
exec "$@"' sh %[1]s &
step=$!
trap 'once --overlap sh -c '\''kill -USR1 "$(cat ".$PEREGRINE_BLOCK.$SLURMD_NODENAME.pid")"'\''' USR1
while wait "$step"; status=$?; kill -0 "$step" 2>&-; do :; done
rm -f ".$PEREGRINE_BLOCK."*.pid
exit "$status"
`

// output opens the file for the output of a block, if possible.
const output = `{ : >>"block-$PEREGRINE_BLOCK.txt"; } 2>&- && exec >>"block-$PEREGRINE_BLOCK.txt" 2>&1`

// writeScript writes the script for a command into a folder, readable only by its owner. there is a folder on nodes;
// empty: the default.
func writeScript(folder, there string, command, options []string) (path string, err error) {
	f, err := os.CreateTemp(folder, "block-*.sh") // of mode 0600: Slurm runs a copy
	if err != nil {
		return "", fmt.Errorf("script of a block: %w", err)
	}
	quoted := convert.All(command, batchqueue.Quote)
	open := output
	if slices.ContainsFunc(options, func(option string) bool {
		return strings.HasPrefix(option, "--output") || strings.HasPrefix(option, "-o")
	}) {
		open = ":"
	}
	more := ""
	if there != "" {
		more = fmt.Sprintf("%s=%s\nexport %s\n", provider.EnvFolder, batchqueue.Quote(there), provider.EnvFolder)
	}
	_, err = fmt.Fprintf(f, script, strings.Join(quoted, " "), open, more)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("script of a block: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}
