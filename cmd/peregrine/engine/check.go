package engine

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive"
)

func newCheck() *cobra.Command {
	var sets []string
	var trusting bool
	cmd := &cobra.Command{
		Use: "check ENGINE.yaml", Short: "Report every error of an engine file, without solving its cases",
		Args: cobra.ExactArgs(1),
		Long: `Report every error of an engine file, without solving its cases.

A zoom is held against what its flow solver says of itself, inputs, outputs and settings;
a solver of --solvers is started for that, and one of the file's own if it is trusted.
Then the design is solved, and the blades of zooms are held against its speed and flow.`,
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
			if err := errors.Join(executive.Check(cfg), executive.CheckZooms(cmd.Context(), cfg, solvers)); err != nil {
				return err
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
