package config

import (
	"path/filepath"

	"github.com/peregrine-sim/peregrine/config/document"
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
	Functions  []Function // that the rules use
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

// Value is a parameter's value: a number in SI (rpm for speeds), a word, text or path, or a flag.
type Value struct {
	Num  float64
	Text string
	Flag bool
	Set  bool // given in the file or by --set, not a default
	Pos  document.Pos
}

// Values holds parameters by name: those that were given and those that have a default.
type Values map[string]Value

// Has reports whether the parameter has a value, given or default.
func (v Values) Has(name string) bool { _, ok := v[name]; return ok }

// Num returns a number, or 0 if the parameter has no value.
func (v Values) Num(name string) float64 { return v[name].Num }

// Component is one entry of `components`.
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

// Bleed is one entry of `bleeds`: a stream from one component's bleed outlet to
// another's bleed inlet, outside the flow chains.
type Bleed struct {
	Name   string // `name:`, default "from-to" with a number if that is taken
	From   string // component
	To     string // component; empty: overboard (customer bleed)
	Values Values // parameters of Catalogue.Bleed
	Pos    document.Pos
}

// ShaftEntry is one entry of `shafts`, or of `buses`, where the keys are `feeds`
// and `fed_by` instead of `drives` and `driven_by`.
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
	Min    *float64 // bounds of the varied parameter, SI
	Max    *float64
	At     string // in `design` only: the case in which the target holds; empty: the design case itself
	Pos    document.Pos
}

// Limit is `{path: hpt.rotor.Tt, max: 1700 K}`: an output that an operating point
// must not pass. At least one of Min and Max is given.
type Limit struct {
	Path string // an output, as in Balance.Until
	Dim  unit.Dimension
	Min  *float64 // SI
	Max  *float64
	Vary string // which varied parameter gives way, and its target with it; empty: the first of `solve`
	Pos  document.Pos
}

// Setting is one entry of a case's `set`, or of --set: a parameter and its value.
type Setting struct {
	Path  string
	Value Value
	Pos   document.Pos
}

// Case is one entry of `cases`.
type Case struct {
	Name   string
	Kind   string // "offdesign" (default), "transient"
	From   string // case whose settings this one starts from; empty: the design
	Set    []Setting
	Solve  []Balance // nil: those of From; empty: none
	Limits []Limit   // besides those of the engine
	// Transient is nil for an operating point. A transient starts at the solution of
	// From. What that varied stays as it is then; Set and Solve hold from 0 s on.
	Transient *Transient
	Pos       document.Pos
}

// Zoom is one entry of `zoom`: a component whose behaviour comes from a flow solver.
type Zoom struct {
	Component string
	Solver    string // `solver` (or `fidelity`), as in the catalogue
	Geometry  string // path
	Method    string // one of ZoomMethods; default "map"
	// "line": one speed line at the engine's speed; "whole": the speeds of Speeds; default "line"
	Span   string
	Speeds []float64 // fractions of the design corrected speed, for span whole
	Runs   int       // runs a speed line, default 6
	// the errors that the results are to have, for runs in rounds; nil: Runs a speed line
	To    []Goal
	Most  int // runs in all rounds, 0: no limit
	Batch int // runs a round, default 4
	// relative difference of inputs up to which answers of earlier studies to other requests count; 0: none do
	Match float64
	Fresh bool // each run has a process of its own, also where the solver's take run after run
	// answers of earlier studies of the same machine count beside those of this one; default true
	Earlier bool
	Ends    Ends // of speed lines
	// what a transient does that leaves the map: "extend": it waits for runs that extend it (default); "extrapolate":
	// it goes on
	InTime string
	// cheaper runs that the model may correct: "coarse", the solver on its coarse mesh, or other solvers
	Priors   []document.Word
	Reynolds bool      // runs are made at the inlet state of the engine's design point
	Scale    string    // "design": scaled to the engine's design point (default); "absolute"
	Memory   int64     // bytes that each run may use, with all that it starts; 0: no limit
	Cores    float64   // time on processors per time that each run may use; 0: no limit
	Time     float64   // s that each run may take; 0: no limit
	Limits   RunLimits // what runs may use besides
	// launchers of which its runs may be placed, local among them or not; nil: the setting `launcher`
	Hosts    []document.Word
	Licences map[string]int           // that each run needs of those that a batch system counts, by name
	Verify   bool                     // one run in fifty is made twice, and both answers are compared
	Settings map[string]Value         // solver settings, checked against the solver's own description
	Failures map[string][]FailureStep // what follows failed runs, by class; a class that is not there has its default
	Pos      document.Pos
}

