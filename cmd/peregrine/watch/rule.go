package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func newRule() *cobra.Command {
	return cli.Group("rule", "List rules, and explain their findings in a run", newRuleList(), newRuleExplain())
}

func newRuleList() *cobra.Command {
	var rulesFile string
	cmd := cli.WithJSON("print as JSON", &cobra.Command{
		Use: "list [ENGINE.yaml]", Short: "List the built-in rules, and those of an engine file or a file of rules",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) > 0 {
				file = args[0]
			}
			rules, _, err := rulesFor(cmd, file, rulesFile, false)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, rules.List(), cli.RuleTable)
		},
	})
	rulesFlag(cmd, &rulesFile)
	return cmd
}

// builtinRules is the value of --rules that means the built-in rules alone.
const builtinRules = "builtin"

func rulesFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "rules", "", "a file of rules, which count besides the built-in ones; "+builtinRules+
		" for these alone")
}

// rulesFor compiles the built-in rules and the rules of an engine file or of a file of rules; an empty name is no file.
// If act is set the rules of a file of rules act.
func rulesFor(cmd *cobra.Command, engine, rulesFile string, act bool) (rules.Rules, *config.Engine, error) {
	switch {
	case rulesFile != "" && engine != "":
		return rules.Rules{}, nil, fmt.Errorf("%s and --rules %s: the rules of an engine file or those of a file of "+
			"rules count, not both; give one of them", engine, rulesFile)
	case rulesFile != "" && rulesFile != builtinRules:
		rules, err := rulesOfFile(rulesFile, act)
		return rules, nil, err
	case engine == "":
		rules, err := rules.NewRules(nil)
		return rules, nil, err
	}
	_, _, cfg, err := cli.LoadEngine(cmd, engine, nil)
	if err != nil {
		if _, notRules := config.LoadRules(engine); notRules == nil {
			err = fmt.Errorf("%s is a file of rules, not of an engine; give it as --rules %s", engine, engine)
		}
		return rules.Rules{}, nil, err
	}
	rules, err := rules.NewRules(cfg)
	return rules, cfg, err
}

// rulesOfFile compiles the built-in rules and the rules of a file.
func rulesOfFile(path string, act bool) (rules.Rules, error) {
	file, err := config.LoadRules(path)
	if file == nil {
		return rules.Rules{}, err
	}
	for i := range file.Rules {
		file.Rules[i].Act = file.Rules[i].Act || act
	}
	all, faults := rules.RulesOfFile(path, file)
	return all, errors.Join(err, faults)
}

func newRuleExplain() *cobra.Command {
	var engine, only, rulesFile string
	cmd := cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "explain STUDY|STUDY/RUN|FOLDER", Short: "Say of each rule whether it holds for a run or a study, and why",
		Args: cobra.ExactArgs(1),
		Long: `Say of each rule whether it holds for a run or a study, and why.

The run's events are judged once more, from its folder. A rule is true, false, failed, or a
value that it names is missing; its parts have their values at the run's last event. How often
it fired on the way, and at which iteration last, is said, too. The rules of the study's engine
file count if the file is still there; --engine names another, and --rules a file of rules that
counts in its place.

Of a study the rules on all its runs are explained: for which runs they hold, or how many runs
meet their conditions.`,
		Example: `  peregrine rule explain study/run
  peregrine rule explain study
  peregrine rule explain study/run --rule residual_oscillates`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := explanations(cmd, args[0], engine, rulesFile, only)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, all, explanationTable)
		},
	})
	rulesFlag(cmd, &rulesFile)
	cmd.Flags().StringVar(&only, "rule", "", "explain this rule only")
	cmd.Flags().StringVar(&engine, "engine", "",
		"engine file with rules beside the built-in ones (default: the study's)")
	return cmd
}

// explanations explains the rules on a study or a run; with the name of a rule, only that rule.
func explanations(cmd *cobra.Command, arg, engine, rulesFile, only string) (all []rule.Explanation, err error) {
	folder, isStudy, err := explained(cmd, arg)
	if err != nil {
		return nil, err
	}
	of := folder
	if !isStudy {
		of = filepath.Dir(folder)
	}
	if engine == "" && rulesFile == "" {
		engine = engineOf(of)
	}
	rules, cfg, err := rulesFor(cmd, engine, rulesFile, false)
	if err != nil {
		return nil, err
	}
	names := rules.Single.Names()
	if isStudy {
		names = rules.Study.Names()
	}
	if only != "" && !slices.Contains(names, only) {
		return nil, fmt.Errorf("there is no rule %s%s", only, spell.Hint(only, names))
	}
	if isStudy {
		all, err = explainStudy(cmd.Context(), rules.Study, cfg, folder)
	} else {
		all, err = explain(rules.Single, cfg, folder)
	}
	return slices.DeleteFunc(all, func(e rule.Explanation) bool { return only != "" && e.Rule != only }), err
}

