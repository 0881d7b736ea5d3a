// Package event defines the type of all events of a study, from all reporters: a solver's plugin, a watchdog that reads
// the solver's files, the host, or the executive. Rules, terminal, report and views read only events.
package event

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Event is an occurrence in a study. Fields that its Kind does not use are empty.
type Event struct {
	Study     string    `json:"study,omitempty"`
	Run       string    `json:"run,omitempty"`       // empty: the study as a whole
	Attempt   int       `json:"attempt,omitempty"`   // at the run's job, from 1
	Component string    `json:"component,omitempty"` // of the engine
	Host      string    `json:"host,omitempty"`      // machine of the occurrence
	Source    Source    `json:"source"`              // reports it
	Seq       int64     `json:"seq"`                 // from 1, without gaps in each Stream
	Time      time.Time `json:"time"`
	// lead of the clock of Host over the study's clock, as far as it could be measured; Time is by the study's; s
	Skew float64 `json:"skew,omitempty"`
	Kind Kind    `json:"kind"`
	Name string  `json:"name,omitempty"` // of the job, case, sweep, rule, map or command, depending on Kind

	// finite numbers by name: iteration, residual, W_in, W_out, PR ...
	Values    map[string]float64   `json:"values,omitempty"`
	NonFinite []string             `json:"non_finite,omitempty"` // names whose value was NaN or infinite
	Arrays    map[string][]float64 `json:"arrays,omitempty"`     // profiles by name, SI

	// Planned, Started, Ended: the end of a speed line that the run is made to find, "stall" or "choke"
	Seeks string `json:"seeks,omitempty"`

	Class   Class   `json:"class,omitempty"`   // Ended: how the run ended; StudyEnded: Converged or why not
	Cached  bool    `json:"cached,omitempty"`  // Ended: the answer came from the cache, without a run
	Follows bool    `json:"follows,omitempty"` // Ended: another attempt at the same job follows, or decides
	Outrun  string  `json:"outrun,omitempty"`  // Ended: the attempt at the same job that ended first and decides
	Wall    float64 `json:"wall,omitempty"`    // wall-clock time, s

	WaitsFor string `json:"waits_for,omitempty"` // Span: core, licence, memory, node, lock, hold, worker or round
	Bytes    int64  `json:"bytes,omitempty"`     // Span: that were moved

	Waited float64 `json:"waited,omitempty"` // Started: for a node, s
	// Started: of the node, for the run; NodeCame: for all runs; 0: not counted
	Cores int      `json:"cores,omitempty"`
	Block *Block   `json:"block,omitempty"` // NodeCame, NodeLost, BlockState: of nodes
	Used  *Account `json:"used,omitempty"`  // Accounted

	Case     string `json:"case,omitempty"`     // of the engine file
	Severity string `json:"severity,omitempty"` // Finding: info, warning or error
	Version  string `json:"version,omitempty"`  // StudyBegun: of the program

	Text   string `json:"text,omitempty"`   // for people
	Folder string `json:"folder,omitempty"` // Started, Ended: the run folder, which holds the run's own events
	File   string `json:"file,omitempty"`   // file it was read from, relative to the run folder; Chart: its own
	Line   string `json:"line,omitempty"`   // line it was read from, unchanged

	Keys []string `json:"keys,omitempty"` // Known: of entries of the cache

	Act    *Receipt `json:"act,omitempty"`    // Command: its outcome, if the solver reports it
	Sensor *Sensor  `json:"sensor,omitempty"` // a sensor's record: where it was made
	By     string   `json:"by,omitempty"`     // Note: its author
	Flow   *Flow    `json:"flow,omitempty"`   // StudyBegun: of the engine

	Cause *Ref `json:"cause,omitempty"` // the event that caused it; nil for StudyBegun alone
}

// Source is the part of a study that reports an event.
type Source string

const (
	Plugin    Source = "plugin"    // the solver itself
	File      Source = "file"      // the watchdog, which reads the solver's files
	Host      Source = "host"      // starts and ends runs
	Executive Source = "executive" // needs the runs: cases, maps, rules
)

// Stream identifies a sequence of events whose numbers rise from 1. The executive numbers all events of a study in a
// single stream with an empty Run.
type Stream struct {
	Run    string `json:"run,omitempty"`
	Source Source `json:"source"`
	File   string `json:"file,omitempty"`
}

