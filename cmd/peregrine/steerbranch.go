package main

// Making a run a second time from one of its checkpoints.

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

func newSteerBranch(at clock.Clock) *cobra.Command {
	var asJSON bool
	var id string
	cmd := &cobra.Command{
		Use:   "branch STUDY/RUN CHECKPOINT [OBJECT=VALUE...]",
		Short: "Make a run a second time from one of its checkpoints, while the first goes on",
		Args:  cobra.MinimumNArgs(2),
		Long: `Make a run a second time from one of its named checkpoints, with some objects changed there
or none, as RUN-b1. The first goes on as it did, or has ended; the second waits for a worker
as any run does. Its answer is shown beside its parent's, and stands in for the point only
where that has none. The process that works on the study makes it.`,
		Example: `  peregrine steer checkpoint STUDY/fan-n100.0-k+00 here
  peregrine steer branch STUDY/fan-n100.0-k+00 here 'throttle=+3 %'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			wishes, err := wishesOf(args[2:], nil)
			if err != nil {
				return err
			}
			client, a, err := addressed(cmd, at, args[0])
			if err != nil {
				return err
			}
			b, err := client.Branch(cmd.Context(), a, args[1], wishes, client.Command(id, steer.CallOf))
			if err != nil {
				return err
			}
			return printBranched(cmd, b, asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print the receipt as JSON on a line")
	f.StringVar(&id, "id", "", "ID of the command: what was done by it is not done again")
	return cmd
}

// printBranched prints what has become of the command, and returns the error with which the verb ends.
func printBranched(cmd *cobra.Command, b client.Branched, asJSON bool) error {
	s := cli.NewReceipt(b.Address.Study, b.Address.Runs, b.Receipt)
	s.Branch = b.Run
	var err error
	switch {
	case asJSON:
		err = cli.PrintLine(cmd, s)
	case b.Run != "":
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  branch from %s: %s\n", printable.Cell(b.Address.Runs),
			printable.Cell(b.Name), printable.Cell(b.Run))
	default:
		_, err = fmt.Fprintln(cmd.OutOrStdout(), s.Text())
	}
	if err == nil && b.Run == "" {
		return cli.ErrNotDone
	}
	return err
}
