package study

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Finding is a rule on a study that fired.
type Finding struct {
	rule.Finding
	Key string   // rule and facts: a later finding with the same key replaces this one
	On  []string // the unfinished runs on which its action acts: the runs in its each, or all if it has none
}

// Monitor judges the runs of a study by a set of rules. The same events in the same order give the same findings. It
// may be used by several goroutines.
type Monitor struct {
	set *Set
	on  Map

	mu      sync.Mutex
	memory  *fact.Memory
	runs    map[string]*run
	order   []*run
	stale   []*run
	holding bool
	stands  map[string]*standings // by rule
	fired   map[string]int        // by rule: how often it did
	begun   []candidate
	latest  time.Time
	broken  error // why rules are not judged any more; nil: they are
	every   bool  // also return a finding that only exchanges the facts of another
}

// standings are the facts for which a rule has fired and held since.
type standings struct {
	list  map[string]standing
	pairs map[string]int // number of them by their facts, in any order
	held  map[string]int // number of matches that hold for some facts
	gone  []string       // keys of facts for which it may not hold any more
}

// standing is the facts for which a rule has fired.
type standing struct {
	why  string // the facts and their values when it fired
	pair string // the facts, sorted
}

// key names a rule and its facts.
func (r *studyRule) key(facts string) string { return r.Name + ": " + facts }

// Standing returns the findings that hold now, by key. It judges all runs anew, so that the result does not depend on
// the order of events: a rule that fired early had counted fewer runs. It returns false if the rules are not judged any
// more.
func (m *Monitor) Standing() (map[string]Finding, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := NewMonitor(m.set, m.on)
	fresh.every = true
	for _, r := range m.order {
		if !r.dropped {
			unjudged := *r
			unjudged.known, unjudged.stale = false, false
			fresh.runs[r.info.Name] = &unjudged
			fresh.order = append(fresh.order, &unjudged)
			fresh.mark(&unjudged)
		}
	}
	list := map[string]Finding{}
	for _, f := range fresh.judge(m.latest) {
		list[f.Key] = f
	}
	return list, m.broken == nil && fresh.broken == nil
}

// With returns a monitor of the same runs with other rules, and their findings that the earlier rules did not have. Of
// changed rules it returns all findings. past returns the events so far of a running run.
func (m *Monitor) With(set *Set, changed []string, past func(run string) []event.Event) (*Monitor, []Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	anew := NewMonitor(set, m.on)
	anew.holding, anew.latest = m.holding, m.latest
	for _, r := range m.order {
		r.known, r.stale = false, false
		if r.judgeState(set) {
			for _, e := range past(r.info.Name) {
				r.judgeNext(&e)
			}
		}
		anew.runs[r.info.Name], anew.order = r, append(anew.order, r)
		anew.mark(r)
	}
	found := slices.DeleteFunc(anew.judge(m.latest), func(f Finding) bool {
		was := m.stands[f.Rule]
		if was == nil || slices.Contains(changed, f.Rule) {
			return false
		}
		_, stood := was.list[strings.TrimPrefix(f.Key, f.Rule+": ")]
		return stood
	})
	return anew, found
}

// candidate is a rule that began to hold. Its finding is made after the evaluation of all rules, if it still holds
// then: its counts may grow until then.
type candidate struct {
	rule *studyRule
	by   *alternative
	key  string
	pair string
	of   *fact.Match
}

// mostFirings bounds the firings of rules for an event: mostFirings, and mostPerPair for each pair of a run and a rule,
// because the event of a run concerns each rule on it and any other run.
const (
	mostFirings = 10_000
	mostPerPair = 10
)

// NewMonitor returns a Monitor of a study without runs.
func NewMonitor(set *Set, on Map) *Monitor {
	m := &Monitor{set: set, on: on, runs: map[string]*run{}, stands: map[string]*standings{}, fired: map[string]int{}}
	for _, r := range set.rules {
		m.stands[r.Name] = &standings{list: map[string]standing{}, pairs: map[string]int{}, held: map[string]int{}}
	}
	m.memory = set.memory(m.then, gone)
	return m
}

// Run announces a run, before its first event. A run that is not announced is judged, too.
func (m *Monitor) Run(info rule.Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs[info.Name] == nil {
		m.add(info)
	}
}

func (m *Monitor) add(info rule.Run) *run {
	r := newRun(info, m.set)
	m.runs[info.Name] = r
	m.order = append(m.order, r)
	return r
}

