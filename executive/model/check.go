package model

import (
	"errors"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
)

// Check reports the errors of an engine that can be found before it is solved: numbers of
// equations and unknowns that do not match, cases that cannot be turned into equations.
func (m *Model) Check() error {
	var errs []error
	atDesign, _ := m.designBalances()
	if _, err := m.assemble(components.Design, atDesign); err != nil {
		errs = append(errs, err)
	}
	if err := m.heldTarget(components.Design, m.Engine.Design, m.Engine.Design); err != nil {
		errs = append(errs, err)
	}
	for i := range m.Engine.Cases {
		if c := &m.Engine.Cases[i]; c.Transient != nil {
			if _, err := m.newTransient(c, nil); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		if err := m.CheckCase(&m.Engine.Cases[i]); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// CheckCase returns an error if a steady case cannot be turned into equations.
func (m *Model) CheckCase(c *config.Case) error {
	r := m.resolve(c)
	if err := m.heldTarget(components.OffDesign, r.solve, r.solve); err != nil {
		return err
	}
	_, _, err := m.prepareCase(r)
	return err
}

// Targets returns the solve list of a case, or the one that it inherits.
func (m *Model) Targets(c *config.Case) []config.Balance { return m.resolve(c).solve }