// explained returns the folder of a study or of a run: an existing folder, or that of STUDY or STUDY/RUN.
func explained(cmd *cobra.Command, name string) (folder string, isStudyToo bool, err error) {
	if isStudy(name) {
		return name, true, nil
	}
	if _, err := os.Stat(filepath.Join(name, plugin.EventsFile)); err == nil {
		return name, false, nil
	}
	if strings.Contains(name, "/") {
		r, err := runs.Find(cmd, name)
		return r.Folder, false, err
	}
	x, settings, err := runs.Open(cmd)
	if err != nil {
		return "", false, err
	}
	defer x.Close()
	study, err := runs.FindStudy(cmd.Context(), x, name)
	var empty *runs.EmptyStudyError
	if errors.As(err, &empty) { // its answers may have come from the cache
		study, err = empty.Study, nil
	}
	return filepath.Join(settings.Work, study), true, err
}

// engineOf returns the engine file of the study in a folder; empty if it no longer exists.
func engineOf(folder string) string {
	events, err := event.Read(filepath.Join(folder, studylog.FileName))
	if err != nil {
		return ""
	}
	for _, e := range events {
		if e.Kind != event.StudyBegun || e.File == "" {
			continue
		}
		if _, err := os.Stat(e.File); err == nil {
			return e.File
		}
	}
	return ""
}

// explain judges a run's events once more.
func explain(set *rule.Set, cfg *config.Engine, folder string) ([]rule.Explanation, error) {
	events, err := event.Read(filepath.Join(folder, plugin.EventsFile))
	if err != nil {
		return nil, err
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
		return nil, fmt.Errorf("%s has no event of a run", folder)
	}
	return m.Explain(name), nil
}

// explainStudy judges the events of a study's runs once more, in the order of their times.
func explainStudy(ctx context.Context, set *rule.Set, cfg *config.Engine, folder string) ([]rule.Explanation, error) {
	folders, err := runFolders(folder)
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, &runs.EmptyStudyError{Study: filepath.Base(folder)}
	}
	var all []event.Event
	for _, run := range folders {
		events, err := event.Read(filepath.Join(run, plugin.EventsFile))
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	slices.SortStableFunc(all, func(a, b event.Event) int { return a.Time.Compare(b.Time) })
	m := rule.NewStudyMonitor(set, rules.OnMap)
	for _, e := range all {
		if cfg != nil {
			if c := cfg.Component(e.Component); c != nil {
				m.Run(rule.Run{Name: e.Run, Component: e.Component, Type: c.Type.Name})
			}
		}
		m.Event(e)
	}
	return m.Explain(), nil
}

// runFolders lists the folders of a study's runs: its own, and the folders of answers from the cache.
func runFolders(study string) (list []string, err error) {
	found, err := filepath.Glob(filepath.Join(study, "*", plugin.EventsFile))
	for _, path := range found {
		list = append(list, filepath.Dir(path))
	}
	events, _ := event.Read(filepath.Join(study, studylog.FileName)) // a study of one run may have no log
	for _, e := range events {
		if _, err := os.Stat(filepath.Join(e.Folder, plugin.EventsFile)); e.Kind == event.Ended && e.Cached &&
			e.Folder != "" && err == nil && !slices.Contains(list, e.Folder) {
			list = append(list, e.Folder)
		}
	}
	return list, err
}

func explanationTable(all []rule.Explanation) string {
	t := table.New("l", "rule", "state", "fired", "why")
	for _, e := range all {
		fired := "never"
		if e.Fired > 0 {
			fired = fmt.Sprintf("%d", e.Fired)
			if e.Iteration != nil {
				fired += fmt.Sprintf(", last at %g", *e.Iteration)
			}
		}
		t.Row(e.Rule, string(e.State), fired, printable.Line(e.Reason, 2000))
	}
	return t.String()
}
