package steer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// verb is a verb that gives a command to the runs of an address.
type verb struct {
	use, short, long, example string
	args                      cobra.PositionalArgs

	transients bool // the command is also for the transients of a whole study
	study      bool // the address is a study, and the command is for the study itself
	now        bool // the command cannot wait for later
	// help of --dry-run; if empty, commands that can wait have a default help, and others have no such flag
	dryRun string

	flags func(f *pflag.FlagSet, o *order)    // declares further flags; may be nil
	check func(o *order, args []string) error // checks the arguments behind the address first; may be nil
	send  func(o *order, args []string) error // gives the command
}

func (v verb) command() *cobra.Command {
	o := &order{transients: v.transients}
	cmd := cli.WithJSON("print a receipt a line as JSON", &cobra.Command{
		Use: v.use, Short: v.short, Long: v.long, Example: v.example, Args: v.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.check != nil {
				if err := v.check(o, args[1:]); err != nil {
					return err
				}
			}
			address := args[0]
			if v.study {
				address += "/" + record.StudyAddress
			}
			if err := o.reach(cmd, address); err != nil {
				return err
			}
			defer func() { o.reached.Close() }()
			return v.send(o, args[1:])
		},
	})
	if !v.now {
		v.dryRun = "print the command for each run, without giving it"
	}
	o.flags(cmd.Flags(), v.now, v.dryRun)
	if v.flags != nil {
		v.flags(cmd.Flags(), o)
	}
	return cmd
}

// plain gives a command of a verb, with the name that an argument may be.
func plain(of steer.Verb) func(o *order, args []string) error {
	return func(o *order, args []string) error {
		c := o.command(of)
		if len(args) > 0 {
			if c.Name = args[0]; c.Name == "" {
				return errors.New("the name is empty")
			}
		}
		return o.give(c)
	}
}

var attended = func(f *pflag.FlagSet, o *order) { o.attendedFlag(f) }

// verbs are the verbs whose commands need only their arguments.
var verbs = []verb{
	{
		use: "pause ADDRESS", short: "Hold runs at their next safe point", args: cobra.ExactArgs(1),
		long: `Hold runs at their next safe point, until they are resumed or released. The time counts
neither as hanging nor towards a limit.`,
		transients: true, flags: attended, send: plain(steer.Pause),
	},
	{
		use: "resume ADDRESS", short: "Let paused runs continue, also those paused by others", args: cobra.ExactArgs(1),
		transients: true, send: plain(steer.Resume),
	},
	{
		use: "stop ADDRESS", short: "End runs at their next safe point, with their results", args: cobra.ExactArgs(1),
		send: plain(steer.Stop),
	},
	{
		use: "step ADDRESS [N]", short: "Let runs make N iterations, usually one, and hold them then",
		args: cobra.RangeArgs(1, 2),
		send: func(o *order, args []string) (err error) {
			c := o.command(steer.Step)
			c.Steps = 1
			if len(args) > 0 {
				c.Steps, err = strconv.ParseInt(args[0], 10, 64)
			}
			if err != nil || c.Steps < 1 {
				return fmt.Errorf("step by %q: want a number of iterations", args[0])
			}
			return o.give(c)
		},
	},
	{
		use: "checkpoint ADDRESS NAME", short: "Save the state of runs under a name at their next safe point",
		args: cobra.ExactArgs(2), send: plain(steer.Checkpoint),
	},
	{
		use: "sync ADDRESS NAME", short: "Hold runs at a common synch point, and end when all have reached it",
		args: cobra.ExactArgs(2),
		long: `Hold runs at a common synch point, and end when all have reached it: the next safe point of
each, or the one of --at. They go on by peregrine steer release.`,
		flags: attended, send: plain(steer.Sync),
	},
	{
		use: "release ADDRESS [NAME]", short: "Let runs go on from a synch point, or from all that holds them",
		args: cobra.RangeArgs(1, 2),
		long: `Let runs go on from the synch point of that name, or from all that holds them; also those
that are yet to start, of a study that was begun with --held.`,
		transients: true, now: true, dryRun: "say which runs would go on, and release none",
		check: func(o *order, _ []string) error {
			o.future = !o.dryRun
			return nil
		},
		send: func(o *order, args []string) error {
			c := o.command(steer.Release)
			if len(args) > 0 {
				c.Name = args[0] // an empty name selects all
			}
			return o.give(c)
		},
	},
	{
		use: "call ADDRESS FUNCTION [ARGUMENT]", short: "Call a function of runs, and print its result",
		args: cobra.RangeArgs(2, 3),
		send: func(o *order, args []string) error { return o.call(args[0], strings.Join(args[1:], "")) },
	},
	{
		use:   "rewind STUDY/RUN CHECKPOINT [OBJECT=VALUE...]",
		short: "Have a run go on from one of its checkpoints, as the next attempt", args: cobra.MinimumNArgs(2),
		long: `Have a run that goes on begin again at one of its named checkpoints, as the next attempt of
its job, with some objects changed there or none. The attempt that is given up stays as
evidence. What was done to it up to the checkpoint is done to the next one, too.`,
		example: `  peregrine steer checkpoint STUDY/fan-n100.0-k+00 here
  peregrine steer rewind STUDY/fan-n100.0-k+00 here cfl=5`,
		now: true,
		check: func(_ *order, args []string) error {
			if args[0] == "" {
				return errors.New("the name of the checkpoint is empty")
			}
			_, err := wishesOf(args[1:], nil)
			return err
		},
		send: func(o *order, args []string) error { return o.rewind(args[0], args[1:]) },
	},
}

