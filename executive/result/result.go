package result

import (
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Results is what a run of an engine gives. In JSON every number is finite and
// in SI units, speeds in rpm.
type Results struct {
	Engine   string    `json:"engine"`
	Cases    []*Result `json:"cases"`
	Warnings []Warning `json:"warnings"`

	Maps       map[string]ScaledMap `json:"-"` // by component: those of the file, or made from the design point
	ZoomedMaps map[string]ScaledMap `json:"-"` // those that zooming made
}

// Result is one case.
type Result struct {
	Name        string                 `json:"name"`
	Kind        string                 `json:"kind"` // design, offdesign, transient, sweep
	Converged   bool                   `json:"converged"`
	Message     string                 `json:"message,omitempty"`    // why not, and what to change
	Limited     []string               `json:"limited_by,omitempty"` // limits that bind, in the place of targets
	Solver      SolveInfo              `json:"solver"`
	Stations    map[string]Station     `json:"stations"`
	Components  map[string]Component   `json:"components"`
	Shafts      map[string]Outputs     `json:"shafts"`
	Performance Performance            `json:"performance"`
	Zoom        map[string]*ZoomResult `json:"zoom,omitempty"`
	Unzoomed    *Unzoomed              `json:"unzoomed,omitempty"`
	History     *History               `json:"history,omitempty"`     // of a transient; the rest is its end
	Outside     map[string]*Outside    `json:"outside_map,omitempty"` // components that left their maps in a transient
	Ledger      *Ledger                `json:"ledger,omitempty"`      // of a transient: where the fuel's energy went
	Ended       *Ended                 `json:"ended,omitempty"`       // a transient that ended before its time

	Maps    map[string]ScaledMap    `json:"-"` // that a transient made for itself
	Order   Order                   `json:"-"`
	Raised  []Warning               `json:"-"` // of a transient: what happened, what was passed, which rules applied
	Watched []string                `json:"-"` // rules that were held against all of a transient
	Inlets  map[string]string       `json:"-"` // port -> the outlet that it is joined to
	Edges   map[string]perfmap.Edge `json:"-"` // bounds that the maps' last lookups passed, by component
}

// Unzoomed is the same case without zooming.
type Unzoomed struct {
	Stations    map[string]Station   `json:"stations"`
	Components  map[string]Component `json:"components"`
	Shafts      map[string]Outputs   `json:"shafts"`
	Performance Performance          `json:"performance"`
}

// ZoomResult tells how a component was zoomed.
type ZoomResult struct {
	Method   string  `json:"method"`
	Fidelity string  `json:"fidelity"`
	Runs     int     `json:"runs"`   // made now
	Cached   int     `json:"cached"` // taken from the cache
	Failed   int     `json:"failed"`
	Error    float64 `json:"error"` // estimated relative error of the map at the operating point
	Map      string  `json:"map"`   // name of the map
	Message  string  `json:"message,omitempty"`
	InTime   *InTime `json:"in_time,omitempty"` // of a transient
}

// Warning is one warning with what it is founded on.
type Warning struct {
	Severity  string   `json:"severity"` // warning, error
	Rule      string   `json:"rule"`
	Case      string   `json:"case,omitempty"`
	Component string   `json:"component,omitempty"`
	Run       string   `json:"run,omitempty"`
	Time      string   `json:"time,omitempty"`
	Message   string   `json:"message"`
	Evidence  []string `json:"evidence"`
}

// Order keeps the engine's order for tables; JSON objects have none.
type Order struct{ Stations, Components, Shafts []string }

// ScaledMap is a map with the scalars that bring it to a component.
type ScaledMap struct {
	Map   *perfmap.Map
	Scale perfmap.Scale
}
