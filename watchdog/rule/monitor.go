package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/expr-lang/expr/vm"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// Monitor judges events and results by a set of rules.
//
// The same events in the same order give the same findings: time enters through the events and Tick alone. A run's
// solver and its files may report the same iterations; their events are judged in the order of the iterations, in
// whatever order they arrive. The monitor waits at most a second for the slower of the two. An even later event is left
// out of a value's history if the history already has a later iteration. A Monitor may be used by several goroutines.
type Monitor struct {
	set *Set

	mu      sync.Mutex
	machine vm.VM
	runs    map[string]*run
	fired   map[string]bool // rule, case and component of results
	offered map[string]bool // names of values that runs reported which are not judged again
	ticked  time.Time       // when Tick looked at all runs
	waiting bool            // whether an event of some run may wait for others
}

// NewMonitor returns a Monitor without runs.
func NewMonitor(set *Set) *Monitor {
	return &Monitor{set: set, runs: map[string]*run{}, fired: map[string]bool{}, offered: map[string]bool{}}
}

// Run announces a run, before its first event. A run that is not announced is judged, too, but belongs to
// no component.
func (m *Monitor) Run(info Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[info.Name] = newRun(info, &m.set.layout)
}

// Inherit copies the list of rules that have fired on results from an earlier monitor, except rules that have changed
// since.
func (m *Monitor) Inherit(from *Monitor, changed []string) {
	from.mu.Lock()
	said := maps.Clone(from.fired)
	from.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range said {
		if !slices.ContainsFunc(changed,
			func(name string) bool { return strings.HasPrefix(key, strconv.Quote(name)+" ") }) {
			m.fired[key] = true
		}
	}
}

// Stands reports whether a rule has fired for a run and has held since.
func (m *Monitor) Stands(name, of string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil {
		return false
	}
	id, known := m.set.ids[of]
	return known && r.state[id].stands
}

// Event takes an event and returns the findings that it causes, itself or through events that waited for it. Events
// without a run are ignored.
func (m *Monitor) Event(e event.Event) []Finding {
	if e.Run == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.event(m.run(e.Run), e)
}

// run returns the run of a name.
func (m *Monitor) run(name string) *run {
	r := m.runs[name]
	if r == nil {
		r = newRun(Run{Name: name}, &m.set.layout)
		m.runs[name] = r
	}
	return r
}

func (m *Monitor) event(r *run, e event.Event) []Finding {
	if gap, is := e.Gap(); is {
		r.skip(gap)
	}
	found := m.silence(r, e.Time)
	r.hear(&e)
	final := (e.Kind == event.Result || e.Kind == event.Ended) && e.Source != event.File
	switch {
	case e.Kind == event.Watched:
		r.merge.await(e.Time)
	case e.Kind == event.Reached:
		r.merge.reach(&e)
	case final: // no more events of the solver and the files will come
		found = append(found, m.settle(r, true)...)
		found = append(found, m.step(r, &placed{Event: e})...)
	case e.Kind != event.Command && (e.Source == event.Plugin || e.Source == event.File || e.Kind == event.Iteration):
		r.merge.add(e)
	default:
		found = append(found, m.step(r, &placed{Event: e})...)
	}
	return append(found, m.settle(r, false)...)
}

// settle judges waiting events while a next event exists; all: without waiting for earlier ones.
func (m *Monitor) settle(r *run, all bool) []Finding {
	var found []Finding
	defer func() { m.waiting = m.waiting || r.merge.waits() }()
	for p, ok := r.merge.next(all); ok; p, ok = r.merge.next(all) {
		found = append(found, m.step(r, &p)...)
		if p.sample != nil {
			r.spares.give(p.sample)
		}
	}
	return found
}

// step judges an event whose turn it is.
func (m *Monitor) step(r *run, p *placed) []Finding {
	r.take(p)
	var found []Finding
	switch p.Kind {
	case event.Iteration, event.Ended:
		found = m.judge(r, p.Time, everything)
	case event.Profile:
		found = m.judge(r, p.Time, profiles)
	case event.Result:
		found = append(m.judge(r, p.Time, everything), m.answer(r, p.Event)...)
	}
	for i := range found {
		found[i].Kind, found[i].Cause = p.Kind, p.Ref()
	}
	return found
}

