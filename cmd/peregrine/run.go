package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// runFlags are those of `peregrine run`.
type runFlags struct {
	sets, cases []string
	json, plain bool
	trust       bool
	noZoom      bool
	act         bool
	out, units  string
	study       string
	held        bool
	every       float64  // s between checkpoints
	resume      []string // checkpoints
	kept        kept     // in out
}

func newRun(at clock.Clock) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use: "run ENGINE.yaml", Short: "Solve an engine's cases, zooming what the file zooms", Args: cobra.ExactArgs(1),
		Long: `Solve an engine's cases, zooming what the file zooms.

A transient that is interrupted (Ctrl-C, SIGTERM) keeps its history up to there and,
with --out, leaves OUT/CASE.checkpoint, from which --resume goes on as if nothing had
happened: the history is the same to the last digit. --checkpoint-every leaves one
on the way, too.`,
		Example: `  peregrine run engine.yaml --out results
  peregrine run engine.yaml --case slam --out results --checkpoint-every 60s
  peregrine run engine.yaml --out results --resume results/slam.checkpoint`,
		RunE: func(cmd *cobra.Command, args []string) error { return runEngine(cmd, at, args[0], &flags) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.sets, "set", nil, "set a parameter, as in burner.FAR=0.02; may be repeated")
	f.StringArrayVar(&flags.cases, "case", nil, "solve this case only; may be repeated")
	f.BoolVar(&flags.json, "json", false, "print results as JSON, SI units")
	studyFlag(f, &flags.study)
	heldFlag(f, &flags.held)
	actFlag(f, &flags.act)
	plainFlag(f, &flags.plain)
	trustFlag(f, &flags.trust)
	f.BoolVar(&flags.noZoom, "no-zoom", false, "zoom nothing: every component keeps its map")
	outFlag(f, &flags.out, "results, maps and histories")
	f.StringVar(&flags.units, "units", "si", "units of the table: si or imperial")
	addFlag(f, &quantityValue{at: &flags.every, dim: unit.Time}, "checkpoint-every", "",
		"simulated time between checkpoints of a transient, written into the folder of --out")
	f.StringArrayVar(&flags.resume, "resume", nil, "continue a transient from this checkpoint; may be repeated")
	return cmd
}

func runEngine(cmd *cobra.Command, at clock.Clock, file string, flags *runFlags) error {
	sys, err := unit.ParseSystem(flags.units)
	if err != nil {
		return badInput(err)
	}
	settings, solvers, cfg, err := allowedEngine(cmd, file, flags)
	if err != nil {
		return err
	}
	opt := executive.Options{Workers: settings.Workers}
	if err := checkpoints(cfg, flags, &opt.Transients); err != nil {
		return badInput(err)
	}
	names, err := session.Select(cfg, flags.cases)
	if err != nil {
		return badInput(err)
	}
	line := newProgress(cmd, at, flags.plain || flags.json)
	st := line.studies(settings, solvers)
	st.Held = flags.held
	opt.Record, opt.Transients.Clock = st.Log.Record, at
	if !flags.noZoom {
		opt.Zoomer = st
	}
	if flags.study != "" || opt.Zoomer != nil && len(cfg.Zooms) > 0 {
		if err := st.Begin(flags.study, cfg, version.Read().Short(), commandLine()); err != nil {
			return badInput(err)
		}
	}
	results, runErr := executive.Run(cmd.Context(), cfg, names, opt)
	keepErr := keepResults(cmd, st, cfg, at, results)
	closeErr := errors.Join(line.end(st, runError(results, runErr)), keepErr)
	if results == nil {
		return classify(runErr)
	}
	return showEnd(cmd, st, flags, sys, results, runErr, closeErr)
}

// allowedEngine loads an engine whose solvers the user trusts, if they are to run.
func allowedEngine(cmd *cobra.Command, file string,
	flags *runFlags) (config.Settings, *solver.Registry, *config.Engine, error) {
	settings, solvers, cfg, err := loadEngine(cmd, file, flags.sets)
	if err == nil && !flags.noZoom {
		err = allowed(cmd, settings, cfg, solvers, flags.trust)
	}
	if err == nil && flags.act {
		cfg.Act()
	}
	return settings, solvers, cfg, err
}

