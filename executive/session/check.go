package session

import (
	"errors"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
)

// Check reports the errors of an engine that can be found before it is solved: numbers of equations and unknowns that
// do not match, cases that cannot be turned into equations.
func Check(m *graph.Model) error {
	errs := []error{steady.CheckDesign(m)}
	for i := range m.Engine.Cases {
		if c := &m.Engine.Cases[i]; c.Transient != nil {
			errs = append(errs, transient.Check(m, c))
		} else {
			errs = append(errs, steady.CheckCase(m, c))
		}
	}
	return errors.Join(errs...)
}
