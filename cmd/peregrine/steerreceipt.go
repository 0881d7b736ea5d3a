package main

// What becomes of commands, as verbs print it: a receipt a line.

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// receipts prints what becomes of commands, and remembers whether all were done.
type receipts struct {
	cmd     *cobra.Command
	asJSON  bool
	undone  bool
	problem error // of printing
}

// take prints a receipt. Those that are not final are for programs alone.
func (r *receipts) take(of *client.Run, x steer.Receipt) {
	r.undone = r.undone || x.State.Final() && x.State != steer.Applied
	r.show(cli.NewReceipt(of.Study, of.Name, x))
}

func (r *receipts) show(s cli.Receipt) {
	var err error
	switch {
	case r.asJSON:
		err = cli.PrintLine(r.cmd, s)
	case s.State != steer.Accepted || s.DryRun:
		_, err = fmt.Fprintln(r.cmd.OutOrStdout(), s.Text())
	}
	if r.problem == nil {
		r.problem = err
	}
}

// end is the error with which a command ends that gave its commands with an error.
func (r *receipts) end(err error) error {
	switch {
	case err != nil:
		return err
	case r.problem != nil:
		return r.problem
	case r.undone:
		return cli.ErrNotDone
	}
	return nil
}
