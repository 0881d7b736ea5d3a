package perfmap

import (
	"math"
	"slices"
	"strings"
)

// Kind is the kind of turbomachine that a map describes.
type Kind string

const (
	Compressor Kind = "compressor" // fan or compressor: Wc, PR, eff over (Nc, Rline or beta)
	Turbine    Kind = "turbine"    // Wp, eff over (Nc, PR)
)

// Interp is how values between the points of a map are found.
type Interp string

const (
	// Monotone is the default, also for the empty Interp: monotone bicubic
	// Hermite in (Nc, X), linear in alpha. C1 in Nc and X, no overshoot.
	Monotone Interp = "monotone"
	// Linear is multilinear, as pyCycle reads its maps. C0.
	Linear Interp = "linear"
	// Lagrange2 is the second-order Lagrange polynomial through points i, i+1,
	// i+2 of each axis, i the left end of the interval (the last three points
	// in the last two intervals), as NPSS reads its maps. C0.
	Lagrange2 Interp = "lagrange2"
	// Lagrange3 is the third-order Lagrange polynomial through points i-1 to i+2 of each axis (the first or last four
	// at its ends), the other method of NPSS. C0.
	Lagrange3 Interp = "lagrange3"
)

// Map is a performance map. [New] checks it and prepares it for lookups; after that it must not be changed, and is safe
// for concurrent use.
type Map struct {
	Name   string
	Kind   Kind
	Interp Interp    // empty: Monotone
	Alpha  []float64 // stator setting, rising, at least one value
	Nc     []float64 // speed, rising; relative (1 = design) or rpm, whatever the source uses
	X      []float64 // third axis, rising, at least two values
	XName  string    // "Rline", "beta" or "PR"
	Tables []Table   // each of len(Alpha)*len(Nc)*len(X) values
	Design Point     // point that is scaled to a component's design point
	Stall  *float64  // X on the stall line; nil: see StallLine
	Origin *Origin   // provenance; nil: unknown

	InterpAlpha Interp    // along alpha, if not as Interp (Monotone: Linear); never Monotone
	Extrap      Extrap    // how the map continues outside its bounds
	StallLine   []float64 // X on the stall line at each Nc, where Stall is nil; nil: no stall line

	limits []limit // per table: how far a continuation may go

	flow      int     // table of the flow
	effs      []int   // tables of efficiency
	lo, hi    int     // the part of a compressor's X from which it is continued; see trusted
	chokeHigh bool    // of a compressor: choke is at the end of X
	standFlow float64 // of a compressor; see standstill
	standLoss float64
	best      float64   // of a turbine: the highest efficiency
	nodes     []float64 // monotone only: [alpha][nc][x][table][4] of f, df/dNc, df/dX, d2f/dNc dX
}

// Table is a quantity over the grid of a map.
type Table struct {
	Name string    // "Wc", "PR", "eff", "PR_core", "eff_core"; "Wp"
	V    []float64 // [alpha][nc][x], row major
}

// Point is a place on a map.
type Point struct {
	Alpha float64
	Nc    float64 `yaml:"Nc"`
	X     float64 `yaml:"X"`
}

// Value is a value and its derivatives.
type Value struct{ V, DAlpha, DNc, DX float64 }

// Origin is the provenance of a map.
type Origin struct {
	Method     string             // "make", "lines", "import"
	Notes      []string           // assumptions and omissions of a file's reader
	Source     string             // where the method or the data are published
	Parameters map[string]float64 // for "make": the shape
	Versions   map[string]string  // program or plugin -> version
	Points     []OriginPoint      // for "lines": every point that went in
}

// OriginPoint is a solver run behind a map. It does not name the machine, because the map of a run does not depend on
// it: the answer of the run names it.
type OriginPoint struct {
	Nc     float64 `yaml:"Nc"`
	X      float64 `yaml:"X"`
	Run    string
	Error  float64 // estimated relative error of the point's values
	Answer string  // key of the run's answer in the cache; empty: not known

	Steered bool // the run was changed while it ran: its answer replaces that of the point
}

// Index returns the place of a table among m.Tables, or -1.
func (m *Map) Index(name string) int {
	return slices.IndexFunc(m.Tables, func(t Table) bool { return t.Name == name })
}

// FlowTable returns the name of the map's flow: "Wc" of a compressor, "Wp" of a turbine.
func (m *Map) FlowTable() string {
	if m.Kind == Turbine {
		return "Wp"
	}
	return "Wc"
}

// Row returns the values of table t over X, on speed line nc of plane alpha (all
// are indices). The caller must not change them.
func (m *Map) Row(t, alpha, nc int) []float64 {
	n := len(m.X)
	at := (alpha*len(m.Nc) + nc) * n
	return m.Tables[t].V[at : at+n]
}

// isRatio reports whether a table holds a pressure ratio, isEfficiency an efficiency, isFlow a flow.
func isRatio(name string) bool      { return name == "PR" || strings.HasPrefix(name, "PR_") }
func isEfficiency(name string) bool { return name == "eff" || strings.HasPrefix(name, "eff_") }
func isFlow(name string) bool {
	return name == "Wc" || name == "Wp" || strings.HasPrefix(name, "Wc_") || strings.HasPrefix(name, "Wp_")
}

// Extrap is the continuation of a map outside its bounds, by axis. The zero value is [Smooth] in Nc and X and [Hold] in
// alpha. The other methods reproduce the programs from which maps are imported, near the map: farther outside
// components continue by similarity, as beyond any map.
type Extrap struct {
	Alpha Continuation
	Nc    Continuation `yaml:"Nc"`
	X     Continuation `yaml:"X"`
}

// Continuation is a method of extrapolation along an axis.
type Continuation string

const (
	// Smooth continues with the slope at the edge and bends before values become impossible; see [Map.At]. Components
	// continue by similarity; see [Beyond] and [Driven].
	Smooth Continuation = "smooth"
	// Chord is the straight line through the values at the last two grid lines,
	// without limit: "linear" of NPSS and pyCycle.
	Chord Continuation = "linear"
	// Hold keeps the value at the edge: "none" of NPSS.
	Hold Continuation = "none"
)

// limit bends a table's continuation outside the map, so that a solver outside the map gets values that are valid for a
// component:
//
//	f(v) = v                                   v >= low
//	f(v) = floor + r exp((v - low)/r)          v <  low,  r = low - floor
//
// and likewise towards a ceiling. f is C1 and strictly rising, so that a monotone table stays monotone. low is half way
// from the table's smallest value to the floor, so that no value inside the map changes. Unbounded: low = -Inf.
type limit struct{ low, floor, high, ceiling float64 }

var nan = math.NaN()
