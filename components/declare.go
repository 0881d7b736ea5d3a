package components

import (
	"io"
	"slices"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// The methods below are for the declaring component. Each adds to the executive's lists and, in the same order, to
// Type, the description that the user sees. Docs are phrases without a full stop.

// Describe gives the component's kind its name, as in `type: compressor`, and a
// sentence of documentation.
func (d *Declaration) Describe(name, doc string) { d.Type.Name, d.Type.Doc = name, doc }

// Also declares what other programs call the type.
func (d *Declaration) Also(names ...string) { d.Type.Also = names }

// Zoomable declares that a flow solver may take the place of the component's map, or give some of its parameters.
func (d *Declaration) Zoomable() { d.Type.Zoomable = true }

// Number declares a parameter that is a quantity of a dimension.
func (d *Declaration) Number(name string, at *float64, dim unit.Dimension, doc string) parameter.Declared {
	return parameter.Declare(&d.Numbers, &d.Type.Params, name, at, dim, doc)
}

// param adds a parameter and returns its index.
func (d *Declaration) param(p config.Param) int {
	d.Type.Params = append(d.Type.Params, p)
	return len(d.Type.Params) - 1
}

// WordParam is a word that was declared.
type WordParam struct {
	d     *Declaration
	param int
}

// Word declares a parameter with a fixed set of words; the default is the first.
func (d *Declaration) Word(name string, at *string, doc string, words ...string) WordParam {
	d.Words = append(d.Words, Choice{name, at})
	return WordParam{d, d.param(config.Param{Name: name, Kind: config.Word, Words: words, Default: words[0], Doc: doc})}
}

// Default makes another word the default.
func (w WordParam) Default(word string) { w.d.Type.Params[w.param].Default = word }

// Flag declares a parameter that is true or false, by default false.
func (d *Declaration) Flag(name string, at *bool, doc string) {
	d.Flags = append(d.Flags, Switch{name, at})
	d.param(config.Param{Name: name, Kind: config.Flag, Default: false, Doc: doc})
}

// Map declares a parameter that names a performance map of a kind.
func (d *Declaration) Map(name string, kind perfmap.Kind, user MapUser, doc string) {
	d.Maps = append(d.Maps, MapSlot{name, kind, user})
	d.param(config.Param{Name: name, Kind: config.File, Doc: doc})
}

// File declares a parameter that names a file; see FileSlot.
func (d *Declaration) File(name string, read func(io.Reader) (any, error), set func(any), doc string) {
	d.Files = append(d.Files, FileSlot{name, read, set})
	d.param(config.Param{Name: name, Kind: config.File, Doc: doc})
}

// FlowPort is a flow port that was declared.
type FlowPort struct {
	d         *Declaration
	out, port int // out: -1 of an inlet
}

// port adds a port and returns its index.
func (d *Declaration) port(p config.Port) int {
	d.Type.Ports = append(d.Type.Ports, p)
	return len(d.Type.Ports) - 1
}

// In declares an inlet.
func (d *Declaration) In(port string, at **flow.Station, doc string) FlowPort {
	d.Inlets = append(d.Inlets, InPort{port, at})
	return FlowPort{d, -1, d.port(config.Port{Name: port, Kind: config.Flow, Dir: config.In, Doc: doc})}
}

// Out declares an outlet.
func (d *Declaration) Out(port string, at *flow.Station, doc string) FlowPort {
	d.Outlets = append(d.Outlets, OutPort{Port: port, At: at})
	return FlowPort{
		d, len(d.Outlets) - 1, d.port(config.Port{Name: port, Kind: config.Flow, Dir: config.Out, Doc: doc}),
	}
}

// Ahead declares a station within the component that follows from its inlets alone, whatever
// its parameters and unknowns are.
func (d *Declaration) Ahead(port string, at *flow.Station, doc string) {
	d.Inside(port, at, doc)
	for i := range d.Outlets {
		d.Outlets[i].Ahead = d.Outlets[i].Ahead || d.Outlets[i].Port == port
	}
}

// Sized gives an outlet an area, m2, which follows from a Mach number at design.
func (p FlowPort) Sized(mn, area *float64) {
	p.d.Outlets[p.out].MN, p.d.Outlets[p.out].Area = mn, area
	p.d.Fix(area)
}

// Stream numbers the stream of the port, above 0, in a component with several unmixed streams: an inlet and an outlet
// of one stream have the same number.
func (p FlowPort) Stream(number int) { p.d.Type.Ports[p.port].Stream = number }

// Inside declares a readable station within the component. The stream passes such stations before the outlets; they are
// listed in that order.
func (d *Declaration) Inside(port string, at *flow.Station, doc string) {
	first := slices.IndexFunc(d.Outlets, func(o OutPort) bool { return !o.Internal })
	if first < 0 {
		first = len(d.Outlets)
	}
	d.Outlets = slices.Insert(d.Outlets, first, OutPort{Port: port, At: at, Internal: true})
	d.port(config.Port{Name: port, Kind: config.Flow, Dir: config.Out, Internal: true, Doc: doc})
}

// BleedsOut declares a port for any number of leaving bleeds.
func (d *Declaration) BleedsOut(port string, at *[]*Bleed, doc string) {
	d.BleedOuts = append(d.BleedOuts, BleedPort{port, at})
	d.port(config.Port{Name: port, Kind: config.Flow, Dir: config.Out, Optional: true, Bleed: true, Doc: doc})
}

// BleedsIn declares a port for any number of entering bleeds.
func (d *Declaration) BleedsIn(port string, at *[]*Bleed, doc string) {
	d.BleedIns = append(d.BleedIns, BleedPort{port, at})
	d.port(config.Port{Name: port, Kind: config.Flow, Dir: config.In, Optional: true, Bleed: true, Doc: doc})
}

// DrivenBy declares a port through which a shaft gives the component power.
func (d *Declaration) DrivenBy(port string, at *Coupling) {
	d.couple(at, config.Port{Name: port, Kind: config.Shaft, Dir: config.In, Doc: "the shaft that drives it"})
}

// Drives declares a port through which the component gives a shaft power.
func (d *Declaration) Drives(port string, at *Coupling) {
	d.couple(at, config.Port{Name: port, Kind: config.Shaft, Dir: config.Out, Doc: "the shaft that it drives"})
}

// FedBy declares a port through which an electric bus may give the component power.
func (d *Declaration) FedBy(port string, at *Coupling, doc string) {
	d.couple(at, config.Port{Name: port, Kind: config.Electric, Dir: config.In, Optional: true, Doc: doc})
}

// Feeds declares a port through which the component may give an electric bus power.
func (d *Declaration) Feeds(port string, at *Coupling, doc string) {
	d.couple(at, config.Port{Name: port, Kind: config.Electric, Dir: config.Out, Optional: true, Doc: doc})
}

func (d *Declaration) couple(at *Coupling, p config.Port) {
	d.Couplings = append(d.Couplings, CouplingPort{p.Name, at})
	d.port(p)
}

// Fix declares values that the design solve leaves for off-design.
func (d *Declaration) Fix(values ...*float64) { d.Fixed = append(d.Fixed, values...) }

// Guess declares values from which the next Eval starts its iterations. They change its results by rounding alone; a
// caller that needs identical bits must keep them.
func (d *Declaration) Guess(values ...*float64) { d.Guesses = append(d.Guesses, values...) }

// Unknown declares an unknown.
func (d *Declaration) Unknown(u Unknown) { d.Unknowns = append(d.Unknowns, u) }

// Residual declares a residual; the doc is the meaning of a value other than zero.
func (d *Declaration) Residual(name string, modes Mode, at *float64, doc string) {
	d.Residuals = append(d.Residuals, Residual{Name: name, Modes: modes, At: at, Doc: doc})
}

// SwitchedResidual declares a residual that counts only while a switch is on.
func (d *Declaration) SwitchedResidual(on *bool, name string, modes Mode, at *float64, doc string) {
	d.Residuals = append(d.Residuals, Residual{Name: name, Modes: modes, At: at, Doc: doc, On: on})
}

// State declares a state.
func (d *Declaration) State(s State) { d.States = append(d.States, s) }

// Store declares something that stores.
func (d *Declaration) Store(in Storage, held *Holding) { d.Stores = append(d.Stores, Store{in, held}) }

// Output declares an output of a dimension. Where it has no value it is NaN, which JSON leaves out.
func (d *Declaration) Output(name string, at *float64, dim unit.Dimension, doc string) {
	d.output(at, config.Output{Name: name, Dim: dim, Doc: doc})
}

// OutputBy declares an output that a parameter brings about, as a fuel-air ratio does
// a fuel flow: a schedule may then move the output, within bounds in SI.
func (d *Declaration) OutputBy(param string, least, most float64, name string, at *float64, dim unit.Dimension,
	doc string) {
	d.output(at, config.Output{Name: name, Dim: dim, Doc: doc, By: param, Min: least, Max: most})
}

func (d *Declaration) output(at *float64, o config.Output) {
	d.Outputs = append(d.Outputs, Value{o.Name, at})
	d.Type.Outputs = append(d.Type.Outputs, o)
}

// TypeOf describes the kind of a component that was not declared yet.
func TypeOf(c Component) *config.Type {
	d := &Declaration{}
	c.Declare(d)
	return &d.Type
}

// Declare returns the part's declaration with its parameters set.
func Declare(part Component, values config.Values) (*Declaration, error) {
	d := &Declaration{}
	part.Declare(d)
	parameter.Set(d.Numbers, values)
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
	if c, ok := part.(Checker); ok {
		if err := c.Check(); err != nil {
			return nil, err
		}
	}
	return d, nil
}
