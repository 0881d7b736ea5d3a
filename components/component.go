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
// A component knows no other component, no solver and no file.
package components

import (
	"fmt"
	"io"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Component is a part of an engine.
type Component interface {
	// Declare lists the component's ports, parameters, unknowns, residuals, states
	// and outputs. It is called once, before the first Eval; what it declares are
	// pointers into the component, through which all values are read and written.
	Declare(d *Declaration)
	// Eval computes outlets, residuals and outputs from inlets, parameters and
	// unknowns. It makes no garbage unless it fails.
	Eval(x *Context) error
}

// Mode says what is given and what is looked for. It is a set, so that a
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
	// Stores says that volumes and metal store mass and heat: their states are given,
	// and their rates wanted. It is so only off design, in a transient; otherwise they are at rest.
	Stores bool
}

// Declaration collects what a component says of itself.
type Declaration struct {
	Numbers   []Number
	Words     []Choice
	Flags     []Switch
	Maps      []MapSlot
	Files     []FileSlot
	Inlets    []InPort
	Outlets   []OutPort
	Couplings []CouplingPort
	Early     *Early
	BleedOuts []BleedPort
	BleedIns  []BleedPort
	Unknowns  []Unknown
	Residuals []Residual
	States    []State
	Fixed     []*float64 // what the design solve leaves for off-design: areas, map scalars, starting values
	Outputs   []Value
	Guesses   []*float64   // what iterations within Eval start from, besides the outlets' temperatures; see Guess
	Free      **Freestream // set by the executive for components that need the ambient state
	Thrust    *float64     // gross thrust that the component makes, N
	Drag      *float64     // ram drag that it takes, N
	Fuel      *float64     // fuel that it burns, kg/s
	Load      *float64     // shaft power that leaves the engine through it, W
	Heat      *float64     // heat that it adds to its streams besides the fuel's enthalpy, W
	Store     *Store       // what it holds of its streams' mass and energy
}

// Number is a parameter that a case may set or vary.
type Number struct {
	Name  string
	At    *float64
	Given *bool // told whether the file gives it; may be nil
	// DesignOnly marks parameters that fix the geometry and have no effect later.
	DesignOnly bool
}

// Choice is a parameter that is one of several words.
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
	User MapUser
}

// FileSlot is a parameter that names a file of another kind, such as a table. Read
// makes something of the file that does not change any more, which Set hands to the
// component; copies of an engine share it.
type FileSlot struct {
	Name string
	Read func(io.Reader) (any, error)
	Set  func(any)
}

// Early is a part of a component's work that needs only the inlets among its ports
// and is done as soon as they are there; its outlets then are, too. So a stream can
// come back to a component that it left.
type Early struct {
	Ports []string
	Eval  func(*Context) error
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
	// scaled so that their design point is the component's. It fails if the design
	// point that the component asks for is not on the map.
	SetMap(m *perfmap.Map, absolute bool) error
	// Map returns the map, nil if there is none, its scalars, and whether it is
	// used as it is.
	Map() (m *perfmap.Map, s perfmap.Scale, absolute bool)
	// MakeMap makes a generic map from the design point, once that is known.
	MakeMap(name string) (*perfmap.Map, error)
	// Edge tells which bounds of the map the last evaluation passed.
	Edge() perfmap.Edge
}

// InPort is a flow port; the executive points At at the upstream outlet.
type InPort struct {
	Port string
	At   **flow.Station
}

// OutPort is a flow port that the component owns. Internal stations (a turbine's
// rotor inlet) are outlets that nothing can be connected to.
type OutPort struct {
	Port     string
	At       *flow.Station
	Internal bool
	// Area, where not nil, holds the flow area that the design fixed, m2; the
	// statics of the station follow from it.
	Area *float64
	// MN, where not nil, is the design Mach number from which Area follows.
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
	Min, Max *float64 // bounds; nil: none
	Typical  float64  // magnitude, for scaling steps
	On       *bool    // counts only while true; nil: always
}

// Residual is a dimensionless value that the solver makes zero.
type Residual struct {
	Name  string
	Modes Mode
	At    *float64
	Doc   string // what it means that it is not zero, for messages
	On    *bool  // counts only while true; nil: always
}

// State is a value that moves by itself in a transient: it is given there, and the
// component says how fast it changes. At rest its rate is zero.
type State struct {
	Name string
	At   *float64
	// Rate is where Eval leaves its change per second.
	Rate *float64
	// Typical is its magnitude, for tolerances and differences, where it starts; nil: 1.
	Typical *float64
	Dim     unit.Dimension
	// Unknown and Residual name those of the component, off design, that the state
	// takes the place of in a transient: at rest a solver finds the state from its rate.
	// Without them the state is there only while Context.Stores; otherwise each Eval
	// leaves it where it is at rest.
	Unknown, Residual string
	Of                Species     // what it counts; it stays as it is where none of that can come
	On                func() bool // counts only while true; nil: always
}

// Species is what a state may count.
type Species int

