package executive

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/perfmap/cache"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Judge holds an engine's rules, built-in and its own, against its runs and
// results, and gathers the warnings. It is a zoom.Monitor: a rule may stop a run.
type Judge struct {
	cfg     *config.Engine
	monitor *rule.Monitor
	key     string
	record  func(event.Event) event.Event

	mu       sync.Mutex
	known    map[string]bool // runs that were announced
	warnings []result.Warning
}

// NewJudge compiles the rules. Its error names each faulty rule and its place.
func NewJudge(m *model.Model) (*Judge, error) {
	set, err := rule.New(rule.Shape{Engine: m.Shape()}, m.Engine.Rules)
	if err != nil {
		return nil, err
	}
	key, err := cache.NewKey(map[string]any{"builtin": string(rule.Builtin()), "engine": m.Engine.Rules})
	if err != nil {
		return nil, err
	}
	return &Judge{cfg: m.Engine, monitor: rule.NewMonitor(set), key: key.String(), record: Options{}.recorder(), known: map[string]bool{}, warnings: []result.Warning{}}, nil
}

// Engine is the engine whose rules it holds.
func (j *Judge) Engine() *config.Engine { return j.cfg }

// Key is what verdicts depend on besides the events.
func (j *Judge) Key() string { return j.key }

// Warnings are those so far, in the order in which they came.
func (j *Judge) Warnings() []result.Warning {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]result.Warning{}, j.warnings...)
}

// Warn adds warnings that no rule finds.
func (j *Judge) Warn(ws ...result.Warning) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, w := range ws {
		j.warn(w, nil)
	}
}

// Observe implements zoom.Monitor.
func (j *Judge) Observe(e event.Event) *run.Halt {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Run == "" || e.Cached { // Replay tells what a cached run did
		return nil
	}
	j.announce(e)
	var halt *run.Halt
	for _, f := range j.monitor.Event(e) {
		found := j.add(f, e.Ref())
		rejects := e.Kind == event.Result && f.Severity == rule.Severe
		if f.Action == rule.Stop || rejects {
			h := j.halt(f, found)
			halt = &h
		}
	}
	return halt
}

// class is how a run that a rule ends has ended.
func (j *Judge) class(run string) event.Class {
	if v := j.monitor.Judge(run); v.Class != "" && v.Class != event.Converged {
		return v.Class
	}
	return event.Unphysical
}

// announce names to the monitor the component of an event's run.
func (j *Judge) announce(e event.Event) {
	if j.known[e.Run] {
		return
	}
	j.known[e.Run] = true
	if c := j.cfg.Component(e.Component); c != nil {
		j.monitor.Run(rule.Run{Name: e.Run, Component: e.Component, Type: c.Type.Name})
	}
}

// Tick tells the time, for runs of which nothing is heard, and returns those
// that a rule ends.
func (j *Judge) Tick(now time.Time) map[string]run.Halt {
	j.mu.Lock()
	defer j.mu.Unlock()
	halts := map[string]run.Halt{}
	for _, f := range j.monitor.Tick(now) {
		found := j.add(f, nil)
		if f.Action == rule.Stop {
			halts[f.Run] = j.halt(f, found)
		}
	}
	return halts
}

// halt ends a run for a finding, which an event reported.
func (j *Judge) halt(f rule.Finding, found *event.Ref) run.Halt {
	return run.Halt{Class: j.class(f.Run), Message: "rule " + f.Rule + ": " + f.Message, Cause: found}
}

// Replay judges a run that came from the cache by the events in its folder, so
// that a study warns of the same things whether or not it had to run. A folder that was
// cleared away has nothing to tell.
func (j *Judge) Replay(o run.Outcome) {
	events, err := event.Read(filepath.Join(o.Folder, plugin.EventsFile))
	if err != nil {
		return
	}
	for _, e := range events {
		e.Component = o.Job.Component // the folder may be older than the field, or of another engine
		j.Observe(e)
	}
}

// Result judges a case.
func (j *Judge) Result(r *result.Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.outside(r)
	for _, w := range r.Raised {
		j.warn(w, nil)
	}
	if r.Interrupted() {
		return
	}
	if !r.Converged {
		j.warn(result.Warning{Severity: rule.Severe, Rule: "case_not_converged", Case: r.Name, Message: r.Message, Evidence: []string{}}, nil)
		return
	}
	for _, f := range j.monitor.Case(r.Name, r.Environment()) {
		cold := f.Rule == "burner_does_not_heat" && r.WentOut(f.Component) // which is told
		if !cold && !slices.Contains(r.Watched, f.Rule) {
			j.add(f, nil)
		}
	}
}

// outside warns of maps that were left on the way of a transient; rules see only its
// end.
func (j *Judge) outside(r *result.Result) {
	for _, name := range slices.Sorted(maps.Keys(r.Outside)) {
		o := r.Outside[name]
		if r.Converged && r.Edges[name] != 0 {
			continue // the rule for it sees that
		}
		j.warn(result.Warning{Severity: rule.Warning, Rule: "outside_map", Case: r.Name, Component: name,
			Message:  fmt.Sprintf("worked outside its map from %s s to %s s, where that is extrapolated", unit.Brief(o.From), unit.Brief(o.To)),
			Evidence: []string{"bounds passed: " + o.Bounds}}, nil)
	}
}

// add reports what a rule found on an event; infos count as nothing.
func (j *Judge) add(f rule.Finding, cause *event.Ref) *event.Ref {
	if f.Severity == rule.Info {
		return nil
	}
	w := result.Warning{Severity: f.Severity, Rule: f.Rule, Case: f.Case, Component: f.Component, Run: f.Run, Message: f.Message, Evidence: f.Evidence}
	if !f.Time.IsZero() {
		w.Time = f.Time.UTC().Format(time.RFC3339Nano)
	}
	return j.warn(w, cause)
}

// warn keeps a warning and records it. It returns which event that was.
func (j *Judge) warn(w result.Warning, cause *event.Ref) *event.Ref {
	j.warnings = append(j.warnings, w)
	e := j.record(event.Event{
		Source: event.Executive, Kind: event.Finding, Name: w.Rule, Severity: w.Severity,
		Case: w.Case, Component: w.Component, Run: w.Run, Text: w.Message, Cause: cause,
	})
	return e.Ref()
}