// Event takes an event and returns the findings that it causes. Events without a run are ignored.
func (m *Monitor) Event(e event.Event) []Finding {
	if e.Run == "" || e.Kind == event.Planned {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[e.Run]
	if r == nil {
		r = m.add(rule.Run{Name: e.Run, Component: e.Component})
	}
	if !r.take(&e, m.set, m.on, func(name string) *run { return m.runs[name] }) && r.known {
		return nil
	}
	m.mark(r)
	m.latest = e.Time
	return m.judge(e.Time)
}

// Facts returns the data of a run, which must not be changed; empty: the run is unknown.
func (m *Monitor) Facts(name string) (f Facts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		f = r.Facts
	}
	return f
}

// Restore takes an ended run with the data that [Monitor.Facts] returned at its end, instead of its events.
func (m *Monitor) Restore(info rule.Run, f Facts, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[info.Name]
	if r == nil {
		r = m.add(info)
	}
	r.machine, r.Given, r.Answer = nil, f.Given, f.Answer
	maps.Copy(r.Values, f.Values)
	maps.Copy(r.Numbers, f.Numbers)
	maps.Copy(r.Texts, f.Texts)
	maps.Copy(r.Flags, f.Flags)
	m.mark(r)
	m.latest = at
	return m.judge(at)
}

// State takes the judgement of a run from an external judge, as `peregrine watch` judges runs by their files. class is
// the class of the ended run; empty: it is running.
func (m *Monitor) State(name string, j state.Judgement, class event.Class, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil {
		r = m.add(rule.Run{Name: name})
	}
	r.machine = nil
	final := class != ""
	r.Texts["state"], r.Texts["class"] = string(j.State), string(class)
	r.Flags["ended"], r.Flags["answered"], r.Flags["lost"] = final, final && j.Usable, final && !j.Usable
	m.mark(r)
	return m.judge(at)
}

// Tick judges the runs that are silent, at a time.
func (m *Monitor) Tick(now time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.order {
		if r.machine != nil && !r.Flags["ended"] && r.machine.Tick(now) {
			r.Texts["state"] = string(r.machine.Judgement().State)
			m.mark(r)
		}
	}
	return m.judge(now)
}

// Hold takes events without judging them, until Release.
func (m *Monitor) Hold() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holding = true
}

// Release judges the events that were held back. It drops the events of runs for which drop is true; they do not belong
// to the study.
func (m *Monitor) Release(drop func(run string) bool) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holding = false
	for _, r := range m.stale {
		r.dropped = r.dropped || drop(r.info.Name)
	}
	return m.judge(m.latest)
}

func (m *Monitor) mark(r *run) {
	if !r.stale {
		r.stale = true
		m.stale = append(m.stale, r)
	}
}

// judge updates the facts of the runs, and fires the rules.
func (m *Monitor) judge(at time.Time) []Finding {
	if m.holding || m.broken != nil || len(m.stale) == 0 {
		return nil
	}
	for _, r := range m.stale {
		r.stale = false
		m.state(r)
	}
	m.stale = m.stale[:0]
	m.begun = m.begun[:0]
	if _, err := m.memory.Run(mostFirings + mostPerPair*len(m.order)*len(m.set.rules)); err != nil {
		m.broken = err
		return []Finding{{Finding: fault(err, at)}}
	}
	return m.settled(at)
}

// state updates the fact of a run with its present data.
func (m *Monitor) state(r *run) {
	k := m.set.kinds[config.Kind]
	switch {
	case r.dropped && r.known:
		r.known = false
		m.memory.Retract(r.id)
	case r.dropped:
	case r.known:
		m.memory.Change(r.id, r.row(k)...)
	default:
		r.known, r.id = true, m.memory.Assert(k.name, r.row(k)...)
	}
}

// fault is the finding that rules are not judged any more, as they refer to each other in a circle or fire too often.
func fault(err error, at time.Time) rule.Finding {
	f := rule.Finding{Severity: rule.Warning, Rule: "rules", Time: at, Evidence: []string{},
		Message: "rules on the study are not judged any more: " + err.Error()}
	if loop, ok := errors.AsType[*fact.LoopError](err); ok {
		for _, x := range loop.Cycle {
			f.Evidence = append(f.Evidence, x.Text)
		}
		f.Rule, _, _ = strings.Cut(loop.Last.Rule, ", condition")
	}
	return f
}

