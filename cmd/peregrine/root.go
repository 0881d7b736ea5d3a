package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
)

func newRoot(at clock.Clock) *cobra.Command {
	root := &cobra.Command{
		Use:           "peregrine",
		Short:         "Simulate gas-turbine engines, zooming components to flow solvers",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(os.Stdout) // cobra's Print would take standard error
	config.SettingsFlags(root.PersistentFlags())
	completions := map[string]cobra.CompletionFunc{
		"launcher":  cobra.FixedCompletions(launchers.Names(), cobra.ShellCompDirectiveNoFileComp),
		"solvers":   cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"log-level": cobra.FixedCompletions([]string{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp),
	}
	for flag, complete := range completions {
		if err := root.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // a flag that is not there
		}
	}
	root.AddCommand(newRun(at), newSweep(at), newSensitivity(), newCheck(), newZoom(at), newMap(), newBlade(), newStudiesVerb(at), newRuns(at), newPlugin(), newSchema(), newVerify(), newVersion())
	return root
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Println("peregrine " + version())
			return nil
		},
	}
}

// version is that of the module, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = s.Value[:min(12, len(s.Value))]
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v
}
