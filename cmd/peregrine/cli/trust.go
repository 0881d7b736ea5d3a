package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Allowed returns an error if the zooms of an engine need solvers of its file that are not allowed. With trusting it
// allows them.
func Allowed(cmd *cobra.Command, settings settings.Settings, cfg *config.Engine, solvers *solver.Registry,
	trusting bool) error {
	if trusting {
		if err := keepTrust(cmd.ErrOrStderr(), executive.Trusted(settings), cfg.Solvers); err != nil {
			return err
		}
	}
	return executive.CheckTrust(cfg, solvers)
}

// keepTrust allows solvers and prints their commands.
func keepTrust(w io.Writer, store *approve.Store, programs []config.SolverProgram) error {
	accounts, err := PrintAccounts(w, programs)
	if err != nil {
		return err
	}
	for _, text := range accounts {
		if err := store.Keep(text); err != nil {
			return err
		}
	}
	return nil
}

// PrintAccounts prints the commands of solvers, and returns them.
func PrintAccounts(w io.Writer, programs []config.SolverProgram) (accounts []string, err error) {
	var errs []error
	for i := range programs {
		text, err := solver.Account(&programs[i])
		accounts, errs = append(accounts, text), append(errs, err)
		if err == nil {
			fmt.Fprintf(w, "%s runs\n%s", programs[i].Name, text)
		}
	}
	return accounts, errors.Join(errs...)
}
