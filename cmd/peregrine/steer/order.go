package steer

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
)

// resolve returns the client of this command's user, and the address of an argument.
func resolve(cmd *cobra.Command, address string) (*client.Client, client.Address, error) {
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, client.Address{}, err
	}
	a, err := client.ParseAddress(address)
	return cli.Steering(cmd, settings.Work, "peregrine steer"), a, err
}

// reach connects to the runs of an address. The caller closes both results.
func reach(cmd *cobra.Command, address string) (*client.Client, *client.Reached, error) {
	c, a, err := resolve(cmd, address)
	if err != nil {
		return nil, nil, err
	}
	reached, err := c.Reach(cmd.Context(), a)
	return c, reached, err
}

// reachRunning is reach for an address with at least one running run.
func reachRunning(cmd *cobra.Command, address string) (*client.Reached, error) {
	_, reached, err := reach(cmd, address)
	if err == nil && len(reached.Runs) == 0 {
		reached.Close()
		err = noRun(reached)
	}
	return reached, err
}

// noRun reports an address without a running run.
func noRun(r *client.Reached) error {
	return cli.WithCode(cli.NotConverged, errors.New("no run of "+r.Address.String()+" is running"))
}

// order is a command for all runs of an address: its flags, the runs, and its receipts.
type order struct {
	client  *client.Client
	reached *client.Reached
	printer

	dryRun, future, noWait bool
	attended               bool // runs are held only while this command runs
	transients             bool // the command is also for the transients of a whole study
	id, when               string
	at, until              int64
}

// flags declares the flags of a command. A command with now set has no flags for a later time.
func (o *order) flags(f *pflag.FlagSet, now bool, dryRun string) {
	f.StringVar(&o.id, "id", "", "ID of the command: a command with the same ID is done only once")
	if dryRun != "" {
		f.BoolVar(&o.dryRun, "dry-run", false, dryRun)
	}
	if now {
		return
	}
	f.BoolVar(&o.future, "future", false, "apply it to runs that start later, too")
	f.BoolVar(&o.noWait, "no-wait", false, "end as soon as the command is armed for later; --future does so, too")
	f.Int64Var(&o.at, "at", 0, "not before the end of so many iterations")
	f.StringVar(&o.when, "when", "", "not before this condition on objects holds, as 'residual < 1e-3'")
	f.Int64Var(&o.until, "until", 0, "not after so many iterations: then it expires")
}

// attendedFlag declares the flag of commands that hold runs.
func (o *order) attendedFlag(f *pflag.FlagSet) {
	f.BoolVar(&o.attended, "attended", false,
		"hold the runs only while this command runs: they continue when it ends, by Ctrl-C or a kill")
}

// reach connects to the runs of an address. Close o.reached.
func (o *order) reach(cmd *cobra.Command, address string) (err error) {
	if o.at < 0 || o.until < 0 || o.until > 0 && o.until < o.at {
		return fmt.Errorf("--at %d --until %d: want numbers of iterations, the second no less than the first",
			o.at, o.until)
	}
	if o.when != "" { // each run checks the names
		if _, err := condition.Compile(o.when); err != nil {
			return fmt.Errorf("--when: %w", err)
		}
	}
	o.cmd = cmd
	o.client, o.reached, err = reach(cmd, address)
	return o.accept(err)
}

// accept completes the runs that were reached, with an error: by the transients of a whole study, where the command is
// for them. With --future a run's name may be unknown.
func (o *order) accept(err error) error {
	if o.future && errors.As(err, new(*client.UnknownRunError)) {
		err = nil
	}
	if err == nil && o.transients {
		err = o.reached.AddTransients()
	}
	return err
}

// command returns a command of the flags.
func (o *order) command(verb steer.Verb) client.Order {
	c := client.Order{Command: o.client.Command(o.id, verb), Arms: o.noWait || o.future}
	c.At, c.When, c.Until, c.Holds = o.at, o.when, o.until, o.attended
	return c
}

// give gives a command to the running runs. With --future it also keeps the command for future runs. It returns the
// final error of the verb.
func (o *order) give(c client.Order) error {
	changes, err := o.reached.Wanted(o.cmd.Context(), c)
	if err == nil && o.future {
		err = o.reached.Foresee(&c, changes)
	}
	if err != nil {
		return o.refuse(c, err)
	}
	to := o.reached.Address
	switch {
	case o.dryRun:
		for _, one := range o.reached.Orders(c, changes) {
			s := cli.NewReceipt(one.Run.Study, one.Run.Name, one.Preview("nothing is given: --dry-run"))
			s.DryRun = true
			o.printShown(s)
		}
		return o.end(nil)
	case o.future:
		if err := o.client.Keep(to, c.Command); err != nil {
			return err
		}
		o.print(to.Study, to.Runs, c.Kept())
		reached, err := o.client.Reach(o.cmd.Context(), to) // includes runs that started meanwhile
		if reached != nil {
			o.reached.Close()
			o.reached = reached
		}
		if err := o.accept(err); err != nil {
			return err
		}
	case len(o.reached.Runs) == 0:
		o.undone = true
		o.print(to.Study, to.Runs, c.Receipt(event.Late, o.reached.Missing(o.cmd.Context())))
	}
	return o.end(client.Give(o.cmd.Context(), o.reached.Orders(c, changes), o.ofRun))
}

// refuse prints for each run that a command cannot be given, and returns the final error of the verb. If a run applied
// a command of this ID before, from a client that did not see it, refuse prints that receipt.
func (o *order) refuse(c client.Order, err error) error {
	if cli.AsJSON(o.cmd) {
		for _, r := range o.reached.Runs {
			x, recorded := r.Recorded(c.ID)
			if !recorded {
				x = c.Receipt(event.Refused, err.Error())
			}
			o.print(r.Study, r.Name, x)
		}
	}
	return err
}

// printer prints receipts, and remembers whether all commands were done.
type printer struct {
	cmd     *cobra.Command
	undone  bool
	problem error // of printing
}

// take prints the receipt of a run.
func (p *printer) take(study, run string, x event.Receipt) {
	p.undone = p.undone || x.State.Final() && x.State != event.Applied
	p.print(study, run, x)
}

// ofRun is take for a connected run.
func (p *printer) ofRun(r *client.Run, x event.Receipt) { p.take(r.Study, r.Name, x) }

func (p *printer) print(study, run string, x event.Receipt) {
	p.printShown(cli.NewReceipt(study, run, x))
}

// printShown prints a receipt. A receipt that is not final is printed only with --json.
func (p *printer) printShown(s cli.Receipt) {
	if cli.AsJSON(p.cmd) || s.State != event.Accepted || s.DryRun {
		p.problem = errors.Join(p.problem, cli.PrintLine(p.cmd, s, s.Text()))
	}
}

// end returns the final error of a verb, from the error of giving its commands.
func (p *printer) end(err error) error {
	switch {
	case err != nil:
		return err
	case p.problem != nil:
		return p.problem
	case p.undone:
		return cli.ErrNotDone
	}
	return nil
}
