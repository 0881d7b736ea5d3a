package steer

// Scripts that steer a study: they run here, or in the process of the study.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// scripting is a call of the verb.
type scripting struct {
	order
	attended, leave bool
	timeout         time.Duration
}

func newScript() *cobra.Command {
	var s scripting
	cmd := cli.WithJSON("print each receipt as a line of JSON; the script's log goes to standard error", &cobra.Command{
		Use: "script STUDY FILE", Short: "Run a script in Starlark that steers the runs of a study",
		Args: cobra.ExactArgs(2),
		Long: `Run a script in Starlark, a small dialect of Python, that sees and changes the objects of a
study's runs, and nothing else. It prints what becomes of each of its commands, and ends with
exit code 0 if all were applied, 1 if not, or if the script came to a limit or called fail, and 2
if it has an error. With --leave the process that works on the study runs it, until it ends or
the study does: get STUDY/study scripts lists those, call STUDY/study script.stop NAME ends one.`,
		Example: `  peregrine steer script STUDY tune.star --timeout 10m
  peregrine steer script STUDY tune.star --leave
  peregrine steer get STUDY/study scripts`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.timeout <= 0 {
				return fmt.Errorf("--timeout %v: want a time above 0, as 10m", s.timeout)
			}
			text, err := intake.Read(args[1], scriptLimit)
			if err != nil {
				return err
			}
			program, err := script.Parse(filepath.Base(args[1]), string(text))
			if err != nil {
				return err
			}
			switch {
			case s.dryRun:
				_, err := fmt.Fprintf(cmd.OutOrStdout(),
					"%s has no fault that can be seen without running it; nothing is run: --dry-run\n", program.Name())
				return err
			case s.leave:
				return s.leaveIt(cmd, args[0], filepath.Base(args[1]), string(text))
			}
			return s.run(cmd, args[0], program)
		},
	})
	f := cmd.Flags()
	f.BoolVar(&s.dryRun, "dry-run", false, "read the script, and run nothing")
	f.BoolVar(&s.attended, "attended", false,
		"hold runs only while the script runs: they continue when it ends, also by Ctrl-C")
	f.BoolVar(&s.leave, "leave", false, "let the study's process continue it, and end")
	f.DurationVar(&s.timeout, "timeout", script.DefaultTime, "how long the script may take")
	return cmd
}

// scriptLimit is that of the file of a script.
var scriptLimit = intake.Limit{What: "a script", Bytes: script.MostText}

// run runs a script here.
func (s *scripting) run(cmd *cobra.Command, study string, program *script.Script) error {
	client, a, err := resolve(cmd, study)
	if err == nil && a.Runs != "" {
		err = fmt.Errorf("address %v: a script is for a whole study; it names runs itself", a)
	}
	if err == nil {
		a, err = client.Resolve(a)
	}
	if err != nil {
		return err
	}
	s.cmd = cmd
	to := cmd.OutOrStdout()
	if cli.AsJSON(cmd) {
		to = cmd.ErrOrStderr()
	}
	client.From = fmt.Sprintf("script %s of %s", program.Name(), client.From)
	err = program.Run(cmd.Context(), script.Study{Client: client, Name: a.Study}, script.Options{
		Clock: cli.Clock(cmd), Limits: script.Limits{Time: s.timeout}, Attended: s.attended,
		Report: func(name string, x event.Receipt) {
			s.take(a.Study, name, x)
		},
		Log: func(text string) { fmt.Fprintln(to, printable.Line(text, 1000)) },
	})
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, new(*script.LimitError)), errors.As(err, new(*script.FailedError)):
		return cli.WithCode(cli.NotConverged, err)
	}
	return s.end(err)
}

// leaveIt gives the text of a script to the process that works on a study.
func (s *scripting) leaveIt(cmd *cobra.Command, study, name, text string) error {
	if err := s.reach(cmd, study+"/"+record.StudyAddress); err != nil {
		return err
	}
	defer func() { s.reached.Close() }()
	if len(s.reached.Runs) == 0 {
		return cli.WithCode(cli.NotConverged, fmt.Errorf("no process works on study %s, in which the script could be "+
			"left; run it here, without --leave", s.reached.Address.Study))
	}
	argument, err := json.Marshal(script.Text{Name: name, Text: text, Seconds: s.timeout.Seconds(),
		Attended: s.attended})
	if err != nil {
		return err
	}
	return s.call(script.Function, string(argument))
}
