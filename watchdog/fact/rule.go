package fact

// Rules as data. A rule that names a kind or a pattern that there is not is a programmer's mistake, and panics.

// Rule fires once for each match: one fact for each of its patterns, for which all conditions hold. A rule without
// patterns has one match, of no facts.
type Rule struct {
	Name     string
	Priority int // higher first, then the order in which rules are given to New
	Patterns []Pattern
	Counts   []Count
	Distinct bool // no fact is in a match twice
	// When, if set, must hold as well: a function of the match's facts and counts. It is called anew when a count changes.
	When func(*Match) bool
	Then func(*Match)
	Gone func(*Match) // is called when a match ceases that has fired, while its facts may still be read; may be nil
}

// Pattern matches one fact.
type Pattern struct {
	Kind    string
	Where   []Test
	If      func(Fact) bool   // as well, if not nil; a function of the fact alone
	Join    []Join            // with earlier patterns
	IfMatch func(*Match) bool // as well, if not nil; a function of this pattern's fact and those of earlier ones
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

// Count counts the facts of a kind that Where, If, Join and IfMatch select. Join may refer to any pattern of the rule.
type Count struct {
	Kind    string
	Where   []Test
	If      func(Fact) bool
	Join    []Join
	IfMatch func(*Match, Fact) bool
}

// rule is a Rule with what it needs of the memory.
type rule struct {
	Rule
	m       *Memory
	stores  []*store // by pattern
	alphas  []*alpha
	links   []link
	plans   [][]step // by the pattern that has new facts
	counts  []*count
	alive   int      // matches of the patterns
	holding int      // those of them for which When holds
	begun   []*Match // found in this pass
	pending []*Match // to be fired, from head on
	head    int
	ordered bool // pending is in order
}

// link is a Join with its pattern: a field of pattern a against one of pattern b < a.
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

// linked reports whether a link holds between a row of its pattern a, of a store, and the other side.
func (l *link) linked(s *store, row int32, other Value) bool {
	c := &s.columns[l.aField]
	if c.typ == Text {
		return ordered(l.op, c.texts[row], other.text)
	}
	return ordered(l.op, c.nums[row], other.num)
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
