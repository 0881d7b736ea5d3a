package config

import (
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Catalogue describes the possible contents of an engine file: the component types with their ports, parameters and
// outputs. Package config knows no component: the caller of [Load] provides the catalogue. JSON Schema and the
// reference documentation use the same catalogue.
type Catalogue struct {
	Types       []*Type // component types of the `components` section, in the order of the documentation
	Shaft       *Type   // parameters of an entry of `shafts`
	Bus         *Type   // parameters of an entry of `buses`
	Bleed       *Type   // parameters of an entry of `bleeds`
	Controls    []*ControlType
	Station     []Output // fields of a flow port, as in `burner.out.Tt`
	Performance []Output // fields of `performance`
	Solvers     []string // names of flow solvers that a zoom may name, besides the engine's own; empty: any name
	Builtin     []string // names of flow solvers that an engine's own cannot have
	Launchers   []string // names that a zoom's `hosts` may have; empty: any name
}

// Type describes a component type.
type Type struct {
	Name    string   // as in `type: compressor`
	Doc     string   // a single sentence
	Also    []string // what other programs call the type: an error about such a name gives this one
	Ports   []Port
	Params  []Param
	Outputs []Output
	// Zoomable reports whether a flow solver may replace the component's map, or compute some of its parameters.
	Zoomable bool
}

// PortKind is the kind of a port: flow, shaft power or electric power.
type PortKind int

const (
	Flow     PortKind = iota // gas
	Shaft                    // mechanical power at a speed
	Electric                 // electric power
)

// Direction is the direction of a port as seen from its component.
type Direction int

const (
	In Direction = iota
	Out
)

// Port is a connection of a component to another. A shaft port of direction In takes power (its shaft has the component
// in `drives`), and a shaft port of direction Out gives power (`driven_by`). For an electric port the keys are `feeds`
// and `fed_by` of its bus.
type Port struct {
	Name     string
	Kind     PortKind
	Dir      Direction
	Optional bool // may stay unconnected
	Bleed    bool // takes any number of entries of `bleeds`; never part of a flow chain
	Internal bool // a place within the component whose fields can be read; never connected
	Stream   int  // flow runs from an inlet only to the outlets of the same stream
	Doc      string
}

// ParamKind is the form of a parameter's value.
type ParamKind int

const (
	Number ParamKind = iota // a quantity with the dimension Param.Dim
	Word                    // a word of Param.Words
	Flag                    // true or false
	File                    // a path, relative to the engine file
	Text                    // any text
)

// Param is a key of a component in the engine file.
type Param struct {
	Name     string
	Kind     ParamKind
	Dim      unit.Dimension // Number only
	Default  any            // float64 in SI (rpm for speeds), string or bool; nil: no default
	Required bool           // must be given, in the file or by --set
	Min, Max float64        // Number only, inclusive, in SI; both 0: unbounded; infinite: no bound on that side
	Words    []string       // Word only
	Doc      string
	Also     []string // what other programs call it
}

// Output is a computed value that a path such as `hpc.PR` can name.
type Output struct {
	Name string
	Dim  unit.Dimension
	Doc  string
	// By is a parameter that brings the output about, as the fuel-air ratio does the
	// fuel flow: a schedule may then name the output. Empty: none.
	By       string
	Min, Max float64 // limits of scheduled values, inclusive; both 0: unbounded
}

// Type returns the component type of that name, or nil.
func (c *Catalogue) Type(name string) *Type {
	for _, t := range c.Types {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Port returns the port of that name, or nil.
func (t *Type) Port(name string) *Port {
	return find(t.Ports, name, func(x *Port) string { return x.Name })
}

// Param returns the parameter of that name, or nil.
func (t *Type) Param(name string) *Param {
	return find(t.Params, name, func(x *Param) string { return x.Name })
}

// Output returns the output of that name, or nil.
func (t *Type) Output(name string) *Output { return findOutput(t.Outputs, name) }

func findOutput(outputs []Output, name string) *Output {
	return find(outputs, name, func(o *Output) string { return o.Name })
}

// find returns the element of a list with that name, or nil.
func find[T any](list []T, name string, of func(*T) string) *T {
	for i := range list {
		if of(&list[i]) == name {
			return &list[i]
		}
	}
	return nil
}

// shaft, bus and bleed return the catalogue's entries, empty if it has none.
func (c *Catalogue) shaft() *Type { return orEmpty(c.Shaft, "shaft") }

func (c *Catalogue) bus() *Type { return orEmpty(c.Bus, "bus") }

func (c *Catalogue) bleed() *Type { return orEmpty(c.Bleed, "bleed") }

func orEmpty(t *Type, name string) *Type {
	if t == nil {
		return &Type{Name: name}
	}
	return t
}

// ControlType describes a kind of control. Dimensions of parameters may be
// LikeInput, LikeOutput or LikeChange.
type ControlType struct {
	Type
	Inputs []ControlInput
	// Same: the output and all inputs have one dimension. Alike: all inputs have the same dimension.
	Same, Alike bool
	Table       bool // has points
	Formula     bool // has an expression
	Unit        bool // may state the unit of its output
	// Check reports values that do not go together; nil: all do.
	Check func(Values) []Fault
}

// Fault describes an error in a parameter's value. Without a parameter it is an error of the whole entry.
type Fault struct{ Param, Message string }

// ControlInput is a key that takes a signal.
type ControlInput struct {
	Name     string
	Required bool
	Many     bool // a list
	Doc      string
}

// Dimensions of a control's parameters that follow from its connections.
const (
	LikeInput  unit.Dimension = "as the input"
	LikeOutput unit.Dimension = "as the output"
	LikeChange unit.Dimension = "as a change of the output"
)

// Follows reports whether a dimension is one of these.
func Follows(d unit.Dimension) bool { return d == LikeInput || d == LikeOutput || d == LikeChange }

// Value is a parameter's value: a number in SI (rpm for speeds), a word, text or path, or a flag.
type Value struct {
	Num  float64
	Text string
	Flag bool
	Set  bool // given in the file or by --set, not a default
	Pos  document.Pos
}

// Values holds parameters by name: the given parameters and those with a default.
type Values map[string]Value

// Has reports whether the parameter has a value, given or default.
func (v Values) Has(name string) bool { _, ok := v[name]; return ok }

// Num returns a number, or 0 if the parameter has no value.
func (v Values) Num(name string) float64 { return v[name].Num }
