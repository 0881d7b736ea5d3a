package main

// What was done to runs by command, by their events.

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

func newSteerLog(at clock.Clock) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "log ADDRESS", Short: "Print what was done to runs by command, and by whom", Args: cobra.ExactArgs(1),
		Long: `Print what was done to runs by command, whether or not they go on: by whom, when, at which
iteration, from which value to which.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, a, err := addressed(cmd, at, args[0])
			if err != nil {
				return err
			}
			list, err := client.Log(a)
			for _, e := range list {
				if failed := printCommand(cmd, e, asJSON); failed != nil {
					return failed
				}
			}
			if errors.As(err, new(*event.DamagedError)) {
				cli.Warn(cmd, "%v", err)
				err = nil
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a receipt a line as JSON")
	return cmd
}

// printCommand prints an event of kind command. One whose solver did not say what became of it, as that of a host,
// has no state.
func printCommand(cmd *cobra.Command, e event.Event, asJSON bool) error {
	x := steer.Receipt{Verb: steer.Verb(e.Name), Reason: e.Text, Time: e.Time, Iteration: int64(e.Values["iteration"])}
	if e.Act != nil {
		x = plugin.ReceiptOf(e.Act)
	}
	s := cli.NewReceipt(e.Study, e.Run, x)
	if asJSON {
		return cli.PrintLine(cmd, s)
	}
	text := s.Text()
	if e.Act == nil {
		text = fmt.Sprintf("%s  %s: %s", printable.Cell(e.Run), x.Verb, printable.Line(e.Text, 400))
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  by %s\n", cli.Date(e.Time), text,
		cmp.Or(printable.Line(x.By, 100), "the host"))
	return err
}
