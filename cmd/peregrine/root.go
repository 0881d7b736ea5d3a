package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/version"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "peregrine",
		Short:         "Simulate gas-turbine engines, zooming components to flow solvers",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version.Read().String(),
	}
	root.SetVersionTemplate("peregrine {{.Version}}\n")
	root.SetOut(os.Stdout) // cobra's Print would take standard error
	config.SettingsFlags(root.PersistentFlags())
	root.AddCommand(newRun(), newSweep(), newSensitivity(), newCheck(), newZoom(), newMap(), newBlade(), newRuns(), newPlugin(), newSchema(), newVerify(), newVersion(), newServe())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, commit and date", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Println("peregrine", version.Read())
			return nil
		},
	}
}
