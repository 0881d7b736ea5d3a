package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/perfmap/format"
)

func newZoom(at clock.Clock) *cobra.Command {
	var sets, cases []string
	var out, study string
	var act, held bool
	var plain, trusting bool
	cmd := &cobra.Command{
		Use: "zoom ENGINE.yaml COMPONENT", Short: "Build or extend a component's map by its flow solver",
		Args: cobra.ExactArgs(2),
		Long: `Build or extend a component's map by its flow solver.

The map covers where the engine works in its cases. Runs that are in the cache
are not made again, so that a second call is immediate.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, solvers, cfg, err := loadEngine(cmd, args[0], sets)
			if err != nil {
				return err
			}
			z := cfg.Zoom(args[1])
			if z == nil {
				return badInput(fmt.Errorf("%s does not zoom %q; add an entry zoom: %s: {solver: %s, geometry: FILE}",
					args[0], args[1], args[1], spell.List(solvers.Names(), "or")))
			}
			cfg.Zooms = []config.Zoom{*z}
			if err := allowed(cmd, settings, cfg, solvers, trusting); err != nil {
				return err
			}
			if act {
				cfg.Act()
			}
			names, err := session.Select(cfg, cases)
			if err != nil {
				return badInput(err)
			}
			line := newProgress(cmd, at, plain)
			st := line.studies(settings, solvers)
			st.Held = held
			opt := executive.Options{Workers: settings.Workers, Zoomer: st, Record: st.Log.Record,
				Transients: transient.Options{Clock: at}}
			if err := st.Begin(study, cfg, version.Read().Short(), commandLine()); err != nil {
				return badInput(err)
			}
			results, err := executive.Run(cmd.Context(), cfg, names, opt)
			keepErr := keepResults(cmd, st, cfg, at, results)
			closeErr := errors.Join(line.end(st, runError(results, err)), keepErr)
			if results == nil {
				return classify(err)
			}
			m, ok := results.ZoomedMaps[args[1]]
			if err != nil || !ok {
				if werr := report.Warnings(cmd.OutOrStdout(), results.Warnings); werr != nil {
					return internalFault(werr)
				}
				if err != nil {
					return classify(err)
				}
				return converged(results)
			}
			if err := st.SaveMaps(results.ZoomedMaps); err != nil {
				return &exitError{exitFault, err}
			}
			if out != "" {
				if err := format.Write(out, m.Map); err != nil {
					return badInput(err)
				}
			}
			if err := m.Map.Show(cmd.OutOrStdout()); err != nil {
				return err
			}
			if err := report.Warnings(cmd.OutOrStdout(), results.Warnings); err != nil {
				return internalFault(err)
			}
			if closeErr != nil {
				return &exitError{exitFault, closeErr}
			}
			return converged(results)
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "set a parameter, as in burner.FAR=0.02; may be repeated")
	cmd.Flags().StringArrayVar(&cases, "case", nil, "cover this case only; may be repeated")
	studyFlag(cmd.Flags(), &study)
	heldFlag(cmd.Flags(), &held)
	actFlag(cmd.Flags(), &act)
	plainFlag(cmd.Flags(), &plain)
	trustFlag(cmd.Flags(), &trusting)
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the map into this file")
	return cmd
}