// Stream returns the stream that numbers the event.
func (e *Event) Stream() Stream {
	if e.Source == Executive {
		return Stream{Source: Executive}
	}
	return Stream{Run: e.Run, Source: e.Source, File: e.File}
}

// Ref identifies an event within its study.
type Ref struct {
	Stream
	Seq int64 `json:"seq"`
}

// Ref returns the event's reference, or nil if it has no number.
func (e *Event) Ref() *Ref {
	if e.Seq == 0 {
		return nil
	}
	return &Ref{e.Stream(), e.Seq}
}

// Finite moves the names of values that are not finite to NonFinite: JSON cannot hold them.
func (e *Event) Finite() {
	var values map[string]float64
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		if x := e.Values[name]; !math.IsNaN(x) && !math.IsInf(x, 0) {
			continue
		}
		if values == nil {
			values = maps.Clone(e.Values)
		}
		delete(values, name)
		e.NonFinite = append(e.NonFinite, name)
	}
	if values != nil {
		e.Values = values
	}
}

// Gap is the name of a host's message that a time has passed by the clock but not for the run: this machine was
// suspended, or its clock was set. Field Wall has this time; it is negative if the clock was set back. Earlier events
// of the run have times before the gap.
const Gap = "gap"

// Gap returns the time that has not passed for the run, if the event reports one.
func (e *Event) Gap() (gap time.Duration, is bool) {
	is = e.Kind == Message && e.Source == Host && e.Name == Gap
	return time.Duration(e.Wall * float64(time.Second)), is
}

// Kind is the kind of an event. The comments name the fields that each kind uses.
type Kind string

const (
	StudyBegun Kind = "study_begun" // text: the command line; name: the engine; file, version, flow
	StudyEnded Kind = "study_ended" // class; text: the error, if any

	Planned   Kind = "planned"   // name: a job to be run; run: its first attempt
	Started   Kind = "started"   // a run; folder, waited, cores
	Asked     Kind = "asked"     // of a run; name: the solver; values: the numbers of its request; text: its settings
	Watched   Kind = "watched"   // a run's files are read from now on
	Iteration Kind = "iteration" // values: iteration, residual and others of the solver
	Message   Kind = "message"   // text; of the name Gap: wall
	// a file of a run was read up to values.iteration, whose values the solver has reported itself; for the monitor,
	// not recorded
	Reached Kind = "reached"
	Profile Kind = "profile" // arrays
	Result  Kind = "result"  // values and arrays of the answer
	Warning Kind = "warning" // text
	// a solver's report of its own end; name: converged, ended, failed or non_finite; text
	Status Kind = "status"
	Ended  Kind = "ended" // a run: class, cached, follows, wall; text: why
	// a run of an earlier study that finished without its host; its answer is in the cache now
	Harvested Kind = "harvested"
	// component; name: a group of the cache; keys: its answers of earlier studies at the begin of this study
	Known   Kind = "known"
	Command Kind = "command" // to a run; name: the verb; text: the reason; act; values: iteration
	Sensed  Kind = "sensed"  // a record of a sensor of the solver; name: the sensor; values: its fields
	// name: what a part of the study did for a time, which ended at the event's time; wall: its length by the monotonic
	// clock; waits_for, bytes; of a job's slot values: batch, workers
	Span Kind = "span"
	// of a sensor, changed by its budget; name: the sensor; values: lowered (by this factor), share, budget; text: why
	Rate Kind = "rate"

	BlockState Kind = "block"     // name: a launcher; block: the state of a block of its nodes; text
	NodeCame   Kind = "node_came" // name: a launcher; host: a node that takes runs from now on; block, cores; text
	NodeLost   Kind = "node_lost" // name: a launcher; host: a node that is given up; block; text: why
	Accounted  Kind = "accounted" // name: a launcher; used: the study's use of its nodes; text

	Progress Kind = "progress" // name: a case or sweep; values: t, duration, step (s), or points, planned
	Forecast Kind = "forecast" // values: p10, p50, p90 of the time that the command takes, s
	Map      Kind = "map"      // name: a map that was made; values: runs, cached, failed
	Chart    Kind = "chart"    // component; file: its map so far, in the study's folder
	Engine   Kind = "engine"   // case: solved on zoomed maps; class; values: iterations, residual
	Estimate Kind = "estimate" // case, component; values: relative error of its map at the case's operating point
	// case, component; values: Nc, Wc, PR of the component's operating point in the engine's model
	Point   Kind = "point"
	Finding Kind = "finding" // name: the rule; severity; case or run; text: its message
	Would   Kind = "would"   // name: the rule; run; text: the action of a rule that does not act
	// by a person, in a file of its own; name: note, tag, untag, keep or unkeep; run; text: the note or the tag; by
	Note Kind = "note"
)

