package config

import (
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Controls act in transients: sensors, controllers, schedules, selections and
// actuators. Each makes one signal of others, until one moves a parameter of the engine.

// Control is one entry of `controls`.
type Control struct {
	Name string
	Kind string // name of its ControlType
	// Type has what paths can name of it: its numbers, with the dimensions that follow
	// from what it is joined to, inputs that are given as values, and the output `out`.
	Type    *Type
	Values  Values   // parameters of Type, and words
	In      []Signal // inputs, in the order of the type's keys
	Dim     unit.Dimension
	Period  float64  // of sampling, s; 0: continuous
	Moves   Move     // what it moves; none if Path is empty
	Points  *Points  // of a table
	Formula *Formula // of a formula
	Pos     document.Pos
}

// Signal is an input of a control. Just one of Control, Path and Param is not empty.
type Signal struct {
	Control string // another control
	Path    string // an output of the engine, measured
	Param   string // a parameter of this control: the input is a value
	Dim     unit.Dimension
}

// Move is a parameter of the engine, or an output that one brings about, see Output.By.
type Move struct {
	Path string
	Vary string // the parameter, if Path is an output
	Pos  document.Pos
}

// Points are those of a table: one value for each of X, or for each of X and At.
type Points struct {
	X, At  []float64
	Values [][]float64
}

// Formula is an expression over signals and the time t, s, in the language of
// github.com/expr-lang/expr. Numbers in it are in SI, speeds in rpm.
type Formula struct {
	Text   string
	Inputs []string // names of the signals, in the order of the control's
	Timed  bool     // the time is in it
}
