package rule

// The runs of a study as facts, and the rules that hold for them.

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	judge "github.com/peregrine-sim/peregrine/watchdog/state"
)

// StudyMonitor judges the runs of a study by a set of rules. The same events in the same order give the same findings.
// It may be used by several goroutines.
type StudyMonitor struct {
	set *Set
	on  Map

	mu      sync.Mutex
	memory  *fact.Memory
	runs    map[string]*studyRun
	order   []*studyRun
	stale   []*studyRun
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
	waits map[string]candidate // facts for which it holds, and fires when it has for its time
	pairs map[string]int       // number of them by their facts, in any order
	held  map[string]int       // number of matches that hold for some facts
	gone  []string             // keys of facts for which it may not hold any more
}

// standing is the facts for which a rule has fired.
type standing struct {
	why  string // the facts and their values when it fired
	pair string // the facts, sorted
}

// Standing returns the findings that hold now, by key. It judges all runs anew, so that the result does not depend on
// the order of events: a rule that fired early had counted fewer runs. It returns false if the rules are not judged any
// more.
func (m *StudyMonitor) Standing() (map[string]Finding, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := NewStudyMonitor(m.set, m.on)
	fresh.every = true
	fresh.inherit(m)
	for _, r := range m.order {
		if !r.dropped {
			unjudged := *r
			fresh.adopt(&unjudged)
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
func (m *StudyMonitor) With(set *Set, changed []string, past func(run string) []event.Event) (*StudyMonitor,
	[]Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	anew := NewStudyMonitor(set, m.on)
	anew.holding, anew.latest = m.holding, m.latest
	anew.inherit(m)
	for _, r := range m.order {
		judges, hears := r.judgeState(set.judges), len(anew.kind().heard) > 0
		var events []event.Event
		if judges || hears {
			events = past(r.info.Name)
		}
		if len(events) > 0 {
			r.memories = memories{}
		}
		for _, e := range events {
			if judges {
				r.judgeNext(&e)
			}
			if hears && e.Kind == event.Iteration {
				r.iteration(&e, anew.kind())
			}
		}
		anew.adopt(r)
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
	rule *rule
	by   *condition
	key  string
	pair string
	of   *fact.Match
	from time.Time // when the rule began to hold for these facts
}

// mostFirings bounds the firings of rules for an event: mostFirings, and mostPerPair for each pair of a run and a rule,
// because the event of a run concerns each rule on it and any other run.
const (
	mostFirings = 10_000
	mostPerPair = 10
)

// NewStudyMonitor returns a StudyMonitor of a study without runs.
func NewStudyMonitor(set *Set, on Map) *StudyMonitor {
	m := &StudyMonitor{set: set, on: on, runs: map[string]*studyRun{}, stands: map[string]*standings{},
		fired: map[string]int{}}
	for _, r := range set.rules {
		m.stands[r.Name] = &standings{list: map[string]standing{}, waits: map[string]candidate{},
			pairs: map[string]int{}, held: map[string]int{}}
	}
	m.memory = set.memory(m.calls)
	m.memory.Owner = m
	return m
}

// Run announces a run, before its first event. A run that is not announced is judged, too.
func (m *StudyMonitor) Run(info Run) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run(info)
}

// run returns the run of a name, and adds it if it is missing.
func (m *StudyMonitor) run(info Run) *studyRun {
	r := m.runs[info.Name]
	if r == nil {
		r = newStudyRun(info, m.set.judges)
		m.runs[info.Name] = r
		m.order = append(m.order, r)
	}
	return r
}

// adopt takes over the run of another monitor, to judge it anew.
func (m *StudyMonitor) adopt(r *studyRun) {
	r.known, r.stale = false, false
	m.runs[r.info.Name], m.order = r, append(m.order, r)
	m.mark(r)
}

// Event takes an event and returns the findings that it causes. Events without a run are ignored, as is how far a file
// was read.
func (m *StudyMonitor) Event(e event.Event) []Finding {
	if e.Run == "" || e.Kind == event.Planned || e.Kind == event.Reached {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.run(Run{Name: e.Run, Component: e.Component})
	if !r.take(&e, m.kind(), m.on, func(name string) *studyRun { return m.runs[name] }) && r.known {
		return nil
	}
	m.mark(r)
	m.latest = e.Time
	return m.judge(e.Time)
}

// Facts returns the data of a run, which must not be changed; empty: the run is unknown.
func (m *StudyMonitor) Facts(name string) (f Facts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.runs[name]; r != nil {
		f = r.Facts
	}
	return f
}

// Restore takes an ended run with the data that [Monitor.Facts] returned at its end, instead of its events.
func (m *StudyMonitor) Restore(info Run, f Facts, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.run(info)
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
func (m *StudyMonitor) State(name string, j judge.Judgement, class event.Class, at time.Time) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.run(Run{Name: name})
	r.machine = nil
	final := class != ""
	r.Texts["state"], r.Texts["class"] = string(j.State), string(class)
	r.Flags["ended"], r.Flags["answered"], r.Flags["lost"] = final, final && j.Usable, final && !j.Usable
	m.mark(r)
	return m.judge(at)
}

// Tick judges the runs that are silent, at a time.
func (m *StudyMonitor) Tick(now time.Time) []Finding {
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
func (m *StudyMonitor) Hold() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holding = true
}

// Release judges the events that were held back. It drops the events of runs for which drop is true; they do not belong
// to the study.
func (m *StudyMonitor) Release(drop func(run string) bool) []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holding = false
	for _, r := range m.stale {
		r.dropped = r.dropped || drop(r.info.Name)
	}
	return m.judge(m.latest)
}

func (m *StudyMonitor) mark(r *studyRun) {
	if !r.stale {
		r.stale = true
		m.stale = append(m.stale, r)
	}
}

// judge updates the facts of the runs, and fires the rules.
func (m *StudyMonitor) judge(at time.Time) []Finding {
	if m.holding || m.broken != nil || len(m.stale) == 0 && !m.waits() {
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
		return []Finding{stopped(err, at)}
	}
	return m.settled(at)
}

// state updates the fact of a run with its present data.
func (m *StudyMonitor) state(r *studyRun) {
	k := m.kind()
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

// past returns the earlier values of a name of a run.
func (m *StudyMonitor) past(run fact.Fact, name string) *past {
	if r := m.runs[run.Text(m.kind().place["name"])]; r != nil && r.pasts[name] != nil {
		return r.pasts[name]
	}
	return &past{}
}

// kind is the kind of the runs.
func (m *StudyMonitor) kind() *kind { return m.set.kinds[config.Kind] }

// Sample takes a sample that a parser read from a file of a run at a time. The result is the same as that of Event with
// the sample's event. No event is made of a sample without a value that rules name.
func (m *StudyMonitor) Sample(name string, p *history.Parser, s *history.Sample, at time.Time) []Finding {
	m.mu.Lock()
	r := m.runs[name]
	skipped := r != nil && r.skip(p, s, m.kind())
	m.mu.Unlock()
	if skipped {
		return nil
	}
	e := p.Event(s)
	e.Run, e.Time = name, at
	return m.Event(e)
}

// stopped is the finding that rules are not judged any more, as they refer to each other in a circle or fire too often.
func stopped(err error, at time.Time) Finding {
	f := Finding{Severity: Warning, Rule: "rules", Time: at, Evidence: []string{},
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
func (m *StudyMonitor) settled(at time.Time) (found []Finding) {
	for _, r := range m.set.rules {
		x := m.stands[r.Name]
		for _, key := range x.gone {
			if x.held[key] > 0 { // it holds again
				continue
			}
			delete(x.waits, key)
			was, stood := x.list[key]
			if !stood {
				continue
			}
			delete(x.list, key)
			if x.pairs[was.pair]--; x.pairs[was.pair] == 0 {
				delete(x.pairs, was.pair)
			}
		}
		x.gone = x.gone[:0]
		for _, c := range m.ripe(r, at) {
			if _, stood := x.list[c.key]; c.rule != r || stood || !c.of.Holds() {
				continue
			}
			delete(x.waits, c.key)
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

// ripe returns the facts for which a rule fires now, if it still holds: for which it began to hold, or, where it has to
// hold for a time, for which this time has passed.
func (m *StudyMonitor) ripe(r *rule, at time.Time) (list []candidate) {
	x := m.stands[r.Name]
	if r.For == 0 {
		return m.begun
	}
	for _, c := range m.begun {
		if _, stood := x.list[c.key]; c.rule == r && !stood && c.of.Holds() {
			if was, waits := x.waits[c.key]; waits {
				c.from = was.from
			} else {
				c.from = at
			}
			x.waits[c.key] = c
		}
	}
	maps.DeleteFunc(x.waits, func(_ string, c candidate) bool { return c.of == nil }) // taken over, and holds no more
	for _, key := range slices.Sorted(maps.Keys(x.waits)) {
		if c := x.waits[key]; at.Sub(c.from) >= r.For {
			list = append(list, c)
		}
	}
	return list
}

// waits reports whether a rule holds for facts and has not yet for its time.
func (m *StudyMonitor) waits() bool {
	for _, x := range m.stands {
		if len(x.waits) > 0 {
			return true
		}
	}
	return false
}

// inherit takes over, from the monitor of the same runs, since when rules with a time hold. A rule that fired there
// fires here at once.
func (m *StudyMonitor) inherit(from *StudyMonitor) {
	for _, r := range m.set.rules {
		was := from.stands[r.Name]
		if r.For == 0 || was == nil {
			continue
		}
		for key, c := range was.waits {
			m.stands[r.Name].waits[key] = candidate{rule: r, from: c.from}
		}
		for key := range was.list {
			m.stands[r.Name].waits[key] = candidate{rule: r}
		}
	}
}

// begins records that a rule holds for some facts, and returns its finding, if it is new.
func (m *StudyMonitor) begins(x *standings, c candidate) (f Finding, said bool) {
	r, a := c.rule, c.by
	s := &matched{match: c.of}
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
	f.Key = r.Name + ": " + c.key
	return f, true
}

// calls returns the callbacks for a condition of a rule that begins to hold, and for facts for which it may hold no
// more.
func (m *StudyMonitor) calls(r *rule, c *condition) (then, gone func(*fact.Match)) {
	x := m.stands[r.Name]
	then = func(f *fact.Match) {
		s := &matched{match: f}
		for _, x := range c.infers {
			f.Assert(x.kind.name, x.row(s)...)
		}
		key, pair := c.key(s)
		if _, stands := x.list[key]; !stands {
			m.begun = append(m.begun, candidate{rule: r, by: c, key: key, pair: pair, of: f})
		}
		f.Tag = key
		x.held[key]++
	}
	gone = func(f *fact.Match) {
		key := f.Tag.(string)
		if x.held[key]--; x.held[key] == 0 {
			delete(x.held, key)
			x.gone = append(x.gone, key)
		}
	}
	return then, gone
}

// key returns the names of the facts of a match, in their order and sorted: a rule that holds for a and b and for b and
// a is reported once. An asserted fact is named by its values: it is retracted and asserted anew when a run that
// supports it changes.
func (c *condition) key(s *matched) (key, pair string) {
	list := make([]string, len(c.each))
	for i, e := range c.each {
		if f, k := s.match.Fact(i), c.kinds[e.Kind]; k.open {
			list[i] = f.Text(k.place["name"])
		} else {
			list[i] = f.String()
		}
	}
	key = strings.Join(list, ", ")
	slices.Sort(list)
	return key, strings.Join(list, ", ")
}