// Class is how a run ended.
type Class string

const (
	Converged    Class = "converged"
	NotConverged Class = "not_converged" // iteration limit
	Diverged     Class = "diverged"      // residual grew without bound, or NaN
	Unphysical   Class = "unphysical"    // a rule of severity error rejects the answer
	Stalled      Class = "stalled"       // the flow has no steady operating point here
	Hung         Class = "hung"          // no output for too long
	Crashed      Class = "crashed"       // the process ended by itself without a result
	Killed       Class = "killed"        // the process was ended by a signal, or stopped on request
	Timeout      Class = "timeout"       // wall-clock limit
	OutOfMemory  Class = "out_of_memory" // killed for memory: it used more than allowed
	OverLimit    Class = "over_limit"    // ended for more processes, or more on disk, than it may have
	BadOutput    Class = "bad_output"    // a result that does not match the plugin's description
	Lost         Class = "lost"          // the process cannot be found
)

// NoFlow reports whether a solver of this class found no steady flow. A process that crashed or was killed gives no
// information on the flow.
func (c Class) NoFlow() bool { return c == Stalled || c == NotConverged || c == Diverged }

// LineEnd names the answer of a run that seeks an end of a speed line, "stall" or "choke", and finds no steady flow:
// "end of line (stall)". It is empty for all other runs.
func LineEnd(seeks string, c Class) string {
	if seeks == "" || !c.NoFlow() {
		return ""
	}
	return "end of line (" + seeks + ")"
}

// Outcome names the end of a run, for people: its class, or the end of the speed line that it found.
func (e *Event) Outcome() string {
	if end := LineEnd(e.Seeks, e.Class); end != "" && !e.Follows {
		return end
	}
	return string(e.Class)
}

// Answers reports whether a run ended with an answer.
func (e *Event) Answers() bool {
	return e.Class == Converged || LineEnd(e.Seeks, e.Class) != "" && !e.Follows
}

// Flow is the structure of an engine: how its components are joined.
type Flow struct {
	Components []FlowPart // in the order of the engine file
	Links      []FlowLink
	Shafts     []FlowShaft
}

// FlowPart is a component.
type FlowPart struct{ Name, Type string }

// FlowLink joins an outlet to an inlet: component and port of each.
type FlowLink struct{ From, Out, To, In string }

// FlowShaft is a shaft, or a bus of electric power, with the components on it.
type FlowShaft struct {
	Name  string
	Parts []string
}

// Events on the machines of runs.

// Block is a block of nodes. Its owner may be a batch system.
type Block struct {
	ID     string  `json:"id"`
	Phase  string  `json:"phase,omitempty"`  // waiting, running, stuck or ended
	Reason string  `json:"reason,omitempty"` // in the words of the owner
	Waited float64 `json:"waited,omitempty"` // from its request on, s
}

// Account is a study's use of a launcher's nodes.
type Account struct {
	By    string  `json:"by"` // who counted: sacct, or relays
	Nodes []Usage `json:"nodes"`
}

// Usage is the study's use of a node, or of a block whose nodes are accounted for together. Unknown values are 0.
type Usage struct {
	Node  string  `json:"node,omitempty"`
	Block string  `json:"block,omitempty"`
	Runs  int     `json:"runs"`
	Lost  int     `json:"lost,omitempty"` // how often the node was given up
	Cores float64 `json:"core_hours"`     // of the runs: cores that they held, times the time
	// of the block: its cores, times the time, whether or not runs used them
	Held   float64 `json:"held_hours"`
	Waited float64 `json:"waited"` // of the block in the queue, s
}

// Events of a solver's sensors.

// Sensor is the data of a sensor's record besides its values.
type Sensor struct {
	Thread string `json:"thread"`          // of the solver
	Block  string `json:"block,omitempty"` // of its mesh
	// of the sensor in that thread and block, from 1; a gap means lost records
	Sequence     uint64  `json:"sequence"`
	Perturbation float64 `json:"perturbation,omitempty"` // time that the thread waited to record it, s
}
