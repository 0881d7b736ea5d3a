// Package rules checks an engine's runs and results against the built-in rules and the rules of its file, and collects
// the warnings. It compiles rules with the data of the engine that package watchdog/rule needs.
package rules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/steer"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Judge checks an engine's runs and results against the built-in rules and the rules of its file, and collects the
// warnings. It is an attempt.Monitor, attempt.Commander and attempt.Boarder: a rule can stop a run, command it, or be
// judged in its process.
type Judge struct {
	cfg     *config.Engine
	ends    bool         // rules of the engine's file may end runs
	version atomic.Int64 // of the rules
	listed  atomic.Pointer[[]TableRule]
	Record  func(event.Event) event.Event // gets and numbers every event of the judge before the judge acts on it

	mu        sync.Mutex
	table     table
	key       string
	inSitu    inSitu
	monitor   *rule.Monitor
	study     *rule.StudyMonitor
	going     map[string]*going                // unfinished runs
	orders    map[string][]attempt.Instruction // to runs, of rules that act
	guard     guard                            // bounds the actions of rules
	steer     func(steer.Command)              // gives a command to the whole study; nil: not possible
	steered   int                              // commands to it
	halts     map[string]attempt.Halt          // orders to end runs, for reasons that lie in other runs
	announced map[string]bool                  // runs whose component the monitor knows
	verdicts  verdicts
	warnings  []result.Warning
	said      map[string]int // index in warnings of a finding on the study, by its key
	holding   bool           // findings on runs are held back
	held      []rule.Finding // while they are
	lacking   lacks          // rules that could not be judged
}

// NewJudge compiles the rules. The error names each faulty rule with its place.
func NewJudge(m *graph.Model) (*Judge, error) {
	t := table{shape: m.RuleShape(), file: m.Engine.File, rules: m.Engine.Rules}
	rules, key, err := t.compile()
	if err != nil {
		return nil, err
	}
	inSituRules, err := newInSitu(rules.Single)
	if err != nil {
		return nil, err
	}
	j := &Judge{
		inSitu: inSituRules, cfg: m.Engine, table: t, monitor: rule.NewMonitor(rules.Single),
		study: rule.NewStudyMonitor(rules.Study, OnMap), ends: rules.Single.EndsRuns(), key: key,
		going: map[string]*going{}, Record: func(e event.Event) event.Event { return e },
		orders: map[string][]attempt.Instruction{}, guard: guard{}, halts: map[string]attempt.Halt{},
		announced: map[string]bool{}, verdicts: verdicts{},
		warnings: []result.Warning{}, said: map[string]int{},
	}
	j.show(rules)
	return j, nil
}

// Engine returns the engine whose rules these are.
func (j *Judge) Engine() *config.Engine { return j.cfg }

// EndsRuns reports whether rules of the engine's file may end runs.
func (j *Judge) EndsRuns() bool { return j.ends }

// Key implements run.Rules: with equal keys and equal events, findings are equal.
func (j *Judge) Key() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.key
}

// Version implements run.Rules.
func (j *Judge) Version() int { return int(j.version.Load()) }

// Warnings returns the warnings so far, in order of time. Warnings of rules on the study count if they hold now, or if
// the rule acted. Other rules may hold for a moment, depending on the order in which runs end: for example, a speed
// line has lost two of its first three runs. Only the log has their warnings.
func (j *Judge) Warnings() []result.Warning {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := append([]result.Warning{}, j.warnings...)
	if len(j.said) == 0 {
		return list
	}
	standing, judged := j.study.Standing()
	if !judged {
		return list
	}
	over := map[int]bool{}
	for key, i := range j.said {
		f, holds := standing[key]
		if over[i] = !holds; holds {
			list[i].Message, list[i].Runs, list[i].Evidence = f.Message, f.Runs, f.Evidence
		}
	}
	kept := list[:0]
	for i, w := range list {
		if !over[i] {
			kept = append(kept, w)
		}
	}
	return kept
}

// Warn adds warnings that do not come from a rule. Cause is the event that led to them; it may be nil.
func (j *Judge) Warn(cause *event.Ref, ws ...result.Warning) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, w := range ws {
		j.warn(w, cause)
	}
}

// Steer sets the function by which rules give commands to the whole study. It must not block.
func (j *Judge) Steer(give func(steer.Command)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.steer = give
}

// Observe implements attempt.Monitor.
func (j *Judge) Observe(e event.Event) *attempt.Halt {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.observe(e)
}

