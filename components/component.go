// Package components holds what an engine is made of: inlet, fan, compressor,
// burner, turbine, mixer, nozzle, shaft. One type a file, its equations cited.
//
// A component turns its inlet stations into outlet stations. What it cannot know
// by itself it declares as unknowns (where on its map it works, how a flow
// splits), and what must come true in return as residuals. All components of an
// engine together give the square system F(y) = 0 that the executive solves; at
// the design point the unknowns are other ones (geometry is free, operation
// given), the equations of the components are the same.
//
// A component refers to no other component, no solver and no file. Its Declare lists all
// that a user or the executive can know of it, once: name, ports, parameters and outputs
// with their dimensions, defaults, bounds and docs, and its part in the engine's balances
// (what it stores, burns, loses, takes in from outside). The catalogue that engine files are
// checked against follows from that. So a component is added by a file with its type, and an
// entry in the list of kinds.go; above this package only zoom/machine names types, those that
// can be zoomed.
package components

import (
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Component is a part of an engine.
type Component interface {
	// Declare lists the component's ports, parameters, unknowns, residuals, states
	// and outputs. It is called once, before the first Eval; what it declares are
	// pointers into the component, through which all values are read and written.
	Declare(d *Declaration)
	// Eval computes outlets, residuals and outputs from inlets, parameters and
	// unknowns. It makes no garbage unless it fails. An error says that such a state cannot
	// be: the solver takes a shorter step, and reports the last one where no step is left.
	Eval(x *Context) error
}

// Mode is what is given and what is looked for. It is a set, so that a
// declaration can name both.
type Mode uint8

const (
	Design    Mode = 1 << iota // operation given, geometry looked for
	OffDesign                  // geometry given, operation looked for
	Transient                  // besides: an unknown or residual only of an engine that stores, see Context
)

// Context is what an evaluation is given.
type Context struct {
	Gas  gas.Model
	Mode Mode // Design or OffDesign
	// Stores is whether volumes and metal store mass and heat: their states are given,
	// and their rates computed. It is so only off design, in a transient; otherwise they are at rest.
	Stores bool
}

// The interfaces below are those of some components only.

// Checker is a component whose parameters may contradict each other.
type Checker interface {
	// Check completes the parameters, or reports those that contradict each other. It is
	// called once, when they are set.
	Check() error
}

// Explainer is a component that can say more of its residuals.
type Explainer interface {
	// Explain returns the values behind the residuals, for messages.
	Explain() string
}

// ShaftBalancer is a component with a parameter that a shaft's power balance finds at
// design, unless it is given: a turbine's pressure ratio, a load's or motor's power.
type ShaftBalancer interface {
	// BalancedByShaft returns that parameter as an unknown of the design, and
	// whether it is one.
	BalancedByShaft() (Unknown, bool)
}

// MapUser is a component that works on a performance map.
type MapUser interface {
	// SetMap replaces the map. Absolute maps are used as they are, others are
	// scaled so that their design point is the component's. It fails if the place
	// that the component has for its design point is not on the map.
	SetMap(m *perfmap.Map, absolute bool) error
	// Map returns the map, nil if there is none, its scalars, and whether it is
	// used as it is.
	Map() (m *perfmap.Map, s perfmap.Scale, absolute bool)
	// MakeMap makes a generic map from the design point, once that is known.
	MakeMap(name string) (*perfmap.Map, error)
	// Edge returns the bounds of the map that the last evaluation passed.
	Edge() perfmap.Edge
}

// Stalling is a component that stalls where its map has a stall line.
type Stalling interface {
	// Margins computes the stall margins among the outputs. No equation needs them,
	// so Eval leaves them out.
	Margins()
}

// Governor is a component that may keep the speed of its shaft.
type Governor interface {
	// Governs reports whether it does, at once: in a transient such a shaft does not
	// move by its inertia.
	Governs() bool
}

// Rotor turns at one speed and has inertia: a shaft with all that turns with it.
type Rotor interface {
	Speed() *float64  // rpm
	Inertia() float64 // polar moment of inertia, kg m2; 0: not given
	Driven() float64  // power that turbines and motors gave it in the last evaluation, W
}

// Flame is a component whose flame may go out. Its methods report on the last evaluation.
type Flame interface {
	FAR() float64     // fuel-air ratio
	Burns() bool      // whether the flame does
	Lit() *float64    // parameter that is 1 while it does and 0 while it does not
	MayBlowOut() bool // whether it is known where it goes out
	// Margin is the fuel-air ratio over that at which the flame goes out, less 1;
	// infinite where it never does or is out.
	Margin() float64
}