// showEnd shows results, keeps their maps, and returns the error with which the command ends.
func showEnd(cmd *cobra.Command, st *executive.Studies, flags *runFlags, sys unit.System, results *result.Results,
	runErr, closeErr error) error {
	if err := show(writing(cmd.Context()), cmd.OutOrStdout(), results, flags, sys); err != nil {
		return internalFault(err)
	}
	if err := st.SaveMaps(results.ZoomedMaps); err != nil {
		warn(cmd, "the maps could not be kept: %v", err)
		if fault.Is(err) {
			closeErr = errors.Join(closeErr, err)
		}
	}
	if runErr != nil {
		return interrupted(results, flags.out, classify(runErr))
	}
	if closeErr != nil {
		return &exitError{exitFault, closeErr}
	}
	return converged(results)
}

// runError returns the error with which a command ends, from its results and its error.
func runError(r *result.Results, err error) error {
	if err != nil || r == nil {
		return classify(err)
	}
	return converged(r)
}

// keepResults keeps in the study's folder what `peregrine report` shows of results. It returns a fault of the
// machine; all else it prints, because the results are not lost with it.
func keepResults(cmd *cobra.Command, st *executive.Studies, cfg *config.Engine, at clock.Clock,
	r *result.Results) error {
	if r == nil {
		return nil
	}
	return keepIn(cmd, st, func(folder string) error { return report.Keep(folder, cfg, r, at.Now()) })
}

// keepIn calls keep with the folder of the study, if there is one.
func keepIn(cmd *cobra.Command, st *executive.Studies, keep func(folder string) error) error {
	folder := st.Folder()
	if folder == "" {
		return nil
	}
	err := keep(folder)
	if err == nil || fault.Is(err) {
		return err
	}
	warn(cmd, "the results could not be kept for `peregrine report`: %v", err)
	return nil
}

// commandLine is the user's command line, for the log.
func commandLine() string {
	return strings.Join(append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...), " ")
}

// studyFlag adds --study.
func studyFlag(f *pflag.FlagSet, name *string) {
	f.StringVar(name, "study", "",
		"name of the study; its log and runs are kept in a folder of that name below --work. An earlier study of "+
			"that name is continued (default: ENGINE-DATE-NUMBER)")
}

// heldFlag adds --held.
func heldFlag(f *pflag.FlagSet, held *bool) {
	f.BoolVar(held, "held", false,
		"have every run begin held until `peregrine steer release STUDY`, so that commands can be given first")
}

// writing is the context of writing results. Those of what was interrupted are written, too: only an
// interruption from then on ends it.
func writing(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// show prints results and writes them into the folder of --out.
func show(ctx context.Context, w io.Writer, results *result.Results, flags *runFlags, sys unit.System) error {
	if flags.out != "" {
		if err := report.WriteFolder(ctx, flags.out, results, sys, len(flags.resume) > 0,
			flags.kept.list()...); err != nil {
			return classify(err)
		}
	}
	if flags.json {
		return report.JSON(w, results)
	}
	return report.Table(w, results, sys)
}

// classify gives an error of a run its exit code.
func classify(err error) error {
	var none *executive.NoZoomError
	var fault *exitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fault):
		return err
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted; the runs that were finished are kept")}
	case errors.As(err, &none):
		return &exitError{exitNoZoom, err}
	}
	return badInput(err)
}

// internalFault gives an error the exit code of an internal fault, unless it has an exit code.
func internalFault(err error) error {
	var coded *exitError
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return &exitError{exitFault, err}
}

// converged returns an error if a case did not converge.
func converged(r *result.Results) error {
	var failed []string
	for _, c := range r.Cases {
		what := "did not converge"
		if c.Ended != nil {
			what = "ended early"
		}
		if !c.Converged {
			failed = append(failed, fmt.Sprintf("case %s %s: %s", c.Name, what, c.Message))
		}
	}
	if failed == nil {
		return nil
	}
	return &exitError{exitNotConverged, errors.New(strings.Join(failed, "\nperegrine: "))}
}

// actFlag adds --act.
func actFlag(f *pflag.FlagSet, act *bool) {
	f.BoolVar(act, "act", false,
		"let the engine file's rules take their actions, as if each had act: true; without it they are recorded as "+
			"events")
}