func (j *Judge) observe(e event.Event) *attempt.Halt {
	if e.Run == "" || e.Cached { // Replay judges cached runs
		return nil
	}
	if e.Kind != event.Reached {
		j.announce(e)
		j.follow(e)
	}
	halt := j.fromRun(&e)
	for _, f := range j.monitor.Event(e) {
		cause := cmp.Or(f.Cause, e.Ref())
		j.verdicts.note(f, cause, false)
		found := j.add(f, cause)
		rejects := f.Kind == event.Result && f.Severity == rule.Severe
		if j.act(f, found) || rejects {
			h := j.halt(f, found)
			halt = &h
		}
	}
	j.together(j.study.Event(e))
	if h, ok := j.halts[e.Run]; ok && halt == nil && e.Kind != event.Ended {
		halt = &h
	}
	delete(j.halts, e.Run)
	if e.Kind == event.Ended {
		delete(j.orders, e.Run)
		j.verdicts.conclude(&e, j.monitor, j.study)
	}
	if e.Kind != event.Result || halt != nil {
		return halt
	}
	if why := j.monitor.Rejected(e.Run); why != "" {
		halt = &attempt.Halt{Class: event.Unphysical, Message: "a rule makes the answer unusable: " + why,
			Cause: e.Ref()}
	}
	return halt
}

// fromRun takes a finding of a run's own rules: a warning, or a stop of the run.
func (j *Judge) fromRun(e *event.Event) *attempt.Halt {
	if e.Source != event.Plugin {
		return nil
	}
	if e.Kind == event.Finding {
		f := rule.Finding{Severity: e.Severity, Rule: e.Name, Component: e.Component, Run: e.Run, Time: e.Time,
			Message: e.Text, Evidence: []string{}}
		j.verdicts.note(f, nil, true)
		j.addInSitu(f)
	}
	return j.haltOf(e)
}

// addInSitu turns a finding of a run's own rules, which is an event already, into a warning.
func (j *Judge) addInSitu(f rule.Finding) {
	if j.holding {
		j.held = append(j.held, f)
	} else {
		j.warnings = append(j.warnings, warningOf(f))
	}
}

// class returns the class of a run that a rule ends.
func (j *Judge) class(run string) event.Class {
	if c := j.monitor.Class(run); c != "" && c != event.Converged {
		return c
	}
	if c := j.monitor.State(run).Class(); c == event.Diverged || c == event.Stalled {
		return c
	}
	return event.Unphysical
}

// announce gives the monitor the component of an event's run, once.
func (j *Judge) announce(e event.Event) {
	if j.announced[e.Run] {
		return
	}
	j.announced[e.Run] = true
	if info, known := j.infoOf(e); known {
		j.monitor.Run(info)
		j.study.Run(info)
		j.verdicts.begin(&e, info, j.key)
	}
}

// infoOf returns the component of the run of an event.
func (j *Judge) infoOf(e event.Event) (info rule.Run, known bool) {
	c := j.cfg.Component(e.Component)
	if c == nil {
		return info, false
	}
	return rule.Run{Name: e.Run, Component: e.Component, Type: c.Type.Name}, true
}

// Tick gives the monitor the time, for rules on runs that report no events. [Judge.Deliver] delivers their actions.
func (j *Judge) Tick(now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range j.monitor.Tick(now) {
		j.verdicts.note(f, nil, false)
		found := j.add(f, nil)
		if j.act(f, found) {
			j.halts[f.Run] = j.halt(f, found)
		}
	}
	j.together(j.study.Tick(now))
}

// halt returns the order to end a run because of a finding. Found is the finding's event.
func (j *Judge) halt(f rule.Finding, found *event.Ref) attempt.Halt {
	return attempt.Halt{Class: j.class(f.Run), Message: "rule " + f.Rule + ": " + f.Message, Cause: found}
}

// Replay judges a run from the cache, by the verdict that is kept with its answer or else by the events in its folder.
// A study therefore gives the same warnings whether or not its runs are cached. If both are missing the run is not
// judged; after the end of ctx no event is. The judge is locked until the run has ended again: by a Tick between its
// events it would have been silent since it was made.
func (j *Judge) Replay(ctx context.Context, o run.Outcome) {
	if ctx.Err() != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.recall(&o) {
		return
	}
	_ = event.Each(filepath.Join(o.Folder, plugin.EventsFile), func(e event.Event) {
		e.Component = o.Job.Component // the folder may be older than the field, or of another engine
		if ctx.Err() == nil {
			j.observe(e)
		}
	})
}

// Verdict implements run.Rules.
func (j *Judge) Verdict(name string) json.RawMessage {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.verdicts.take(name)
}

// recall takes the verdict that is kept with an answer as the judgement of its run, and reports whether it holds.
func (j *Judge) recall(o *run.Outcome) bool {
	info, known := j.infoOf(event.Event{Run: o.Run, Component: o.Job.Component})
	v := keptVerdict(o, info, j.key)
	if !known || v == nil {
		return false
	}
	if j.announced[o.Run] { // it has been judged
		return true
	}
	j.announced[o.Run] = true
	for _, f := range v.Found {
		if f.InSitu {
			j.addInSitu(f.Finding)
			continue
		}
		found := j.add(f.Finding, f.Cause)
		if f.Would != "" {
			j.would(f.Finding, f.Would, found)
		}
	}
	j.monitor.Offer(v.Offered)
	j.together(j.study.Restore(info, v.Facts, v.Ended))
	return true
}

