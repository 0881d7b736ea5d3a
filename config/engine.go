package config

import (
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Engine is an engine file that passed every check.
type Engine struct {
	File       string   // path as given; files named in the engine are resolved against its folder
	Digest     string   // SHA-256 of the file's text and the --set options, hexadecimal
	Sets       []string // the --set options
	Name       string   // `engine:`
	DesignCase string   // name of the design case: `design_case:`, default "design"
	Gas        Gas
	Components []Component // in the order of the file
	Links      []Link      // from the `flow` chains, in the order of the file
	Bleeds     []Bleed
	Shafts     []ShaftEntry
	Buses      []ShaftEntry
	Controls   []Control // of transients
	Design     []Balance
	Cases      []Case  // without the design case
	Limits     []Limit // of every case
	Sweeps     []Sweep
	Solvers    []SolverProgram // flow solvers of the engine's own
	Zooms      []Zoom
	Rules      []Rule
	Functions  []Function       // that the rules use
	Trace      *recording.Trace // nil: that of the settings
}

// Gas is the `gas` section.
type Gas struct {
	Model string // "frozen" or "equilibrium"
	Fuel  Fuel
	WAR   float64 // water-air ratio of the ambient air, by mass
	// WARPos is the place of WAR in the file; zero: it is not given.
	WARPos document.Pos
	// Convention of atomic masses and of entropy's pressure: "standard" (also if
	// empty) or "pycycle", for comparison with its results.
	Convention string
	Pos        document.Pos
}

// Fuel is the `gas.fuel` section. Exactly one of LHV and Enthalpy is given.
type Fuel struct {
	Name     string   // "Jet-A", "JP-7", "H2", "CH4", or the user's own
	Formula  string   // such as "C12H23"; empty: that of the named fuel
	LHV      *float64 // lower heating value at 298.15 K, J/kg
	Enthalpy *float64 // absolute enthalpy (elements at 298.15 K are 0), J/kg
	Pos      document.Pos
}

// Component is an entry of `components`.
type Component struct {
	Name     string
	Type     *Type
	Values   Values
	Stations map[string]string // port -> SAE AS755 station number, from the key `stations`
	Pos      document.Pos
}

// Endpoint is a port of a component.
type Endpoint struct{ Component, Port string }

func (e Endpoint) String() string { return e.Component + "." + e.Port }

// Link joins an outlet to an inlet.
type Link struct {
	From, To Endpoint
	Pos      document.Pos
}

// Bleed is an entry of `bleeds`: a stream from one component's bleed outlet to another's bleed inlet, outside the flow
// chains.
type Bleed struct {
	Name   string // `name:`, default "from-to" with a number if that is taken
	From   string // component
	To     string // component; empty: overboard (customer bleed)
	Values Values // parameters of Catalogue.Bleed
	Pos    document.Pos
}

// ShaftEntry is an entry of `shafts`, or of `buses`, with the keys `feeds` and `fed_by` instead of `drives` and
// `driven_by`.
type ShaftEntry struct {
	Name     string
	Values   Values     // parameters of Catalogue.Shaft or Catalogue.Bus
	Drives   []Endpoint // ports that take power
	DrivenBy []Endpoint // ports that give power
	Pos      document.Pos
}

// Balance is `{vary: path, until: path = value}`.
type Balance struct {
	Vary   string // a parameter: component.parameter, or shaft.parameter
	Until  string // an output: component.output, component.port.field, shaft.output, performance.field
	Target float64
	Unit   string   // that the target is written with, such as degR; empty: a bare number
	Min    *float64 // bounds of the varied parameter, SI
	Max    *float64
	At     string // only in `design`: the case of the target; empty: the design case itself
	Pos    document.Pos
}

// Limit is `{path: hpt.rotor.Tt, max: 1700 K}`: an operating point must keep an output within the limit. At least one
// of Min and Max is given.
type Limit struct {
	Path string // an output, as in Balance.Until
	Dim  unit.Dimension
	Min  *float64 // SI
	Max  *float64
	Vary string // varied parameter that gives way, and its target with it; empty: the first of `solve`
	Pos  document.Pos
}

// Setting is an entry of a case's `set`, or of --set: a parameter and its value.
type Setting struct {
	Path  string
	Value Value
	Pos   document.Pos
}

// Case is an entry of `cases`.
type Case struct {
	Name   string
	Kind   string // "offdesign" (default), "transient"
	From   string // case whose settings this case starts from; empty: the design
	Set    []Setting
	Solve  []Balance // nil: as in From; empty: none
	Limits []Limit   // in addition to those of the engine
	// Transient is nil for an operating point. A transient starts at the solution of From. Parameters varied there keep
	// their values; Set and Solve hold from 0 s on.
	Transient *Transient
	Pos       document.Pos
}

// Act lets each rule take its action, as if all had `act: true`.
func (e *Engine) Act() {
	for i := range e.Rules {
		e.Rules[i].Act = true
	}
}

// Speed is the dimension of `N`: rpm at the edges and inside an Engine.
const Speed = unit.Speed

// Path resolves the name of a file that the engine names, against the engine file's folder.
func (e *Engine) Path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(e.File), file)
}

// Component returns the component of that name, or nil.
func (e *Engine) Component(name string) *Component {
	return find(e.Components, name, func(x *Component) string { return x.Name })
}

