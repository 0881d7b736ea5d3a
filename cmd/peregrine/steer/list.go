package steer

// The objects of running runs.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// listedObject is an object of a run, for programs. All keys except the last are always present.
type listedObject struct {
	Study      string            `json:"study"`
	Run        string            `json:"run"`
	Name       string            `json:"name"`
	Number     int64             `json:"number"`
	Type       steer.Type        `json:"type"`
	Shape      []int             `json:"shape"`
	Unit       string            `json:"unit"`
	Value      steer.Value       `json:"value"`
	Min        *float64          `json:"min"`
	Max        *float64          `json:"max"`
	Effect     steer.Effect      `json:"effect"`
	Operations []steer.Operation `json:"operations"`
	Doc        string            `json:"doc"`
	Setting    string            `json:"setting,omitempty"`
	Fields     []steer.Part      `json:"fields,omitempty"`
}

func newListedObject(r *client.Run, o steer.Listed) listedObject {
	return listedObject{
		Study: r.Study, Run: r.Name, Name: o.Name, Number: o.Number, Type: o.Type, Shape: append([]int{}, o.Shape...),
		Unit: o.Unit, Value: o.Value,
		Min: o.Min, Max: o.Max, Effect: o.Effect, Operations: append([]steer.Operation{}, o.Operations...), Doc: o.Doc,
		Setting: o.Setting, Fields: o.Fields,
	}
}

func newList() *cobra.Command {
	cmd := newObjectList("List the objects of running runs that can be read or changed", "")
	cmd.Long = `List what may be seen and changed in runs that go on, and in transients, with the values
that were last seen of it. What may be probed is read now.`
	return cmd
}

// newObjectList is a verb that lists the objects whose names begin with a prefix.
func newObjectList(short, prefix string) *cobra.Command {
	return cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "list ADDRESS", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, reached, err := reach(cmd, args[0])
			if err != nil {
				return err
			}
			defer reached.Close()
			if err := reached.AddTransients(); err != nil {
				return err
			}
			lists, err := reached.Objects(cmd.Context())
			if err != nil {
				return err
			}
			list := []listedObject{}
			for i, r := range reached.Runs {
				for _, o := range lists[i] {
					if strings.HasPrefix(o.Name, prefix) {
						list = append(list, newListedObject(r, o))
					}
				}
			}
			if len(reached.Runs) == 0 && !cli.AsJSON(cmd) {
				return noRun(reached)
			}
			return cli.PrintValue(cmd, list, objectTable)
		},
	})
}

func newGet() *cobra.Command {
	return cli.WithJSON("print an object a line as JSON, values in SI", &cobra.Command{
		Use:     "get ADDRESS [OBJECT...]",
		Short:   "Read objects of runs now: by a probe where that is allowed, else at the next safe point",
		Args:    cobra.MinimumNArgs(1),
		Example: "  peregrine steer get STUDY/fan-n100.0-k+000 residual 'exit.Pt[3]'",
		RunE: func(cmd *cobra.Command, args []string) error {
			reached, err := reachRunning(cmd, args[0])
			if err != nil {
				return err
			}
			defer reached.Close()
			lists, err := reached.Read(cmd.Context(), args[1:])
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(lists, func(of []steer.Listed) bool { return of != nil }) {
				return noRun(reached)
			}
			for i, r := range reached.Runs {
				for _, o := range lists[i] {
					if err := printObject(cmd, r, o, wholeText(o.Value)); err != nil {
						return err
					}
				}
			}
			return nil
		},
	})
}

// printObject prints an object of a run, for people with a text of its value.
func printObject(cmd *cobra.Command, r *client.Run, o steer.Listed, value string) error {
	text := fmt.Sprintf("%s  %s = %s", printable.Cell(r.Name), o.Name, cli.WithUnit(value, o.Unit))
	return cli.PrintLine(cmd, newListedObject(r, o), text)
}

func objectTable(list []listedObject) string {
	t := table.New("l", "run", "object", "value", "bounds", "effect", "operations", "is")
	for _, o := range list {
		var operations []string
		for _, op := range o.Operations {
			operations = append(operations, string(op))
		}
		t.Row(o.Run, o.Name, cli.WithUnit(cli.ValueText(o.Value), o.Unit), boundsText(o.Min, o.Max), string(o.Effect),
			strings.Join(operations, " "), printable.Line(o.Doc, 80))
	}
	return t.String()
}

// wholeText is valueText without shortening, for a value that the user asks for.
func wholeText(v steer.Value) string {
	if v.Type == steer.Text {
		return printable.Line(v.String(), 4000)
	}
	return cli.ValueText(v)
}

func newWatch() *cobra.Command {
	return cli.WithJSON("print an object a line as JSON, values in SI", &cobra.Command{
		Use: "watch ADDRESS [OBJECT...]", Short: "Print objects of runs as they change, until the runs have ended",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			reached, err := reachRunning(cmd, args[0])
			if err != nil {
				return err
			}
			defer reached.Close()
			names := args[1:]
			if err := warnUnknown(cmd, reached, names); err != nil {
				return err
			}
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			var problem error // of printing
			err = reached.Watch(ctx, names, func(r *client.Run, u steer.Update) {
				for _, o := range wanted(u.Objects, names) {
					if problem = printObject(cmd, r, o, cli.ValueText(o.Value)); problem != nil {
						stop()
						return
					}
				}
			})
			if cmd.Context().Err() != nil { // the usual end
				return nil
			}
			return errors.Join(err, problem)
		},
	})
}

// warnUnknown warns of names of objects that no run has. Such an object may appear later, for example a residual that
// the solver has not yet printed.
func warnUnknown(cmd *cobra.Command, r *client.Reached, names []string) error {
	if len(names) == 0 {
		return nil
	}
	lists, err := r.Objects(cmd.Context())
	if err != nil {
		return err
	}
	for _, name := range names {
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
			cli.Warn(cmd, "%v; it is waited for", missing)
		}
	}
	return nil
}

// wanted are the named objects of a list, or places in them; without names all.
func wanted(list []steer.Listed, names []string) (wanted []steer.Listed) {
	if len(names) == 0 {
		return list
	}
	for _, name := range names {
		if o, err := steer.Lookup(list, name); err == nil {
			wanted = append(wanted, o)
		}
	}
	return wanted
}

// boundsText writes the bounds of a number.
func boundsText(least, most *float64) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf("%g to %g", *least, *most)
	case least != nil:
		return fmt.Sprintf("from %g", *least)
	case most != nil:
		return fmt.Sprintf("to %g", *most)
	}
	return "-"
}
