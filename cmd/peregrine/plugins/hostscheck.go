package plugins

// The verb `hosts check` tests the machines of the hosts file.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
)

// checkTime is how long nodes are waited for.
const checkTime = 2 * time.Minute

func newHostsCheck() *cobra.Command {
	var engine string
	within := cli.Age(checkTime)
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use: "check [LAUNCHER...]", Short: "Try the machines of the hosts file, and print problems with their remedies",
		Long: `Try the machines of the hosts file, and print problems with their remedies: all launchers, or the
named ones; local is only this machine.

The command requests a block from each launcher, and checks each of its nodes: clock, folders, disk space,
cores, program, every known solver, the watchdog. It gives the blocks back and leaves no files. The exit
code is 1 if a problem must be corrected; a warning does not change it.`,
		Example: "  peregrine hosts check --hosts hosts.yaml\n  peregrine hosts check cluster --engine " +
			"e3.yaml --time 10min",
		ValidArgsFunction: cli.CompleteLauncher,
		RunE: func(cmd *cobra.Command, names []string) error {
			c, err := hostCheck(cmd, names, engine)
			if err != nil {
				return err
			}
			c.Clock, c.Within = cli.Clock(cmd), time.Duration(within)
			return runHostCheck(cmd, c)
		},
	})
	f := cmd.Flags()
	f.StringVar(&engine, "engine", "", "check for this engine file: its own solvers, and the needs of its zooms")
	f.Var(&within, "time", "how long nodes are waited for, such as 90 s")
	return cmd
}

// hostCheck reads the launchers and solvers to be checked.
func hostCheck(cmd *cobra.Command, names []string, engine string) (c executive.HostCheck, err error) {
	var all []hosts.Launcher
	if engine != "" {
		if c.Settings, c.Solvers, c.Engine, err = cli.LoadEngine(cmd, engine, nil); err != nil {
			return c, err
		}
		all, err = cli.LoadHosts(c.Settings)
	} else {
		c.Settings, c.Solvers, all, err = cli.LoadTools(cmd)
	}
	if err != nil {
		return c, err
	}
	if len(all) == 0 && !slices.Contains(names, hosts.Local) {
		none := "there is no hosts file"
		if c.Settings.Hosts != "" {
			none = c.Settings.Hosts + " names no launcher"
		}
		return c, fmt.Errorf("%s; `peregrine help hosts` has an example", none)
	}
	c.Launchers, err = chosenLaunchers(all, names, c.Settings)
	return c, err
}

// chosenLaunchers returns the launchers of the given names; without names, all.
func chosenLaunchers(all []hosts.Launcher, names []string,
	settings settings.Settings) (list []hosts.Launcher, err error) {
	if len(names) == 0 {
		return all, nil
	}
	var errs []error
	for _, name := range names {
		if name == hosts.Local {
			continue // CheckHosts looks at this machine in any case
		}
		l, err := hosts.Find(all, settings.Hosts, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, *l)
	}
	return list, errors.Join(errs...)
}

func runHostCheck(cmd *cobra.Command, c executive.HostCheck) error {
	var list []nodes.Survey
	faults := 0
	err := executive.CheckHosts(cmd.Context(), c, func(s nodes.Survey) {
		list = append(list, s)
		faults += s.Faults()
		if !cli.AsJSON(cmd) {
			printSurvey(cmd.OutOrStdout(), s)
		}
	})
	if err != nil {
		return err
	}
	if cli.AsJSON(cmd) {
		if err := cli.PrintJSON(cmd, list); err != nil {
			return err
		}
	}
	if faults > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", spell.Count(faults, "fault"))
		return cli.ErrNotDone
	}
	return nil
}

// printSurvey prints the survey of a launcher; without a name, that of this machine.
func printSurvey(w io.Writer, s nodes.Survey) {
	title := "this machine"
	if s.Launcher != "" {
		title = "launcher " + s.Launcher
	}
	fmt.Fprintln(w, title)
	printFindings(w, s.Findings)
	for _, n := range s.Nodes {
		where := "node " + n.Node
		if n.Block != "" {
			where += ", block " + n.Block
		}
		fmt.Fprintf(w, "\n  %s\n", printable.Cell(where))
		printFindings(w, n.Findings)
	}
	fmt.Fprintln(w)
}

// surveyMark are the marks of the grades.
var surveyMark = map[nodes.Grade]string{nodes.Good: "ok", nodes.Doubt: "warning", nodes.Trouble: "FAULT"}

func printFindings(w io.Writer, list []nodes.Finding) {
	t := table.Indented("l")
	for _, f := range list {
		t.Row(fmt.Sprintf("%-7s", surveyMark[f.Grade]), f.What, printable.Line(f.Text, 1000))
		if f.Mend != "" {
			t.Row("", "", "-> "+printable.Line(f.Mend, 400))
		}
	}
	fmt.Fprint(w, t)
}
