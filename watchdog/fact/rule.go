package fact

// Rules as data, and the join of new facts with existing ones: of each rule, once for each pattern with new facts. The
// patterns before it take only older facts, so that every match is found once. (Semi-naive evaluation: Bancilhon and
// Ramakrishnan, SIGMOD 1986; without beta memories: Miranker's TREAT, AAAI 1987.)
//
// A rule with an unknown kind or pattern is a programmer's mistake, and panics.

import (
	"slices"
)

// Rule fires once for each match: one fact for each of its patterns, for which all conditions hold. A rule without
// patterns has a single match, without facts.
type Rule struct {
	Name     string
	Priority int // higher first, then the order of the rules in New
	Patterns []Pattern
	Counts   []Pattern // facts that are counted for each match, see Match.Count
	Distinct bool      // no fact is in a match twice
	// When, if set, must hold as well: a function of the match's facts and counts. It is called anew when a count
	// changes, or where [Pattern.Any] is set, when that of none becomes one of some, or the reverse.
	When func(*Match) bool
	Then func(*Match)
	Gone func(*Match) // is called when a match ceases that has fired, while its facts may still be read; may be nil
}

// Pattern selects the facts of a kind, to match or to count one after the other.
type Pattern struct {
	Kind    string
	Where   []Test
	If      func(Fact) bool         // as well, if not nil; a function of the fact alone
	Join    []Join                  // with earlier patterns; of a count with any pattern of the rule
	IfMatch func(*Match, Fact) bool // as well, if not nil; a function of the fact and those of these patterns
	Any     bool                    // of a count: When asks [Match.Any] alone
}

// Join is a condition on fields of two facts: Field Op Other + Plus, where Other is a field of an earlier pattern's
// fact, and Plus is for numbers. Op is not In.
type Join struct {
	Field int
	Op    Op
	Of    int // pattern
	Other int
	Plus  float64
}

// rule is a Rule with its parts of the memory.
type rule struct {
	Rule
	m       *Memory
	stores  []*store // by pattern
	alphas  []*alpha
	links   []link
	plans   [][]step // by the pattern that has new facts
	counts  []*count
	alive   int      // matches of the patterns
	holding int      // the matches for which When holds
	room    []Match  // for future matches, with roomRefs
	begun   []*Match // found in this pass
	changed []*Match // to be judged in this pass, because of their counts
	pending []*Match // to be fired, from head on
	head    int
	ordered bool // pending is in order

	roomRefs []ref
}

// link is a Join with its pattern: a field of pattern a against a field of pattern b < a.
type link struct {
	a, b           int
	aField, bField int
	op             Op
	plus           float64
}

// other returns the right-hand side of a link, from the fact of pattern b.
func (l *link) other(s *store, row int32) Value {
	v := s.columns[l.bField].value(row)
	if l.plus != 0 {
		v.num += l.plus
	}
	return v
}

// linked reports whether a link holds between a row of its pattern a and a row of b, of their stores.
func (l *link) linked(s *store, a int32, t *store, b int32) bool {
	x, y := &s.columns[l.aField], &t.columns[l.bField]
	if x.typ == Text {
		return ordered(l.op, x.texts[a], y.texts[b])
	}
	return ordered(l.op, x.nums[a], y.nums[b]+l.plus)
}

// compile adds a rule to the memory.
func (m *Memory) compile(spec Rule) *rule {
	r := &rule{Rule: spec, m: m, ordered: true}
	for i, p := range spec.Patterns {
		s := m.store(p.Kind)
		r.stores = append(r.stores, s)
		r.alphas = append(r.alphas, s.alpha(p.Where, p.If))
		r.links = append(r.links, links(i, p.Join)...)
	}
	r.plan()
	for i := range spec.Counts {
		r.counts = append(r.counts, newCount(r, i))
	}
	return r
}

func links(i int, joins []Join) (list []link) {
	for _, j := range joins {
		list = append(list, link{i, j.Of, j.Field, j.Other, j.Op, j.Plus})
	}
	return list
}

// step binds a pattern's fact. The steps of a plan begin with the pattern that has new facts.
type step struct {
	pattern int
	hash    *hash // candidates by equality with by's other side; nil: all members
	by      link
	checks  []link // conditions without an index
	asks    []int  // patterns whose IfMatch can be evaluated now
}