// Tick judges the runs that are silent, at a time: each once a second at most.
func (m *Monitor) Tick(now time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	if since := now.Sub(m.ticked); !m.waiting && since >= 0 && since < time.Second {
		return nil
	}
	m.ticked, m.waiting = now, false
	var due []*run
	for _, r := range m.runs {
		if since := now.Sub(r.ticked); r.merge.waits() || since < 0 || since >= time.Second {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *run) int { return cmp.Compare(a.info.Name, b.info.Name) })
	var found []Finding
	for _, r := range due {
		r.ticked = now
		r.merge.tick(now)
		found = append(found, m.settle(r, false)...)
		found = append(found, m.silence(r, now)...)
		m.waiting = m.waiting || r.merge.waits()
	}
	return found
}

// silence judges the time since the run's last sign of life.
func (m *Monitor) silence(r *run, now time.Time) []Finding {
	if r.paused || r.last.IsZero() || r.ended != nil || !now.After(r.last) {
		return nil
	}
	r.facts.silent = now.Sub(r.last).Seconds()
	found := m.judge(r, now, silence)
	r.facts.silent = 0
	r.dirty.set(silentInput)
	return found
}

// first returns the index of the first condition of a rule that applies and holds; none if none does. In silence only
// the conditions on the time without a sign of life are judged.
func (m *Monitor) first(rule *rule, env evaluator, inSilence bool) (int, error) {
	for i, c := range rule.when {
		if inSilence && !c.silence || env.lacks(c) != "" {
			continue
		}
		holds, err := env.evaluate(&m.machine, c)
		if err != nil {
			return i, err
		}
		if holds == true {
			return i, nil
		}
	}
	return none, nil
}

// finding describes a rule that fired, or the error of a condition.
func (m *Monitor) finding(rule *rule, c int, err error, env evaluator) Finding {
	f, wrong := rule.finding(rule.when[c], &m.machine, env)
	if err == nil {
		err = wrong
	}
	if err != nil {
		f.Severity, f.Does, f.Action, f.Values, f.Acts = Warning, Action{}, "", nil, false
		f.Message = fmt.Sprintf("the rule cannot be judged here: %v", err)
		return f
	}
	for _, s := range rule.when[c].shown {
		if env.lacks(s.condition) != "" {
			continue
		}
		if x, err := env.evaluate(&m.machine, s.condition); err == nil && x != nil && x != "" &&
			!strings.HasPrefix(s.text, "flag(") { // its argument has a line of its own
			f.Evidence = append(f.Evidence, s.text+" = "+language.Show(x))
		}
	}
	return f
}

// answer judges the result of a run as that of its component.
func (m *Monitor) answer(r *run, e event.Event) []Finding {
	values := map[string]any{"type": r.info.Type}
	for name, x := range e.Values {
		values[name] = x
	}
	found := m.component("", r.info.Component, r.info.Name, values)
	for i := range found {
		found[i].Time = e.Time
		found[i].Evidence = append(r.quotes.lines(1), found[i].Evidence...)
		if found[i].Severity == Severe && r.rejected == "" {
			r.rejected = found[i].Message
		}
	}
	return found
}

// Case judges the result of an engine. env holds maps by the names of components, shafts and "performance": the names
// of Shape.Engine, as far as they exist.
func (m *Monitor) Case(name string, env map[string]any) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	env = normalize(env)
	env["flag"] = flag
	values := results(env)
	var found []Finding
	for _, rule := range m.set.rules {
		if rule.scope != caseScope {
			continue
		}
		if f, ok := m.once(rule, values, name, "", ""); ok {
			found = append(found, f)
		}
	}
	if !slices.ContainsFunc(m.set.rules, func(r *rule) bool { return r.scope == componentScope }) {
		return found
	}
	for _, c := range slices.Sorted(maps.Keys(env)) {
		if values, ok := env[c].(map[string]any); ok && values["type"] != nil {
			found = append(found, m.component(name, c, "", values)...)
		}
	}
	return found
}

