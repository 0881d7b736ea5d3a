package model

// What an engine's controls are, as the model holds them; wirecontrols.go joins them to it,
// control.go lets them act in time.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/components/control"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// controls join an engine's controls to a model of it: what they measure they read
// there, what they move is a balance of its equations,
//
//	until burner.Wf = signal of the control that moves it
//
// since a control without a lag follows what follows from it at the same instant, as
// an acceleration schedule over burner pressure does. States of continuous blocks are
// states of the transient; sampled ones act between its intervals. Where another
// signal is selected, or a limit of a rate is reached, rates have a kink, which the
// integrator's step control deals with.
type controls struct {
	net     *control.Network
	cfg     []config.Control
	index   map[string]int
	decl    []control.Declaration
	z, dz   []float64
	statics bool // something measured is static
	margins bool // or a stall margin
	timed   bool // a formula has the time in it
}

// number is where a parameter of a control stands, nil if there is none.
func (k *controls) number(name, param string) *float64 {
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

// value is where a control's signal or parameter stands, nil if there is none.
func (k *controls) value(name, what string) *float64 {
	if i, ok := k.index[name]; ok && what == "out" {
		return k.net.Signal(i)
	}
	return k.number(name, what)
}

// owns tells whether a number is one of the controls'.
func (k *controls) owns(at *float64) bool {
	for _, d := range k.decl {
		if slices.ContainsFunc(d.Numbers, func(n parameter.Number) bool { return n.At == at }) {
			return true
		}
	}
	return false
}
