package rule

// Findings of rules on a study, and the reasons why such a rule holds or does not: the runs for which it holds, else
// how many facts satisfy its parts.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// missing are the values of absent fields.
var missing = map[fact.Type]fact.Value{fact.Number: fact.Num(math.NaN()), fact.Text: fact.Str(""),
	fact.Bool: fact.Flag(false)}

// row is the fact that a rule asserts.
func (x inference) row(s *matched) []fact.Value {
	row := make([]fact.Value, len(x.kind.columns))
	for i, c := range x.kind.columns {
		if x.values[i] == nil {
			row[i] = missing[c.typ]
			continue
		}
		switch v := x.values[i].match.Of(s).(type) {
		case float64:
			row[i] = fact.Num(v)
		case string:
			row[i] = fact.Str(v)
		case bool:
			row[i] = fact.Flag(v)
		}
	}
	return row
}

// finding describes a rule that holds.
func (m *StudyMonitor) finding(r *rule, c *condition, s *matched) Finding {
	f, wrong := r.finding(c, nil, s)
	f.On = m.going()
	for i, e := range c.each {
		k := c.kinds[e.Kind]
		if !k.open {
			continue
		}
		name := s.match.Fact(i).Text(k.place["name"])
		f.Runs = append(f.Runs, name)
		if x := m.runs[name]; x != nil && f.Component == "" {
			f.Component = x.Texts["component"]
		}
	}
	if len(f.Runs) == 0 {
		f.Runs = m.counted(c, s)
		f.Component = m.componentOf(f.Runs)
	} else {
		f.On = slices.DeleteFunc(f.On, func(name string) bool { return !slices.Contains(f.Runs, name) })
	}
	if len(f.Runs) == 1 {
		f.Run = f.Runs[0]
	}
	f.Evidence = append(f.Evidence, c.evidence(s, c.message)...)
	if len(c.counts) > 0 && len(f.Runs) > 0 {
		f.Evidence = append(f.Evidence, "runs counted: "+strings.Join(f.Runs, ", "))
	}
	if wrong != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s is not done: %v", r.Action, wrong))
	}
	return f
}

// componentOf is the component that all of some runs are for; empty: they are for several, or unknown.
func (m *StudyMonitor) componentOf(runs []string) (component string) {
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
func (c *condition) evidence(s *matched, said template) (list []string) {
	for i, e := range c.each {
		if k := c.kinds[e.Kind]; k.open {
			list = append(list, e.Name+" = "+s.match.Fact(i).Text(k.place["name"]))
		}
	}
	for _, x := range c.shown {
		isSaid := func(f fragment) bool { return f.value != nil && strings.Contains(f.value.text, x.text) }
		// where none holds there are 0
		if !strings.HasPrefix(x.text, "none(") && !slices.ContainsFunc(said, isSaid) {
			list = append(list, x.text+" = "+language.Show(x.match.Of(s)))
		}
	}
	return list
}

// why returns the facts and values for which a condition holds, as text.
func (c *condition) why(s *matched) string {
	return cmp.Or(strings.Join(c.evidence(s, nil), ", "), "it holds")
}

// going lists the runs that go on.
func (m *StudyMonitor) going() (list []string) {
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
func (m *StudyMonitor) counted(c *condition, s *matched) (list []string) {
	for _, of := range c.counts {
		if !of.kind.open {
			continue
		}
		name := of.kind.place["name"]
		for f := range m.memory.Facts(config.Kind) {
			s.it = f
			text := f.Text(name)
			if i, listed := slices.BinarySearch(list, text); !listed && i < mostNamed && of.of(s) {
				list = slices.Insert(list, i, text)
				list = list[:min(len(list), mostNamed)]
			}
		}
	}
	return list
}

// mostShown bounds the choices of facts that an explanation shows.
const mostShown = 3

// Explain explains all rules with the present facts of the study, in the order of evaluation.
func (m *StudyMonitor) Explain() []Explanation {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Explanation{}
	for _, r := range m.set.rules {
		list = append(list, m.explain(r))
	}
	return list
}

func (m *StudyMonitor) explain(r *rule) Explanation {
	e := Explanation{Rule: r.Name, Judges: r.scope.String(), State: False, Fired: m.fired[r.Name],
		Conditions: []Condition{}}
	if len(r.when) == 0 {
		e.Reason = "it is switched off"
		return e
	}
	if m.broken != nil {
		e.State, e.Reason = Failed, m.broken.Error()
		return e
	}
	if len(m.stands[r.Name].list) > 0 {
		e.State, e.Reason = True, m.choices(r)
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
	if e.State == True {
		return e
	}
	if e.Reason = strings.Join(reasons, "; "); len(missing) == len(r.when) {
		e.State, e.Missing = Missing, missing[0]
	}
	return e
}

// choices lists the facts for which a rule holds.
func (m *StudyMonitor) choices(r *rule) string {
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
func (m *StudyMonitor) condition(r *rule, i int, a *condition) (c Condition, why string) {
	c = Condition{Text: a.text, State: False, Parts: []Part{}}
	counts, err := m.memory.Explain(factName(r, i))
	switch {
	case err != nil:
		c.State = Failed
		return c, err.Error()
	case counts.Matches > 0:
		c.State = True
	}
	if c.State == False {
		if c.Missing, why = m.lacking(a); c.Missing != "" {
			c.State = Missing
			return c, why
		}
	}
	var list []string
	for k, p := range counts.Patterns {
		text := fmt.Sprintf("%s: %d of %d %ss", a.each[k].Name, p.Left, p.Facts, a.each[k].Kind)
		if k > 0 {
			text += fmt.Sprintf(", %d together with the names before", p.Joined)
		}
		list = append(list, text)
	}
	if len(a.each) == 0 {
		for _, x := range a.counts {
			n := language.Show(m.number(&x))
			c.Parts = append(c.Parts, Part{Text: x.text, State: c.State, Values: map[string]string{x.text: n}})
			list = append(list, x.text+" = "+n)
		}
	} else if len(a.counts) > 0 {
		list = append(list, fmt.Sprintf("the counts are true for %d", counts.Matches))
	}
	return c, strings.Join(list, ", ")
}

// lacking returns a field in a condition that no fact has, and the reason as text.
func (m *StudyMonitor) lacking(a *condition) (missing, why string) {
	for _, x := range a.shown {
		for _, r := range x.fields {
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
func (m *StudyMonitor) number(c *count) (n float64) {
	counted := func(yield func(fact.Fact) bool) {
		for f := range m.memory.Facts(c.kind.name) {
			if c.of(&matched{it: f}) && !yield(f) {
				return
			}
		}
	}
	if c.number != nil {
		return c.over(nil, counted)
	}
	for range counted {
		n++
	}
	return n
}
