package main

// The rules of a study that goes on.

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

func newSteerRule(at clock.Clock) *cobra.Command {
	cmd := cli.Group("rule", "List and change the rules of a study while it goes on", newSteerRuleList(at),
		newRuleChange(at, "add STUDY FILE", "Take the rules of a file into those of a study", "add", rulesText),
		newRuleChange(at, "on STUDY NAME", "Switch a rule on", "on", nil),
		newRuleChange(at, "off STUDY NAME", "Switch a rule off", "off", nil),
		newRuleChange(at, "remove STUDY NAME", "Take a rule out", "remove", nil))
	cmd.Long = `List and change the rules of a study while it goes on. Its runs are judged by the new rules
as if these had been in force from their beginning; a rule that is new acts where it
holds now. The answers of runs that a change meets are not kept in the cache. The engine
file stays as it is.`
	return cmd
}

// rulesText is the text of a file of rules, which is checked.
func rulesText(path string) (string, error) {
	text, err := intake.Read(path, intake.Limit{What: "a file of rules", Bytes: 1 << 20})
	if err == nil {
		_, err = config.ParseRules(path, text)
	}
	return string(text), err
}

// newRuleChange is a verb that calls one of the functions of a study's rules. argument makes its argument of what
// stands on the command line; nil: it is that.
func newRuleChange(at clock.Clock, use, short, function string, argument func(string) (string, error)) *cobra.Command {
	g := &giving{}
	act := false
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			text := args[1]
			if argument != nil {
				if text, err = argument(text); err != nil {
					return err
				}
			}
			if err := g.begin(cmd, at, args[0]+"/"+record.StudyAddress); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			if act {
				function = "act"
			}
			return g.call(cmd, "rules."+function, text)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&g.asJSON, "json", false, "print a receipt a line as JSON")
	f.BoolVar(&g.dryRun, "dry-run", false, "say which study would be changed, and change none")
	f.StringVar(&g.id, "id", "", "ID of the command: what was done by it is not done again")
	if function == "on" {
		f.BoolVar(&act, "act", false, "have it take its action, too")
	}
	return cmd
}

func newSteerRuleList(at clock.Clock) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list STUDY", Short: "List the rules that are in force in a study that goes on, and those that are off",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := rulesInForce(cmd, at, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd, list)
			}
			var plain []rule.Listed
			for _, r := range list {
				if !r.On && !r.Off {
					r.When = nil // it never holds
				}
				plain = append(plain, r.Listed)
			}
			cmd.Print(cli.RuleTable(plain))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// rulesInForce reads the rules of a study that goes on.
func rulesInForce(cmd *cobra.Command, at clock.Clock, study string) (list []rules.TableRule, err error) {
	client, reached, err := reach(cmd, at, study+"/"+record.StudyAddress)
	if err != nil {
		return nil, err
	}
	defer reached.Close()
	if len(reached.Runs) == 0 {
		return nil, noRun(reached)
	}
	read, err := reached.Read(cmd.Context(), client.Command("", steer.Get), []string{"rules"})
	if err != nil {
		return nil, err
	}
	if read[0] == nil {
		return nil, noRun(reached)
	}
	return list, json.Unmarshal([]byte(read[0][0].Value.Text), &list)
}
