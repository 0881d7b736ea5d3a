// Package runs has the verbs on solver runs and their studies: list, show, compare, stop and remove them.
package runs

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
)

// Verbs returns the verbs of the package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newStudiesVerb(), newRuns()}
}

func newRuns() *cobra.Command {
	cmd := cli.Group("runs", "List, show, compare, stop, resume and remove solver runs",
		newRunsList(), newRunsShow(), newRunsLog(), newRunsDiff(), newRunsStop(), newRunsResume(), newRunsGC())
	cmd.Long = `Solver runs, as their folders below --work tell them: those that go on, those
that ended, and those whose Peregrine has died.

Where a verb takes STUDY/RUN, the beginning of either name does, if it is the only
one that begins so. What one command asks of solvers is a study. peregrine help runs
says what runs can be chosen and sorted by.`
	return cmd
}
