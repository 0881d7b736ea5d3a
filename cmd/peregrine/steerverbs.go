package main

// The verbs that hold runs, let them go on, end them and have them do something.

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// plainVerb is a verb that gives one command to all runs of an address. complete adds to it what the arguments behind
// the address say; nil: there are none.
func plainVerb(at clock.Clock, use, short string, args cobra.PositionalArgs, verb steer.Verb,
	complete func(c *steer.Command, args []string) error) (*cobra.Command, *giving) {
	g := &giving{}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.begin(cmd, at, args[0]); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			c := g.command(verb)
			if complete != nil {
				if err := complete(&c, args[1:]); err != nil {
					return err
				}
			}
			return g.give(cmd, c, func(*client.Run, *steer.Command) {})
		},
	}
	g.flags(cmd.Flags())
	return cmd, g
}

// attended declares the flag of what holds runs.
func attended(cmd *cobra.Command, holds *bool) {
	cmd.Flags().BoolVar(holds, "attended", false,
		"hold the runs only as long as this command goes on: it ends with Ctrl-C, or a kill, and then they go on")
}

func newSteerPause(at clock.Clock) *cobra.Command {
	var holds bool
	cmd, g := plainVerb(at, "pause ADDRESS", "Hold runs at their next safe point", cobra.ExactArgs(1), steer.Pause,
		func(c *steer.Command, _ []string) error {
			c.Holds = holds
			return nil
		})
	g.transients = true
	cmd.Long = `Hold runs at their next safe point, until they are resumed or released. The time counts
neither as hanging nor towards a limit.`
	attended(cmd, &holds)
	return cmd
}

func newSteerResume(at clock.Clock) *cobra.Command {
	cmd, g := plainVerb(at, "resume ADDRESS", "Let runs go on that are paused, whoever paused them",
		cobra.ExactArgs(1), steer.Resume, nil)
	g.transients = true
	return cmd
}

func newSteerStop(at clock.Clock) *cobra.Command {
	cmd, _ := plainVerb(at, "stop ADDRESS", "End runs at their next safe point, with what is there",
		cobra.ExactArgs(1), steer.Stop, nil)
	return cmd
}

func newSteerStep(at clock.Clock) *cobra.Command {
	cmd, _ := plainVerb(at, "step ADDRESS [N]", "Let runs make N iterations, usually one, and hold them then",
		cobra.RangeArgs(1, 2), steer.Step, func(c *steer.Command, args []string) (err error) {
			c.Steps = 1
			if len(args) > 0 {
				c.Steps, err = strconv.ParseInt(args[0], 10, 64)
			}
			if err != nil || c.Steps < 1 {
				return fmt.Errorf("step by %q: want a number of iterations", args[0])
			}
			return nil
		})
	return cmd
}

func newSteerCheckpoint(at clock.Clock) *cobra.Command {
	cmd, _ := plainVerb(at, "checkpoint ADDRESS NAME", "Save the state of runs under a name at their next safe point",
		cobra.ExactArgs(2), steer.Checkpoint, named)
	return cmd
}

func newSteerSync(at clock.Clock) *cobra.Command {
	var holds bool
	cmd, _ := plainVerb(at, "sync ADDRESS NAME", "Hold runs at a common synch point, and end when all stand there",
		cobra.ExactArgs(2), steer.Sync, func(c *steer.Command, args []string) error {
			c.Holds = holds
			return named(c, args)
		})
	cmd.Long = `Hold runs at a common synch point, and end when all stand there: the next safe point of
each, or the one of --at. They go on by peregrine steer release.`
	attended(cmd, &holds)
	return cmd
}

