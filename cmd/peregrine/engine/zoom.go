package engine

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

func newZoom() *cobra.Command {
	flags := runFlags{units: "si"}
	cmd := &cobra.Command{
		Use: "zoom ENGINE.yaml COMPONENT", Short: "Build or extend a component's map by its flow solver",
		Args: cobra.ExactArgs(2),
		Long: `Build or extend a component's map by its flow solver.

The map covers where the engine works in its cases. Runs that are in the cache
are not made again, so that a second call is immediate.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.component = args[1]
			return runEngine(cmd, args[0], &flags)
		},
	}
	flags.add(cmd.Flags(), "cover")
	cmd.Flags().StringVarP(&flags.out, "out", "o", "", "write the map into this file")
	return cmd
}

// zoomOnly removes all zooms of an engine except that of one component.
func zoomOnly(cfg *config.Engine, name string, solvers *solver.Registry) error {
	z := cfg.Zoom(name)
	if z == nil {
		return fmt.Errorf("%s does not zoom %q; add an entry zoom: %s: {solver: %s, geometry: FILE}", cfg.File, name,
			name, spell.List(solvers.Names(), "or"))
	}
	cfg.Zooms = []config.Zoom{*z}
	return nil
}

// showMap writes the map of the zoomed component into the file of --out, and shows it, also if it cannot be written.
func showMap(cmd *cobra.Command, flags *runFlags, results *result.Results, runErr error) error {
	var unwritten error
	if m, ok := results.ZoomedMaps[flags.component]; ok && runErr == nil {
		if flags.out != "" {
			unwritten = format.Write(flags.out, m.Map)
		}
		if err := m.Map.Show(cli.Notes(cmd, flags.out)); err != nil {
			return err
		}
	}
	if results.Budget != nil {
		fmt.Fprint(cmd.ErrOrStderr(), table.Wrap("", "  ", results.Budget.String()))
	}
	return cmp.Or(unwritten, cli.InternalFault(report.Warnings(cmd.OutOrStdout(), results.Warnings)))
}
