package fact

// Counts over whole kinds. Members are grouped by the first equality that joins them with a pattern; a group knows
// which matches count it. What other joins and IfMatch select of the group is counted for each match.

import "slices"

type count struct {
	spec   *Count
	rule   *rule
	index  int // among the rule's
	store  *store
	alpha  *alpha
	by     *link // the equality that groups; nil: there is one group
	hash   *hash // of the members by it
	links  []link
	groups map[Value]*group
	dirty  []*group
}

// group is the members with one value of the field that groups, and the matches that count them.
type group struct {
	size    int
	matches []*Match
	check   int // number of matches at which to look for those that are gone
	dirty   bool
}

func newCount(r *rule, i int) *count {
	spec := &r.Rule.Counts[i]
	s := r.m.store(spec.Kind)
	c := &count{spec: spec, rule: r, index: i, store: s, links: links(len(r.Patterns), spec.Join), groups: map[Value]*group{}}
	c.alpha = s.alpha(spec.Where, spec.If)
	if eq := slices.IndexFunc(c.links, func(l link) bool { return l.op == Equal }); eq >= 0 {
		by := c.links[eq]
		c.by, c.hash = &by, c.alpha.hash(by.aField)
		c.links = slices.Delete(c.links, eq, eq+1)
	}
	c.alpha.counts = append(c.alpha.counts, c)
	return c
}

// plain reports whether a group's members are all that is counted.
func (c *count) plain() bool { return len(c.links) == 0 && c.spec.IfMatch == nil }

// group returns the group of a value, and makes it if there is none. NaN, which equals nothing, has none.
func (c *count) group(v Value) *group {
	if v != v {
		return nil
	}
	g := c.groups[v]
	if g == nil {
		g = &group{}
		c.groups[v] = g
	}
	return g
}

// value is that by which a match is grouped.
func (c *count) value(x *Match) (v Value) {
	if c.by != nil {
		v = c.by.other(c.rule.stores[c.by.b], x.refs[c.by.b].row)
	}
	return v
}

// tally takes a new member, or takes one out while it still has its values.
func (c *count) tally(row int32, by int) {
	var v Value
	if c.by != nil {
		v = c.store.columns[c.by.aField].value(row)
	}
	g := c.group(v)
	if g == nil {
		return
	}
	g.size += by
	if !g.dirty {
		g.dirty = true
		c.dirty = append(c.dirty, g)
	}
	if c.plain() {
		return
	}
	for _, x := range g.matches {
		if x.alive && c.selects(x, row) {
			x.counts[c.index] += by
		}
	}
}

// selects reports whether the joins that do not group, and IfMatch, select a member for a match.
func (c *count) selects(x *Match, row int32) bool {
	for i := range c.links {
		l := &c.links[i]
		if !l.linked(c.store, row, l.other(c.rule.stores[l.b], x.refs[l.b].row)) {
			return false
		}
	}
	return c.spec.IfMatch == nil || c.spec.IfMatch(x, Fact{c.store, row})
}

// join counts for a new match.
func (c *count) join(x *Match) {
	v := c.value(x)
	g := c.group(v)
	if x.groups = append(x.groups, g); g == nil {
		return
	}
	if len(g.matches) > g.check {
		g.tidy()
	}
	g.matches = append(g.matches, x)
	if c.plain() {
		return
	}
	one := func(row int32) bool {
		if c.selects(x, row) {
			x.counts[c.index]++
		}
		return true
	}
	if c.by == nil {
		c.alpha.each(one)
		return
	}
	for _, row := range c.hash.rows[v] {
		one(row)
	}
}

// tidy drops the matches that ceased.
func (g *group) tidy() {
	g.matches = slices.DeleteFunc(g.matches, func(x *Match) bool { return !x.alive })
	g.check = 2*len(g.matches) + 16
}

// judge judges the matches whose groups have changed, and gives up groups that nobody needs.
func (c *count) judge() {
	for _, g := range c.dirty {
		g.dirty = false
		g.tidy()
		for _, x := range g.matches {
			x.judge()
		}
	}
	if len(c.dirty) > 0 && len(c.groups) > c.store.count+c.rule.alive+16 {
		for v, g := range c.groups {
			if g.tidy(); g.size == 0 && len(g.matches) == 0 {
				delete(c.groups, v)
			}
		}
	}
	c.dirty = c.dirty[:0]
}

// Count returns the i-th count of the match's rule.
func (x *Match) Count(i int) int {
	switch c := x.rule.counts[i]; {
	case x.groups[i] == nil:
		return 0
	case c.plain():
		return x.groups[i].size
	}
	return x.counts[i]
}
