package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/predict"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/watch"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// studyFlags are the flags of the verbs that solve an engine: run, zoom and sweep.
type studyFlags struct {
	sets        []string
	json, plain bool
	trust, held bool
	study       string
}

func (s *studyFlags) add(f *pflag.FlagSet) {
	cli.SetFlag(f, &s.sets)
	cli.TrustFlag(f, &s.trust)
	cli.PlainFlag(f, &s.plain)
	f.StringVar(&s.study, "study", "", "name of the study; folder of its log and runs, below "+
		"--work. An earlier study of that name is continued (default: ENGINE-DATE-NUMBER)")
	f.BoolVar(&s.held, "held", false, "have every run begin held until 'peregrine steer release STUDY', so that "+
		"commands can be given first")
}

// begin shows the progress of a study, and begins the study's log if the study has a name or is needed.
func (s *studyFlags) begin(cmd *cobra.Command, settings settings.Settings, solvers *solver.Registry,
	cfg *config.Engine, needed bool) (*watch.Progress, *executive.Studies, error) {
	line := watch.NewProgress(cmd, s.plain || s.json)
	st := line.Studies(settings, solvers)
	st.Held = s.held
	if s.study == "" && !needed {
		return line, st, nil
	}
	command := strings.Join(append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...), " ")
	return line, st, st.Begin(s.study, cfg, version.Read().Short(), command)
}

// runFlags are the flags of `peregrine run` and `peregrine zoom`.
type runFlags struct {
	studyFlags
	component string // to zoom, and no other; empty: all that the file zooms
	cases     []string
	noZoom    bool
	act       bool
	out       string // a folder of results; of a component's map its file
	units     string
	every     float64  // s between checkpoints
	resume    []string // checkpoints
	kept      kept     // in out
	page      bool     // of the study, served while it computes
	predict   bool
	dry       bool // nothing runs
	view      watch.ViewFlags
	budget    budgetFlags
}

func (r *runFlags) add(f *pflag.FlagSet, cases string) {
	r.studyFlags.add(f)
	r.budget.add(f)
	f.StringArrayVar(&r.cases, "case", nil, cases+" this case only; may be repeated")
	f.BoolVar(&r.act, "act", false, "let the engine file's rules take their actions, as if each had act: true; "+
		"without it they are recorded as events")
}

func newRun() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use: "run ENGINE.yaml", Short: "Solve an engine's cases, with the zooms of the file", Args: cobra.ExactArgs(1),
		Long: `Solve an engine's cases, with the zooms of the file.

A transient that is interrupted (Ctrl-C, SIGTERM) keeps its history up to there and,
with --out, leaves OUT/CASE.checkpoint, from which --resume goes on as if nothing had
happened: the history is the same to the last digit. --checkpoint-every leaves one
on the way, too.`,
		Example: `  peregrine run engine.yaml --out results
  peregrine run engine.yaml --case slam --out results --checkpoint-every 60s
  peregrine run engine.yaml --out results --resume results/slam.checkpoint`,
		RunE: func(cmd *cobra.Command, args []string) error { return runEngine(cmd, args[0], &flags) },
	}
	f := cmd.Flags()
	flags.add(f, "solve")
	f.BoolVar(&flags.json, "json", false, "print results as JSON, SI units")
	f.BoolVar(&flags.noZoom, "no-zoom", false, "zoom nothing: every component keeps its map")
	cli.OutFlag(f, &flags.out, "results, maps and histories")
	f.StringVar(&flags.units, "units", "si", "units of the table: si or imperial")
	f.BoolVar(&flags.predict, "predict", false, "say first how long it will take on this machine, by earlier runs")
	f.BoolVar(&flags.dry, "dry-run", false, "list the first runs as new or cached, with the nearest earlier run; "+
		"nothing runs")
	f.BoolVar(&flags.page, "view", false, "serve a page of the study to a browser meanwhile; see peregrine view")
	flags.view.Add(f)
	cli.AddFlag(f, &cli.Quantity{At: &flags.every, Dim: unit.Time}, "checkpoint-every", "",
		"simulated time between checkpoints of a transient, written into the folder of --out")
	f.StringArrayVar(&flags.resume, "resume", nil, "continue a transient from this checkpoint; may be repeated")
	return cmd
}