// Result judges a case.
func (j *Judge) Result(r *result.Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.outside(r)
	for _, w := range r.TransientWarnings {
		j.warn(w, nil)
	}
	if r.Interrupted() {
		return
	}
	if !r.Converged {
		j.warn(result.Warning{Severity: rule.Severe, Rule: "case_not_converged", Case: r.Name, Message: r.Message,
			Evidence: []string{}}, nil)
		return
	}
	if len(r.Limited) > 0 {
		j.warn(result.Warning{Severity: rule.Warning, Rule: "limited", Case: r.Name,
			Message: fmt.Sprintf("limited by %s: %s", strings.Join(r.Limited, " and "),
				strings.Join(r.Missed, " and ")),
			Evidence: slices.Concat(r.Limited, r.Missed)}, nil)
	}
	env := r.Environment()
	for _, l := range j.lacking.note(r.Name, j.monitor.Lacking(env)) {
		if w := l.warn(j.cfg); l.warning >= 0 {
			j.warnings[l.warning] = w
		} else {
			l.warning = len(j.warnings)
			j.warn(w, nil)
		}
	}
	for _, f := range j.monitor.Case(r.Name, env) {
		reported := f.Rule == "burner_does_not_heat" && r.FlameWentOut(f.Component) // a warning reports that
		if !reported && !slices.Contains(r.WatchedRules, f.Rule) {
			j.add(f, nil)
		}
	}
}

// Unoffered warns of rules that name values not reported by any run.
func (j *Judge) Unoffered() {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err := j.monitor.Unoffered()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, err := range joined.Unwrap() {
		if e, ok := errors.AsType[*language.Error](err); ok {
			j.warn(result.Warning{Severity: rule.Severe, Rule: e.Rule, Message: "the rule was not judged: " + e.Reason,
				Evidence: []string{e.Text}}, nil)
		}
	}
}

// outside warns of maps that a transient left before its end; rules see only the end.
func (j *Judge) outside(r *result.Result) {
	for _, name := range slices.Sorted(maps.Keys(r.Outside)) {
		o := r.Outside[name]
		if r.Converged && r.MapEdges[name] != 0 {
			continue // a rule warns of it
		}
		j.warn(result.Warning{Severity: rule.Warning, Rule: "outside_map", Case: r.Name, Component: name,
			Message: fmt.Sprintf("worked outside its map, on extrapolated values, from %s s to %s s",
				unit.Brief(o.From), unit.Brief(o.To)),
			Evidence: []string{"bounds passed: " + o.Bounds}}, nil)
	}
}

// HoldRuns holds back findings on runs, until ReleaseRuns.
func (j *Judge) HoldRuns() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.holding = true
	j.study.Hold()
}

// ReleaseRuns adds the findings that were held back, except findings on runs for which drop reports true.
func (j *Judge) ReleaseRuns(drop func(run string) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	held := j.held
	j.holding, j.held = false, nil
	for _, f := range held {
		if !drop(f.Run) {
			j.add(f, nil)
		}
	}
	j.together(j.study.Release(drop))
}

// add turns a finding into a warning, and returns its event. Findings of severity info are
// ignored.
func (j *Judge) add(f rule.Finding, cause *event.Ref) *event.Ref {
	if f.Severity == rule.Info {
		return nil
	}
	if j.holding && f.Run != "" && len(f.Runs) == 0 {
		j.held = append(j.held, f)
		return nil
	}
	return j.warn(warningOf(f), cause)
}

func warningOf(f rule.Finding) result.Warning {
	w := result.Warning{Severity: f.Severity, Rule: f.Rule, Case: f.Case, Component: f.Component, Run: f.Run,
		Runs: f.Runs, Message: f.Message, Evidence: f.Evidence}
	if !f.Time.IsZero() {
		w.Time = f.Time.UTC().Format(time.RFC3339Nano)
	}
	return w
}

// addLatest adds a finding on several runs. If the same rule reported the same facts before, such as a speed line that
// has now lost one more run, the new warning replaces the old warning.
func (j *Judge) addLatest(f rule.Finding) *event.Ref {
	before := len(j.warnings)
	found := j.add(f, nil)
	if len(j.warnings) == before || f.Key == "" || f.Acts {
		return found
	}
	if i, said := j.said[f.Key]; said {
		j.warnings[i] = j.warnings[before]
		j.warnings = j.warnings[:before]
		return found
	}
	j.said[f.Key] = before
	return found
}

// warn keeps a warning, records it, and returns its event.
func (j *Judge) warn(w result.Warning, cause *event.Ref) *event.Ref {
	j.warnings = append(j.warnings, w)
	e := j.Record(event.Event{
		Source: event.Executive, Kind: event.Finding, Name: w.Rule, Severity: w.Severity,
		Case: w.Case, Component: w.Component, Run: w.Run, Text: w.Message, Cause: cause,
	})
	return e.Ref()
}
