package main

// Making a run once more with what was done to it.

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// shownReplay is how a run went once more, for programs.
type shownReplay struct {
	Study      string      `json:"study"`
	Run        string      `json:"run"`
	Replay     string      `json:"replay"` // the run that was made for it
	Same       bool        `json:"same"`
	Difference string      `json:"difference"`
	Class      event.Class `json:"class"`
	Commands   int         `json:"commands"`
	Iterations int         `json:"iterations"` // reports that were compared
	Folder     string      `json:"folder"`
}

func newSteerReplay(at clock.Clock) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "replay STUDY/RUN", Short: "Make a run again with what was done to it, and compare the two to the last bit", Args: cobra.ExactArgs(1),
		Long: `Make a run again, with the same commands at the same iterations, and compare its history and
its result with those of the first to the last bit. It ends with exit code 0 if they are the
same, else with 1.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, solvers, err := loadSolvers(cmd)
			if err != nil {
				return err
			}
			client, a, err := addressed(cmd, at, args[0])
			if err != nil {
				return err
			}
			if a, err = client.Ended(cmd.Context(), a); err != nil {
				return badInput(err)
			}
			studies := &executive.Studies{Settings: settings, Solvers: solvers, Clock: at}
			r, err := studies.Replay(cmd.Context(), a.Study, a.Runs)
			if err != nil {
				return badInput(err)
			}
			s := shownReplay{a.Study, a.Runs, r.Run, r.Difference == "", r.Difference, r.Class, r.Commands, r.Iterations, r.Folder}
			if err := s.print(cmd, asJSON); err != nil {
				return err
			}
			if !s.Same {
				return errNotDone
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON on one line")
	return cmd
}

func (s shownReplay) print(cmd *cobra.Command, asJSON bool) error {
	if asJSON {
		return printLine(cmd, s)
	}
	text := fmt.Sprintf("%s/%s again as %s, with %s: ", s.Study, s.Run, s.Replay, count(s.Commands, "command"))
	if s.Same {
		text += fmt.Sprintf("the same to the last bit, %s and the result", count(s.Iterations, "report"))
	} else {
		text += "another: " + s.Difference
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}
