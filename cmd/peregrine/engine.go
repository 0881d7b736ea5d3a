package main

// Every verb with an engine file begins with loading the settings, the solvers and the engine.

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// launchers are the names that the setting `launcher` can have.
var launchers = executive.Launchers()

// loadSolvers reads the settings, and the flow solvers of the file that they name. What starts them must be there, too.
func loadSolvers(cmd *cobra.Command) (config.Settings, *solver.Registry, error) {
	settings, solvers, _, err := loadTools(cmd)
	return settings, solvers, err
}

// loadTools reads the settings, and the solvers and launchers of the files that they name.
func loadTools(cmd *cobra.Command) (config.Settings, *solver.Registry, []hosts.Launcher, error) {
	settings, err := config.LoadSettings(cmd.Flags())
	if err != nil {
		return settings, nil, nil, badInput(err)
	}
	all, err := loadHosts(settings)
	if err == nil {
		err = checkLauncher(settings, all)
	}
	solvers, solversErr := executive.Solvers(settings)
	if err := errors.Join(err, solversErr); err != nil {
		return settings, nil, nil, badInput(err)
	}
	return settings, solvers, all, nil
}

// loadEngine reads the settings, an engine file, and the solvers of both.
func loadEngine(cmd *cobra.Command, file string,
	sets []string) (config.Settings, *solver.Registry, *config.Engine, error) {
	settings, solvers, all, err := loadTools(cmd)
	if err != nil {
		return settings, nil, nil, err
	}
	cat := executive.Catalogue(solvers)
	if settings.Hosts != "" {
		cat.Launchers = hosts.Names(all)
	}
	cfg, err := config.Load(file, cat, sets)
	if err != nil {
		return settings, solvers, cfg, badInput(err)
	}
	return settings, executive.SolversOf(cfg, settings, solvers), cfg, nil
}
