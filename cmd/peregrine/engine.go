package main

// Every verb with an engine file begins with loading the settings, the solvers and the engine.

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// launchers are the names that the setting `launcher` can have.
var launchers = executive.Launchers()

// loadSolvers reads the settings, and the flow solvers of the file that they name.
func loadSolvers(cmd *cobra.Command) (config.Settings, *solver.Registry, error) {
	settings, err := config.LoadSettings(cmd.Flags())
	if err != nil {
		return settings, nil, badInput(err)
	}
	solvers, err := executive.Solvers(settings)
	return settings, solvers, badInput(err)
}

// loadEngine reads the settings, an engine file, and the solvers of both.
func loadEngine(cmd *cobra.Command, file string, sets []string) (config.Settings, *solver.Registry, *config.Engine, error) {
	settings, solvers, err := loadSolvers(cmd)
	if err != nil {
		return settings, nil, nil, err
	}
	cfg, err := config.Load(file, executive.Catalogue(solvers), sets)
	if err != nil {
		return settings, solvers, cfg, badInput(err)
	}
	return settings, executive.SolversOf(cfg, settings, solvers), cfg, nil
}