// runEngine solves the cases of an engine and shows their results, or the map of the component that is zoomed alone.
func runEngine(cmd *cobra.Command, file string, flags *runFlags) error {
	sys, err := unit.ParseSystem(flags.units)
	if err != nil {
		return err
	}
	budget, err := flags.budget.budget(cmd)
	if err != nil {
		return err
	}
	settings, solvers, cfg, err := loadZooms(cmd, file, flags)
	if err != nil {
		return err
	}
	opt := executive.Options{Workers: settings.Workers}
	if flags.component == "" {
		if err := checkpoints(cfg, flags, &opt.Transients); err != nil {
			return err
		}
	}
	names, err := session.Select(cfg, flags.cases)
	if err != nil {
		return err
	}
	if flags.dry {
		return dryRun(cmd, cfg, names, settings, solvers)
	}
	zooms := cfg.Zooms
	if flags.noZoom {
		zooms = nil
	}
	if !flags.json {
		sayPlan(cmd.ErrOrStderr(), cfg, names, zooms, &settings)
	}
	expected, err := foresee(cmd, flags, func() (*predict.Expected, error) {
		return predict.Here(cmd, cfg, names, settings, solvers)
	})
	if err != nil {
		return err
	}
	line, st, err := flags.begin(cmd, settings, solvers, cfg, len(zooms) > 0 || flags.page)
	if err != nil {
		return err
	}
	if st.Budget = budget; expected != nil {
		if budget != nil {
			budget.Usual = expected.Usual
		}
		m := expected.Makespan
		st.Record(event.Event{Source: event.Executive, Kind: event.Forecast,
			Values: map[string]float64{"p10": m.P10, "p50": m.P50, "p90": m.P90}})
	}
	if flags.page {
		served, err := flags.view.Begin(cmd, st.Folder())
		if err != nil {
			return errors.Join(err, line.End(st, err))
		}
		defer served()
	}
	opt.Record, opt.Transients.Clock = st.Log.Record, cli.Clock(cmd)
	if !flags.noZoom {
		opt.Zoomer = st
	}
	results, runErr := executive.Run(cmd.Context(), cfg, names, opt)
	var keepErr error
	if results != nil {
		results.Budget = st.Spent(results)
		keepErr = keepIn(cmd, st, func(folder string) error {
			return report.Keep(folder, cfg, results, cli.Clock(cmd).Now())
		})
	}
	study := st.Folder()
	closeErr := errors.Join(line.End(st, runError(cmd.Context(), results, runErr)), keepErr)
	if results == nil {
		return cli.Classify(cmd.Context(), runErr)
	}
	if err := st.SaveMaps(results.ZoomedMaps); err != nil {
		cli.Warn(cmd, "the maps could not be kept: %v", err)
		if flags.component != "" || fault.Is(err) {
			closeErr = errors.Join(closeErr, fault.Machine(err))
		}
	}
	switch {
	case flags.component != "":
		err = showMap(cmd, flags, results, runErr)
	default:
		err = showResults(cmd, flags, sys, results)
	}
	if err != nil {
		return err
	}
	if study != "" && !flags.json {
		sayStudy(cmd.ErrOrStderr(), study, len(zooms) > 0)
	}
	switch {
	case runErr != nil:
		return interrupted(results, flags, cli.Classify(cmd.Context(), runErr))
	case closeErr != nil:
		return cli.WithCode(cli.Fault, closeErr)
	}
	return converged(results)
}

// foresee prints a forecast if the flags want it. It returns the forecast if the flags want or need it, or nil.
func foresee(cmd *cobra.Command, flags *runFlags, forecast func() (*predict.Expected, error)) (*predict.Expected,
	error) {
	if flags.noZoom || !flags.predict && flags.budget == (budgetFlags{}) {
		return nil, nil
	}
	e, err := forecast()
	if cmd.Context().Err() != nil {
		return nil, cli.Classify(cmd.Context(), err)
	}
	if flags.predict {
		text := ""
		if err != nil { // the study may do all the same
			text = "no forecast: " + err.Error()
		} else {
			text = e.String()
		}
		fmt.Fprint(cmd.ErrOrStderr(), table.Wrap("", "  ", text))
	}
	return e, nil
}

// loadZooms loads an engine, for the verb zoom with the zoom of only one component. If its solvers will run, the user
// must trust them.
func loadZooms(cmd *cobra.Command, file string, flags *runFlags) (settings.Settings, *solver.Registry, *config.Engine,
	error) {
	settings, solvers, cfg, err := cli.LoadEngine(cmd, file, flags.sets)
	if name := flags.component; err == nil && name != "" {
		err = zoomOnly(cfg, name, solvers)
	}
	if err == nil && !flags.noZoom {
		err = cli.Allowed(cmd, settings, cfg, solvers, flags.trust)
	}
	if err == nil && flags.act {
		cfg.Act()
	}
	return settings, solvers, cfg, err
}

// showResults writes results into the folder of --out, and prints them, also if they cannot be written.
func showResults(cmd *cobra.Command, flags *runFlags, sys unit.System, results *result.Results) error {
	var unwritten error
	if flags.out != "" {
		resumed := len(flags.resume) > 0
		unwritten = report.WriteFolder(writing(cmd.Context()), flags.out, results, sys, resumed, flags.kept.list()...)
		if unwritten == nil && !flags.json {
			defer sayWritten(cmd.ErrOrStderr(), flags.out, "")
		}
	}
	var unprinted error
	if flags.json {
		unprinted = report.JSON(cmd.OutOrStdout(), results)
	} else {
		unprinted = report.Table(cmd.OutOrStdout(), results, sys)
	}
	return cmp.Or(cli.Classify(cmd.Context(), unwritten), cli.InternalFault(unprinted))
}

// writing returns the context for writing results. Results of an interrupted command are written as well: only a later
// interruption ends it.
func writing(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// keepIn stores results in the folder of the study, if it has one, for `peregrine report`. It returns a fault of the
// machine. Other errors are warnings, because they do not lose the results.
func keepIn(cmd *cobra.Command, st *executive.Studies, keep func(folder string) error) error {
	if st.Folder() == "" {
		return nil
	}
	err := keep(st.Folder())
	if err == nil || fault.Is(err) {
		return err
	}
	cli.Warn(cmd, "the results could not be kept for `peregrine report`: %v", err)
	return nil
}

// runError returns the final error of a command, from its results and its error.
func runError(ctx context.Context, r *result.Results, err error) error {
	if err != nil || r == nil {
		return cli.Classify(ctx, err)
	}
	return converged(r)
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
	return cli.WithCode(cli.NotConverged, errors.New(strings.Join(failed, "\nperegrine: ")))
}
