package steer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

func newSet() *cobra.Command {
	var expect []string
	var probe bool
	var wishes []client.Wish
	v := verb{
		use: "set ADDRESS OBJECT=VALUE...", short: "Change objects of runs, all or none, at their next safe point",
		args: cobra.MinimumNArgs(2),
		long: `Change objects of runs, all or none in each run, at its next safe point. A value may have
a unit ('98 kPa') or be relative to what there is ('+3 %'). OBJECT:OPERATION=off forbids an
operation on an object, OBJECT:OPERATION=on allows it again.

It prints what becomes of it, and ends when that is known of all runs: with exit code 0 if it
was applied in all, else 1; 2 if it could not be given.`,
		example: `  peregrine steer set STUDY/fan-n100.0-k+000 cfl=5 --expect 20
  peregrine steer set 'STUDY/fan-*' 'throttle=+3 %' --at 500
  peregrine steer set STUDY cfl=5 --when 'residual > 1e-2 and iteration > 300' --future`,
		flags: func(f *pflag.FlagSet, _ *order) {
			f.StringArrayVar(&expect, "expect", nil,
				"change it only if it has this value now; OBJECT=VALUE where several are set")
			f.BoolVar(&probe, "probe", false,
				"write at once, between any two steps of the solver; only for objects that allow it")
		},
		check: func(_ *order, args []string) (err error) {
			wishes, err = wishesOf(args, expect)
			return err
		},
		send: func(o *order, _ []string) error {
			if probe {
				return o.set(steer.Poke, wishes)
			}
			return o.set(steer.Set, wishes)
		},
	}
	return v.command()
}

// newSensorSwitch is a verb that sets the switch of a sensor.
func newSensorSwitch(use, short, value string) *cobra.Command {
	every := 0
	file := false
	recording := []string{"mode", "threads", "buffer", "period", "begin", "end", "quota.records", "quota.bytes"}
	values := map[string]*string{}
	return verb{
		use: use, short: short, args: cobra.ExactArgs(2),
		flags: func(f *pflag.FlagSet, _ *order) {
			if value == "true" {
				f.IntVar(&every, "every", 1, "take every so many-th record")
				f.BoolVar(&file, "file", false,
					"write the sensors' values into sensors.bin of the run folder, and not as events")
				for _, name := range recording {
					values[name] = f.String(strings.ReplaceAll(name, ".", "-"), "",
						"`value` of the object sensors."+name+", for the file")
				}
			}
		},
		send: func(o *order, args []string) error {
			var wishes []client.Wish
			for _, name := range recording {
				if o.cmd.Flags().Changed(strings.ReplaceAll(name, ".", "-")) {
					wishes = append(wishes, client.Wish{Object: sensors + name, Value: *values[name]})
				}
			}
			if slices.Contains([]string{"all", "none"}, args[0]) {
				wishes = append(wishes, client.Wish{Object: sensors + "record", Value: args[0]})
				return o.set(steer.Set, wishes)
			}
			wishes = append(wishes, client.Wish{Object: sensors + args[0] + ".on", Value: value})
			if o.cmd.Flags().Changed("every") {
				wishes = append(wishes, client.Wish{Object: sensors + args[0] + ".every", Value: fmt.Sprint(every)})
			}
			if o.cmd.Flags().Changed("file") {
				wishes = append(wishes, client.Wish{Object: sensors + "file", Value: fmt.Sprint(file)})
			}
			return o.set(steer.Set, wishes)
		},
	}.command()
}

// sensors is the prefix of the names of objects that switch a run's sensors.
const sensors = "sensors."

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

// set gives the commands for wishes: changes of values, or switches of operations.
func (o *order) set(verb steer.Verb, wishes []client.Wish) error {
	if slices.ContainsFunc(wishes, func(w client.Wish) bool { return strings.Contains(w.Object, ":") }) {
		c := o.command(steer.Switch)
		if err := switched(&c.Command, wishes); err != nil {
			return err
		}
		return o.give(c)
	}
	c := o.command(verb)
	c.Wishes = wishes
	return o.give(c)
}

// switched adds to a command the operations that wishes switch.
func switched(c *steer.Command, wishes []client.Wish) error {
	for i, w := range wishes {
		name, operation, is := strings.Cut(w.Object, ":")
		on, known := map[string]bool{"on": true, "true": true, "off": false, "false": false}[strings.TrimSpace(w.Value)]
		switch {
		case !is:
			return fmt.Errorf("%s=%s: a command that switches an operation changes no value; give two", w.Object,
				w.Value)
		case !slices.Contains(steer.Operations, steer.Operation(operation)):
			return fmt.Errorf("%s: there is no operation %q, want one of %v", w.Object, operation, steer.Operations)
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
