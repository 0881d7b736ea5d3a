package fact

// Conditions on whole kinds. A rule that has some keeps its matches of patterns as tokens: each is a match of the rule
// as long as all such conditions hold for it. Members are grouped by the first equality that joins them with a
// pattern; a group knows their number, and their least or greatest value, and which tokens look at it. What other
// joins and IfMatch select of the group is counted for each token.

import (
	"math"
	"slices"
)

type aggregate struct {
	spec    *Given
	rule    *rule
	store   *store
	alpha   *alpha
	by      link // the equality that groups, if eq is not -1
	eq      int
	members *hash  // by by's field
	links   []link // the other joins
	field   int    // least and most: of which
	than    int    // pattern to compare with, or -1
	other   int    // its field

	nums  map[uint64]*group
	texts map[string]*group
	one   *group // without an equality
	dirty []*group
}

// group is the members with one value of the field that groups, and the tokens with this value.
type group struct {
	value  Value
	size   int
	heap   []extreme
	tokens []*token
	check  int // number of tokens at which to look for those that are gone
	dirty  bool
	known  bool // holds is what the tokens were told
	holds  bool
}

// extreme is a candidate for the least value; of the greatest, x has the other sign.
type extreme struct {
	x     float64
	row   int32
	stamp uint64
}

// token is a match of a rule's patterns.
type token struct {
	rule   *rule
	refs   []ref
	groups []*group // by aggregate
	counts []int    // members that the aggregate's other joins select; of least and most, unused
	alive  bool
	holds  bool
	turn   uint64 // grows each time it begins or ceases to hold
	backs  *support
}

// plain reports whether a group's members are all that is selected.
func (g *aggregate) plain() bool { return len(g.links) == 0 && g.spec.IfMatch == nil }

func (g *aggregate) extreme() bool { return g.spec.Fold == Least || g.spec.Fold == Most }

// group returns the group of a value, and makes it if there is none. The value that equals none has no group.
func (g *aggregate) group(v Value) *group {
	if g.eq < 0 {
		if g.one == nil {
			g.one = &group{}
		}
		return g.one
	}
	if v.typ == Text {
		x := g.texts[v.text]
		if x == nil {
			x = &group{value: v}
			g.texts[v.text] = x
		}
		return x
	}
	k, ok := key(v)
	if !ok {
		return nil
	}
	x := g.nums[k]
	if x == nil {
		x = &group{value: v}
		g.nums[k] = x
	}
	return x
}

func (g *aggregate) mark(x *group) {
	if !x.dirty {
		x.dirty = true
		g.dirty = append(g.dirty, x)
	}
}

// ofRow returns the group of a member.
func (g *aggregate) ofRow(row int32) *group {
	if g.eq < 0 {
		return g.group(Value{})
	}
	return g.group(g.store.columns[g.by.aField].value(row))
}

// add takes a new member.
func (g *aggregate) add(row int32) {
	x := g.ofRow(row)
	if x == nil {
		return
	}
	x.size++
	g.mark(x)
	if g.extreme() && g.plain() {
		g.offer(x, row)
	}
	g.tally(x, row, 1)
}

// remove takes a member out, while it still has its values.
func (g *aggregate) remove(m *Memory, row int32) {
	x := g.ofRow(row)
	if x == nil {
		return
	}
	x.size--
	g.mark(x)
	g.tally(x, row, -1)
}

// tally adds to the counts of the tokens that select a member.
func (g *aggregate) tally(x *group, row int32, by int) {
	if g.plain() || g.extreme() {
		return
	}
	i := slices.Index(g.rule.folds, g)
	for _, t := range x.tokens {
		if t.alive && g.selects(t, row) {
			t.counts[i] += by
		}
	}
}