// plan makes the rule's plans and their indexes.
func (r *rule) plan() {
	for first := range r.Patterns {
		order := []int{first}
		for i := range r.Patterns {
			if i != first {
				order = append(order, i)
			}
		}
		bound, leading := map[int]bool{}, 0
		var plan []step
		for _, i := range order {
			s := r.step(i, bound)
			bound[i] = true
			for ; bound[leading]; leading++ {
				if r.Patterns[leading].IfMatch != nil {
					s.asks = append(s.asks, leading)
				}
			}
			plan = append(plan, s)
		}
		r.plans = append(r.plans, plan)
	}
}

// step looks for an equality that finds the candidates for pattern i.
func (r *rule) step(i int, bound map[int]bool) step {
	s := step{pattern: i}
	for _, l := range r.links {
		turned := l
		switch {
		case l.a == i && bound[l.b]:
		case l.b == i && bound[l.a]:
			turned = link{l.b, l.a, l.bField, l.aField, l.op.Flip(), 0}
		default:
			continue
		}
		if turned.op == Equal && s.hash == nil &&
			(l.a == i || l.plus == 0) { // x == y + c and y == x - c differ by rounding
			s.hash, s.by = r.alphas[i].hash(turned.aField), turned
		} else {
			s.checks = append(s.checks, l)
		}
	}
	return s
}

// joiner walks a plan.
type joiner struct {
	rule  *rule
	plan  []step
	first int // the pattern with new facts; below 0: new facts are as all others
	match Match
	found func([]ref) bool
	depth []int // number of partial matches of each step; nil: not counted
}

// join calls found for every match whose fact of pattern first is any of some rows, until it returns false.
func (r *rule) join(j joiner, rows func(func(row int32) bool) bool) bool {
	j.rule, j.match = r, Match{rule: r, refs: make([]ref, len(r.Patterns))}
	return rows(func(row int32) bool { return j.try(0, row) })
}

// try binds a row in a step, and continues with the next if it fits.
func (j *joiner) try(at int, row int32) bool {
	s, refs := &j.plan[at], j.match.refs
	store := j.rule.stores[s.pattern]
	if s.pattern < j.first && store.fresh[row] {
		return true
	}
	for i := range s.checks {
		l := &s.checks[i]
		a, b := row, row
		if l.a == s.pattern {
			b = refs[l.b].row
		} else {
			a = refs[l.a].row
		}
		if !l.linked(j.rule.stores[l.a], a, j.rule.stores[l.b], b) {
			return true
		}
	}
	refs[s.pattern] = ref{store.seq[row], row}
	if j.rule.Distinct &&
		slices.ContainsFunc(j.plan[:at], func(t step) bool { return refs[t.pattern] == refs[s.pattern] }) {
		return true
	}
	for _, p := range s.asks {
		if !j.rule.Patterns[p].IfMatch(&j.match, j.match.Fact(p)) {
			return true
		}
	}
	if j.depth != nil {
		j.depth[at]++
	}
	if at++; at == len(j.plan) {
		return j.found(refs)
	}
	return j.candidates(at)
}

// candidates tries all facts that the index of a step leaves.
func (j *joiner) candidates(at int) bool {
	s := &j.plan[at]
	if s.hash == nil {
		return j.rule.alphas[s.pattern].each(func(row int32) bool { return j.try(at, row) })
	}
	row := s.hash.find(s.by.other(j.rule.stores[s.by.b], j.match.refs[s.by.b].row))
	for row != 0 && j.try(at, row) {
		row = s.hash.next[row]
	}
	return row == 0
}

// find makes the matches with fresh facts. A pattern is left out if an earlier one has no older facts to join with.
func (r *rule) find() {
	for i, a := range r.alphas {
		if len(a.fresh) == 0 ||
			slices.ContainsFunc(r.alphas[:i], func(b *alpha) bool { return len(b.fresh) == b.size }) {
			continue
		}
		fresh := func(try func(row int32) bool) bool {
			return !slices.ContainsFunc(a.fresh, func(row int32) bool { return !try(row) })
		}
		if !r.join(joiner{plan: r.plans[i], first: i, found: r.add}, fresh) {
			return
		}
	}
}
