package main

// Sending a run back to one of its checkpoints.

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

func newSteerRewind(at clock.Clock) *cobra.Command {
	g := &giving{}
	cmd := &cobra.Command{
		Use:   "rewind STUDY/RUN CHECKPOINT [OBJECT=VALUE...]",
		Short: "Have a run go on from one of its checkpoints, as the next attempt", Args: cobra.MinimumNArgs(2),
		Long: `Have a run that goes on begin again at one of its named checkpoints, as the next attempt of
its job, with some objects changed there or none. The attempt that is given up stays as
evidence. What was done to it up to the checkpoint is done to the next one, too.`,
		Example: `  peregrine steer checkpoint STUDY/fan-n100.0-k+00 here
  peregrine steer rewind STUDY/fan-n100.0-k+00 here cfl=5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			wishes, err := wishesOf(args[2:], nil)
			if err != nil {
				return err
			}
			if err := g.begin(cmd, at, args[0]); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			if len(g.reached.Runs) == 0 {
				return noRun(g.reached)
			}
			changes := make([][]steer.Change, len(g.reached.Runs))
			if len(wishes) > 0 {
				if changes, err = g.reached.Wanted(cmd.Context(), wishes, steer.Actuate,
					g.client.Command("", steer.Get)); err != nil {
					return err
				}
				if changes[0] == nil { // it has ended meanwhile
					return noRun(g.reached)
				}
			}
			stop := g.client.Command(g.id, steer.Stop)
			return g.print.end(g.reached.Rewind(cmd.Context(), args[1], changes[0], stop, g.print.take))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&g.asJSON, "json", false, "print a receipt a line as JSON")
	f.StringVar(&g.id, "id", "", "ID of the command: what was done by it is not done again")
	return cmd
}
