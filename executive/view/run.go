package view

// State of a run of a study, from its events.

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Run is a solver run of a study.
type Run struct {
	Name      string        `json:"run"`
	Component string        `json:"component,omitempty"`
	Host      string        `json:"host,omitempty"` // machine of its last attempt
	Folder    string        `json:"folder,omitempty"`
	Attempt   int           `json:"attempt,omitempty"`
	Phase     Phase         `json:"phase"`
	Began     time.Time     `json:"began,omitzero"`
	Ended     time.Time     `json:"ended,omitzero"`
	Waited    time.Duration `json:"waited_ns,omitempty"` // for a node
	Wall      time.Duration `json:"wall_ns,omitempty"`
	Class     event.Class   `json:"class,omitempty"` // of an ended run; empty if only its judgement is known
	Why       string        `json:"why,omitempty"`   // over: in the words of the host or the executive
	Cached    bool          `json:"cached,omitempty"`
	Follows   bool          `json:"follows,omitempty"` // another attempt follows
	Outrun    string        `json:"outrun,omitempty"`  // the attempt that has ended first
	Seeks     string        `json:"seeks,omitempty"`   // end of a speed line that the run seeks
	Iteration float64       `json:"iteration,omitempty"`
	Residual  float64       `json:"residual,omitempty"` // 0: none reported yet
	Spans     []Span        `json:"spans,omitempty"`    // of all commands

	Values   map[string]float64 `json:"values,omitempty"`   // the last of each, of its last attempt
	Asked    map[string]float64 `json:"asked,omitempty"`    // numbers of its request
	Settings string             `json:"settings,omitempty"` // of its request
	Held     bool               `json:"held,omitempty"`     // by a command
	Steered  bool               `json:"steered,omitempty"`  // a command changed what its answer may depend on
	Warnings int                `json:"warnings,omitempty"` // findings and warnings

	cores   int
	command int  // its number, the last that has an event of the run
	hosted  bool // the run's host or the executive has an event of its start or its end
}

// Phase is how far a run is.
type Phase string

// The phases.
const (
	Planned Phase = "planned"
	Running Phase = "running"
	Over    Phase = "over"
)

// LineEnd names the end of a speed line that the run found; empty: none.
func (r *Run) LineEnd() string {
	if r.Follows {
		return ""
	}
	return event.LineEnd(r.Seeks, r.Class)
}

// Answers reports whether the run ended with an answer.
func (r *Run) Answers() bool { return r.Class == event.Converged || r.LineEnd() != "" }

// Span is the time of a run from its start to its end on a machine.
type Span struct {
	Host    string        `json:"host,omitempty"`
	Class   event.Class   `json:"class"`
	LineEnd string        `json:"line_end,omitempty"` // end of a speed line that the run found
	From    time.Time     `json:"from"`
	To      time.Time     `json:"to"`
	Wall    time.Duration `json:"wall_ns"`
}

// copy returns the run as it is now, whatever events come.
func (r *Run) copy() Run {
	c := *r
	c.Values = maps.Clone(r.Values)
	return c
}

// observe updates the run with one of its events.
func (r *Run) observe(e *event.Event) {
	r.Component, r.Host, r.Attempt = cmp.Or(e.Component, r.Component), cmp.Or(e.Host, r.Host), max(e.Attempt, r.Attempt)
	r.Folder = cmp.Or(e.Folder, r.Folder)
	switch e.Kind {
	case event.Started:
		if e.Source == event.Host {
			*r = Run{Name: r.Name, Component: r.Component, Host: r.Host, Folder: r.Folder, Attempt: r.Attempt,
				Phase: Running, Began: e.Time, Waited: seconds(e.Waited), Spans: r.Spans, Asked: r.Asked,
				Settings: r.Settings, Warnings: r.Warnings, cores: e.Cores, command: r.command, hosted: true}
		}
	case event.Asked:
		r.Asked, r.Settings = e.Values, e.Text
	case event.Finding, event.Warning:
		r.Warnings++
	case event.Command:
		r.steer(e)
	case event.Result:
		r.take(e.Values)
	case event.Iteration, event.Profile:
		r.take(e.Values)
		r.continues(e.Time)
		if e.Kind == event.Profile {
			break
		}
		r.Iteration = max(r.Iteration, e.Values["iteration"])
		if v, ok := e.Values["residual"]; ok {
			r.Residual = v
		}
	case event.Ended:
		if e.Source == event.Host || e.Source == event.Executive { // the word of a solver is not its end
			r.end(e)
		}
	}
}

func (r *Run) take(values map[string]float64) {
	if r.Values == nil {
		r.Values = map[string]float64{}
	}
	maps.Copy(r.Values, values)
}

// steer takes what became of a command to the run.
func (r *Run) steer(e *event.Event) {
	switch a := e.Act; {
	case a == nil: // by the host, of a run that does not steer itself
		r.Held = steer.Verb(e.Name) == steer.Pause || r.Held && steer.Verb(e.Name) != steer.Resume
	case a.State == event.Applied:
		if record.Holding(a.Verb) {
			r.Held = a.Held
		}
		r.Steered = r.Steered || a.Changes()
	}
}

// continues marks a run as running when new events come. A run that had ended by its files is running again.
func (r *Run) continues(at time.Time) {
	if r.Phase == Running || r.Class != "" {
		return
	}
	if r.Began.IsZero() {
		r.Began = at
	}
	r.Phase, r.Ended = Running, time.Time{}
}

func (r *Run) end(e *event.Event) {
	r.hosted, r.Phase, r.Ended, r.Class, r.Why = true, Over, e.Time, e.Class, e.Text
	r.Cached, r.Follows, r.Outrun, r.Seeks, r.Wall = e.Cached, e.Follows, e.Outrun, e.Seeks, seconds(e.Wall)
	switch {
	case e.Cached: // whatever an earlier command did
		r.Began, r.Waited = time.Time{}, 0
	case !r.Began.IsZero():
		r.Spans = append(slices.Clip(r.Spans), Span{r.Host, e.Class, r.LineEnd(), r.Began, e.Time, r.Wall})
	}
}
