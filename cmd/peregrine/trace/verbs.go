package trace

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
)

// Verb returns the verb `trace`, with more verbs that read a trace.
func Verb(more ...*cobra.Command) *cobra.Command {
	v := cli.Group("trace", "Show the activity of the processes of a parallel program over time",
		withFormat(newCat()), withFormat(newStats()), withFormat(newPlot()), withFormat(newSound()), newOrder(),
		newClocks(), withFormat(newExport()), withFormat(newPlay()), withFormat(newSlice()), newReport(), newDiff())
	for _, m := range more {
		v.AddCommand(withFormat(m))
	}
	return v
}
