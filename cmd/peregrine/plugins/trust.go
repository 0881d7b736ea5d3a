package plugins

// Solvers of an engine file run only after a user has seen and allowed their commands.

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/terminal"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

func newPluginTrust() *cobra.Command {
	var yes, revoke bool
	cmd := &cobra.Command{
		Use: "trust FILE", Short: "Allow the flow solvers that an engine file brings along", Args: cobra.ExactArgs(1),
		Long: `Print what the flow solvers of an engine file (its section solvers), or that of a description,
run: commands, environment, and the checksums of programs and of the files that they read. Then
allow it, on this machine and for you alone. On a terminal you are asked first; where nobody can
be asked, as in a script, the command is the answer.

A solver that the engine file brings along never starts before that. After a change of what was
printed it does not start either, until you have looked again; any other change of the file, of a
case, say, needs no new look. Solvers of your own solvers.yaml are yours and need no trust.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, solvers, err := cli.LoadSolvers(cmd)
			if err != nil {
				return err
			}
			programs, err := solversIn(args[0], solvers)
			if err != nil {
				return err
			}
			return changeTrust(cmd, executive.Trusted(settings), args[0], programs, yes, revoke)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "allow it no longer")
	return cmd
}

// changeTrust allows the commands of solvers, or revokes that.
func changeTrust(cmd *cobra.Command, store *approve.Store, file string, programs []config.SolverProgram, yes,
	revoke bool) error {
	out := cmd.OutOrStdout()
	accounts, err := cli.PrintAccounts(out, programs)
	if err != nil {
		return err
	}
	change, done := store.Keep, "this is now trusted"
	switch {
	case revoke:
		change, done = store.Forget, "this is trusted no longer"
	case !yes && terminal.Foreground(os.Stdin):
		if sure, err := cli.Confirm(cmd, "trust "+file, "nothing is trusted"); err != nil || !sure {
			return err
		}
	}
	for _, text := range accounts {
		if err := change(text); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, done)
	return nil
}

// solversIn returns the solvers of an engine file, or the solver of a description.
func solversIn(file string, solvers *solver.Registry) ([]config.SolverProgram, error) {
	data, err := intake.Read(file, intake.Limit{What: "an engine file or a description", Bytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	if isDescription(file, data) {
		d, err := external.Load(file)
		if err != nil {
			return nil, err
		}
		return []config.SolverProgram{
			{Name: d.Plugin().Name, External: d.File, File: file, Pos: document.Pos{Line: 1, Column: 1}},
		}, nil
	}
	cfg, err := config.Load(file, executive.Catalogue(solvers), nil)
	switch {
	case err != nil:
		return nil, err
	case len(cfg.Solvers) == 0:
		return nil, fmt.Errorf("%s brings no solvers along: it has no section solvers", file)
	}
	return cfg.Solvers, nil
}

// isDescription reports whether a file has the keys of a description, and not the keys of an engine.
func isDescription(file string, data []byte) bool {
	r := document.NewReader(file, document.Form{What: "an engine file or a description", Begins: "engine:, or name:",
		Bytes: 1 << 20, Words: 30_000})
	root := r.Tree(data)
	if root == nil {
		return strings.HasPrefix(string(data), "name:")
	}
	has := func(key string) bool {
		return slices.ContainsFunc(r.Fields(root, "", "keys"), func(f document.Field) bool { return f.Key == key })
	}
	return has("steps") && !has("components")
}
