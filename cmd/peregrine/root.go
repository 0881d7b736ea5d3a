package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/engine"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/maps"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/plugins"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/predict"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/steer"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/trace"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/watch"
	"github.com/peregrine-sim/peregrine/config/settings"
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
	root.SetOut(&cli.Console{File: os.Stdout}) // cobra's Print would take standard error
	root.SetErr(&cli.Console{File: os.Stderr})
	settings.Flags(root.PersistentFlags())
	completions := map[string]cobra.CompletionFunc{
		"launcher": cli.CompleteLauncher,
		"hosts":    cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"solvers":  cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"log-level": cobra.FixedCompletions(settings.LogLevels,
			cobra.ShellCompDirectiveNoFileComp),
	}
	for flag, complete := range completions {
		if err := root.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // an unknown flag
		}
	}
	root.AddCommand(slices.Concat(engine.Verbs(), maps.Verbs(), runs.Verbs(), plugins.Verbs(), watch.Verbs())...)
	root.AddCommand(predict.Verb(), steer.Verb(), trace.Verb(watch.NewTraceView()), newVersion())
	explainUsage(root)
	addHelp(root)
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
