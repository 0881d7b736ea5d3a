package engine

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/zoomsolve"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

func newCheck() *cobra.Command {
	var sets []string
	var trusting bool
	cmd := &cobra.Command{
		Use: "check ENGINE.yaml", Short: "Report every error of an engine file and solve its design",
		Args: cobra.ExactArgs(1),
		Long: `Report every error of an engine file. Then solve its design, but no other case.

A zoom is compared with the inputs, outputs and settings that its flow solver declares;
a solver of --solvers is started for that, and one of the file's own if it is trusted.
The blades of zooms are compared with the speed and flow of the design. A launcher whose
blocks are shorter than the shortest earlier run of a zoom is refused. A design without a
solution is reported with the target that is out of reach (exit code 1).`,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, solvers, cfg, err := cli.LoadEngine(cmd, args[0], sets)
			if err != nil {
				return err
			}
			if trusting {
				if err := cli.Allowed(cmd, settings, cfg, solvers, true); err != nil {
					return err
				}
			}
			from := index.Source{Work: settings.Work, Launchers: cli.Launchers, Clock: cli.Clock(cmd),
				Warn: func(text string) { cli.Warn(cmd, "%s", text) }}
			if err := errors.Join(executive.Check(cfg), zoomsolve.Check(cmd.Context(), cfg, solvers),
				executive.CheckBlocks(cmd.Context(), cfg, settings, solvers.Describe, from)); err != nil {
				return err
			}
			warnings, err := executive.CheckDesign(cmd.Context(), cfg)
			if err != nil {
				return cli.WithCode(cli.NotConverged, err)
			}
			for _, w := range warnings {
				cli.Warn(cmd, "%s: %s", strings.Join(w.Evidence, "; "), w.Message)
			}
			if why := executive.CacheDoubt(settings); why != "" {
				cli.Warn(cmd, "%s", why)
			}
			cmd.Printf("%s: no errors (%d components, %d cases)\n", args[0], len(cfg.Components), len(cfg.Cases)+1)
			return nil
		},
	}
	cli.TrustFlag(cmd.Flags(), &trusting)
	cli.SetFlag(cmd.Flags(), &sets)
	return cmd
}
