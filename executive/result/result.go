package result

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// Results are the results of a run of an engine. In JSON every number is finite and in SI
// units, speeds in rpm.
type Results struct {
	Engine   string    `json:"engine"`
	Cases    []*Result `json:"cases"`
	Warnings []Warning `json:"warnings"`
	Budget   *Budget   `json:"budget,omitempty"` // nil: no limit

	Maps       map[string]ScaledMap `json:"-"` // by component: maps of the file, or made from the design point
	ZoomedMaps map[string]ScaledMap `json:"-"` // maps made by zooming
}

// Result is the result of a case.
type Result struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // design, offdesign, transient, sweep
	Converged bool   `json:"converged"`
	// the run was interrupted before the case was zoomed, or in a transient
	Cut bool `json:"interrupted,omitempty"`
	// why it did not converge, and the suggested change
	Message     string                 `json:"message,omitempty"`
	Limited     []string               `json:"limited_by,omitempty"` // limits that bind; each replaces a target
	Missed      []string               `json:"missed,omitempty"`     // the targets that limits replace, with values
	Solver      SolveInfo              `json:"solver"`
	Stations    map[string]Station     `json:"stations"`
	Components  map[string]Component   `json:"components"`
	Shafts      map[string]Outputs     `json:"shafts"`
	Performance Performance            `json:"performance"`
	Flight      *Flight                `json:"flight,omitempty"` // nil: the engine has no free stream
	Zoom        map[string]*ZoomResult `json:"zoom,omitempty"`
	Unzoomed    *Unzoomed              `json:"unzoomed,omitempty"`
	History     *History               `json:"history,omitempty"`     // of a transient; the other fields are its end
	Outside     map[string]*Outside    `json:"outside_map,omitempty"` // components that left their maps in a transient
	Ledger      *Ledger                `json:"ledger,omitempty"`      // of a transient: where the fuel's energy went
	Ended       *Ended                 `json:"ended,omitempty"`       // a transient that ended early

	Maps  map[string]ScaledMap `json:"-"` // maps that a transient extended
	Order Names                `json:"-"`
	// of a transient: flames out, limits passed, rules that applied
	TransientWarnings []Warning `json:"-"`
	// names of rules that were checked at every point of a transient
	WatchedRules []string          `json:"-"`
	Inlets       map[string]string `json:"-"` // port -> its linked outlet
	// sides on which the maps' last lookups were outside, by component
	MapEdges map[string]perfmap.Edge `json:"-"`
}

// Flight is the flight condition of a case.
type Flight struct {
	Altitude float64 `json:"altitude"` // geopotential, m
	Mach     float64 `json:"mach"`
	DTs      float64 `json:"dTs"` // difference from the standard day's temperature, K
}

// Unzoomed is the same case without zooming.
type Unzoomed struct {
	Stations    map[string]Station   `json:"stations"`
	Components  map[string]Component `json:"components"`
	Shafts      map[string]Outputs   `json:"shafts"`
	Performance Performance          `json:"performance"`
}

// ZoomResult reports how a component was zoomed.
type ZoomResult struct {
	Method   string `json:"method"`   // how the runs are used: map, scalars or direct
	Fidelity string `json:"fidelity"` // description of the solver
	Runs     int    `json:"runs"`     // runs made in this study
	Cached   int    `json:"cached"`   // answers taken from the cache
	Failed   int    `json:"failed"`   // runs without an answer
	// runs that a command changed while they ran; their answers count for their points
	Steered []string `json:"steered,omitempty"`
	// runs made a second time from a checkpoint, beside their parents
	Branches []Branch `json:"branches,omitempty"`
	// answers of earlier studies of the same machine from the cache, used besides this study's runs
	RunsBefore int `json:"runs_before,omitempty"`
	// runs for the ends of speed lines, made in this study; there, a run without a steady flow is an answer
	RunsEnds    int      `json:"runs_ends"`
	CachedEnds  int      `json:"cached_ends,omitempty"`  // answers for the ends, taken from the cache
	SMNError    float64  `json:"SMN_error,omitempty"`    // estimated error of SMN, percent as SMN itself
	RunsPrior   int      `json:"runs_prior,omitempty"`   // runs of cheaper solvers, made in this study
	CachedPrior int      `json:"cached_prior,omitempty"` // answers of cheaper solvers, taken from the cache
	FailedPrior int      `json:"failed_prior,omitempty"` // runs of cheaper solvers without an answer
	Priors      []string `json:"priors,omitempty"`       // the cheaper solvers that its model uses

	Rounds int     `json:"rounds"` // rounds of runs, if an error decides their number; else 0
	Error  float64 `json:"error"`  // estimated relative error of the map at the operating point
	// the error including the contributions of other zoomed components, if several are zoomed to one error: the root
	// of the sum of the squares
	Whole      float64      `json:"error_whole,omitempty"`
	ErrorHolds bool         `json:"error_holds"`            // false if too many runs are missing for the estimate
	Causes     *ErrorCauses `json:"error_causes,omitempty"` // parts of the error
	Short      bool         `json:"-"`                      // the error that the engine file wants is not reached

	Next *NextRun `json:"next,omitempty"` // the run that would make the error smaller; absent if none would

	Map     string  `json:"map"`               // name of the map
	Message string  `json:"message,omitempty"` // note on the zoom, for people
	InTime  *InTime `json:"in_time,omitempty"` // extensions of the map during a transient
}

