package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// sweepFlags are the flags of `peregrine sweep`.
type sweepFlags struct {
	studyFlags
	zoom       bool
	out, units string
}

func newSweep() *cobra.Command {
	var flags sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep ENGINE.yaml [NAME]",
		Short: "Solve a case over a grid: throttle, flight envelope, trade study",
		Args:  cobra.RangeArgs(1, 2),
		Long: `Solve a case at every point of a grid that the engine file describes in its
section sweeps. NAME may be left out where there is one only.

	sweeps:
	  throttle:
	    from: cruise
	    over:
	      ambient.mach: [0, 0.4, 0.8]
	      performance.Fn: {from: 120 kN, to: 20 kN, points: 11}
	    solve: [{vary: burner.FAR, until: performance.Fn = 100 kN}]
	    collect: [performance.TSFC, hpc.SMN]
	    plot: {x: performance.Fn, y: performance.TSFC, lines: ambient.mach}

A path of over is a parameter, or the target of one of the balances. If it is a
parameter or a target of the design, the design is solved again at each of its
values: a trade study. A plot without x is a carpet over two paths.

The table on the terminal is in the units of --units. Files and JSON hold SI
units, speeds in rpm. With --zoom, the components that the file zooms are zoomed
for its steady cases first, and the points are solved on what that made: they
make no runs. Without it nothing is zoomed.`,
		Example: `  peregrine sweep engine.yaml throttle --out results
  peregrine sweep engine.yaml trade --set burner.dPqP=4% --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return sweepEngine(cmd, args, &flags) },
	}
	f := cmd.Flags()
	flags.add(f)
	f.BoolVar(&flags.json, "json", false, "print results as JSON, SI units")
	f.BoolVar(&flags.zoom, "zoom", false, "make the zooms of the file, for its cases, and sweep on their maps")
	cli.OutFlag(f, &flags.out, "every point, plots and maps with operating lines")
	f.StringVar(&flags.units, "units", "si", "units of the table and the plots: si or imperial")
	return cmd
}

func sweepEngine(cmd *cobra.Command, args []string, flags *sweepFlags) error {
	sys, err := unit.ParseSystem(flags.units)
	if err != nil {
		return err
	}
	settings, solvers, cfg, err := cli.LoadEngine(cmd, args[0], flags.sets)
	if err != nil {
		return err
	}
	sw, err := chooseSweep(cfg, args[1:])
	if err != nil {
		return err
	}
	var solved *session.Session
	if flags.zoom {
		err = cli.Allowed(cmd, settings, cfg, solvers, flags.trust)
	} else {
		solved, err = session.Open(cmd.Context(), cfg)
		err = designError(cmd.Context(), err)
	}
	if err != nil {
		return err
	}
	line, st, err := flags.begin(cmd, settings, solvers, cfg, flags.zoom)
	if err != nil {
		return err
	}
	var r *sweep.Result
	var keepErr error
	if flags.zoom {
		solved, err = zoomedSession(cmd, cfg, settings.Workers, st)
	}
	if err == nil {
		opt := sweep.Options{Workers: settings.Workers, Observe: st.Record, Zoomed: flags.zoom, Clock: cli.Clock(cmd)}
		r, err = sweep.Solve(cmd.Context(), solved, sw, opt)
	}
	if r != nil {
		keepErr = keepIn(cmd, st, func(folder string) error {
			return report.KeepSweep(folder, cfg, r, cli.Clock(cmd).Now())
		})
	}
	study := st.Folder()
	sweepErr := cli.Classify(cmd.Context(), err)
	if err := errors.Join(line.End(st, sweepErr), keepErr); err != nil {
		return cli.WithCode(cli.Fault, err)
	}
	if r == nil {
		return sweepErr
	}
	if err := showSweep(cmd, flags, sys, r); err != nil {
		return err
	}
	if study != "" && !flags.json {
		sayStudy(cmd.ErrOrStderr(), study, flags.zoom)
	}
	if n := r.Failed(); sweepErr == nil && n > 0 {
		sweepErr = cli.WithCode(
			cli.NotConverged,
			fmt.Errorf("sweep %s: %d of %s did not converge", sw.Name, n, spell.Count(len(r.Rows), "point")),
		)
	}
	return sweepErr
}

// showSweep writes the points of a sweep into the folder of --out, and prints them, also if they cannot be written.
func showSweep(cmd *cobra.Command, flags *sweepFlags, sys unit.System, r *sweep.Result) error {
	var unwritten error
	if flags.out != "" {
		unwritten = report.WriteSweepFolder(writing(cmd.Context()), flags.out, r, sys)
		if unwritten == nil && !flags.json {
			defer sayWritten(cmd.ErrOrStderr(), flags.out, r.Sweep.Name)
		}
	}
	var unprinted error
	if flags.json {
		unprinted = report.SweepJSON(cmd.OutOrStdout(), r)
	} else {
		unprinted = report.SweepTable(cmd.OutOrStdout(), r, sys)
	}
	return cmp.Or(cli.Classify(cmd.Context(), unwritten), cli.InternalFault(unprinted))
}

// zoomedSession returns the engine with its components zoomed for the steady cases. It prints missing runs of the
// zooms.
func zoomedSession(cmd *cobra.Command, cfg *config.Engine, workers int,
	st *executive.Studies) (*session.Session, error) {
	opt := executive.Options{
		Workers: workers, Zoomer: st, Record: st.Log.Record, Transients: transient.Options{Clock: cli.Clock(cmd)},
	}
	solved, results, err := executive.ZoomedSession(cmd.Context(), cfg, opt)
	if results == nil || err != nil {
		return nil, err
	}
	if err := report.Warnings(cmd.ErrOrStderr(), results.Warnings); err != nil {
		return nil, err
	}
	return solved, converged(results)
}

// chooseSweep returns the sweep that the user names, or the only sweep.
func chooseSweep(cfg *config.Engine, name []string) (*config.Sweep, error) {
	var known []string
	for i := range cfg.Sweeps {
		known = append(known, cfg.Sweeps[i].Name)
	}
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("%s has no sweeps; describe one in a section sweeps: %s", cfg.File,
			"NAME: {over: {ambient.mach: [0, 0.4, 0.8]}, collect: [performance.Fn]}")
	case len(name) == 0 && len(known) > 1:
		return nil, fmt.Errorf("%s has %d sweeps; name one of %s", cfg.File, len(known), strings.Join(known, ", "))
	case len(name) == 0:
		return &cfg.Sweeps[0], nil
	}
	if sw := cfg.Sweep(name[0]); sw != nil {
		return sw, nil
	}
	return nil, fmt.Errorf("%s has no sweep %q%s", cfg.File, name[0], spell.Hint(name[0], known))
}

// designError gives a failed design the exit code of a case that did not converge.
func designError(ctx context.Context, err error) error {
	if graph.Unsolved(err) {
		return cli.WithCode(cli.NotConverged,
			fmt.Errorf("the design did not converge, so there is nothing to sweep from: %w", err))
	}
	return cli.Classify(ctx, err)
}