// settled returns the findings of the rules that began to hold and still do.
func (m *Monitor) settled(at time.Time) (found []Finding) {
	for _, r := range m.set.rules {
		x := m.stands[r.Name]
		for _, key := range x.gone {
			was, stood := x.list[key]
			if !stood || x.held[key] > 0 { // it holds again
				continue
			}
			delete(x.list, key)
			if x.pairs[was.pair]--; x.pairs[was.pair] == 0 {
				delete(x.pairs, was.pair)
			}
		}
		x.gone = x.gone[:0]
		for _, c := range m.begun {
			if _, stood := x.list[c.key]; c.rule != r || stood || !c.of.Holds() {
				continue
			}
			if f, said := m.begins(x, c); said {
				f.Time = at
				same := func(g Finding) bool {
					return g.Rule == r.Name && slices.Equal(g.Runs, f.Runs) && g.Message == f.Message
				}
				if m.every || !slices.ContainsFunc(found, same) {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// begins records that a rule holds for some facts, and returns its finding, if it is new.
func (m *Monitor) begins(x *standings, c candidate) (f Finding, said bool) {
	r, a := c.rule, c.by
	s := &scope{match: c.of}
	x.list[c.key] = standing{a.why(s), c.pair}
	x.pairs[c.pair]++
	if x.pairs[c.pair] > 1 && !m.every { // of b and a, where it was of a and b and still holds of these
		return f, false
	}
	m.fired[r.Name]++
	if r.Message == "" { // it only concludes
		return f, false
	}
	f = m.finding(r, a, s)
	f.Key = r.key(c.key)
	return f, true
}

// holding identifies the standing of a match.
type holding struct {
	of  *standings
	key string
}

// gone records facts for which a rule may hold no more.
func gone(x *fact.Match) {
	h := x.Tag.(holding)
	if h.of.held[h.key]--; h.of.held[h.key] == 0 {
		delete(h.of.held, h.key)
		h.of.gone = append(h.of.gone, h.key)
	}
}

// then returns the callback for an alternative of a rule that begins to hold.
func (m *Monitor) then(r *studyRule, a *alternative) func(*fact.Match) {
	x := m.stands[r.Name]
	return func(f *fact.Match) {
		s := &scope{match: f}
		for _, x := range a.infers {
			f.Assert(x.kind.name, x.row(s)...)
		}
		key, pair := a.key(s, m.set.kinds[config.Kind].place["name"])
		if _, stands := x.list[key]; !stands {
			m.begun = append(m.begun, candidate{r, a, key, pair, f})
		}
		f.Tag = holding{x, key}
		x.held[key]++
	}
}

// key returns the names of the facts of a match, in their order and sorted: a rule that holds for a and b and for b and
// a is reported once. An asserted fact is named by its values: it is retracted and asserted anew when a run that
// supports it changes.
func (a *alternative) key(s *scope, name int) (key, pair string) {
	list := make([]string, len(a.each))
	for i, e := range a.each {
		if f := s.match.Fact(i); e.Kind == config.Kind {
			list[i] = f.Text(name)
		} else {
			list[i] = f.String()
		}
	}
	key = strings.Join(list, ", ")
	slices.Sort(list)
	return key, strings.Join(list, ", ")
}

// missing are the values of absent fields.
var missing = map[fact.Type]fact.Value{fact.Number: fact.Num(math.NaN()), fact.Text: fact.Str(""),
	fact.Bool: fact.Flag(false)}

// row is the fact that a rule asserts.
func (x inference) row(s *scope) []fact.Value {
	row := make([]fact.Value, len(x.kind.columns))
	for i, c := range x.kind.columns {
		switch v := x.values[i].value; {
		case v.Number != nil:
			row[i] = fact.Num(v.Number(s))
		case v.Text != nil:
			row[i] = fact.Str(v.Text(s))
		case v.Truth != nil:
			row[i] = fact.Flag(v.Truth(s))
		default:
			row[i] = missing[c.typ]
		}
	}
	return row
}

// finding describes a rule that holds.
func (m *Monitor) finding(r *studyRule, a *alternative, s *scope) Finding {
	f := Finding{
		Finding: rule.Finding{Severity: r.Severity, BuiltIn: r.BuiltIn(), Rule: r.Name, Most: r.Most,
			Evidence: []string{}, Notify: r.Notify},
	}
	does, wrong := a.does(r, s)
	if wrong == nil {
		f.Action, f.Values, f.Does, f.Acts = does.Verb, does.Values, does, r.Act && does.Verb != ""
	}
	for k, e := range a.each {
		if e.Kind != config.Kind {
			continue
		}
		name := s.match.Fact(k).Text(m.set.kinds[config.Kind].place["name"])
		f.Runs = append(f.Runs, name)
		if x := m.runs[name]; x != nil && f.Component == "" {
			f.Component = x.Texts["component"]
		}
	}
	f.On = m.going()
	if len(f.Runs) == 0 {
		f.Runs = m.counted(a, s)
		f.Component = m.componentOf(f.Runs)
	} else {
		f.On = slices.DeleteFunc(f.On, func(name string) bool { return !slices.Contains(f.Runs, name) })
	}
	if len(f.Runs) == 1 {
		f.Run = f.Runs[0]
	}
	for _, x := range a.message {
		f.Message += x.text
		if x.value.text != "" {
			f.Message += a.show(x.value, s)
		}
	}
	f.Evidence = append(f.Evidence, a.evidence(s, a.message)...)
	if len(a.counts) > 0 && len(f.Runs) > 0 {
		f.Evidence = append(f.Evidence, "runs counted: "+strings.Join(f.Runs, ", "))
	}
	if wrong != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s is not done: %v", r.Action, wrong))
	}
	return f
}

// does returns the action of a rule with values instead of expressions.
func (a *alternative) does(r *studyRule, s *scope) (rule.Action, error) {
	x := rule.ActionOf(&r.Rule)
	if len(x.To) == 0 {
		return x, nil
	}
	x = x.Constant()
	for _, object := range slices.Sorted(maps.Keys(a.to)) {
		if err := x.Give(object, a.to[object].value.Of(s)); err != nil {
			return x, fmt.Errorf("%s = %s %w", object, a.to[object].text, err)
		}
	}
	return x, nil
}

// componentOf is the component that all of some runs are for; empty: they are for several, or unknown.
func (m *Monitor) componentOf(runs []string) (component string) {
	for i, name := range runs {
		of := ""
		if x := m.runs[name]; x != nil {
			of = x.Texts["component"]
		}
		if i > 0 && of != component {
			return ""
		}
		component = of
	}
	return component
}

// evidence are the runs and the values that a condition names, but for values that the message contains.
func (a *alternative) evidence(s *scope, said []fragment) (list []string) {
	for i, e := range a.each {
		if k := a.kinds[e.Kind]; k.open {
			list = append(list, e.Name+" = "+s.match.Fact(i).Text(k.place["name"]))
		}
	}
	for _, x := range a.shown {
		if strings.HasPrefix(x.text, "none(") { // it holds: there are 0
			continue
		}
		if !slices.ContainsFunc(said, func(p fragment) bool { return strings.Contains(p.value.text, x.text) }) {
			list = append(list, x.text+" = "+a.show(x, s))
		}
	}
	return list
}

// why returns the facts and values for which a condition holds, as text.
func (a *alternative) why(s *scope) string {
	return cmp.Or(strings.Join(a.evidence(s, nil), ", "), "it holds")
}

// going lists the runs that go on.
func (m *Monitor) going() (list []string) {
	for _, r := range m.order {
		if r.known && !r.Flags["ended"] {
			list = append(list, r.info.Name)
		}
	}
	return list
}

// mostNamed bounds the runs that a finding on counts names.
const mostNamed = 20

// counted lists the runs that some count of a condition selects: the first by name, in whatever order they ended.
func (m *Monitor) counted(a *alternative, s *scope) (list []string) {
	for _, c := range a.counts {
		if c.kind.name != config.Kind {
			continue
		}
		name := c.kind.place["name"]
		for f := range m.memory.Facts(config.Kind) {
			s.it = f
			text := f.Text(name)
			if i, listed := slices.BinarySearch(list, text); !listed && i < mostNamed && c.of(s) {
				list = slices.Insert(list, i, text)
				list = list[:min(len(list), mostNamed)]
			}
		}
	}
	return list
}

// show renders the value of an expression; a missing value becomes a question mark.
func (a *alternative) show(x shown, s *scope) string {
	for _, r := range x.refs {
		if r.typ() == fact.Number {
			for i, e := range a.each {
				if v := 0.0; e.Name == r.of {
					if v = s.match.Fact(i).Number(r.field); v != v {
						return "?"
					}
				}
			}
		}
	}
	return language.Show(x.value.Of(s))
}
