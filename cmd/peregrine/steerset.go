package main

// Changing objects of runs that go on, and of those that are yet to start.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
)

// giving is what the verbs that give commands have in common.
type giving struct {
	client  *client.Client
	reached *client.Reached
	print   receipts

	asJSON, dryRun, future, noWait bool
	transients                     bool // it is also for those of a whole study
	id, when                       string
	at, until                      int64
}

// flags declares the flags of a verb that is done at a safe point.
func (g *giving) flags(f *pflag.FlagSet) {
	f.BoolVar(&g.asJSON, "json", false, "print a receipt a line as JSON")
	f.BoolVar(&g.dryRun, "dry-run", false, "say what would be given to which runs, and give nothing")
	f.BoolVar(&g.future, "future", false, "keep it for runs that are yet to start, too")
	f.BoolVar(&g.noWait, "no-wait", false, "end as soon as the command is armed for later; --future does so, too")
	f.StringVar(&g.id, "id", "", "ID of the command: what was done by it is not done again")
	f.Int64Var(&g.at, "at", 0, "not before the end of so many iterations")
	f.StringVar(&g.when, "when", "", "not before this condition on objects holds, as 'residual < 1e-3'")
	f.Int64Var(&g.until, "until", 0, "not after so many iterations: then it expires")
}

// begin connects to the runs of an address. Close g.reached.
func (g *giving) begin(cmd *cobra.Command, at clock.Clock, address string) (err error) {
	if g.at < 0 || g.until < 0 || g.until > 0 && g.until < g.at {
		return fmt.Errorf("--at %d --until %d: want numbers of iterations, the second no less than the first", g.at,
			g.until)
	}
	if g.when != "" { // a run says whether it has what is named
		if _, err := condition.Compile(g.when); err != nil {
			return fmt.Errorf("--when: %w", err)
		}
	}
	g.print = receipts{cmd: cmd, asJSON: g.asJSON}
	g.client, g.reached, err = reach(cmd, at, address)
	return g.whole(err)
}

// whole adds to what was reached what the command is also for: runs that are yet to start, so that no run need have
// the name of the address, if the command is kept for such; transients, where that is so. The error is the one of
// reaching.
func (g *giving) whole(err error) error {
	var unknown *client.UnknownRunError
	if g.future && errors.As(err, &unknown) {
		err = nil
	}
	if err == nil && g.transients {
		err = g.reached.AddTransients()
	}
	return err
}

// command is a command of the flags.
func (g *giving) command(verb steer.Verb) steer.Command {
	c := g.client.Command(g.id, verb)
	c.At, c.When, c.Until = g.at, g.when, g.until
	return c
}

// give keeps a command for the runs to come if that is wanted, gives those that go on theirs, and returns the error
// with which the verb ends. of completes the command for a run.
func (g *giving) give(cmd *cobra.Command, c steer.Command, of func(r *client.Run, c *steer.Command)) error {
	switch {
	case g.dryRun:
		return g.dry(c, of)
	case g.future:
		if err := g.client.Keep(g.reached.Address, c); err != nil {
			return err
		}
		g.print.show(cli.NewReceipt(g.reached.Address.Study, g.reached.Address.Runs,
			g.receipt(c, steer.Armed, "kept for runs that are yet to start")))
		reached, err := g.client.Reach(cmd.Context(), g.reached.Address) // with those that started meanwhile
		if reached != nil {
			g.reached.Close()
			g.reached = reached
		}
		if err := g.whole(err); err != nil {
			return err
		}
	case len(g.reached.Runs) == 0:
		g.print.undone = true
		g.print.show(cli.NewReceipt(g.reached.Address.Study, g.reached.Address.Runs,
			g.receipt(c, steer.Late, g.reached.Missing(cmd.Context()))))
	}
	var orders []client.Order
	for _, r := range g.reached.Runs {
		one := c
		of(r, &one)
		orders = append(orders, client.Order{Run: r, Command: one, Arms: g.noWait || g.future})
	}
	return g.print.end(client.Give(cmd.Context(), orders, g.print.take))
}

// receipt is one that no run gave.
func (g *giving) receipt(c steer.Command, s steer.State, reason string) steer.Receipt {
	return steer.Receipt{ID: c.ID, Verb: c.Verb, Name: c.Name, Steps: c.Steps, State: s, Reason: reason, Time: c.Time}
}

// dry shows what would be given.
func (g *giving) dry(c steer.Command, of func(r *client.Run, c *steer.Command)) error {
	for _, r := range g.reached.Runs {
		one := c
		of(r, &one)
		x := g.receipt(one, steer.Accepted, "nothing is given: --dry-run")
		for _, d := range one.Changes {
			x.Effects = append(x.Effects, steer.Done{Object: d.Object, Number: d.Number, Old: d.Seen, New: d.Value})
		}
		s := cli.NewReceipt(r.Study, r.Name, x)
		s.DryRun = true
		g.print.show(s)
	}
	return g.print.end(nil)
}

// refuse prints for each run that a command cannot be given, and returns the error with which the verb ends. A run that
// applied a command of this ID before, from a client that did not see it, prints that receipt.
func (g *giving) refuse(c steer.Command, err error) error {
	if g.asJSON {
		for _, r := range g.reached.Runs {
			x, recorded := r.Recorded(c.ID)
			if !recorded {
				x = g.receipt(c, steer.Refused, err.Error())
			}
			g.print.show(cli.NewReceipt(r.Study, r.Name, x))
		}
	}
	return err
}

