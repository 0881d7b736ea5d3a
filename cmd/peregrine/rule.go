package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func newRule() *cobra.Command {
	return group("rule", "List rules, and explain what they find in a run", newRuleList(), newRuleExplain())
}

func newRuleList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [ENGINE.yaml]", Short: "List the built-in rules, and those of an engine file", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			set, _, err := rulesFor(cmd, file)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), set.List())
			}
			return ownFault(printRules(cmd.OutOrStdout(), set.List()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// rulesFor compiles the built-in rules and those of an engine file; the empty name is no file.
func rulesFor(cmd *cobra.Command, file string) (*rule.Set, *config.Engine, error) {
	if file == "" {
		set, err := executive.Rules(nil)
		return set, nil, badInput(err)
	}
	_, _, cfg, err := loadEngine(cmd, file, nil)
	if err != nil {
		return nil, nil, err
	}
	set, err := executive.Rules(cfg)
	return set, cfg, badInput(err)
}

func printRules(w io.Writer, list []rule.Listed) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rule\tseverity\tjudges\tcondition")
	for _, l := range list {
		severity := l.Severity
		switch {
		case l.Action != "" && l.Act:
			severity += ", " + l.Action
		case l.Action != "":
			severity += ", would " + l.Action
		}
		condition := strings.Join(l.When, " or ")
		if len(l.When) == 0 {
			condition = "switched off"
		}
		if l.Hold > 1 {
			condition += fmt.Sprintf(", %d iterations in a row", l.Hold)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", l.Name, severity, l.Judges, condition)
	}
	return t.Flush()
}

func newRuleExplain() *cobra.Command {
	var asJSON bool
	var engine, only string
	cmd := &cobra.Command{
		Use: "explain STUDY/RUN|FOLDER", Short: "Say of each rule whether it holds for a run, and why", Args: cobra.ExactArgs(1),
		Long: `Say of each rule whether it holds for a run, and why.

The run's events are judged once more, from its folder. A rule is true, false, failed, or a
value that it names is missing; its parts have their values at the run's last event. How often
it fired on the way, and at which iteration last, is said, too. The rules of the study's engine
file count if the file is still there; --engine names another.`,
		Example: `  peregrine rule explain study/run
  peregrine rule explain study/run --rule residual_oscillates`,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := runFolder(cmd, args[0])
			if err != nil {
				return err
			}
			if engine == "" {
				engine = engineOf(folder)
			}
			set, cfg, err := rulesFor(cmd, engine)
			if err != nil {
				return err
			}
			if names := set.Names(); only != "" && !slices.Contains(names, only) {
				return badInput(fmt.Errorf("there is no rule %s%s", only, spell.Hint(only, names)))
			}
			all, err := explain(set, cfg, folder)
			if err != nil {
				return err
			}
			if only != "" {
				all = slices.DeleteFunc(all, func(e rule.Explanation) bool { return e.Rule != only })
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), all)
			}
			return ownFault(printExplanations(cmd.OutOrStdout(), all))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON, values in SI")
	cmd.Flags().StringVar(&only, "rule", "", "explain this rule only")
	cmd.Flags().StringVar(&engine, "engine", "", "engine file whose rules count besides the built-in ones (default: that of the study)")
	return cmd
}

// runFolder returns the folder of a run: an existing folder, or that of STUDY/RUN.
func runFolder(cmd *cobra.Command, name string) (string, error) {
	if _, err := os.Stat(filepath.Join(name, plugin.EventsFile)); err == nil {
		return name, nil
	}
	runs, _, err := allRuns(cmd)
	if err != nil {
		return "", err
	}
	r, err := findRun(runs, name)
	return r.Folder, badInput(err)
}

// engineOf is the engine file of the study of a run's folder; empty if it is not there any more.
func engineOf(folder string) string {
	events, err := event.Read(filepath.Join(filepath.Dir(folder), event.LogName))
	if err != nil {
		return ""
	}
	for _, e := range events {
		if e.Kind != event.StudyBegun || e.Name == "" {
			continue
		}
		if _, err := os.Stat(e.Name); err == nil {
			return e.Name
		}
	}
	return ""
}

// explain judges a run's events once more.
func explain(set *rule.Set, cfg *config.Engine, folder string) ([]rule.Explanation, error) {
	events, err := event.Read(filepath.Join(folder, plugin.EventsFile))
	if err != nil {
		return nil, badInput(err)
	}
	m := rule.NewMonitor(set)
	name := ""
	for _, e := range events {
		if e.Run != "" && name == "" {
			name = e.Run
			info := rule.Run{Name: e.Run, Component: e.Component}
			if cfg != nil {
				if c := cfg.Component(e.Component); c != nil {
					info.Type = c.Type.Name
				}
			}
			m.Run(info)
		}
		m.Event(e)
	}
	if name == "" {
		return nil, badInput(fmt.Errorf("%s has no event of a run", folder))
	}
	return m.Explain(name), nil
}

func printExplanations(w io.Writer, all []rule.Explanation) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rule\tstate\tfired\twhy")
	for _, e := range all {
		fired := "never"
		if e.Fired > 0 {
			fired = fmt.Sprintf("%d", e.Fired)
			if e.Iteration != nil {
				fired += fmt.Sprintf(", last at %g", *e.Iteration)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", e.Rule, e.State, fired, e.Reason)
	}
	return t.Flush()
}
