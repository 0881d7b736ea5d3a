package executive

// Solvers that an engine file brings along, and whether they may run.

import (
	"errors"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// SolversOf returns the solvers for an engine: the solvers of the settings, and the solvers of its file, which start
// only if trusted.
func SolversOf(cfg *config.Engine, settings settings.Settings, solvers *solver.Registry) *solver.Registry {
	return solvers.With(cfg.Solvers, Trusted(settings))
}

// Trusted returns the store of the commands that solvers of engine files may run.
func Trusted(settings settings.Settings) *approve.Store {
	return &approve.Store{Folder: settings.Trusted}
}

// CheckTrust reports solvers of an engine file that its zooms need and no user has allowed to run:
// [*solver.UntrustedError].
func CheckTrust(cfg *config.Engine, solvers *solver.Registry) error {
	var errs []error
	for _, name := range zoomSolvers(cfg) {
		errs = append(errs, solvers.Trusted(name))
	}
	return errors.Join(errs...)
}

// zoomSolvers are the names of the solvers that an engine's zooms need.
func zoomSolvers(cfg *config.Engine) (names []string) {
	for _, z := range cfg.Zooms {
		names = append(names, z.Solver)
		for _, prior := range z.Priors {
			if prior.Text != config.PriorCoarse {
				names = append(names, prior.Text)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
