package fact

// Why a rule has the matches that it has: how many facts each condition leaves, and where one fact fails.

import (
	"fmt"
	"slices"
)

// Explanation says how far the facts of now carry a rule.
type Explanation struct {
	Rule     string
	Patterns []PatternCount
	Given    []GivenCount
	Matches  int // for which all conditions hold, fired or not
}

// PatternCount says what a pattern leaves.
type PatternCount struct {
	Pattern string // its name, or its number from 1
	Kind    string
	Facts   int   // of the kind
	Left    []int // of them, after each of Pattern.Where, and after If if there is one
	Joined  int   // matches of the patterns up to this one, with their joins
}

// GivenCount says for how many matches of the patterns a condition on a whole kind holds.
type GivenCount struct {
	Text  string // the condition: count of run
	Facts int    // that its Where and If select; of All, those that are not as they should be
	Holds int
}

// Explain works out what follows from the facts, without firing a rule, and counts. It costs as much as finding all
// matches of the rule anew.
func (m *Memory) Explain(name string) (Explanation, error) {
	r := m.rule(name)
	if r == nil {
		return Explanation{}, fmt.Errorf("there is no rule %q", name)
	}
	if m.firing {
		return Explanation{}, errFiring
	}
	if err := m.settle(); err != nil {
		return Explanation{}, err
	}
	e := Explanation{Rule: name}
	for i, p := range r.Patterns {
		e.Patterns = append(e.Patterns, PatternCount{Pattern: r.patternName(i), Kind: p.Kind, Facts: r.stores[i].count,
			Left: r.alphas[i].steps()})
	}
	for _, g := range r.folds {
		e.Given = append(e.Given, GivenCount{Text: fmt.Sprintf("%s of %s", g.spec.Fold, g.store.Name),
			Facts: g.alpha.size})
	}
	depth := make([]int, len(r.Patterns))
	m.walk(r, depth, func(refs []ref) bool {
		e.Matches += r.judged(refs, e.Given)
		return true
	})
	for i := range depth {
		e.Patterns[i].Joined = depth[i]
	}
	return e, nil
}

// steps counts the facts that the conditions of one fact leave one after the other.
func (a *alpha) steps() []int {
	var rows []int32
	for row, state := range a.store.state {
		if state != dead {
			rows = append(rows, int32(row))
		}
	}
	var left []int
	for _, t := range a.where {
		rows = t.filter(a.store, rows)
		left = append(left, len(rows))
	}
	if a.pred != nil {
		left = append(left, len(slices.DeleteFunc(rows, func(row int32) bool { return !a.rest(row) })))
	}
	return left
}

// walk finds all matches of a rule's patterns.
func (m *Memory) walk(r *rule, depth []int, found func([]ref) bool) {
	if len(r.Patterns) == 0 {
		found(nil)
		return
	}
	j := joiner{m: m, rule: r, plan: r.plans[0], refs: make([]ref, len(r.Patterns)), found: found, depth: depth}
	j.prepare(r.alphas[0].size)
	r.alphas[0].each(func(row int32) bool { return j.try(0, row) })
}

// judged counts for which conditions on whole kinds a match holds, and returns 1 if for all of them.
func (r *rule) judged(refs []ref, given []GivenCount) int {
	all := 1
	t := &token{rule: r, refs: refs, groups: make([]*group, len(r.folds)), counts: make([]int, len(r.folds))}
	for i, g := range r.folds {
		x := g.peek(t)
		t.groups[i] = x
		if x != nil && !g.plain() && !g.extreme() {
			g.each(x, func(row int32) bool {
				if g.selects(t, row) {
					t.counts[i]++
				}
				return true
			})
		}
		if g.ok(t, i) {
			given[i].Holds++
		} else {
			all = 0
		}
	}
	if all > 0 && !r.met(t) {
		return 0
	}
	return all
}

// peek returns the group that a token belongs to, and makes none.
func (g *aggregate) peek(t *token) *group {
	if g.eq < 0 {
		return g.one
	}
	v := g.by.side(g.rule.stores[g.by.b], t.refs[g.by.b].row)
	if v.typ == Text {
		return g.texts[v.text]
	}
	if k, ok := key(v); ok {
		return g.nums[k]
	}
	return nil
}

// Failure says why a fact does not stand for a pattern.
type Failure struct {
	Pattern string // name of the pattern, or its number from 1
	Reason  string // empty: it is in a match of the pattern and those before it
}

// Why says for each pattern of the fact's kind whether the fact stands for it, and if not, which condition fails first.
func (m *Memory) Why(name string, id ID) ([]Failure, error) {
	r := m.rule(name)
	if r == nil {
		return nil, fmt.Errorf("there is no rule %q", name)
	}
	if m.firing {
		return nil, errFiring
	}
	if err := m.settle(); err != nil {
		return nil, err
	}
	s, err := m.locate(id)
	if err != nil {
		return nil, err
	}
	var all []Failure
	for i := range r.Patterns {
		if r.stores[i] == s {
			all = append(all, Failure{r.patternName(i), m.reason(r, i, id.row)})
		}
	}
	return all, nil
}

// reason returns the first condition of pattern i that a row fails.
func (m *Memory) reason(r *rule, i int, row int32) string {
	a := r.alphas[i]
	for _, t := range a.where {
		if !t.holds(a.store, row) {
			return fmt.Sprintf("%s is %s, not %s %v", t.Field, a.store.columns[t.field].value(row), t.Op, t.Values)
		}
	}
	if !a.has(row) {
		return "If is false"
	}
	if i == 0 {
		return ""
	}
	joined := false
	plan := r.plans[i][:i+1] // the pattern, then those before it
	j := joiner{
		m: m, rule: r, plan: plan, refs: make([]ref, len(r.Patterns)),
		found: func([]ref) bool { joined = true; return false },
	}
	j.prepare(1)
	j.try(0, row)
	if !joined {
		return "no facts of the patterns before it join with it"
	}
	return ""
}
