package steer

// Repeating a run with its recorded commands.

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// shownReplay is how a run went once more, for programs.
type shownReplay struct {
	Study      string      `json:"study"`
	Run        string      `json:"run"`
	Replay     string      `json:"replay"` // the run that repeated it
	Same       bool        `json:"same"`
	Difference string      `json:"difference"`
	Class      event.Class `json:"class"`
	Commands   int         `json:"commands"`
	Iterations int         `json:"iterations"` // reports that were compared
	Folder     string      `json:"folder"`

	reports string // word for a report
}

func newReplay() *cobra.Command {
	return cli.WithJSON("print as JSON on one line", &cobra.Command{
		Use:   "replay ADDRESS",
		Short: "Repeat a run or transient with the commands that it received, and compare the two to the last bit",
		Args:  cobra.ExactArgs(1),
		Long: `Make a run again, STUDY/RUN, or a transient that was steered, STUDY/CASE, with the same
commands at the same iterations, and compare its history and its result with those of the
first to the last bit. It ends with exit code 0 if they are the same, else with 1.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, a, err := resolve(cmd, args[0])
			if err == nil {
				a, err = client.Resolve(a)
			}
			if err != nil {
				return err
			}
			s, err := replay(cmd, client, a)
			if err != nil {
				return err
			}
			if err := cli.PrintLine(cmd, s, s.text()); err != nil {
				return err
			}
			if !s.Same {
				return cli.ErrNotDone
			}
			return nil
		},
	})
}

// replay repeats the run or transient of an address.
func replay(cmd *cobra.Command, client *client.Client, a client.Address) (shownReplay, error) {
	settings, solvers, err := cli.LoadSolvers(cmd)
	if err != nil {
		return shownReplay{}, err
	}
	if reached, err := client.Reach(cmd.Context(), a); err == nil { // otherwise it may be a transient that has ended
		reached.Close()
		if len(reached.Runs) > 0 {
			return shownReplay{}, fmt.Errorf("%v is running: it can be repeated when it has ended", a)
		}
	}
	studies := &executive.Studies{Settings: settings, Solvers: solvers, Clock: cli.Clock(cmd)}
	record, err := studies.ReadSteeredTransient(a.Study, a.Runs)
	switch {
	case err == nil:
		return replayTransient(cmd, a, studies, record)
	case !errors.Is(err, fs.ErrNotExist):
		return shownReplay{}, err
	}
	if a, err = client.Ended(cmd.Context(), a); err != nil {
		return shownReplay{}, fmt.Errorf("%w; only ended transients that were steered can be replayed", err)
	}
	r, err := studies.Replay(cmd.Context(), a.Study, a.Runs)
	return newShownReplay(a, r, "report"), err
}

// replayTransient makes a transient again.
func replayTransient(cmd *cobra.Command, a client.Address, studies *executive.Studies,
	record executive.SteeredTransient) (shownReplay, error) {
	settings, solvers, cfg, err := cli.LoadEngine(cmd, record.File, record.Sets)
	if err == nil && len(record.Zooms) > 0 {
		err = cli.Allowed(cmd, settings, cfg, solvers, false)
	}
	if err != nil {
		return shownReplay{}, err
	}
	studies.Solvers = solvers
	r, err := studies.ReplayTransient(cmd.Context(), a.Study, record, cfg, version.Read().Short())
	return newShownReplay(a, r, "point"), err
}

func newShownReplay(a client.Address, r pool.Replayed, reports string) shownReplay {
	return shownReplay{a.Study, a.Runs, r.Run, r.Difference == "", r.Difference, r.Class, r.Commands, r.Iterations,
		r.Folder, reports}
}

func (s shownReplay) text() string {
	text := fmt.Sprintf("%s/%s again", s.Study, s.Run)
	if s.Replay != s.Run {
		text += " as " + s.Replay
	}
	text += fmt.Sprintf(", with %s: ", spell.Count(s.Commands, "command"))
	if s.Same {
		text += fmt.Sprintf("the same to the last bit, %s and the result", spell.Count(s.Iterations, s.reports))
	} else {
		text += "another: " + s.Difference
	}
	return text
}