// Shaft returns the shaft of that name, or nil.
func (e *Engine) Shaft(name string) *ShaftEntry {
	return find(e.Shafts, name, func(x *ShaftEntry) string { return x.Name })
}

// Case returns the case of that name, or nil; the design case is none of them.
func (e *Engine) Case(name string) *Case {
	return find(e.Cases, name, func(x *Case) string { return x.Name })
}

// Sweep returns the sweep of that name, or nil.
func (e *Engine) Sweep(name string) *Sweep {
	return find(e.Sweeps, name, func(x *Sweep) string { return x.Name })
}

// Zoom returns the zoom of that component, or nil.
func (e *Engine) Zoom(component string) *Zoom {
	return find(e.Zooms, component, func(z *Zoom) string { return z.Component })
}

// Controls act in transients: sensors, controllers, schedules, selections and actuators. Each computes a signal from
// others, until a control moves a parameter of the engine.

// Control is an entry of `controls`.
type Control struct {
	Name string
	Kind string // name of its ControlType
	// Type has the parts that paths can name: its numbers, with the dimensions that follow from its connections, its
	// inputs that are given as values, and the output `out`.
	Type    *Type
	Values  Values   // parameters of Type, and words
	In      []Signal // inputs, in the order of the type's keys
	Dim     unit.Dimension
	Period  float64  // of sampling, s; 0: continuous
	Moves   Move     // the moved parameter; none if Path is empty
	Points  *Points  // of a table
	Formula *Formula // of a formula
	Pos     document.Pos
}

// Signal is an input of a control. Exactly one of Control, Path and Param is not empty.
type Signal struct {
	Control string // another control
	Path    string // an output of the engine, measured
	Param   string // a parameter of this control: the input is a value
	Dim     unit.Dimension
}

// Move is a parameter of the engine, or an output that follows from a parameter; see Output.By.
type Move struct {
	Path string
	Vary string // the parameter, if Path is an output
	Pos  document.Pos
}

// Points are the points of a table: a value for each of X, or for each of X and At.
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

// Transient holds the further keys of a case of kind transient: its duration, its changes to the engine, and its
// integration. Times are in s from the start.
type Transient struct {
	Duration   float64
	Schedules  []Schedule
	Integrator string  // one of Integrators; default "rosenbrock"
	RTol       float64 // relative tolerance of a step's error; default 1e-6
	// absolute tolerance of a shaft's speed, rpm; default 1e-3. That of other states is RTol of their size
	ATol float64
	// method for the start: "auto" (default), "newton" or "rk4", which integrates to a steady state
	Steady   string
	Every    float64    // spacing of the history, s; 0: the integrator's steps
	Save     []Quantity // outputs that the history has besides the usual ones
	FlameOut string     // "end" (default) or "continue": action after a flame-out
	Controls bool       // the engine's controls act; default true
	Plot     []Panel    // outputs drawn over time; nil: a plot for each column of the history
	Pos      document.Pos
}

// Panel is a part of a transient's picture: outputs of one dimension over time.
type Panel []Quantity

// Schedule is a parameter over time: linear between its points, constant before the first and after the last. Two
// points at the same time make a step.
type Schedule struct {
	Quantity // a parameter; or an output that follows from a parameter, see Output.By
	// Vary is empty for a parameter, which is set. Otherwise it is the parameter that is varied until the output Path
	// has the scheduled value.
	Vary   string
	T      []float64 // not falling
	Values []float64
	Pos    document.Pos
}

// Sweep is an entry of `sweeps`: a case solved at every point of a grid.
type Sweep struct {
	Name    string
	From    string     // case whose settings and balances this sweep starts from; empty: the design
	Over    []Axis     // the grid; the last path changes fastest from row to row
	Solve   []Balance  // empty: those of From
	Collect []Quantity // quantities stored for each point
	Plots   []Plot
	Pos     document.Pos
}

// Axis is an axis of a sweep's grid.
type Axis struct {
	Quantity
	Kind   AxisKind
	Values []float64 // SI, rpm for speeds; in the order of the file
	Pos    document.Pos
}

// AxisKind is the kind of quantity that an axis changes.
type AxisKind int

const (
	OverParameter AxisKind = iota // a parameter; if only the design uses it the sweep is a trade study
	OverTarget                    // the target of a balance of the sweep
	OverDesign                    // the target of a balance of the design: a trade study
)

// Quantity is a path to a value, with its dimension.
type Quantity struct {
	Path string
	Dim  unit.Dimension
}

// Plot is an entry of a sweep's `plot`. Without X it is a carpet over the two axes of the sweep.
type Plot struct {
	X, Y string // columns: an axis or a collected quantity
	// an axis with a curve for each of its values; empty: the last that is not X or Y, or the last two if neither is
	// an axis
	Lines string
	Pos   document.Pos
}

// Columns lists the axes and the collected quantities, the columns of a sweep's table.
func (s *Sweep) Columns() []Quantity {
	list := make([]Quantity, 0, len(s.Over)+len(s.Collect))
	for _, a := range s.Over {
		list = append(list, a.Quantity)
	}
	return append(list, s.Collect...)
}

// Axis returns the index of the axis with that path, or -1.
func (s *Sweep) Axis(path string) int {
	return slices.IndexFunc(s.Over, func(a Axis) bool { return a.Path == path })
}
