package fact

// Matches of rules, from the facts with which they are found to the end of any of these; their counts over whole kinds;
// and their asserted facts, which last as long as a match that asserted them (Doyle, Artificial Intelligence 12, 1979).

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
)

// Match is one fact for each pattern of a rule. It may be kept; its facts may be read as long as it holds.
type Match struct {
	Tag any // of the rule's Then, for its Gone

	rule     *rule
	refs     []ref
	tallies  []tally // of the counts
	alive    bool    // its facts are as they were
	holds    bool    // and so does When
	fired    bool    // since it holds
	queued   bool
	changed  bool // a count of its own, since it was judged
	asserted []place
}

// Fact returns the fact of a pattern, by its place in Rule.Patterns.
func (x *Match) Fact(pattern int) Fact { return Fact{x.rule.stores[pattern], x.refs[pattern].row} }

// Holds reports whether all conditions still hold.
func (x *Match) Holds() bool { return x.holds }

func (x *Match) String() string {
	text := x.rule.Name + " ["
	for i := range x.refs {
		if i > 0 {
			text += ", "
		}
		text += x.Fact(i).String()
	}
	return text + "]"
}

// before reports whether a match fires before another of its rule: by its facts in the order of patterns.
func (x *Match) before(y *Match) bool { return slices.CompareFunc(x.refs, y.refs, ref.compare) < 0 }

func (r ref) compare(s ref) int {
	switch {
	case r.seq < s.seq:
		return -1
	case r.seq > s.seq:
		return 1
	}
	return 0
}

// add makes a match of facts. It is judged at the end of the pass. False: the limit of matches is reached.
func (r *rule) add(refs []ref) bool {
	if r.m.matches >= r.m.limit {
		most := slices.MaxFunc(r.m.rules, func(a, b *rule) int { return cmp.Compare(a.alive, b.alive) })
		r.m.broken = &LimitError{Rule: most.Name, Limit: r.m.limit}
		return false
	}
	n := len(refs)
	if len(r.room) == 0 {
		r.room = make([]Match, min(1+r.alive/8, 256))
		r.roomRefs = make([]ref, n*len(r.room))
	}
	x := &r.room[0]
	*x = Match{rule: r, refs: r.roomRefs[:n:n], alive: true}
	copy(x.refs, refs)
	r.room, r.roomRefs = r.room[1:], r.roomRefs[n:]
	r.m.matches++
	r.alive++
	for _, c := range r.counts {
		c.join(x)
	}
	for i, f := range x.refs {
		s := r.stores[i]
		s.matches[f.row] = append(roomy(s.matches[f.row]), x)
	}
	r.begun = append(r.begun, x)
	return true
}

// judge queues a match that begins to hold, and ends a match that ceases to hold.
func (x *Match) judge() {
	r := x.rule
	holds := x.alive && (r.When == nil || r.When(x))
	switch {
	case holds == x.holds:
		return
	case !holds:
		x.cease()
		return
	}
	x.holds = true
	r.holding++
	if x.queued {
		return
	}
	x.queued = true
	if r.head == len(r.pending) {
		r.pending, r.head, r.ordered = r.pending[:0], 0, true
	}
	n := len(r.pending)
	r.ordered = r.ordered && (n == r.head || r.pending[n-1].before(x))
	r.pending = append(r.pending, x)
}

// cease withdraws the assertions of a match that does not hold any more.
func (x *Match) cease() {
	if !x.holds {
		return
	}
	x.holds = false
	x.rule.holding--
	if x.fired && x.rule.Gone != nil {
		x.rule.Gone(x)
	}
	x.fired = false
	for _, p := range x.asserted {
		if p.present() {
			s := p.store
			s.supports[p.row] = slices.DeleteFunc(s.supports[p.row], func(y *Match) bool { return y == x })
			x.rule.m.doubted = append(x.rule.m.doubted, p)
		}
	}
	x.asserted = nil
}

// end ends a match with a fact that changes or leaves.
func (x *Match) end() {
	if !x.alive {
		return
	}
	x.cease()
	x.alive = false
	x.rule.alive--
	x.rule.m.matches--
}

// count counts the members of an alpha memory, grouped by the first equality that joins them with a pattern. A group
// knows the matches that count it. The selection by other joins and IfMatch in the group is counted for each match; if
// only its being empty matters, a match instead has a witness, a member that it selects, and is looked at again when
// that leaves: most members of a large group then cost nothing.
type count struct {
	spec   *Pattern
	rule   *rule
	index  int // among the rule's
	store  *store
	alpha  *alpha
	by     *link // the equality that groups; nil: a single group
	hash   *hash // of the members by it
	links  []link
	groups map[Value]*group
	dirty  []*group

	witnessed map[int32][]*Match // by the row of their witness
}

