package fact_test

// A memory that works everything out anew after each step, as doc.go defines it, and nothing by itself.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// modelFact is a fact; its values are float64, string and bool.
type modelFact struct {
	seq, version int
	kind         string
	values       []any
	held         bool
	supports     map[string]*modelMatch
}

// modelMatch is a match of a rule that holds.
type modelMatch struct {
	rule  int
	facts []*modelFact
	fired bool
}

type model struct {
	kinds   []fact.Kind
	rules   []ruleSpec
	facts   []*modelFact // by seq
	holding map[string]*modelMatch
	seq     int
	version int
	log     []string
}

func (f *modelFact) field(kinds []fact.Kind, name string) any {
	for _, k := range kinds {
		if k.Name != f.kind {
			continue
		}
		for i, field := range k.Fields {
			if field.Name == name {
				return f.values[i]
			}
		}
	}
	panic("no field " + name)
}

func less(a, b any) bool {
	switch a := a.(type) {
	case float64:
		return a < b.(float64)
	case string:
		return a < b.(string)
	}
	panic("no order")
}

func holds(op fact.Op, a any, b ...any) bool {
	switch op {
	case fact.Equal:
		return a == b[0]
	case fact.NotEqual:
		return a != b[0]
	case fact.Less:
		return less(a, b[0])
	case fact.AtMost:
		return less(a, b[0]) || a == b[0]
	case fact.Greater:
		return less(b[0], a)
	case fact.AtLeast:
		return less(b[0], a) || a == b[0]
	case fact.In:
		return slices.Contains(b, a)
	}
	panic("no op")
}

func (m *model) tests(f *modelFact, tests []testSpec) bool {
	for _, t := range tests {
		if !holds(t.op, f.field(m.kinds, t.field), t.values...) {
			return false
		}
	}
	return true
}

func (m *model) joins(r *ruleSpec, f *modelFact, joins []joinSpec, facts []*modelFact) bool {
	for _, j := range joins {
		other := facts[j.of].field(m.kinds, j.other)
		if x, ok := other.(float64); ok {
			other = x + j.plus
		}
		if !holds(j.op, f.field(m.kinds, j.field), other) {
			return false
		}
	}
	return true
}

// all returns the matches of a rule's patterns.
func (m *model) all(r *ruleSpec, bound []*modelFact) [][]*modelFact {
	i := len(bound)
	if i == len(r.patterns) {
		return [][]*modelFact{slices.Clone(bound)}
	}
	var found [][]*modelFact
	p := r.patterns[i]
	for _, f := range m.facts {
		if f.kind != p.kind || !m.tests(f, p.where) || !m.joins(r, f, p.joins, bound) ||
			r.distinct && slices.Contains(bound, f) {
			continue
		}
		if p.even && f.values[0].(float64) != 2 {
			continue
		}
		facts := append(slices.Clone(bound), f)
		if p.sum && !sumIsSmall(facts[0].values[0].(float64), f.values[0].(float64)) {
			continue
		}
		found = append(found, m.all(r, facts)...)
	}
	return found
}

func sumIsSmall(a, b float64) bool { return a+b < 4 }

// counts returns the counts of a match.
func (m *model) counts(r *ruleSpec, facts []*modelFact) (list []int) {
	for _, c := range r.counts {
		n := 0
		for _, f := range m.facts {
			if f.kind == c.kind && m.tests(f, c.where) && m.joins(r, f, c.joins, facts) &&
				(!c.sum || sumIsSmall(facts[0].values[0].(float64), f.values[0].(float64))) {
				n++
			}
		}
		list = append(list, n)
	}
	return list
}

// met reports whether all conditions on counts hold.
func (m *model) met(r *ruleSpec, facts []*modelFact) bool {
	for i, n := range m.counts(r, facts) {
		if c := r.counts[i]; !holds(c.op, float64(n), c.value) {
			return false
		}
	}
	return true
}

// settle works out which matches hold, until no fact goes for want of support.
func (m *model) settle() {
	for {
		now := map[string]*modelMatch{}
		for i := range m.rules {
			r := &m.rules[i]
			for _, facts := range m.all(r, nil) {
				if !m.met(r, facts) {
					continue
				}
				name := fmt.Sprint(i)
				for _, f := range facts {
					name += fmt.Sprintf(" %d.%d", f.seq, f.version)
				}
				if now[name] = m.holding[name]; now[name] == nil {
					now[name] = &modelMatch{rule: i, facts: facts}
				}
			}
		}
		m.holding = now
		var doubted []*modelFact
		for _, f := range m.facts {
			n := len(f.supports)
			for name, x := range f.supports {
				if now[name] != x {
					delete(f.supports, name)
				}
			}
			if len(f.supports) < n {
				doubted = append(doubted, f)
			}
		}
		gone := slices.DeleteFunc(doubted, m.grounded)
		if len(gone) == 0 {
			return
		}
		m.facts = slices.DeleteFunc(m.facts, func(f *modelFact) bool { return slices.Contains(gone, f) })
	}
}

