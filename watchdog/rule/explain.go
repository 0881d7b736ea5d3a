package rule

// Why a rule fires or does not: each of its conditions in its parts, with their values.

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// Outcomes of a condition.
const (
	True    = "true"
	False   = "false"
	Missing = "missing" // a value in it is missing
	Failed  = "failed"  // it cannot be judged
)

// Explanation describes the evaluation of a rule with the present data of a run.
type Explanation struct {
	Rule       string      `json:"rule"`
	Judges     string      `json:"judges"` // a run, a component or a case
	State      string      `json:"state"`  // True, False, Missing or Failed
	Reason     string      `json:"reason"`
	Missing    string      `json:"missing,omitempty"`   // the value that is missing
	Fired      int         `json:"fired"`               // times so far
	Iteration  *float64    `json:"iteration,omitempty"` // of the last firing
	Conditions []Condition `json:"conditions"`
}

// Condition is a condition of a rule, with its parts.
type Condition struct {
	Text    string `json:"text"`
	State   string `json:"state"`
	Missing string `json:"missing,omitempty"`
	Parts   []Part `json:"parts"`
}

// Part is a part of a condition between its and and or, with the values in it.
type Part struct {
	Text    string            `json:"text"`
	State   string            `json:"state"`
	Missing string            `json:"missing,omitempty"`
	Values  map[string]string `json:"values,omitempty"` // as findings show them
}

// Explain explains all rules on a run, in the order of evaluation; nil if the run is unknown. Rules on components are
// explained on the run's answer.
func (m *Monitor) Explain(name string) []Explanation {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	if r == nil {
		return nil
	}
	words := *m.set.words // compiling a part adds no names, but writes to these fields
	words.slots, words.named = maps.Clone(words.slots), slices.Clone(words.named)
	answer := results{}
	if r.result != nil {
		values := map[string]any{"type": r.info.Type, "name": r.info.Component, "run": r.info.Name}
		for name, x := range r.result.Values {
			values[name] = x
		}
		answer[component] = values
	}
	var all []Explanation
	for _, rule := range m.set.rules {
		x := explainer{m, rule, &words, answer}
		if rule.scope == runScope || rule.scope == anyScope {
			x.env = r
		}
		all = append(all, x.explain(r))
	}
	return all
}

// explainer explains a rule.
type explainer struct {
	m     *Monitor
	rule  *rule
	words *vocabulary
	env   evaluator
}

func (x explainer) explain(r *run) Explanation {
	e := Explanation{Rule: x.rule.Name, Judges: x.rule.scope.String(), State: False, Conditions: []Condition{}}
	s := &r.state[x.rule.id]
	if e.Fired = s.times; s.times > 0 && !math.IsInf(s.at.iter, 0) {
		e.Iteration = &s.at.iter
	}
	if len(x.rule.when) == 0 {
		e.Reason = "it is switched off"
		return e
	}
	for _, c := range x.rule.when {
		e.Conditions = append(e.Conditions, x.condition(c))
	}
	for _, state := range []string{True, Failed, Missing} { // a condition that holds decides
		if i := slices.IndexFunc(e.Conditions, func(c Condition) bool { return c.State == state }); i >= 0 {
			if state == Missing && slices.ContainsFunc(e.Conditions,
				func(c Condition) bool { return c.State == False }) {
				continue
			}
			e.State, e.Missing, e.Reason = state, e.Conditions[i].Missing, e.Conditions[i].reason()
			break
		}
	}
	if e.State == False {
		e.Reason = strings.Join(convert.All(e.Conditions, Condition.reason), "; ")
	}
	if e.State == True && x.rule.Hold > 1 {
		e.Reason += fmt.Sprintf(" (%d times in a row, of %d)", s.held, x.rule.Hold)
	}
	return e
}

