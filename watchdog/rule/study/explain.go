package study

// The reasons why a rule on a study holds or does not: the runs for which it holds, else how many facts satisfy its
// parts.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// mostShown bounds the choices of facts that an explanation shows.
const mostShown = 3

// Explain explains all rules with the present facts of the study, in the order of evaluation.
func (m *Monitor) Explain() []rule.Explanation {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []rule.Explanation{}
	for _, r := range m.set.rules {
		list = append(list, m.explain(r))
	}
	return list
}

func (m *Monitor) explain(r *studyRule) rule.Explanation {
	e := rule.Explanation{Rule: r.Name, Judges: judges, State: rule.False, Fired: m.fired[r.Name],
		Conditions: []rule.Condition{}}
	if r.off() {
		e.Reason = "it is switched off"
		return e
	}
	if m.broken != nil {
		e.State, e.Reason = rule.Failed, m.broken.Error()
		return e
	}
	if len(m.stands[r.Name].list) > 0 {
		e.State, e.Reason = rule.True, m.choices(r)
	}
	var reasons, missing []string
	for i, a := range r.when {
		c, why := m.condition(r, i, a)
		e.Conditions = append(e.Conditions, c)
		reasons = append(reasons, why)
		if c.Missing != "" {
			missing = append(missing, c.Missing)
		}
	}
	if e.State == rule.True {
		return e
	}
	if e.Reason = strings.Join(reasons, "; "); len(missing) == len(r.when) {
		e.State, e.Missing = rule.Missing, missing[0]
	}
	return e
}

// choices lists the facts for which a rule holds.
func (m *Monitor) choices(r *studyRule) string {
	stands := m.stands[r.Name].list
	said := map[string]bool{}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(stands)) {
		if x := stands[key]; !said[x.pair] { // of b and a, where it is of a and b
			said[x.pair] = true
			list = append(list, x.why)
		}
	}
	if more := len(list) - mostShown; more > 0 {
		list = append(list[:mostShown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

// condition explains a condition of a rule. why is the reason if it does not hold.
func (m *Monitor) condition(r *studyRule, i int, a *alternative) (c rule.Condition, why string) {
	c = rule.Condition{Text: a.text, State: rule.False, Parts: []rule.Part{}}
	counts, err := m.memory.Explain(factName(r, i))
	switch {
	case err != nil:
		c.State = rule.Failed
		return c, err.Error()
	case counts.Matches > 0:
		c.State = rule.True
	}
	if c.State == rule.False {
		if c.Missing, why = m.lacking(a); c.Missing != "" {
			c.State = rule.Missing
			return c, why
		}
	}
	var list []string
	for k, p := range counts.Patterns {
		text := fmt.Sprintf("%s: %d of %d %ss", a.each[k].Name, p.Left, p.Facts, a.each[k].Kind)
		if k > 0 {
			text += fmt.Sprintf(", %d with those before", p.Joined)
		}
		list = append(list, text)
	}
	if len(a.each) == 0 {
		for _, x := range a.counts {
			n := show(m.number(x))
			c.Parts = append(c.Parts, rule.Part{Text: x.text, State: c.State, Values: map[string]string{x.text: n}})
			list = append(list, x.text+" = "+n)
		}
	} else if len(a.counts) > 0 {
		list = append(list, fmt.Sprintf("the counts hold for %d", counts.Matches))
	}
	return c, strings.Join(list, ", ")
}

func show(n int) string { return language.Show(float64(n)) }

// lacking returns a field in a condition that no fact has, and the reason as text.
func (m *Monitor) lacking(a *alternative) (missing, why string) {
	for _, x := range a.shown {
		for _, r := range x.refs {
			facts, having := 0, 0
			for f := range m.memory.Facts(r.kind.name) {
				facts++
				if r.typ() != fact.Number || !math.IsNaN(f.Number(r.field)) {
					having++
				}
			}
			if facts > 0 && having == 0 {
				return r.String(), fmt.Sprintf("%s is missing: no %s has it", r, r.kind.name)
			}
		}
	}
	for _, e := range a.each {
		if m.memory.Len(e.Kind) == 0 {
			return e.Name, fmt.Sprintf("%s is missing: there is no %s", e.Name, e.Kind)
		}
	}
	return "", ""
}

// number returns the present count of a rule without names.
func (m *Monitor) number(c count) (n int) {
	for f := range m.memory.Facts(c.kind.name) {
		if c.of(&scope{it: f}) {
			n++
		}
	}
	return n
}
