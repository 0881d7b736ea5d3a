package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/version"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "peregrine",
		Short:         "Simulate gas-turbine engines, zooming components to flow solvers",
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version.Read().String(),
	}
	root.SetVersionTemplate("peregrine {{.Version}}\n")
	root.SetOut(&cli.Console{File: os.Stdout}) // cobra's Print would take standard error
	root.SetErr(&cli.Console{File: os.Stderr})
	settings.Flags(root.PersistentFlags())
	completions := map[string]cobra.CompletionFunc{
		"launcher":  cli.CompleteLauncher,
		"hosts":     cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"solvers":   cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
		"log-level": cobra.FixedCompletions(settings.LogLevels, cobra.ShellCompDirectiveNoFileComp),
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

// Errors of command lines that match no verb, with the wanted form.

// explainUsage replaces the error messages of a verb and all verbs below it, where cobra counts arguments and pflag
// quotes Go.
func explainUsage(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	explainArguments(cmd)
}

func explainArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return missingFlag(cmd)
			}
			return argumentError(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		explainArguments(sub)
	}
}

// argumentError explains invalid arguments of a verb.
func argumentError(cmd *cobra.Command, args []string) error {
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	if cmd.HasSubCommands() {
		var names []string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, sub.Name())
			}
		}
		if !cmd.HasParent() && slices.Contains(topics, args[0]) {
			return fmt.Errorf("%s is a page, not a verb: `peregrine help %s`", args[0], args[0])
		}
		return fmt.Errorf("%s has no verb %q%s", path, args[0], spell.Hint(args[0], names))
	}
	_, wanted, _ := strings.Cut(cmd.Use, " ")
	switch {
	case wanted == "" || strings.HasPrefix(wanted, "-"):
		return fmt.Errorf("%s takes no argument, and %q is one; `%s --help` lists its flags", path, args[0],
			cmd.CommandPath())
	case len(cmd.ValidArgs) > 0 && len(args) == 1 && !slices.Contains(cmd.ValidArgs, args[0]):
		return fmt.Errorf("%s knows no %q%s", path, args[0], spell.Hint(args[0], cmd.ValidArgs))
	case len(args) == 0:
		return fmt.Errorf("%s needs an argument; want `%s %s`", path, cmd.CommandPath(), wanted)
	}
	if wanted == "ADDRESS" && len(args) == 2 {
		wanted = args[0] + "/" + args[1]
	}
	return fmt.Errorf("%s is given %s; want `%s %s`", path, spell.Count(len(args), "argument"), cmd.CommandPath(),
		wanted)
}

// missingFlag reports a required flag that is not given, with its use.
func missingFlag(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if required := f.Annotations[cobra.BashCompOneRequiredFlag]; err == nil && !f.Changed && required != nil {
			_, use := pflag.UnquoteUsage(f)
			verb := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
			err = fmt.Errorf("%s needs --%s: %s", verb, f.Name, use)
		}
	})
	return err
}

// flagError suggests a flag for an unknown one, and explains an invalid value: Go's own message on numbers names its
// functions.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := spell.Nearest(unknown.GetSpecifiedName(), slices.Values(names)); near != "" {
			return fmt.Errorf("%w, did you mean --%s?", err, near)
		}
	}
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	want := "a number"
	switch invalid.GetFlag().Value.Type() {
	case "int", "int64":
		want = "a whole number"
	case "bool":
		want = "true or false"
	}
	return fmt.Errorf("--%s %q: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}
