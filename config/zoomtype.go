package config

import (
	"cmp"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Zoom is an entry of `zoom`: a component whose behaviour comes from a flow solver.
type Zoom struct {
	Component string
	Solver    string // `solver` (or `fidelity`), as in the catalogue
	Geometry  string // path
	Method    string // one of ZoomMethods; default "map"
	// Span is "line": one speed line at the engine's speed; "whole": the speeds of Speeds; default "line"
	Span   string
	Speeds []float64 // fractions of the design corrected speed, for span whole
	Runs   int       // runs a speed line, default 6
	// the errors that the results are to have, for runs in rounds; nil: Runs a speed line
	To    []Goal
	Most  int // runs in all rounds, 0: no limit
	Batch int // runs a round, default 4
	// Match is the largest relative difference of inputs at which answers of earlier studies to other requests count;
	// 0: none count
	Match float64
	Fresh bool // each run has a process of its own, also where the solver's take run after run
	// Earlier uses answers of earlier studies of the same machine beside those of this study; default true
	Earlier bool
	Ends    Ends // of speed lines
	// InTime is the action of a transient that leaves the map: "extend": it waits for runs that extend the map
	// (default); "extrapolate": it continues with extrapolation
	InTime string
	// cheaper runs that the model may correct: "coarse", the solver on its coarse mesh, or other solvers
	Priors   []document.Word
	Reynolds bool      // runs are made at the inlet state of the engine's design point
	Scale    string    // "design": scaled to the engine's design point (default); "absolute"
	Memory   int64     // limit of bytes for each run, with all processes that it starts; 0: no limit
	Cores    float64   // time on processors per time that each run may use; 0: no limit
	Time     float64   // s that each run may take; 0: no limit
	Limits   RunLimits // further limits of runs
	// launchers for its runs, local among them or not; nil: the setting `launcher`
	Hosts    []document.Word
	Licences map[string]int           // number of batch-system licences for each run, by name
	Verify   bool                     // one run in fifty is made twice, and both answers are compared
	Settings map[string]Value         // solver settings, checked against the solver's own description
	Failures map[string][]FailureStep // steps after failed runs, by class; a missing class has its default
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

// RunLimits are limits of runs; zero fields have their defaults.
type RunLimits struct {
	Start      float64 // s until a solver answers that was started; default 30 s
	NoProgress float64 // NoProgress is the time in s without reports from the solver or its files; default 5 min
	Processes  int     // at a time, with all that the solver starts; default none
	Disk       int64   // bytes of a run's folder; default none
	StudyDisk  int64   // bytes of the study's folder; default none
	Log        int64   // bytes of a run's output; default: the setting log-limit
	Events     int64   // bytes of a run's events in its folder; default 64 MiB
	Reply      int64   // bytes of a reply of the solver; default: the limit in its description
}

// Entries of a file for the user's own flow solvers.

// SolverProgram is an entry of solvers.yaml or of an engine's `solvers`: a program that serves the protocol of
// package plugin, or the description of any other.
type SolverProgram struct {
	Name string
	// program and arguments; relative paths of files beside the entry's file are made absolute
	Command     []string
	Environment []string // NAME=value, in addition to every solver's environment
	Version     string   // of the program that it calls; part of the cache key of answers
	Doc         string

	Licence *Licence // that a run needs; nil: none

	// path of a description of any program (package zoom/solver/external), in place of Command; empty: none
	External string

	File string // that holds the entry
	Path string // of the entry in it
	Pos  document.Pos
}

// Licence is a licence of a solver; each of its runs needs one. Solvers with the same licence name share it.
type Licence struct {
	Name   string
	Of     int      // number on this machine, for all its studies; 0: the number from Free
	Folder string   // of the locks that count them; empty: licences in the folder of the cache
	Free   []string // command that prints the number of free licences on the licence server; nil: it is not called
	Pos    document.Pos
}

// SolverError returns a solver's entry error that is only detected when the solver is used.
func (s *SolverProgram) SolverError(err error) error {
	return &document.Problem{File: s.File, Pos: s.Pos, Path: cmp.Or(s.Path, s.Name), Message: err.Error(), Cause: err}
}

// The steps that follow failed runs of a zoom, and the classes of failures.

// FailureStep is a step after runs that fail in one way. Exactly one of Retry, Change or Nearest, LeaveOut and Abort is
// set.
type FailureStep struct {
	Retry    int             // how often the same request is run once more
	Change   []ChangeSetting // settings that differ from those of the original request
	Nearest  bool            // it starts from the nearest run with an answer; allowed together with Change
	LeaveOut bool
	Abort    bool
	Pos      document.Pos
}

// ChangeSetting is another value of a setting.
type ChangeSetting struct {
	Name   string
	Factor float64 // times its value; 0: Value
	Value  Value   // as in Zoom.Settings
	Number bool    // Value is a number; else a text
}

// The classes of failures of package event, by the steps that may follow them.
var (
	OutsideFailures = []string{"killed", "lost", "crashed", "hung", "timeout"} // befell the run
	RequestFailures = []string{"diverged", "stalled", "not_converged"}         // the request causes them
	otherFailures   = []string{"unphysical", "bad_output", "out_of_memory", "over_limit"}

	// FailureClasses are all of them.
	FailureClasses = slices.Concat(RequestFailures, OutsideFailures, otherFailures)
)
