package graph

// The controls of an engine as the model holds them. wirecontrols.go makes them; transient/controls.go
// runs them in a transient.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/components/control"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// Controls are an engine's controls, joined to its model. They read their measurements from the model. A quantity moved
// by a control is a balance among the model's equations,
//
//	until burner.Wf = signal of the control that moves it
//
// A control without a lag depends on results that depend on it at the same instant: an acceleration schedule limits
// fuel flow by burner pressure, which follows from fuel flow. States of continuous blocks are states of the transient.
// Sampled blocks act between its intervals. Rates have a kink where a selector switches or a rate limit is reached; the
// integrator's step control handles it.
type Controls struct {
	Network       *control.Network
	Config        []config.Control
	index         map[string]int
	decl          []control.Declaration
	States, Rates []float64
	Statics       bool // a measured quantity is static
	Margins       bool // a measured quantity is a stall margin
	Timed         bool // a formula uses the time
}

// number returns the address of a control's parameter, nil for an unknown name.
func (k *Controls) number(name, param string) *float64 {
	i, ok := k.index[name]
	if !ok {
		return nil
	}
	for _, n := range k.decl[i].Numbers {
		if n.Name == param {
			return n.At
		}
	}
	return nil
}

// value returns the address of a control's signal, field "out", or parameter, nil for an unknown name.
func (k *Controls) value(name, field string) *float64 {
	if i, ok := k.index[name]; ok && field == "out" {
		return k.Network.Signal(i)
	}
	return k.number(name, field)
}

// Owns reports whether a number is a parameter of a control.
func (k *Controls) Owns(at *float64) bool {
	for _, d := range k.decl {
		if slices.ContainsFunc(d.Numbers, func(n parameter.Number) bool { return n.At == at }) {
			return true
		}
	}
	return false
}
