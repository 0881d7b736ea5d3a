package components

import (
	"io"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Declaration is the description of a component. The methods of declare.go fill the
// lists; the pointers below them are set by the component where they apply to it.
type Declaration struct {
	Type config.Type // its kind, for engine files and documentation

	Numbers   []parameter.Number
	Words     []Choice
	Flags     []Switch
	Maps      []MapSlot
	Files     []FileSlot
	Inlets    []InPort
	Outlets   []OutPort // internal stations first
	Couplings []CouplingPort
	BleedOuts []BleedPort
	BleedIns  []BleedPort
	Unknowns  []Unknown
	Residuals []Residual
	States    []State
	Fixed     []*float64 // values that the design solve fixes for off-design: areas, map scalars, starting values
	Outputs   []Value
	Guesses   []*float64 // starting values of iterations within Eval, besides the outlets' temperatures; see Guess
	Stores    []Store

	Early   *Early
	Ambient *Freestream // the engine's surroundings; set by one component only
	// of the number that the engine file's gas gives where the component's entry does not: water by mass of dry air
	WAR    *float64
	Free   **Freestream // set by the executive for components that need the surroundings
	Thrust *float64     // gross thrust that the component makes, N
	Drag   *float64     // ram drag, N
	Fuel   *float64     // fuel burnt, kg/s
	Fed    *float64     // the output for the fuel fed to it, burning or not, kg/s
	Load   *float64     // shaft power delivered to outside the engine, W
	Heat   *float64     // heat added to its streams besides the fuel's enthalpy, W
	Lost   *float64     // shaft power lost to the surroundings, W
	Jet    *float64     // kinetic power of its inlet streams, which leave the engine through it, W

	Place   MapPlace   // where the component works, if it has a map
	LawUse  *LawUse    // of parameters that a flow solver may give; nil: none
	Margins []*float64 // outputs of Stalling; the first is at constant speed, percent

	// Compresses is set if shaft power raises the pressure of the component's one stream: the last such component ahead
	// of a burner has the core's flow.
	Compresses bool
	// Geared is set where the shafts at its ports turn at fixed ratios.
	Geared bool
	// Separates is set where, while it stores, its outlets follow from its states and
	// unknowns alone, not from its inlets.
	Separates bool
}

// Choice is a parameter with a fixed set of words.
type Choice struct {
	Name string
	At   *string
}

// Switch is a parameter that is true or false.
type Switch struct {
	Name string
	At   *bool
}

// MapSlot is a parameter that names a performance map.
type MapSlot struct {
	Name string
	Kind perfmap.Kind // that the map must be of
	User MapUser
}

// FileSlot is a parameter that names a file of another kind, such as a table. Read converts the file to an immutable
// value, which Set hands to the component; copies of an engine share it.
type FileSlot struct {
	Name string
	Read func(io.Reader) (any, error)
	Set  func(any)
}

// Early is a part of a component's evaluation that needs only the inlets among its ports. It runs as soon as they are
// known; its outlets are then known, too. So a stream can return to a component that it left.
type Early struct {
	Ports []string
	Eval  func(*Context) error
}

// InPort is a flow port; the executive points At at the upstream outlet.
type InPort struct {
	Port string
	At   **flow.Station
}

// OutPort is a flow port that the component owns. Internal stations (a turbine's rotor inlet) are outlets that cannot
// be connected.
type OutPort struct {
	Port     string
	At       *flow.Station
	Internal bool
	Ahead    bool // it follows from the inlets alone
	// Area, if not nil, holds the flow area fixed by the design, m2; the statics of the station follow from it.
	Area *float64
	// MN, if not nil, is the design Mach number from which Area follows.
	MN *float64
}

// Coupling joins a component to a shaft or an electric bus.
type Coupling struct {
	N      *float64 // the shaft's speed, rpm; nil on a bus
	Power  float64  // given to the shaft or bus, W; negative if taken
	Joined bool     // an electric port is on a bus
}

// CouplingPort is a shaft or electric port.
type CouplingPort struct {
	Port string
	At   *Coupling
}

// BleedPort is where bleeds leave or enter; the executive fills the list.
type BleedPort struct {
	Port string
	At   *[]*Bleed
}

// Unknown is a value that the solver looks for.
type Unknown struct {
	Name     string
	Modes    Mode
	At       *float64
	Min, Max *float64   // bounds; nil: none
	Typical  float64    // magnitude, for scaling steps
	On       *bool      // counts only while true; nil: always
	Scaling  Similarity // how it scales with the state of the air at the engine's face
}

// Similarity is the scaling of a value with delta and theta, the total pressure and temperature of the air at the
// engine's face over those of the standard day, at constant corrected flows and speeds. A solver's initial guess uses
// it.
type Similarity int

const (
	Unscaled Similarity = iota
	AsFlow              // as delta/sqrt(theta)
	AsSpeed             // as sqrt(theta)
)

// Residual is a dimensionless value that the solver makes zero.
type Residual struct {
	Name  string
	Modes Mode
	At    *float64
	Doc   string // meaning of a value other than zero, for messages
	On    *bool  // counts only while true; nil: always
}

// State is a value that evolves in a transient: it is an input there, and the component computes its rate of change. At
// rest its rate is zero.
type State struct {
	Name string
	At   *float64
	// Rate is where Eval leaves its change per second.
	Rate *float64
	// Typical is its magnitude, for tolerances and differences, where it starts; nil: 1.
	Typical *float64
	Dim     unit.Dimension
	// Unknown and Residual name the component's off-design unknown and residual that the state replaces in a transient:
	// at rest a solver finds the state from its rate. Without them the state exists only while Context.Stores;
	// otherwise each Eval sets it to its value at rest.
	Unknown, Residual string
	Of                Species     // the species that it counts; constant where that species cannot come
	On                func() bool // counts only while true; nil: always
}

// Species is the kind of matter that a state may count.
type Species int

const (
	Anything Species = iota
	Fuel             // only comes from burners
	Water            // only comes from the ambient
)

// Store is a part of a component that stores mass or energy of its streams.
type Store struct {
	In   Storage
	Held *Holding
}

// Storage is the medium of a Store.
type Storage int

const (
	Gas   Storage = iota // mass and energy
	Metal                // heat
)

// Holding is the content of a store and its rate of growth, of the last evaluation.
type Holding struct {
	Mass   float64 // growth of the mass, kg/s
	Power  float64 // growth of the energy, W
	Energy float64 // stored energy, J; of gas with its absolute enthalpies

	Air, Fuel, Water float64 // stored masses, kg
}

// Value is an output.
type Value struct {
	Name string
	At   *float64
}

// MapPlace is an operating point on a map: corrected flow, kg/s, pressure ratio and efficiency.
type MapPlace struct{ Wc, PR, Eff *float64 }

// counts reports whether something that hangs on a switch takes part.
func counts(on *bool) bool { return on == nil || *on }

// In reports whether the mode has the unknown.
func (u *Unknown) In(mode Mode) bool { return u.Modes&mode != 0 && counts(u.On) }

// In reports whether the mode has the residual.
func (r *Residual) In(mode Mode) bool { return r.Modes&mode != 0 && counts(r.On) }

// Bleed is a stream from a compressor to a turbine or overboard.
//
// It leaves with the flow W_b = W W_in of its source, after the fraction `work` of the source's enthalpy rise and
// `pressure` of its pressure rise. It enters a turbine at Pt_out + enters (Pt_in - Pt_out); a non-chargeable bleed is
// mixed in ahead of the rotor instead, before the turbine's expansion.
type Bleed struct {
	share, work, pressure float64
	enters                float64
	nonchargeable         bool

	flow flow.Station
}
