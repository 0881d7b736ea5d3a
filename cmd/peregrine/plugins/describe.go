package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func newPlugin() *cobra.Command {
	cmd := cli.Group("plugin", "List, describe, check, begin and trust flow solvers", newPluginList(),
		newPluginDescribe(), newPluginNew(), newPluginCheck(), newPluginTrust())
	cmd.Long = `Flow solvers: those that come with Peregrine, and programs of your own.

Your own are named in a file (--solvers, PEREGRINE_SOLVERS, or solvers.yaml beside the
settings file), one a key:

  mysolver:
    command: [./mysolver, --fast]          # program and arguments, never through a shell;
                                           # a relative path begins at the file
    environment: [OMP_NUM_THREADS=1]       # besides PATH, HOME, USER, TMPDIR, TZ, LANG, LC_*
    version: "2.1"                         # optional; answers are kept by it, and by the
                                           # content of the program
    doc: what it is

A zoom then says solver: mysolver. The program speaks the protocol of
zoom/plugin/proto/solver.proto; zoom/example has one in Go and one in Python.`
	return cmd
}

// completeSolver completes the name of a solver at the shell.
func completeSolver(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if _, solvers, err := cli.LoadSolvers(cmd); err == nil && len(args) == 0 {
		return solvers.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func newPluginList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the flow solvers that a zoom can name", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, solvers, err := cli.LoadSolvers(cmd)
			if err != nil {
				return err
			}
			t := table.New("l", "name", "version", "fidelity")
			var errs []error
			for _, name := range solvers.Names() {
				d, err := solvers.Describe(cmd.Context(), name)
				if err != nil {
					errs = append(errs, err)
					d.Version, d.Fidelity = "-", cmp.Or(solvers.Doc(name), "it cannot be started")
				}
				t.Row(name, d.Version, printable.Line(d.Fidelity, 400))
			}
			cmd.Print(t)
			return errors.Join(errs...)
		},
	}
}

func newPluginDescribe() *cobra.Command {
	return &cobra.Command{
		Use: "describe NAME", Short: "Show a flow solver's inputs, settings and outputs", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completeSolver,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, solvers, err := cli.LoadSolvers(cmd)
			if err != nil {
				return err
			}
			d, err := solvers.Describe(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return describe(cmd.OutOrStdout(), &d)
		},
	}
}

// describe writes a solver's description as text.
func describe(w io.Writer, d *plugin.Description) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s\n", d.Name, d.Version, d.Fidelity)
	for _, part := range []struct {
		title string
		list  []plugin.Quantity
	}{
		{"inputs, which zooming gives", d.Inputs},
		{"settings, for `settings:` of a zoom", d.Settings},
		{"outputs", d.Outputs},
	} {
		fmt.Fprintf(&b, "\n%s\n", part.title)
		t := table.New("l")
		for _, q := range part.list {
			t.Row("  "+q.Name, q.Unit, quantityText(q))
		}
		b.WriteString(t.String())
	}
	if len(d.Files) > 0 {
		b.WriteString("\nfiles that it writes into the run folder\n")
		t := table.New("l")
		for _, f := range d.Files {
			t.Row("  "+f.Pattern, string(f.Format), printable.Line(f.Doc, 400))
		}
		b.WriteString(t.String())
	}
	fmt.Fprintf(&b, "\nwhile it runs: %s\n", strings.Join(commandsOf(d), ", "))
	if d.Reusable {
		b.WriteString("its process makes run after run\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commandsOf lists the commands that a solver obeys during a run.
func commandsOf(d *plugin.Description) []string {
	can := []string{"stop"}
	if d.Pauses {
		can = append(can, "pause", "resume")
	}
	if d.Checkpoints {
		can = append(can, "checkpoint")
	}
	for _, name := range d.Controls {
		can = append(can, "set "+name)
	}
	return can
}

// quantityText describes a quantity: documentation, shape, bounds, default.
func quantityText(q plugin.Quantity) string {
	var parts []string
	if q.Doc != "" {
		parts = append(parts, printable.Line(q.Doc, 400))
	}
	if q.Shape != plugin.Scalar {
		parts = append(parts, string(q.Shape))
	}
	if len(q.Words) > 0 {
		parts = append(parts, spell.List(q.Words, "or")+", default "+q.Words[0])
	}
	if text := span(q); text != "" {
		parts = append(parts, text)
	}
	if q.Default != nil {
		parts = append(parts, fmt.Sprintf("default %g", *q.Default))
	}
	if q.Required {
		parts = append(parts, "required")
	}
	if q.InPlaceOf != "" {
		parts = append(parts, "in place of "+q.InPlaceOf)
	}
	return strings.Join(parts, "; ")
}

func span(q plugin.Quantity) string {
	low, high := math.Inf(-1), math.Inf(1)
	if q.Min != nil {
		low = *q.Min
	}
	if q.Max != nil {
		high = *q.Max
	}
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return ""
	case math.IsInf(low, -1):
		return fmt.Sprintf("up to %g", high)
	case math.IsInf(high, 1):
		return fmt.Sprintf("from %g", low)
	}
	return fmt.Sprintf("%g to %g", low, high)
}