func newSteerRelease(at clock.Clock) *cobra.Command {
	var g giving
	cmd := &cobra.Command{
		Use: "release ADDRESS [NAME]", Short: "Let runs go on from a synch point, or from all that holds them",
		Args: cobra.RangeArgs(1, 2),
		Long: `Let runs go on from the synch point of that name, or from all that holds them; also those
that are yet to start, of a study that was begun with --held.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			g.future, g.transients = !g.dryRun, true
			if err := g.begin(cmd, at, args[0]); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			c := g.command(steer.Release)
			_ = named(&c, args[1:]) // none is all
			return g.give(cmd, c, func(*client.Run, *steer.Command) {})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&g.asJSON, "json", false, "print a receipt a line as JSON")
	f.BoolVar(&g.dryRun, "dry-run", false, "say which runs would go on, and release none")
	f.StringVar(&g.id, "id", "", "ID of the command: what was done by it is not done again")
	return cmd
}

// named takes the name of a command.
func named(c *steer.Command, args []string) error {
	switch {
	case len(args) == 0:
	case args[0] == "":
		return errors.New("the name is empty")
	default:
		c.Name = args[0]
	}
	return nil
}

func newSteerCall(at clock.Clock) *cobra.Command {
	g := &giving{}
	cmd := &cobra.Command{
		Use: "call ADDRESS FUNCTION [ARGUMENT]", Short: "Call a function of runs, and print what it returns",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.begin(cmd, at, args[0]); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			argument := ""
			if len(args) > 2 {
				argument = args[2]
			}
			return g.call(cmd, args[1], argument)
		},
	}
	g.flags(cmd.Flags())
	return cmd
}

// call calls a function of all runs.
func (g *giving) call(cmd *cobra.Command, function, argument string) error {
	c := g.command(steer.CallOf)
	lists, err := g.reached.Objects(cmd.Context())
	calls := map[string]steer.Change{}
	for i := 0; err == nil && i < len(lists); i++ {
		if lists[i] == nil { // it has ended meanwhile
			continue
		}
		r := g.reached.Runs[i]
		if calls[r.Name], err = client.Argument(lists[i], function, argument); err != nil {
			err = fmt.Errorf("run %s/%s: %w", r.Study, r.Name, err)
		}
	}
	if err == nil && g.future {
		c.Changes, err = client.Unseen([]client.Wish{{Object: function, Value: argument}})
	}
	if err != nil {
		return g.refuse(c, err)
	}
	return g.give(cmd, c, func(r *client.Run, c *steer.Command) {
		if call, known := calls[r.Name]; known {
			c.Changes = []steer.Change{call}
		}
	})
}

func newSteerWatch(at clock.Clock) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "watch ADDRESS [OBJECT...]", Short: "Print objects of runs as they change, until the runs have ended",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, reached, err := reach(cmd, at, args[0])
			if err != nil {
				return err
			}
			defer reached.Close()
			if len(reached.Runs) == 0 {
				return noRun(reached)
			}
			w := &watched{cmd: cmd, asJSON: asJSON, names: args[1:]}
			if err := w.unknown(reached); err != nil {
				return err
			}
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			w.stop = stop
			err = reached.Watch(ctx, w.names, w.take)
			if cmd.Context().Err() != nil { // that is how it ends
				return nil
			}
			return errors.Join(err, w.problem)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object a line as JSON, values in SI")
	return cmd
}

// watched prints updates.
type watched struct {
	cmd     *cobra.Command
	asJSON  bool
	names   []string // empty: all
	stop    func()
	problem error
}

// unknown warns of names that no run has an object of: there may be one later, as of a residual that the solver has
// not printed yet.
func (w *watched) unknown(r *client.Reached) error {
	if len(w.names) == 0 {
		return nil
	}
	lists, err := r.Objects(w.cmd.Context())
	if err != nil {
		return err
	}
	for _, name := range w.names {
		var missing error
		for i, list := range lists {
			_, err := steer.Lookup(list, name)
			if err == nil {
				missing = nil
				break
			}
			if list != nil {
				missing = fmt.Errorf("run %s/%s: %w", r.Address.Study, r.Runs[i].Name, err)
			}
		}
		if missing != nil {
			cli.Warn(w.cmd, "%v; it is waited for", missing)
		}
	}
	return nil
}

// take prints what an update has of the objects that are wanted.
func (w *watched) take(r *client.Run, u steer.Update) {
	for _, o := range w.wanted(u.Objects) {
		var err error
		if w.asJSON {
			err = cli.PrintLine(w.cmd, newListedObject(r, o))
		} else {
			_, err = fmt.Fprintf(w.cmd.OutOrStdout(), "%s  %s = %s\n", printable.Cell(r.Name), o.Name,
				cli.WithUnit(cli.ValueText(o.Value), o.Unit))
		}
		if err != nil {
			w.problem = err
			w.stop()
			return
		}
	}
}

// wanted are the objects of an update, or places in them, that were named.
func (w *watched) wanted(list []steer.Listed) (wanted []steer.Listed) {
	if len(w.names) == 0 {
		return list
	}
	for _, name := range w.names {
		if o, err := steer.Lookup(list, name); err == nil {
			wanted = append(wanted, o)
		}
	}
	return wanted
}
