package trace

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
)

// Verb returns the verb `trace`.
func Verb() *cobra.Command {
	return cli.Group("trace", "Show what the processes of a parallel program did, and when",
		withFormat(newCat()), withFormat(newStats()), withFormat(newPlot()), withFormat(newSound()), newOrder(),
		newClocks(), withFormat(newExport()), withFormat(newPlay()), withFormat(newSlice()), newReport(), newDiff())
}
