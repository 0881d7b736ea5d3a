package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
)

func newCheck() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use: "check ENGINE.yaml", Short: "Report every error of an engine file, without solving it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := config.Load(args[0], components.Catalogue(), sets)
			if err != nil {
				return badInput(err)
			}
			errs := []error{executive.Check(cfg)}
			for i := range cfg.Zooms {
				errs = append(errs, checkZoom(cfg, &cfg.Zooms[i]))
			}
			if err := errors.Join(errs...); err != nil {
				return badInput(err)
			}
			cmd.Printf("%s: no errors (%d components, %d cases)\n", args[0], len(cfg.Components), len(cfg.Cases)+1)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "set a parameter, as in burner.FAR=0.02; may be repeated")
	return cmd
}

// checkZoom checks a zoom against what its solver says of itself.
func checkZoom(cfg *config.Engine, z *config.Zoom) error {
	d := solvers[z.Solver].Describe() // config knows no other solvers
	return executive.CheckZoom(cfg, z, &d)
}
