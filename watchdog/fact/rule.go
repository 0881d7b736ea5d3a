package fact

// Rules as data, and their check against the kinds.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rule fires once for each match: one fact for each of its patterns, for which all conditions hold. A rule without
// patterns has one match, of no facts, as long as its conditions on whole kinds hold.
type Rule struct {
	Name     string
	Priority int // higher first, then the order in which rules are given to New
	Patterns []Pattern
	Given    []Given
	Distinct bool // no fact is in a match twice
	// When, if set, must hold as well: a function of the match's facts and of what Given makes, as Firing.Given has it;
	// NaN stands for what is not there. It is for what one Given alone does not say, such as a share of all facts.
	When func(Match, []float64) bool
	Then func(*Firing) error
}

// Pattern matches one fact.
type Pattern struct {
	Name    string // by which joins refer to it; it may be empty if none does
	Kind    string
	Where   []Test
	If      func(Fact) bool  // as well, if not nil; a function of the fact alone
	Join    []Join           // with earlier patterns
	IfMatch func(Match) bool // as well, if not nil; a function of this pattern's fact and those of earlier ones
}

// Test is a condition on one field of a fact.
type Test struct {
	Field  string
	Op     Op
	Values []Value // one; of In any number, of Between the lower and the upper bound
}

// Is returns a Test.
func Is(field string, op Op, values ...Value) Test { return Test{field, op, values} }

// Join is a condition on fields of two facts: Field Op Other + Plus, where Other is a field of the earlier pattern Of,
// and Plus is for numbers. Op is neither In nor Between.
type Join struct {
	Field string
	Op    Op
	Of    string
	Other string
	Plus  float64
}

// Fold says what is made of all facts that a Given selects.
type Fold uint8

// The folds.
const (
	Count Fold = iota + 1 // how many there are
	Not                   // whether there is none
	Any                   // whether there is one
	All                   // whether all of them meet Given.Are; true if there is none
	Least                 // the least value of Given.Field, NaN aside; the condition fails if there is none
	Most                  // the greatest one, likewise
)

func (f Fold) String() string {
	if f < Count || f > Most {
		return fmt.Sprintf("Fold(%d)", uint8(f))
	}
	return [...]string{"count", "not", "any", "all", "least", "most"}[f-1]
}

// Given is a condition on all facts of a kind that Where, If, Join and IfMatch select. Join may refer to any pattern of
// the rule. Count, Least and Most are compared: Fold Op Value, or, if Of names a pattern, Fold Op its field Other.
type Given struct {
	Fold    Fold
	Kind    string
	Where   []Test
	If      func(Fact) bool
	Join    []Join
	IfMatch func(Match, Fact) bool
	Are     []Test // All: what each of them must meet
	Field   string // Least, Most: a number
	Op      Op
	Value   float64
	Of      string
	Other   string
}

// rule is a compiled Rule.
type rule struct {
	Rule
	index  int
	stores []*store // by pattern
	alphas []*alpha
	links  []link
	plans  []plan // by the pattern that has new facts
	folds  []*aggregate
	queue  queue
	place  int // on the agenda
	pool   []ref
	given  []float64 // for When
}

// link is a compiled Join: a field of pattern a against one of pattern b < a.
type link struct {
	a, b           int
	aField, bField int
	op             Op
	plus           float64
}

// side returns the right-hand side of a link, from the fact of pattern b.
func (l *link) side(s *store, row int32) Value {
	v := s.columns[l.bField].value(row)
	if v.typ == Number {
		v.num += l.plus
	}
	return v
}

// compiler checks rules against kinds.
type compiler struct {
	m    *Memory
	errs []error
	at   string
}

func (c *compiler) fault(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(c.at+": "+format, args...))
}

