package steer

// The rules of a running study.

import (
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

func newRule() *cobra.Command {
	cmd := cli.Group("rule", "List and change the rules of a running study", newRuleList(),
		newRuleChange("add STUDY FILE", "Take the rules of a file into those of a study", "add", rulesText),
		newRuleChange("on STUDY NAME", "Switch a rule on", "on", nil),
		newRuleChange("off STUDY NAME", "Switch a rule off", "off", nil),
		newRuleChange("remove STUDY NAME", "Take a rule out", "remove", nil))
	cmd.Long = `List and change the rules of a study while it goes on. Its runs are judged by the new rules
as if these had been in force from their beginning; a rule that is new acts where it
holds now. The answers of runs that a change meets are not kept in the cache. The engine
file stays as it is.`
	return cmd
}

// rulesText returns the text of a file of rules after a check.
func rulesText(path string) (string, error) {
	text, err := intake.Read(path, intake.Limit{What: "a file of rules", Bytes: 1 << 20})
	if err == nil {
		_, err = config.ParseRules(path, text)
	}
	return string(text), err
}

// newRuleChange is a verb that calls a function of a study's rules. The function argument converts the argument of the
// command line; nil: it is passed unchanged.
func newRuleChange(use, short, function string, argument func(string) (string, error)) *cobra.Command {
	act := false
	text := ""
	return verb{
		use: use, short: short, args: cobra.ExactArgs(2),
		study: true, now: true, dryRun: "say which study would be changed, and change none",
		flags: func(f *pflag.FlagSet, _ *order) {
			if function == "on" {
				f.BoolVar(&act, "act", false, "have it take its action, too")
			}
		},
		check: func(_ *order, args []string) (err error) {
			if text = args[0]; argument != nil {
				text, err = argument(text)
			}
			return err
		},
		send: func(o *order, _ []string) error {
			if act {
				return o.call("rules.act", text)
			}
			return o.call("rules."+function, text)
		},
	}.command()
}

func newRuleList() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "list STUDY", Short: "List the rules of a running study, active and off",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := rulesInForce(cmd, args[0])
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, list, tableText)
		},
	})
}

func tableText(list []rules.TableRule) string {
	var listed []rule.Listed
	for _, r := range list {
		if !r.On && !r.Off {
			r.When = nil // it never holds
		}
		listed = append(listed, r.Listed)
	}
	return cli.RuleTable(listed)
}

// rulesInForce reads the rules of a running study.
func rulesInForce(cmd *cobra.Command, study string) (list []rules.TableRule, err error) {
	reached, err := reachRunning(cmd, study+"/"+record.StudyAddress)
	if err != nil {
		return nil, err
	}
	defer reached.Close()
	read, err := reached.Read(cmd.Context(), []string{"rules"})
	if err != nil {
		return nil, err
	}
	if read[0] == nil {
		return nil, noRun(reached)
	}
	return list, json.Unmarshal([]byte(read[0][0].Value.Text), &list)
}