func newSteerSet(at clock.Clock) *cobra.Command {
	var g giving
	var expect []string
	var probe bool
	cmd := &cobra.Command{
		Use: "set ADDRESS OBJECT=VALUE...", Short: "Change objects of runs, all or none, at their next safe point",
		Args: cobra.MinimumNArgs(2),
		Long: `Change objects of runs, all or none in each run, at its next safe point. A value may have
a unit ('98 kPa') or be relative to what there is ('+3 %'). OBJECT:OPERATION=off forbids an
operation on an object, OBJECT:OPERATION=on allows it again.

It prints what becomes of it, and ends when that is known of all runs: with exit code 0 if it
was applied in all, else 1; 2 if it could not be given.`,
		Example: `  peregrine steer set STUDY/fan-n100.0-k+000 cfl=5 --expect 20
  peregrine steer set 'STUDY/fan-*' 'throttle=+3 %' --at 500
  peregrine steer set STUDY cfl=5 --when 'residual > 1e-2 and iteration > 300' --future`,
		RunE: func(cmd *cobra.Command, args []string) error {
			wishes, err := wishesOf(args[1:], expect)
			if err != nil {
				return err
			}
			if err := g.begin(cmd, at, args[0]); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			verb, by := steer.Set, steer.Actuate
			if probe {
				verb, by = steer.Poke, steer.Write
			}
			return g.set(cmd, verb, by, wishes)
		},
	}
	f := cmd.Flags()
	g.flags(f)
	f.StringArrayVar(&expect, "expect", nil,
		"change it only if it has this value now; OBJECT=VALUE where several are set")
	f.BoolVar(&probe, "probe", false, "write at once, whatever the solver does; only what may be written so")
	return cmd
}

// wishesOf reads OBJECT=VALUE and the values that are expected.
func wishesOf(args, expect []string) (wishes []client.Wish, err error) {
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" || strings.TrimSpace(value) == "" {
			return nil, fmt.Errorf("%q: want OBJECT=VALUE", arg)
		}
		wishes = append(wishes, client.Wish{Object: strings.TrimSpace(name), Value: value})
	}
	for _, e := range expect {
		if name, value, ok := strings.Cut(e, "="); ok {
			found := false
			for i := range wishes {
				if wishes[i].Object == name {
					wishes[i].Expect, found = value, true
				}
			}
			if !found {
				return nil, fmt.Errorf("--expect %s: %s is not set here", e, name)
			}
			continue
		}
		if len(wishes) != 1 {
			return nil, fmt.Errorf("--expect %s: say of which object, as --expect %s=%s", e, wishes[0].Object, e)
		}
		wishes[0].Expect = e
	}
	return wishes, nil
}

// set gives the commands for wishes.
func (g *giving) set(cmd *cobra.Command, verb steer.Verb, by steer.Operation, wishes []client.Wish) error {
	if switches(wishes) {
		return g.allow(cmd, wishes)
	}
	c := g.command(verb)
	changes, err := g.reached.Wanted(cmd.Context(), wishes, by, g.client.Command("", steer.Get))
	if err == nil && g.future {
		c.Changes, err = client.Unseen(wishes)
		if k := slices.IndexFunc(changes, func(of []steer.Change) bool { return of != nil }); err == nil && k >= 0 {
			for i, known := range changes[k] { // a run that goes on knows more of units
				c.Changes[i].Value, c.Changes[i].Expect = known.Value, known.Expect
			}
		}
	}
	if err != nil {
		return g.refuse(c, err)
	}
	known := map[string][]steer.Change{}
	for i, r := range g.reached.Runs {
		known[r.Name] = changes[i]
	}
	return g.give(cmd, c, func(r *client.Run, c *steer.Command) {
		if of, ok := known[r.Name]; ok { // else it has begun meanwhile, and gets what is kept for it
			c.Changes = of
		}
	})
}

// switches reports whether wishes are of operations.
func switches(wishes []client.Wish) bool {
	return slices.ContainsFunc(wishes, func(w client.Wish) bool { return strings.Contains(w.Object, ":") })
}

// operations are those that can be switched.
var operations = []steer.Operation{steer.Sense, steer.Read, steer.Write, steer.Actuate, steer.Call}

// allow switches an operation of objects.
func (g *giving) allow(cmd *cobra.Command, wishes []client.Wish) error {
	c := g.command(steer.Switch)
	if err := switched(&c, wishes); err != nil {
		return err
	}
	return g.give(cmd, c, func(*client.Run, *steer.Command) {})
}

// switched completes a command by what wishes switch.
func switched(c *steer.Command, wishes []client.Wish) error {
	for i, w := range wishes {
		name, operation, is := strings.Cut(w.Object, ":")
		on, known := map[string]bool{"on": true, "true": true, "off": false, "false": false}[strings.TrimSpace(w.Value)]
		switch {
		case !is:
			return fmt.Errorf("%s=%s: a command that switches an operation changes no value; give two", w.Object,
				w.Value)
		case !slices.Contains(operations, steer.Operation(operation)):
			return fmt.Errorf("%s: there is no operation %q, want one of %v", w.Object, operation, operations)
		case !known:
			return fmt.Errorf("%s=%s: want on or off", w.Object, w.Value)
		case i > 0 && steer.Operation(operation) != c.Operation:
			return errors.New("one command switches one operation, of any number of objects")
		}
		c.Operation = steer.Operation(operation)
		c.Changes = append(c.Changes, steer.Change{Object: name, Value: steer.BoolValue(on)})
	}
	return nil
}
