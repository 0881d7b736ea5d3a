package graph

// A target on a parameter that the solve does not change has no meaning: it is met or missed before the solve begins.
// Such a target is an error with its place.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// CheckTargets returns an error for the first target that is a parameter constant in the solve. The solve varies the
// parameters of vary, and the unknowns of the mode.
func (m *Model) CheckTargets(mode components.Mode, targets, vary []config.Balance) error {
	for _, b := range targets {
		p, at, _, err := m.Parameter(b.Until)
		if err != nil { // not a parameter
			continue
		}
		name := b.Until[strings.LastIndex(b.Until, ".")+1:]
		if m.changes(mode, at, vary) || p != nil && p.computes(name, at) {
			continue
		}
		advice := ""
		if p != nil {
			advice = p.outputsLike(name)
		}
		return fmt.Errorf("%s:%v: %s: a parameter that this solve does not change cannot be its target; "+
			"give its value in set%s", m.Engine.File, b.Pos, b.Until, advice)
	}
	return nil
}

// changes reports whether a solve changes the value at an address: an unknown of the mode, a varied value, or a value
// fixed by the design.
func (m *Model) changes(mode components.Mode, at *float64, vary []config.Balance) bool {
	for _, b := range vary {
		if _, varied, _, err := m.Parameter(b.Vary); err == nil && varied == at {
			return true
		}
	}
	for _, p := range m.Parts {
		d := p.Declaration
		if mode == components.Design {
			if slices.Contains(d.Fixed, at) {
				return true
			}
			if t, ok := p.Component.(components.ShaftBalancer); ok {
				if u, free := t.BalancedByShaft(); free && u.At == at {
					return true
				}
			}
		}
		for _, u := range d.Unknowns {
			if u.In(mode) && u.At == at {
				return true
			}
		}
	}
	return false
}

// computes reports whether a part has an output of a parameter's name that is not the parameter itself.
func (p *Part) computes(name string, parameter *float64) bool {
	return slices.ContainsFunc(p.Declaration.Outputs,
		func(o components.Value) bool { return o.Name == name && o.At != parameter })
}

// outputsLike names, for a message, the outputs of a part in the dimension of a parameter.
func (p *Part) outputsLike(parameter string) string {
	spec := p.param(parameter)
	if spec == nil {
		return ""
	}
	var names []string
	for _, o := range p.Type.Outputs {
		if o.Dim == spec.Dim && o.Dim != "" {
			names = append(names, p.Name+"."+o.Name)
		}
	}
	if names == nil {
		return ""
	}
	return ", or choose an output as the target, such as " + spell.List(names, "or")
}