// group is the members with the same value of the grouping field, and the matches that count them, except those with a
// witness.
type group struct {
	size    int
	memo    float64 // of [Match.Memo], valid until a member comes or leaves
	has     bool    // memo is valid
	matches []*Match
	check   int // number of matches at which ended ones are removed
	dirty   bool
}

// tally is the group that a match counts, nil for none, and the number of selected members if this is not the whole
// group. If the match is witnessed, that is the row of the witness, 0 for none.
type tally struct {
	group *group
	count int
}

func newCount(r *rule, i int) *count {
	spec := &r.Rule.Counts[i]
	s := r.m.store(spec.Kind)
	c := &count{
		spec:   spec,
		rule:   r,
		index:  i,
		store:  s,
		links:  links(len(r.Patterns), spec.Join),
		groups: map[Value]*group{},

		witnessed: map[int32][]*Match{},
	}
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

// group returns the group of a value, and makes it if it is missing. NaN, which equals no value, has no group.
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

// value returns the grouping value of a match.
func (c *count) value(x *Match) (v Value) {
	if c.by != nil {
		v = c.by.other(c.rule.stores[c.by.b], x.refs[c.by.b].row)
	}
	return v
}

// tally adds a new member, or removes a member while it still has its values.
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
	g.has = false
	filled := g.size == max(by, 0) // or emptied
	if !g.dirty && (filled || c.plain() && !c.spec.Any) {
		g.dirty = true
		c.dirty = append(c.dirty, g)
	}
	switch {
	case c.plain():
	case c.spec.Any && by > 0:
		g.matches = slices.DeleteFunc(g.matches, func(x *Match) bool {
			if x.alive && c.selects(x, row) {
				c.witness(x, row)
				x.change()
				return true
			}
			return !x.alive
		})
	case c.spec.Any:
		list := c.witnessed[row]
		delete(c.witnessed, row)
		for _, x := range list {
			if x.alive && c.witness(x, c.first(x, row)) == 0 {
				x.change()
			}
		}
	default:
		for _, x := range g.matches {
			if x.alive && c.selects(x, row) {
				x.tallies[c.index].count += by
				x.change()
			}
		}
	}
}

// change has a match judged in the next pass.
func (x *Match) change() {
	if !x.changed {
		x.changed = true
		x.rule.changed = append(x.rule.changed, x)
	}
}

// witness gives a match the witness in a row, 0 for none, and returns the row.
func (c *count) witness(x *Match, row int32) int32 {
	t := &x.tallies[c.index]
	if t.count = int(row); row == 0 {
		t.group.matches = append(t.group.matches, x)
	} else {
		c.witnessed[row] = append(roomy(c.witnessed[row]), x)
	}
	return row
}

// roomy drops the matches that ceased from a full list, before it grows.
func roomy(list []*Match) []*Match {
	if n := len(list); n == cap(list) && n > 16 {
		list = slices.DeleteFunc(list, func(x *Match) bool { return !x.alive })
	}
	return list
}

// first returns the row of a member that a match selects, other than a given row; 0: there is none.
func (c *count) first(x *Match, but int32) int32 {
	for row := range c.members(x) {
		if row != but {
			return row
		}
	}
	return 0
}

// members returns the rows of the members that a match selects.
func (c *count) members(x *Match) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		one := func(row int32) bool { return !c.selects(x, row) || yield(row) }
		if c.by == nil {
			c.alpha.each(one)
			return
		}
		for row := c.hash.find(c.value(x)); row != 0 && one(row); {
			row = c.hash.next[row]
		}
	}
}

// selects reports whether the joins that do not group, and IfMatch, select a member for a match.
func (c *count) selects(x *Match, row int32) bool {
	for i := range c.links {
		l := &c.links[i]
		if !l.linked(c.store, row, c.rule.stores[l.b], x.refs[l.b].row) {
			return false
		}
	}
	return c.spec.IfMatch == nil || c.spec.IfMatch(x, Fact{c.store, row})
}

// join counts for a new match.
func (c *count) join(x *Match) {
	g := c.group(c.value(x))
	if x.tallies = append(x.tallies, tally{group: g}); g == nil {
		return
	}
	if len(g.matches) > g.check {
		g.tidy()
	}
	if !c.plain() && c.spec.Any {
		c.witness(x, c.first(x, 0))
		return
	}
	g.matches = append(g.matches, x)
	if c.plain() {
		return
	}
	for range c.members(x) {
		x.tallies[c.index].count++
	}
}