// reason returns the reason for the state of a condition: the parts with the same state.
func (c Condition) reason() string {
	if c.State == Missing {
		return c.Missing + " is missing"
	}
	var list []string
	for _, p := range c.Parts {
		if p.State != c.State {
			continue
		}
		text := p.Text + " is " + p.State
		var values []string
		for _, name := range slices.Sorted(maps.Keys(p.Values)) {
			values = append(values, name+" = "+p.Values[name])
		}
		if len(values) > 0 {
			text += ": " + strings.Join(values, ", ")
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return c.Text + " is " + c.State
	}
	return strings.Join(list, ", ")
}

func (x explainer) condition(c *condition) Condition {
	out := Condition{Text: c.text, Parts: []Part{}}
	out.State, out.Missing = x.state(c)
	tree, err := x.words.language.Parse(c.text, x.words.dimension)
	if err != nil {
		return out
	}
	for _, text := range junctions(tree.Node) {
		part, err := x.words.compile(text, c.scope)
		if err != nil {
			continue
		}
		p := Part{Text: text}
		p.State, p.Missing = x.state(part)
		for _, name := range part.refs.parts {
			value, err := x.words.compile(name, c.scope)
			if err != nil || name == text || x.env.lacks(value) != "" {
				continue
			}
			if y, err := x.env.evaluate(&x.m.machine, value); err == nil && y != nil {
				if p.Values == nil {
					p.Values = map[string]string{}
				}
				p.Values[name] = language.Show(y)
			}
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

// state evaluates a condition or a part of a condition.
func (x explainer) state(c *condition) (state, missing string) {
	if missing := x.env.lacks(c); missing != "" {
		return Missing, missing
	}
	switch y, err := x.env.evaluate(&x.m.machine, c); {
	case err != nil:
		return Failed, ""
	case y == true:
		return True, ""
	}
	return False, ""
}

// junctions are the parts of a condition between its and and or.
func junctions(n ast.Node) []string {
	if b, ok := n.(*ast.BinaryNode); ok && slices.Contains([]string{"and", "&&", "or", "||"}, b.Operator) {
		return append(junctions(b.Left), junctions(b.Right)...)
	}
	return []string{unmarked(n)}
}

// Listed describes a rule.
type Listed struct {
	Name     string   `json:"name"`
	Builtin  bool     `json:"builtin"`
	Judges   string   `json:"judges"`           // a run, a component, a case or a study; empty if it is switched off
	Each     []string `json:"each,omitempty"`   // names and kinds of the facts that it joins; of a rule on a study
	When     []string `json:"when"`             // conditions; any of them is enough
	Assert   []string `json:"assert,omitempty"` // facts that are true while it holds
	Hold     int      `json:"hold"`
	Priority int      `json:"priority"`
	Repeat   int      `json:"repeat,omitempty"`
	Pause    int      `json:"pause,omitempty"`
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	Action   string   `json:"action,omitempty"`
	Most     int      `json:"most,omitempty"`   // actions in a run; 0: the default
	Notify   []string `json:"notify,omitempty"` // channels
	For      float64  `json:"for,omitempty"`    // s for which it is to hold
	Act      bool     `json:"act"`
	Where    string   `json:"where,omitempty"`  // run: it is judged in the solver's process, at each iteration
	Off      bool     `json:"off,omitempty"`    // it is built in, and off until a file names it
	Source   string   `json:"source,omitempty"` // reason for its thresholds
}

// describeRule returns the description of a rule that judges an object by some conditions.
func describeRule(r *config.Rule, judges string, when []string) Listed {
	l := Listed{
		Name: r.Name, Builtin: r.BuiltIn(), Judges: judges, When: when, Hold: max(1, r.Hold),
		For: r.For.Seconds(), Notify: r.Notify, Priority: r.Priority,
		Repeat: r.Repeat, Pause: r.Pause, Severity: r.Severity, Message: r.Message, Action: ActionOf(r).String(),
		Most: r.Most, Act: r.Act, Off: r.Off, Source: r.Why,
	}
	if r.InSitu() {
		l.Where = r.Where
	}
	l.Each = convert.All(r.Each, func(e config.Each) string { return e.Name + ": " + e.Kind })
	for _, a := range r.Assert {
		fields := convert.All(a.Fields, func(f config.AssertedField) string { return f.Name + ": " + f.Value })
		l.Assert = append(l.Assert, a.Kind+"("+strings.Join(fields, ", ")+")")
	}
	return l
}

// List describes the rules in the order of evaluation, and then the built-in rules that are off until a file names
// them.
func (s *Set) List() []Listed {
	list := []Listed{}
	for _, r := range s.rules {
		when := []string{}
		for _, c := range r.when {
			when = append(when, c.text)
		}
		list = append(list, describeRule(&r.Rule, r.scope.String(), when))
	}
	if s.kinds != nil { // it is on studies
		return list
	}
	for _, r := range off() {
		if _, inForce := s.ids[r.Name]; !inForce {
			list = append(list, describeRule(&r, runScope.String(), r.Conditions()))
		}
	}
	return list
}

// A rule with a missing value is never judged. Its silence looks as if all were well.

// Offered lists the names of the values that a run has reported; empty: it has not begun to iterate.
func (m *Monitor) Offered(name string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, names := m.runs[name], map[string]bool{}
	if r == nil || r.facts.iterations == 0 {
		return nil
	}
	r.offer(names)
	return slices.Sorted(maps.Keys(names))
}

// Offer takes the names of the values that a run has reported which is not judged again.
func (m *Monitor) Offer(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		m.offered[name] = true
	}
}

// offer adds the names of the run's values to a set.
func (r *run) offer(to map[string]bool) {
	for name, v := range r.values {
		if v.has || v.object != nil {
			to[name] = true
		}
	}
}

// Unoffered reports, as joined *language.Errors, the user's rules on runs of which each condition names a value that no
// run has reported so far. value("x") may name any value. misspelt reports whether one of these is nearly the name of a
// reported value: others may be reported later. Before the first iteration of the first run Unoffered reports no rule.
func (m *Monitor) Unoffered() (misspelt bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	offered, begun := map[string]bool{}, false
	maps.Copy(offered, m.offered)
	for _, r := range m.runs {
		begun = begun || r.facts.iterations > 0
		r.offer(offered)
	}
	begun = begun || len(m.offered) > 0
	if !begun {
		return false, nil
	}
	names := slices.Sorted(maps.Keys(offered))
	var errs []error
	for _, rule := range m.set.rules {
		if rule.BuiltIn() || rule.scope != runScope {
			continue
		}
		var faults []error
		slip := false
		for _, c := range rule.when {
			missing := m.set.missing(c, offered)
			if len(missing) == 0 {
				faults = nil
				break
			}
			for _, name := range missing {
				near := spell.Hint(name, names)
				if i := slices.IndexFunc(names, func(n string) bool { return misspells(name, n) }); i >= 0 {
					near, slip = ", did you mean "+names[i]+"?", true
				}
				faults = append(faults, &language.Error{Rule: rule.Name, Pos: c.pos, Text: c.text, Reason: fmt.Sprintf(
					"no run reports %s%s; if other runs do, write value(%q)", name, near, name)})
			}
		}
		errs, misspelt = append(errs, faults...), misspelt || slip && faults != nil
	}
	return misspelt, errors.Join(errs...)
}

// Iterates reports whether a run has iterated, and no iteration waits for those of its other files.
func (m *Monitor) Iterates(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.runs[name]
	return r != nil && r.facts.iterations > 0 && !r.merge.waits()
}

// missing returns the names of a condition's values that are not offered.
func (l *layout) missing(c *condition, offered map[string]bool) (names []string) {
	for _, slot := range c.slots {
		if name := l.named[slot].name; !offered[name] && !slices.Contains(c.refs.quoted, name) {
			names = append(names, name)
		}
	}
	return names
}

// Lacking returns, by name, the user's rules on cases that the result of an engine cannot judge, because each condition
// has a missing value, and the missing path. The result is as Case takes it.
func (m *Monitor) Lacking(env map[string]any) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	values, lacking := results(normalize(env)), map[string]string{}
	for _, rule := range m.set.rules {
		if rule.BuiltIn() || rule.scope != caseScope {
			continue
		}
		for _, c := range rule.when {
			lacks := values.lacks(c)
			if lacks == "" {
				delete(lacking, rule.Name)
				break
			}
			lacking[rule.Name] = lacks
		}
	}
	return lacking
}
