package trace

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
)

// Verb returns the verb `trace`.
func Verb() *cobra.Command {
	return cli.Group("trace", "Show the activity of the processes of a parallel program over time",
		withFormat(newCat()), withFormat(newStats()), withFormat(newPlot()), withFormat(newSound()), newOrder(),
		newClocks(), withFormat(newExport()), withFormat(newPlay()), withFormat(newSlice()), newReport(), newDiff())
}