// selects reports whether the joins that do not group, and IfMatch, select a member for a token.
func (g *aggregate) selects(t *token, row int32) bool {
	for i := range g.links {
		l := &g.links[i]
		x := g.store.columns[l.aField].value(row)
		if !compare(l.op, x, l.side(g.rule.stores[l.b], t.refs[l.b].row)) {
			return false
		}
	}
	return g.spec.IfMatch == nil || g.spec.IfMatch(Match{g.rule, t.refs}, Fact{g.store, row})
}

// each calls f for all members of a group.
func (g *aggregate) each(x *group, f func(row int32) bool) {
	if g.eq < 0 {
		g.alpha.each(f)
		return
	}
	for row := g.members.find(x.value); row >= 0 && f(row); row = g.members.next[row] {
	}
}

// sign is what makes the wanted value the least one.
func (g *aggregate) sign() float64 {
	if g.spec.Fold == Most {
		return -1
	}
	return 1
}

// offer enters a member's value in the heap, and drops what is out of date when this is the larger part.
func (g *aggregate) offer(x *group, row int32) {
	v := g.sign() * g.store.columns[g.field].nums[row]
	if v != v {
		return
	}
	if len(x.heap) > 2*x.size+16 {
		x.heap = slices.DeleteFunc(x.heap, func(e extreme) bool { return !g.current(e) })
		for i := len(x.heap)/2 - 1; i >= 0; i-- {
			sink(x.heap, i)
		}
	}
	x.heap = append(x.heap, extreme{v, row, g.store.stamp[row]})
	for i := len(x.heap) - 1; i > 0 && x.heap[i].x < x.heap[(i-1)/2].x; i = (i - 1) / 2 {
		x.heap[i], x.heap[(i-1)/2] = x.heap[(i-1)/2], x.heap[i]
	}
}

