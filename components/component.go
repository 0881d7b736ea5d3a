// Package components holds the parts of an engine: inlet, fan, compressor, burner, turbine, mixer, nozzle, shaft. Each
// file holds one type and cites its equations.
//
// A component turns its inlet stations into outlet stations. It declares as unknowns the values that it cannot compute
// by itself (its place on the map, the split of a flow), and as many conditions as residuals. All components of an
// engine together give the square system F(y) = 0 that the executive solves. At the design point the unknowns differ
// (geometry is free, operation given); the components' equations are the same.
//
// A component refers to no other component, no solver and no file. Its Declare lists once all that a user or the
// executive can know of it: name, ports, parameters and outputs with their dimensions, defaults, bounds and docs, and
// its part in the engine's balances (stored, burnt, lost and added energy and mass). The catalogue that checks engine
// files follows from that. To add a component, write a file with its type and add an entry to the list of kinds.go.
// Above this package only zoom/machine names types: the components that can be zoomed.
package components

import (
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Component is a part of an engine.
type Component interface {
	// Declare lists the component's ports, parameters, unknowns, residuals, states and outputs. It is called once,
	// before the first Eval. It declares pointers into the component; all values are read and written through them.
	Declare(d *Declaration)
	// Eval computes outlets, residuals and outputs from inlets, parameters and unknowns. It does not allocate unless it
	// fails. An error means that the state is impossible: the solver takes a shorter step, and reports the last error
	// when it cannot shorten the step further.
	Eval(x *Context) error
}

// Mode selects the given and the unknown quantities of a calculation. It is a set, so that a declaration can name both
// modes.
type Mode uint8

const (
	Design    Mode = 1 << iota // operation given, geometry looked for
	OffDesign                  // geometry given, operation looked for
	Transient                  // besides: an unknown or residual only of an engine that stores, see Context
)

// Context is the input of an evaluation.
type Context struct {
	Gas  gas.Model
	Mode Mode // Design or OffDesign
	// Stores is whether volumes and metal store mass and heat: their states are given,
	// and their rates computed. It is so only off design, in a transient; otherwise they are at rest.
	Stores bool
}

// Only some components implement the interfaces below.

// Checker is a component whose parameters may contradict each other.
type Checker interface {
	// Check completes the parameters, or reports parameters that contradict each other. It is called once, when they
	// are set.
	Check() error
}

// Explainer is a component that can explain its residuals in more detail.
type Explainer interface {
	// Explain returns the values behind the residuals, for messages.
	Explain() string
}

// ShaftBalancer is a component with a parameter that a shaft's power balance finds at design, unless it is given: a
// turbine's pressure ratio, a load's or motor's power.
type ShaftBalancer interface {
	// BalancedByShaft returns that parameter as an unknown of the design, and whether it is unknown.
	BalancedByShaft() (Unknown, bool)
}

// MapUser is a component that works on a performance map.
type MapUser interface {
	// SetMap replaces the map. Absolute maps are used as they are; other maps are scaled so that their design point is
	// the component's. It fails if the component's design point is not on the map.
	SetMap(m *perfmap.Map, absolute bool) error
	// Map returns the map or nil, its scalars, and whether it is absolute (used unscaled).
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

// Rotor has one speed and inertia: a shaft with all parts that turn with it.
type Rotor interface {
	Speed() *float64  // rpm
	Inertia() float64 // polar moment of inertia, kg m2; 0: not given
	Driven() float64  // power from turbines and motors in the last evaluation, W
}

// Flame is a component whose flame may go out. Its methods report on the last evaluation.
type Flame interface {
	FAR() float64     // fuel-air ratio
	Burns() bool      // whether the flame does
	Lit() *float64    // parameter: 1 while the flame burns, else 0
	MayBlowOut() bool // whether its blow-out limit is known
	// Margin is the fuel-air ratio over its blow-out limit, less 1; infinite for a flame that never blows out or is
	// out.
	Margin() float64
}
