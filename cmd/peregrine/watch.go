package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// watchFlags are those of `peregrine watch`.
type watchFlags struct {
	json, once bool
	limit      float64
	status     string
	targets    []string
}

func newWatch(at clock.Clock) *cobra.Command {
	var flags watchFlags
	cmd := &cobra.Command{
		Use: "watch DIR|FILE...", Short: "Judge solvers' runs by their files: converging, stalled, diverged ...", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return watchFiles(cmd, at, args, flags) },
	}
	f := cmd.Flags()
	f.BoolVar(&flags.json, "json", false, "print a JSON object a line: each change of state, and the final judgement of each file")
	f.BoolVar(&flags.once, "once", false, "the files are finished: judge them and end")
	f.Float64Var(&flags.limit, "limit", 0, "iterations, or time, to which the runs were to go")
	f.StringVar(&flags.status, "exit-status", "", "exit status of the runs' processes; with a signal 128 and its number")
	f.StringArrayVar(&flags.targets, "target", nil, "residual at which an equation has converged, as in p=1e-4; may be repeated")
	return cmd
}

func watchFiles(cmd *cobra.Command, at clock.Clock, files []string, flags watchFlags) error {
	var o watch.Options
	o.Limit = flags.limit
	if flags.status != "" {
		n, err := strconv.Atoi(flags.status)
		if err != nil {
			return badInput(fmt.Errorf("--exit-status %s: want a number", flags.status))
		}
		o.Ending.Known, o.Ending.Status = true, n
	}
	for _, text := range flags.targets {
		name, number, _ := strings.Cut(text, "=")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || x <= 0 {
			return badInput(fmt.Errorf("--target %s: want NAME=RESIDUAL, as in p=1e-4", text))
		}
		if o.Targets == nil {
			o.Targets = map[string]float64{}
		}
		o.Targets[name] = x
	}
	usable := true
	enc := json.NewEncoder(cmd.OutOrStdout())
	var failed error // of printing
	say := func(l watch.Line) {
		if l.Final {
			usable = usable && l.Usable
		}
		if flags.json {
			if err := enc.Encode(l); err != nil && failed == nil {
				failed = err
			}
			return
		}
		cmd.Printf("%s: %g: %s: %s\n", l.File, l.Iteration, l.State, strings.Join(l.Reasons, "; "))
	}
	var err error
	if flags.once {
		err = badInput(watch.Once(files, o, at.Now, say))
	} else {
		err = watch.Follow(cmd.Context(), files, o, at, say)
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if !usable {
		return &exitError{code: 1}
	}
	return nil
}