func sink(h []extreme, i int) {
	for c := 2*i + 1; c < len(h); c = 2*i + 1 {
		if c+1 < len(h) && h[c+1].x < h[c].x {
			c++
		}
		if h[i].x <= h[c].x {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// current reports whether an entry of the heap is a member's value still.
func (g *aggregate) current(e extreme) bool {
	return g.alpha.has(e.row) && g.store.stamp[e.row] == e.stamp
}

// top returns the least or greatest value of a group.
func (g *aggregate) top(x *group) (float64, bool) {
	for len(x.heap) > 0 && !g.current(x.heap[0]) {
		n := len(x.heap) - 1
		x.heap[0] = x.heap[n]
		x.heap = x.heap[:n]
		sink(x.heap, 0)
	}
	if len(x.heap) == 0 {
		return 0, false
	}
	return g.sign() * x.heap[0].x, true
}

// value returns the fold for a token, and whether there is one.
func (g *aggregate) value(t *token, i int) (float64, bool) {
	x := t.groups[i]
	switch {
	case x == nil:
		return 0, !g.extreme()
	case !g.extreme() && g.plain():
		return float64(x.size), true
	case !g.extreme():
		return float64(t.counts[i]), true
	case g.plain():
		return g.top(x)
	}
	best, has := math.Inf(1), false
	g.each(x, func(row int32) bool {
		if v := g.sign() * g.store.columns[g.field].nums[row]; v == v && g.selects(t, row) {
			best, has = min(best, v), true
		}
		return true
	})
	return g.sign() * best, has
}

// ok reports whether the condition holds for a token.
func (g *aggregate) ok(t *token, i int) bool {
	v, has := g.value(t, i)
	switch g.spec.Fold {
	case Not, All: // of all, those are counted that are not as they should be
		return v == 0
	case Any:
		return v > 0
	}
	c := g.spec.Value
	if g.than >= 0 {
		c = g.rule.stores[g.than].columns[g.other].nums[t.refs[g.than].row]
	}
	return has && ordered(g.spec.Op, v, c)
}

// addToken makes a token of a match of patterns; whether it holds is seen at the end of the pass.
func (m *Memory) addToken(r *rule, refs []ref) {
	t := &token{rule: r, refs: refs, alive: true, counts: make([]int, len(r.folds)),
		groups: make([]*group, len(r.folds))}
	for i, g := range r.folds {
		var v Value
		if g.eq >= 0 {
			v = g.by.side(r.stores[g.by.b], refs[g.by.b].row)
		}
		x := g.group(v)
		if t.groups[i] = x; x == nil {
			continue
		}
		if len(x.tokens) > x.check {
			x.tokens = slices.DeleteFunc(x.tokens, func(t *token) bool { return !t.alive })
			x.check = 2*len(x.tokens) + 16
		}
		x.tokens = append(x.tokens, t)
		if !g.plain() && !g.extreme() {
			g.each(x, func(row int32) bool {
				if g.selects(t, row) {
					t.counts[i]++
				}
				return true
			})
		}
	}
	for i, f := range refs {
		s := r.stores[i]
		list := s.tokens[f.row]
		if len(list) == cap(list) {
			list = slices.DeleteFunc(list, func(t *token) bool { return !t.alive })
		}
		s.tokens[f.row] = append(list, t)
	}
	m.waiting++
	m.newTokens = append(m.newTokens, t)
}

// killTokens ends the tokens with a row.
func (m *Memory) killTokens(s *store, row int32) {
	for _, t := range s.tokens[row] {
		if !t.alive {
			continue
		}
		t.alive = false
		m.waiting--
		m.end(t.backs)
		for i, x := range t.groups {
			if x != nil && len(x.tokens) > 0 {
				t.rule.folds[i].mark(x) // to be given up if it is empty
			}
		}
	}
	delete(s.tokens, row)
}

// judge sees which tokens begin and cease to hold at the end of a pass.
func (m *Memory) judge(r *rule, begun []match) []match {
	for i, g := range r.folds {
		for _, x := range g.dirty {
			begun = m.judgeGroup(r, g, i, x, begun)
		}
		g.dirty = g.dirty[:0]
	}
	return begun
}

func (m *Memory) judgeGroup(r *rule, g *aggregate, i int, x *group, begun []match) []match {
	x.dirty = false
	x.tokens = slices.DeleteFunc(x.tokens, func(t *token) bool { return !t.alive })
	x.check = 2*len(x.tokens) + 16
	if len(x.tokens) == 0 {
		if x.size == 0 {
			g.drop(x)
		}
		x.known = false
		return begun
	}
	if g.plain() && g.than < 0 && r.When == nil { // one answer for all tokens
		holds := g.ok(x.tokens[0], i)
		if x.known && holds == x.holds {
			return begun
		}
		x.known, x.holds = true, holds
	}
	for _, t := range x.tokens {
		begun = m.judgeToken(t, begun)
	}
	return begun
}

// drop gives up a group without members and tokens.
func (g *aggregate) drop(x *group) {
	if g.eq < 0 {
		g.one = nil
		return
	}
	if x.value.typ == Text {
		delete(g.texts, x.value.text)
		return
	}
	k, _ := key(x.value)
	delete(g.nums, k)
}

// met reports whether all conditions on whole kinds hold for a token.
func (r *rule) met(t *token) bool {
	for i, g := range r.folds {
		if !g.ok(t, i) {
			return false
		}
	}
	if r.When == nil {
		return true
	}
	r.given = r.given[:0]
	for i, g := range r.folds {
		v, has := g.value(t, i)
		if !has {
			v = math.NaN()
		}
		r.given = append(r.given, v)
	}
	return r.When(Match{r, t.refs}, r.given)
}

// judgeToken adds the token to those that begin to hold, if it does.
func (m *Memory) judgeToken(t *token, begun []match) []match {
	if !t.alive {
		return begun
	}
	holds := t.rule.met(t)
	if holds == t.holds {
		return begun
	}
	t.holds = holds
	t.turn++
	if !holds {
		m.end(t.backs)
		t.backs = nil
		return begun
	}
	return append(begun, match{refs: t.refs, stamp: t.turn, token: t})
}