// Branch is a run repeated from one of its checkpoints, with other settings or the same. It is evidence: its point has
// the parent's answer, unless the parent has none.
type Branch struct {
	Run        string             `json:"run"`                 // name of the branch
	Parent     string             `json:"parent"`              // the original run
	Checkpoint string             `json:"checkpoint"`          // name of the checkpoint
	Iteration  int64              `json:"iteration"`           // iteration of the checkpoint
	Class      string             `json:"class"`               // how the branch ended
	StandsIn   bool               `json:"stands_in,omitempty"` // its answer counts for its point
	Numbers    map[string]float64 `json:"numbers,omitempty"`   // outputs of its answer
}

// ErrorCauses are the parts of a zoom's estimated error. The whole is the root of the sum of their squares, or less.
type ErrorCauses struct {
	Interpolation float64 `json:"interpolation"` // error between the runs, and beyond them
	Convergence   float64 `json:"convergence"`   // error of runs that ended before their flow had settled
	Balance       float64 `json:"balance"`       // error of runs whose mass and energy do not quite balance
}

// With is the sum with other errors that are independent of these.
func (c ErrorCauses) With(o ErrorCauses) ErrorCauses {
	return ErrorCauses{math.Hypot(c.Interpolation, o.Interpolation), math.Hypot(c.Convergence, o.Convergence),
		math.Hypot(c.Balance, o.Balance)}
}

// Greatest names the greatest part.
func (c ErrorCauses) Greatest() string {
	switch {
	case c.Convergence > max(c.Interpolation, c.Balance):
		return "incomplete convergence of runs"
	case c.Balance > c.Interpolation:
		return "mass and energy imbalance of runs"
	}
	return "interpolation between runs"
}

// NextRun is the run that would make a case's error smaller.
type NextRun struct {
	Inputs map[string]float64 `json:"inputs"` // inputs of the solver that differ from run to run
	Gain   float64            `json:"gain"`   // by how much the estimated error would fall
}

func (n *NextRun) String() string {
	var at []string
	for _, name := range slices.Sorted(maps.Keys(n.Inputs)) {
		at = append(at, fmt.Sprintf("%s = %.6g", name, n.Inputs[name]))
	}
	return fmt.Sprintf("%s, by which the error falls by up to %.2g %%", strings.Join(at, ", "), 100*n.Gain)
}

// Warning is a warning with its evidence.
type Warning struct {
	Severity  string   `json:"severity"` // warning, error
	Rule      string   `json:"rule"`
	Case      string   `json:"case,omitempty"`
	Component string   `json:"component,omitempty"`
	Run       string   `json:"run,omitempty"`
	Runs      []string `json:"runs,omitempty"` // all runs concerned, of a rule on a study
	Time      string   `json:"time,omitempty"`
	Message   string   `json:"message"`
	Evidence  []string `json:"evidence"`
}

// Names has the names in the engine's order, for tables; maps have no order.
type Names struct{ Stations, Components, Shafts []string }

// ScaledMap is a map with the scalars that fit it to a component.
type ScaledMap struct {
	Map   *perfmap.Map
	Scale perfmap.Scale
	Bands []plot.Band   // of the speed lines that a model of runs gave, in the map's own values
	Ends  [][]plot.Mark // found ends of speed lines, those of a side
}

// Ended is when and why a transient ended early. The history up to that time is kept.
type Ended struct {
	T float64 `json:"t"` // s
	// "surge": a stall line was passed; "flame-out"; "standstill": a shaft stops; "no solution"; "step": the
	// integrator's steps fail; "interrupted"; "checkpoint": it could not be saved
	Reason string `json:"why"`
}