// tidy drops the matches that ceased.
func (g *group) tidy() {
	g.matches = slices.DeleteFunc(g.matches, func(x *Match) bool { return !x.alive })
	g.check = 2*len(g.matches) + 16
}

// judge judges the matches that count whole groups that have changed, and deletes unused groups.
func (c *count) judge() {
	for _, g := range c.dirty {
		if g.dirty = false; !c.plain() {
			continue
		}
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

// Count returns the i-th count of the match's rule. Where [Pattern.Any] is set it costs a search.
func (x *Match) Count(i int) (n int) {
	c, t := x.rule.counts[i], x.tallies[i]
	switch {
	case t.group != nil && c.plain():
		return t.group.size
	case t.count == 0 || !c.spec.Any:
		return t.count
	}
	for range c.members(x) {
		n++
	}
	return n
}

// Selected returns the facts that the i-th count of the match's rule selects, in any order.
func (x *Match) Selected(i int) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		c := x.rule.counts[i]
		for row := range c.members(x) {
			if !yield(Fact{c.store, row}) {
				return
			}
		}
	}
}

// Memo returns a number that a function computes of the facts alone that the i-th count selects. Matches that count the
// same group compute it once, until a member comes or leaves.
func (x *Match) Memo(i int, of func() float64) float64 {
	g := x.tallies[i].group
	if g == nil || !x.rule.counts[i].plain() {
		return of()
	}
	if !g.has {
		g.memo, g.has = of(), true
	}
	return g.memo
}

// Any reports whether the i-th count of the match's rule is above zero.
func (x *Match) Any(i int) bool {
	if x.rule.counts[i].plain() {
		return x.Count(i) > 0
	}
	return x.tallies[i].count > 0
}

// place is a fact in its store.
type place struct {
	store *store
	ref
}

func (p place) present() bool { return p.store.seq[p.row] == p.seq }

// Assert adds a fact that leaves when this match ceases, unless another match still supports it. If an equal fact
// exists, no other is added: the match supports the existing fact. Only rules may assert facts of such a kind.
func (x *Match) Assert(kind string, values ...Value) {
	m := x.rule.m
	s := m.store(kind)
	if s.content == nil {
		s.content = map[string]int32{}
	}
	key := encode(values)
	row, has := s.content[key]
	if !has {
		row = m.Assert(kind, values...).row
		s.content[key] = row
	}
	if !slices.Contains(s.supports[row], x) {
		s.supports[row] = append(s.supports[row], x)
		x.asserted = append(x.asserted, place{s, ref{s.seq[row], row}})
	}
}

// encode returns a text that is the same for the same values, bit by bit.
func encode(values []Value) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.num))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(v.text)))
		b = append(b, v.text...)
	}
	return string(b)
}

// dropUnsupported retracts the facts that lost a support and have none left.
func (m *Memory) dropUnsupported() {
	gone := slices.DeleteFunc(m.doubted, func(p place) bool { return !p.present() || grounded(p) })
	m.doubted = nil
	for _, p := range gone {
		if !p.present() { // it was doubted twice
			continue
		}
		var values []Value
		for i := range p.store.columns {
			values = append(values, p.store.columns[i].value(p.row))
		}
		delete(p.store.content, encode(values))
		m.Retract(ID(p))
	}
}

// grounded reports whether a fact follows from facts that need no support: the least fixpoint over all its possible
// premises.
func grounded(p place) bool {
	if len(p.store.supports[p.row]) == 0 {
		return false
	}
	all, known := []place{p}, map[place]bool{p: false}
	for i := 0; i < len(all); i++ {
		for _, x := range all[i].store.supports[all[i].row] {
			for k, f := range x.refs {
				q := place{x.rule.stores[k], f}
				if _, met := known[q]; !met {
					known[q] = q.store.content == nil
					all = append(all, q)
				}
			}
		}
	}
	follows := func(x *Match) bool {
		for k, f := range x.refs {
			if !known[place{x.rule.stores[k], f}] {
				return false
			}
		}
		return true
	}
	for changed := true; changed && !known[p]; {
		changed = false
		for _, q := range all {
			if !known[q] && slices.ContainsFunc(q.store.supports[q.row], follows) {
				known[q], changed = true, true
			}
		}
	}
	return known[p]
}
