package main

import (
	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// descriptions are those of the built-in solvers.
func descriptions() (all []plugin.Description) {
	for _, name := range solver.Names() {
		all = append(all, solver.Builtin(name).Describe())
	}
	return all
}

// catalogue is that of engine files without solvers of the user's own.
func catalogue() *config.Catalogue {
	cat := components.Catalogue()
	cat.Solvers = solver.Names()
	return cat
}