const (
	Anything Species = iota
	Fuel             // which only comes from burners
	Water            // which only comes from the ambient
)

// Store is what a component holds of mass and energy that came with its streams.
type Store struct {
	Mass   float64 // by which it grows, kg/s
	Power  float64 // by which its energy grows, W
	Energy float64 // that it holds, J

	Air, Fuel, Water float64 // that it holds, kg
}

// Value is an output.
type Value struct {
	Name string
	At   *float64
}

// The methods below are for the declaring component.

// Number declares a parameter.
func (d *Declaration) Number(name string, at *float64) {
	d.Numbers = append(d.Numbers, Number{Name: name, At: at})
}

// DesignNumber declares a parameter that only the design uses.
func (d *Declaration) DesignNumber(name string, at *float64) {
	d.Numbers = append(d.Numbers, Number{Name: name, At: at, DesignOnly: true})
}

// OptionalNumber declares a parameter whose absence means something.
func (d *Declaration) OptionalNumber(name string, at *float64, given *bool) {
	d.Numbers = append(d.Numbers, Number{Name: name, At: at, Given: given, DesignOnly: true})
}

// BalancedNumber declares a parameter that a shaft's balance finds at design unless
// it is given; off design a case may set or vary it.
func (d *Declaration) BalancedNumber(name string, at *float64, given *bool) {
	d.Numbers = append(d.Numbers, Number{Name: name, At: at, Given: given})
}

// Word declares a choice.
func (d *Declaration) Word(name string, at *string) {
	d.Words = append(d.Words, Choice{name, at})
}

// Flag declares a switch.
func (d *Declaration) Flag(name string, at *bool) {
	d.Flags = append(d.Flags, Switch{name, at})
}

// In declares an inlet.
func (d *Declaration) In(port string, at **flow.Station) {
	d.Inlets = append(d.Inlets, InPort{port, at})
}

// Out declares an outlet.
func (d *Declaration) Out(port string, at *flow.Station) {
	d.Outlets = append(d.Outlets, OutPort{Port: port, At: at})
}

// OutSized declares an outlet whose area follows from a Mach number at design.
func (d *Declaration) OutSized(port string, at *flow.Station, mn, area *float64) {
	d.Outlets = append(d.Outlets, OutPort{Port: port, At: at, MN: mn, Area: area})
	d.Fix(area)
}

// Shaft declares a shaft port.
func (d *Declaration) Shaft(port string, at *Coupling) {
	d.Couplings = append(d.Couplings, CouplingPort{port, at})
}

// Fix declares values that the design solve leaves for off-design.
func (d *Declaration) Fix(values ...*float64) { d.Fixed = append(d.Fixed, values...) }

// Guess declares values that one Eval leaves for the next to start its iterations from.
// They change what it gives by rounding alone; who wants it to the last bit keeps them.
func (d *Declaration) Guess(values ...*float64) { d.Guesses = append(d.Guesses, values...) }

// Unknown declares an unknown.
func (d *Declaration) Unknown(u Unknown) { d.Unknowns = append(d.Unknowns, u) }

// Residual declares a residual.
func (d *Declaration) Residual(name string, modes Mode, at *float64, doc string) {
	d.Residuals = append(d.Residuals, Residual{Name: name, Modes: modes, At: at, Doc: doc})
}

// State declares a state.
func (d *Declaration) State(s State) { d.States = append(d.States, s) }

// counts reports whether something that hangs on a switch takes part.
func counts(on *bool) bool { return on == nil || *on }

// In reports whether the unknown is one of the mode's.
func (u *Unknown) In(mode Mode) bool { return u.Modes&mode != 0 && counts(u.On) }

// In reports whether the residual is one of the mode's.
func (r *Residual) In(mode Mode) bool { return r.Modes&mode != 0 && counts(r.On) }

// Output declares an output.
func (d *Declaration) Output(name string, at *float64) {
	d.Outputs = append(d.Outputs, Value{name, at})
}

// New makes the component of a checked file entry. Numbers, words and flags are
// set; maps, ports and unknowns are the executive's.
func New(c *config.Component) (Component, *Declaration, error) {
	for _, k := range kinds {
		if k.typ.Name == c.Type.Name {
			part := k.make()
			d, err := Declare(part, c.Values)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			return part, d, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: there is no component type %q", c.Name, c.Type.Name)
}

// Declare returns the part's declaration with its parameters set.
func Declare(part Component, values config.Values) (*Declaration, error) {
	d := &Declaration{}
	part.Declare(d)
	for _, n := range d.Numbers {
		v, ok := values[n.Name]
		if ok {
			*n.At = v.Num
		}
		if n.Given != nil {
			*n.Given = ok
		}
	}
	for _, w := range d.Words {
		if v, ok := values[w.Name]; ok {
			*w.At = v.Text
		}
	}
	for _, f := range d.Flags {
		if v, ok := values[f.Name]; ok {
			*f.At = v.Flag
		}
	}
	if c, ok := part.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	return d, nil
}