// component judges the values of a component.
func (m *Monitor) component(in, name, run string, values map[string]any) []Finding {
	values = maps.Clone(values)
	values["name"], values["run"] = name, run
	for _, port := range []string{"in", "out"} {
		state, _ := values[port].(map[string]any)
		for _, x := range []string{"Tt", "Pt", "W"} {
			if _, given := values[x+"_"+port]; !given && state[x] != nil {
				values[x+"_"+port] = state[x]
			}
		}
	}
	env := results{component: values, "flag": flag}
	var found []Finding
	for _, rule := range m.set.rules {
		if rule.scope != componentScope {
			continue
		}
		if f, ok := m.once(rule, env, in, name, run); ok {
			found = append(found, f)
		}
	}
	return found
}

// once evaluates a rule on results, unless it has already fired for them.
func (m *Monitor) once(rule *rule, env results, in, name, run string) (Finding, bool) {
	key := fmt.Sprintf("%q %q %q %q", rule.Name, in, name, run)
	if m.fired[key] {
		return Finding{}, false
	}
	c, err := m.first(rule, env, false)
	if c == none && err == nil {
		return Finding{}, false
	}
	m.fired[key] = true
	f := m.finding(rule, c, err, env)
	f.Case, f.Component, f.Run = in, name, run
	return f, true
}

// Sample takes a sample that a parser read from a file of a run at a time. The result is the same as that of Event with
// the sample's event.
func (m *Monitor) Sample(name, file string, p *history.Parser, s *history.Sample, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.run(name)
	if s.Kind != event.Iteration || len(s.Arrays) > 0 {
		e := p.Event(s)
		e.Run, e.Time = name, at
		return m.event(r, e)
	}
	found := m.silence(r, at)
	r.last = later(r.last, at)
	n, numbered := s.Value(columnsOf(r.columns, p).iteration)
	x, alone := r.merge.sample(file, n, numbered, at)
	x.parser, x.sample = p, s
	if alone {
		return append(found, m.step(r, &x)...)
	}
	x.sample = r.spares.take(s) // it waits for other sources
	x.by.waiting = append(x.by.waiting, x)
	return append(found, m.settle(r, false)...)
}

// Class returns the class of a run by its events and rules; empty for a run that continues or is unknown. The first
// sign that holds decides.
func (m *Monitor) Class(name string) event.Class {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil {
		return ""
	}
	reported := func(by bool) event.Class {
		if r.ended == nil || (r.ended.Source == event.Plugin) != by {
			return ""
		}
		return r.ended.Class
	}
	converged, open := r.hasFired("converged"), r.result == nil
	unfinished := event.NotConverged
	if r.hasFired("residual_oscillates") {
		unfinished = event.Stalled
	}
	for _, sign := range []struct {
		holds bool
		class event.Class
	}{
		{r.facts.badResult, event.Diverged}, // values of its result are not finite
		{r.rejected != "", event.Unphysical},
		{true, reported(true)}, // by the solver
		{r.hasFired("non_finite"), event.Diverged},
		{r.hasFired("residual_grows") && !converged && open, event.Diverged},
		{r.hasFired("hung") && open, event.Hung},
		{reported(false) != event.Crashed, reported(false)}, // by the host
		{!open && converged, event.Converged},
		{!open || r.ended != nil && r.hasFired("not_converged"), unfinished},
		{r.ended != nil, event.Crashed}, // without a result
	} {
		if sign.holds && sign.class != "" {
			return sign.class
		}
	}
	return ""
}

// State returns the state of a run, if rules name it; else, and for an unknown run, it is empty.
func (m *Monitor) State(name string) judge.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		return r.judgement.state
	}
	return ""
}

// Rejected returns the reason why the answer of a run must not be used: the message of the rule that rejects it. Empty:
// the answer may be used.
func (m *Monitor) Rejected(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		return r.rejected
	}
	return ""
}