// compile adds a rule to the memory.
func (c *compiler) compile(spec Rule, index int) *rule {
	r := &rule{Rule: spec, index: index}
	r.Patterns, r.Given = slices.Clone(spec.Patterns), slices.Clone(spec.Given)
	r.queue.n = len(spec.Patterns)
	c.at = "rule " + spec.Name
	if spec.Name == "" || c.m.rule(spec.Name) != nil {
		c.fault("rule %d needs a name of its own", index+1)
	}
	if len(spec.Patterns)+len(spec.Given) == 0 {
		c.fault("it has no conditions")
	}
	if spec.Then == nil {
		c.fault("it does nothing: Then is nil")
	}
	if spec.When != nil && len(spec.Given) == 0 {
		c.fault("When is for rules with a Given; Pattern.IfMatch is for others")
	}
	for i, p := range r.Patterns {
		c.at = fmt.Sprintf("rule %s, pattern %s", spec.Name, r.patternName(i))
		c.pattern(r, i, p)
	}
	for i := range r.Given {
		c.at = fmt.Sprintf("rule %s, given %d (%s of %s)", spec.Name, i+1, r.Given[i].Fold, r.Given[i].Kind)
		c.given(r, &r.Given[i])
	}
	if len(c.errs) == 0 {
		r.plan()
	}
	return r
}

// patternName is how messages call a pattern.
func (r *rule) patternName(i int) string {
	if name := r.Patterns[i].Name; name != "" {
		return name
	}
	return fmt.Sprint(i + 1)
}

func (c *compiler) pattern(r *rule, i int, p Pattern) {
	if p.Name != "" && slices.ContainsFunc(r.Patterns[:i], func(q Pattern) bool { return q.Name == p.Name }) {
		c.fault("two patterns have this name")
	}
	s := c.store(p.Kind)
	r.stores = append(r.stores, s)
	if s == nil {
		r.alphas = append(r.alphas, nil)
		return
	}
	r.alphas = append(r.alphas, c.m.alpha(s, c.tests(s, p.Where), nil, p.If))
	r.links = append(r.links, c.links(r, i, s, p.Join)...)
}

func (c *compiler) store(kind string) *store {
	s := c.m.kinds[kind]
	if s == nil {
		c.fault("there is no kind %q", kind)
	}
	return s
}

// tests resolves the fields of tests.
func (c *compiler) tests(s *store, specs []Test) (tests []test) {
	for _, t := range specs {
		field := s.field(t.Field)
		if field < 0 {
			c.fault("kind %s has no field %q", s.Name, t.Field)
			continue
		}
		typ := s.columns[field].typ
		switch {
		case t.Op < Equal || t.Op > Between:
			c.fault("%s: there is no comparison %s", t.Field, t.Op)
		case typ == Bool && !slices.Contains([]Op{Equal, NotEqual, In}, t.Op):
			c.fault("%s: a bool is equal or not, it has no order for %s", t.Field, t.Op)
		case t.Op == Between && len(t.Values) != 2, t.Op < In && len(t.Values) != 1:
			c.fault("%s %s: it has %d values", t.Field, t.Op, len(t.Values))
		case slices.ContainsFunc(t.Values, func(v Value) bool { return v.typ != typ }):
			c.fault("%s %s: the field is a %s, not all values %v are", t.Field, t.Op, typ, t.Values)
		default:
			t.Values = slices.Clone(t.Values)
			tests = append(tests, test{t, field})
		}
	}
	return tests
}

// links resolves the joins of pattern i, or of a Given if i is the number of patterns.
func (c *compiler) links(r *rule, i int, s *store, joins []Join) (links []link) {
	for _, j := range joins {
		of := slices.IndexFunc(r.Patterns[:i], func(p Pattern) bool { return p.Name == j.Of && p.Name != "" })
		if of < 0 {
			c.fault("there is no earlier pattern %q", j.Of)
			continue
		}
		if r.stores[of] == nil {
			continue
		}
		field, other := s.field(j.Field), r.stores[of].field(j.Other)
		if field < 0 || other < 0 {
			c.fault("%s %s %s.%s: there is no such field", j.Field, j.Op, j.Of, j.Other)
			continue
		}
		typ := s.columns[field].typ
		switch {
		case typ != r.stores[of].columns[other].typ:
			c.fault("%s %s %s.%s: a %s and a %s", j.Field, j.Op, j.Of, j.Other, typ, r.stores[of].columns[other].typ)
		case j.Op < Equal || j.Op > AtLeast, typ == Bool && j.Op > NotEqual:
			c.fault("%s %s %s.%s: two fields of type %s do not compare so", j.Field, j.Op, j.Of, j.Other, typ)
		case j.Plus != 0 && typ != Number:
			c.fault("%s %s %s.%s: only numbers have a Plus", j.Field, j.Op, j.Of, j.Other)
		default:
			links = append(links, link{i, of, field, other, j.Op, j.Plus})
		}
	}
	return links
}