// Ends is whether and how well the ends of a zoomed component's speed lines are sought. Without Both and Off: stall
// ends, where something names a stall margin.
type Ends struct {
	Tolerance float64 // of the throttle, default 1 %
	Both      bool    // stall and choke, whatever is named
	Off       bool    // none
}

// Goal is an error that a result of the engine is to have.
type Goal struct {
	Path  string  // such as performance.TSFC; empty: thrust and its fuel consumption, or power and its
	Error float64 // relative
	Pos   document.Pos
}

// Rule is one entry of `rules`.
type Rule struct {
	Name     string
	When     string   // condition; empty: the built-in rule of this name, which is off until a file names it
	Or       []string // further conditions, of which one is enough
	Hold     int      // iterations in a row in which it is to hold; 0 is 1
	Priority int      // the higher ones are judged first
	Repeat   int      // iterations after which it fires again while it holds; 0: never
	Pause    int      // iterations after firing in which it is not judged
	Most     int      `json:",omitempty"` // actions in a run; 0: the usual number
	Severity string   // "info", "warning" or "error"
	Message  string
	Action   string             // "", one of the words, or the key of an action with a value
	Set      map[string]float64 // of the actions "set" and "rewind": the new values by name, SI
	SetTo    map[string]string  `json:",omitempty"` // of the same: expressions for further ones
	// of "checkpoint" and "rewind" the checkpoint's name, of "call" the function's, of "first" those of runs
	Target   string `json:",omitempty"`
	Argument string `json:",omitempty"` // of "call": a number, true, false or a text; empty: none
	Workers  int    `json:",omitempty"` // of "workers"
	// it is judged: "" or "host", or "run": in the solver's process, at each iteration
	Where  string      `json:",omitempty"`
	Act    bool        // the action is taken, not only noted
	Each   []Each      `json:",omitempty"` // facts that the conditions join, in their order
	Assert []Assertion `json:",omitempty"` // what it concludes as long as it holds
	Pos    document.Pos
	Places RulePlaces
}

// Each is a name in the conditions of a rule for each fact of a kind, in turn.
type Each struct {
	Name, Kind string // the kind run, or one that rules assert
	Pos        document.Pos
}

// Assertion is a fact that a rule asserts: expressions for its fields.
type Assertion struct {
	Kind   string
	Fields []AssertedField
	Pos    document.Pos
}

// AssertedField is a field of an asserted fact.
type AssertedField struct {
	Name, Value string // Value is an expression
	Pos         document.Pos
}

// RulePlaces are the places of a rule's values in the file, as far as they stand there.
type RulePlaces struct {
	When            []document.Pos // of each condition
	Message, Action document.Pos
}

// Condition is the place of a condition.
func (p RulePlaces) Condition(i int) document.Pos {
	if i < len(p.When) {
		return p.When[i]
	}
	return document.Pos{}
}

// Conditions lists the conditions of a rule.
func (r *Rule) Conditions() []string {
	if r.When == "" {
		return nil
	}
	return append([]string{r.When}, r.Or...)
}

// Function is one entry of `functions`: an expression with arguments that rules use by its name.
type Function struct {
	Name         string
	Arguments    []string
	Body         string
	Pos, BodyPos document.Pos
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
	for i := range e.Components {
		if e.Components[i].Name == name {
			return &e.Components[i]
		}
	}
	return nil
}

// Shaft returns the shaft of that name, or nil.
func (e *Engine) Shaft(name string) *ShaftEntry {
	for i := range e.Shafts {
		if e.Shafts[i].Name == name {
			return &e.Shafts[i]
		}
	}
	return nil
}

// Case returns the case of that name, or nil; the design case is none of them.
func (e *Engine) Case(name string) *Case {
	for i := range e.Cases {
		if e.Cases[i].Name == name {
			return &e.Cases[i]
		}
	}
	return nil
}

// Sweep returns the sweep of that name, or nil.
func (e *Engine) Sweep(name string) *Sweep {
	for i := range e.Sweeps {
		if e.Sweeps[i].Name == name {
			return &e.Sweeps[i]
		}
	}
	return nil
}

// Zoom returns the zoom of that component, or nil.
func (e *Engine) Zoom(component string) *Zoom {
	for i := range e.Zooms {
		if e.Zooms[i].Component == component {
			return &e.Zooms[i]
		}
	}
	return nil
}

// RunLimits bounds runs; what is zero has its default.
type RunLimits struct {
	Start      float64 // s until a solver answers that was started; default 30 s
	NoProgress float64 // s in which neither the solver nor its files report anything; default 5 min
	Processes  int     // at a time, with all that the solver starts; default none
	Disk       int64   // bytes of a run's folder; default none
	StudyDisk  int64   // bytes of the study's folder; default none
	Log        int64   // bytes of what a run prints; default the setting log-limit
	Reply      int64   // bytes of a reply of the solver; default what its description allows
}