// call calls a function of all runs.
func (o *order) call(function, argument string) error {
	c := o.command(steer.CallOf)
	c.Wishes = []client.Wish{{Object: function, Value: argument}}
	return o.give(c)
}

// rewind sends a run back to a checkpoint, with objects changed there.
func (o *order) rewind(checkpoint string, changed []string) error {
	if len(o.reached.Runs) == 0 {
		return noRun(o.reached)
	}
	wishes, err := wishesOf(changed, nil)
	if err != nil {
		return err
	}
	stop := client.Order{Command: o.client.Command(o.id, steer.Stop), Wishes: wishes, Rewind: &checkpoint}
	err = o.reached.Give(o.cmd.Context(), stop, o.ofRun)
	if errors.Is(err, client.ErrEnded) {
		return noRun(o.reached)
	}
	return o.end(err)
}

func newBranch() *cobra.Command {
	var id string
	cmd := cli.WithJSON("print the receipt as JSON on a line", &cobra.Command{
		Use:   "branch STUDY/RUN CHECKPOINT [OBJECT=VALUE...]",
		Short: "Make a second run from a checkpoint of a run that continues",
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
			client, a, err := resolve(cmd, args[0])
			if err != nil {
				return err
			}
			b, err := client.Branch(cmd.Context(), a, args[1], wishes, client.Command(id, steer.CallOf))
			if err != nil {
				return err
			}
			return printBranched(cmd, b)
		},
	})
	cmd.Flags().StringVar(&id, "id", "", "ID of the command: a command with the same ID is done only once")
	return cmd
}

// printBranched prints the result of the command, and returns the error with which the verb ends.
func printBranched(cmd *cobra.Command, b client.Branched) error {
	s := cli.NewReceipt(b.Address.Study, b.Address.Runs, b.Receipt)
	s.Branch = b.Run
	text := s.Text()
	if b.Run != "" {
		text = fmt.Sprintf("%s  branch from %s: %s", printable.Cell(b.Address.Runs), printable.Cell(b.Name),
			printable.Cell(b.Run))
	}
	if err := cli.PrintLine(cmd, s, text); err != nil {
		return err
	}
	if b.Run == "" {
		return cli.ErrNotDone
	}
	return nil
}