// given compiles a condition on a whole kind.
func (c *compiler) given(r *rule, g *Given) {
	s := c.store(g.Kind)
	if s == nil {
		return
	}
	f := &aggregate{spec: g, rule: r, store: s, eq: -1, than: -1, nums: map[uint64]*group{}, texts: map[string]*group{}}
	f.links = c.links(r, len(r.Patterns), s, g.Join)
	c.fold(r, g, f)
	if len(c.errs) > 0 {
		return
	}
	f.alpha = c.m.alpha(s, c.tests(s, g.Where), c.tests(s, g.Are), g.If)
	if f.eq = slices.IndexFunc(f.links, func(l link) bool { return l.op == Equal }); f.eq >= 0 {
		f.by = f.links[f.eq]
		f.links = slices.Delete(f.links, f.eq, f.eq+1)
		f.members = f.alpha.hash(f.by.aField)
	}
	f.alpha.folds = append(f.alpha.folds, f)
	r.folds = append(r.folds, f)
}

// fold checks how a Given compares.
func (c *compiler) fold(r *rule, g *Given, f *aggregate) {
	compared := g.Fold == Count || g.Fold == Least || g.Fold == Most
	extreme := g.Fold == Least || g.Fold == Most
	switch {
	case g.Fold < Count || g.Fold > Most:
		c.fault("there is no such fold")
	case compared && (g.Op < Equal || g.Op > AtLeast):
		c.fault("%s needs a comparison, not %s", g.Fold, g.Op)
	case !compared && (g.Op != 0 || g.Of != "" || g.Other != ""):
		c.fault("%s is true or false, and is not compared", g.Fold)
	case (g.Fold == All) != (len(g.Are) > 0):
		c.fault("Are goes with all, and all with Are")
	case extreme != (g.Field != ""):
		c.fault("Field goes with least and most, and they with Field")
	}
	if extreme {
		f.field = f.store.field(g.Field)
		if f.field < 0 || f.store.columns[f.field].typ != Number {
			c.fault("kind %s has no number %q", f.store.Name, g.Field)
		}
	}
	if g.Of == "" {
		return
	}
	f.than = slices.IndexFunc(r.Patterns, func(p Pattern) bool { return p.Name == g.Of })
	if f.than < 0 || r.stores[f.than] == nil {
		c.fault("there is no pattern %q", g.Of)
		return
	}
	f.other = r.stores[f.than].field(g.Other)
	if f.other < 0 || r.stores[f.than].columns[f.other].typ != Number {
		c.fault("kind %s has no number %q", r.stores[f.than].Name, g.Other)
	}
}

func (c *compiler) err() error { return errors.Join(c.errs...) }

// alpha returns the alpha memory of conditions, which patterns with the same ones share.
func (m *Memory) alpha(s *store, where, not []test, pred func(Fact) bool) *alpha {
	var b strings.Builder
	for i, tests := range [][]test{where, not} {
		for _, t := range tests {
			fmt.Fprintf(&b, "%d %d %s %s|", i, t.field, t.Op, encode(t.Values))
		}
	}
	a := &alpha{store: s, where: where, not: not, pred: pred, key: b.String()}
	if pred == nil {
		for _, other := range s.alphas {
			if other.pred == nil && other.key == a.key {
				return other
			}
		}
	}
	s.alphas = append(s.alphas, a)
	return a
}