func (m *model) grounded(fact *modelFact) bool {
	known := map[*modelFact]bool{}
	for range m.facts {
		for _, f := range m.facts {
			known[f] = known[f] || f.held
			for _, x := range f.supports {
				if !slices.ContainsFunc(x.facts, func(p *modelFact) bool { return !known[p] }) {
					known[f] = true
				}
			}
		}
	}
	return known[fact]
}

// first returns the match to fire, and its name.
func (m *model) first() (string, *modelMatch) {
	var best *modelMatch
	var name string
	for n, x := range m.holding {
		if !x.fired && (best == nil || m.before(x, best) < 0) {
			name, best = n, x
		}
	}
	return name, best
}

func (m *model) before(a, b *modelMatch) int {
	if c := cmp.Compare(m.rules[b.rule].priority, m.rules[a.rule].priority); c != 0 {
		return c
	}
	if a.rule != b.rule {
		return cmp.Compare(a.rule, b.rule)
	}
	return slices.CompareFunc(a.facts, b.facts, func(f, g *modelFact) int { return cmp.Compare(f.seq, g.seq) })
}

// run fires matches, and reports whether it came to an end.
func (m *model) run(bound int) bool {
	for fired := 0; ; fired++ {
		m.settle()
		name, x := m.first()
		if x == nil {
			return true
		}
		if fired == bound {
			return false
		}
		x.fired = true
		var parts []string
		for _, f := range x.facts {
			parts = append(parts, m.textOf(f))
		}
		line := m.rules[x.rule].name + " [" + strings.Join(parts, ", ") + "]"
		for _, n := range m.counts(&m.rules[x.rule], x.facts) {
			line += fmt.Sprint(" ", n)
		}
		m.log = append(m.log, line)
		for _, do := range m.rules[x.rule].then {
			m.do(name, x, do)
		}
	}
}

func (m *model) do(name string, x *modelMatch, do actionSpec) {
	values := slices.Clone(do.values)
	if do.copies && len(x.facts) > 0 {
		values[0] = x.facts[0].values[0]
	}
	i := slices.IndexFunc(m.facts, func(f *modelFact) bool { return f.kind == do.kind && same(f.values, values) })
	if i < 0 {
		i = len(m.facts)
		m.assert(do.kind, values...).held = false
	}
	m.facts[i].supports[name] = x
}

func same(a, b []any) bool { return slices.EqualFunc(a, b, bitwise) }

// bitwise reports whether two values are the same, bit by bit.
func bitwise(a, b any) bool {
	if x, ok := a.(float64); ok {
		return math.Float64bits(x) == math.Float64bits(b.(float64))
	}
	return a == b
}

func (m *model) assert(kind string, values ...any) *modelFact {
	m.seq++
	m.version++
	f := &modelFact{seq: m.seq, version: m.version, kind: kind, values: values, held: true,
		supports: map[string]*modelMatch{}}
	m.facts = append(m.facts, f)
	return f
}

func (m *model) retract(f *modelFact) {
	m.facts = slices.DeleteFunc(m.facts, func(g *modelFact) bool { return g == f })
}

// change gives the first field another value.
func (m *model) change(f *modelFact, value any) {
	if !slices.Contains(m.facts, f) || bitwise(f.values[0], value) {
		return
	}
	m.version++
	f.version = m.version
	f.values[0] = value
}

// text lists the facts.
func (m *model) text() string {
	var b strings.Builder
	for _, k := range m.kinds {
		for _, f := range m.facts {
			if f.kind == k.Name {
				b.WriteString(m.textOf(f) + "\n")
			}
		}
	}
	return b.String()
}

func (m *model) textOf(f *modelFact) string {
	var parts []string
	for i, v := range f.values {
		text := fmt.Sprint(v)
		if s, ok := v.(string); ok {
			text = fmt.Sprintf("%q", s)
		}
		k := m.kinds[slices.IndexFunc(m.kinds, func(k fact.Kind) bool { return k.Name == f.kind })]
		parts = append(parts, k.Fields[i].Name+": "+text)
	}
	return f.kind + "(" + strings.Join(parts, ", ") + ")"
}