// Interrupted reports whether the user stopped the transient.
func (r *Result) Interrupted() bool { return r.Ended != nil && r.Ended.Reason == "interrupted" }

// FlameWentOut reports whether the flame of a burner went out in a transient.
func (r *Result) FlameWentOut(burner string) bool {
	return slices.ContainsFunc(r.TransientWarnings,
		func(w Warning) bool { return w.Rule == "flame_out" && w.Component == burner })
}

// InTime reports the extensions of a zoomed map during a transient.
type InTime struct {
	Leaving  string      `json:"leaving"`            // the user's choice: "extend" or "extrapolate"
	Extended []Extension `json:"extended,omitempty"` // extensions for which the transient waited
	GaveUp   []GaveUp    `json:"gave_up,omitempty"`  // sides on which the map is extrapolated
}

// Extension is an extension of a map, for which the transient waited.
type Extension struct {
	T      float64 `json:"t"`      // time in the transient, s
	Side   string  `json:"side"`   // side of the extension, such as "Nc above"
	Runs   int     `json:"runs"`   // runs made for it
	Cached int     `json:"cached"` // answers taken from the cache
	Failed int     `json:"failed"` // runs without an answer
}

// GaveUp is from when on, and why, a map was extrapolated on a side.
type GaveUp struct {
	T      float64 `json:"t"`    // time in the transient from which on, s
	Side   string  `json:"side"` // side of the map, such as "Nc above"
	Reason string  `json:"why"`  // why the map could not be extended
}

// SolveInfo reports the work of a solve and its last residual.
type SolveInfo struct {
	Iterations  int     `json:"iterations"`
	Evaluations int     `json:"evaluations"`
	Residual    float64 `json:"residual"`
	// the equations could not be evaluated where the last solve began: Residual is 0, Worst empty
	Unknown bool   `json:"-"`
	Worst   string `json:"worst"`
	Steps   int    `json:"steps,omitempty"` // of a continuation, if needed
}

// Add adds the work of a further solve, and takes its residual.
func (s *SolveInfo) Add(t SolveInfo) {
	s.Iterations += t.Iterations
	s.Evaluations += t.Evaluations
	s.Steps += t.Steps
	s.Residual, s.Worst, s.Unknown = t.Residual, t.Worst, t.Unknown
}

// Ledger is the energy account of a transient, J: where the fuel's energy went.
//
//	fuel = kinetic + heat + shaft + losses + rotors + volumes + metal
//
// Enthalpies are relative to the same streams at 25 degC, with fuel burnt to carbon dioxide
// and vapour. The first five terms are powers over the engine's boundary, integrated with
// the states. The last three are the increase of stored energy, from the states at start
// and end. The missing energy shows how well the model conserves energy and how accurate
// the integration is.
type Ledger struct {
	Fuel    float64 `json:"fuel"`    // fuel burnt times its heating value
	Kinetic float64 `json:"kinetic"` // of the jets, less that of the inlet air
	// enthalpy of jets (without kinetic energy) and bleeds, and heat through walls, less the enthalpy of the inlet air
	Heat    float64 `json:"heat"`
	Shaft   float64 `json:"shaft"`   // taken from the shafts by loads, machines and offtakes
	Losses  float64 `json:"losses"`  // in bearings and gearboxes
	Rotors  float64 `json:"rotors"`  // kinetic energy of the shafts
	Volumes float64 `json:"volumes"` // internal energy of the gas in volumes
	Metal   float64 `json:"metal"`   // heat in metal
	Missing float64 `json:"missing"` // fuel less all others, over fuel
}

// String writes the account in one line, in MJ, without terms that are 0.
func (l *Ledger) String() string {
	var parts []string
	for _, p := range []struct {
		name string
		e    float64
	}{
		{"kinetic", l.Kinetic}, {"heat", l.Heat}, {"shaft", l.Shaft}, {"losses", l.Losses},
		{"rotors", l.Rotors}, {"volumes", l.Volumes}, {"metal", l.Metal},
	} {
		if p.e != 0 {
			parts = append(parts, fmt.Sprintf("%s %.5g", p.name, p.e/1e6))
		}
	}
	return fmt.Sprintf("fuel's energy %.5g MJ = %s (missing %.1g of it)", l.Fuel/1e6, strings.Join(parts, " + "),
		math.Abs(l.Missing))
}
