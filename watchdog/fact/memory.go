package fact

// The memory: facts come, change and leave; a pass computes the consequences for all rules at once. Run fires the first
// match, computes the consequences, and repeats until no match is left. The first match is that of the highest
// priority, then of the first rule, then with the first facts. No other property matters, so that the same facts and
// rules fire in the same order on every machine.

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// DefaultMatches is the default limit of the number of matches in a memory.
const DefaultMatches = 1 << 24

// Memory holds facts and rules. It is not safe for concurrent use.
type Memory struct {
	Owner any // of the user's, for functions of rules: see [Fact.Owner]

	kinds  map[string]*store
	stores []*store
	rules  []*rule // by priority

	seq            uint64 // of the last fact
	matches, limit int
	doubted        []place
	broken         error // why it cannot continue
}

// ID names a fact from its assertion until it is retracted.
type ID struct {
	store *store
	ref
}

// New makes a memory without facts. matches is the limit of simultaneous matches, 0 for DefaultMatches.
func New(kinds []Kind, rules []Rule, matches int) *Memory {
	m := &Memory{kinds: map[string]*store{}, limit: cmp.Or(matches, DefaultMatches)}
	for _, k := range kinds {
		s := newStore(m, k)
		m.kinds[k.Name], m.stores = s, append(m.stores, s)
	}
	for _, spec := range rules {
		m.rules = append(m.rules, m.compile(spec))
	}
	slices.SortStableFunc(m.rules, func(a, b *rule) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, r := range m.rules {
		if len(r.Patterns) == 0 {
			r.add(nil)
		}
	}
	return m
}

func (m *Memory) store(kind string) *store {
	s := m.kinds[kind]
	if s == nil {
		panic(fmt.Sprintf("there is no kind %q", kind))
	}
	return s
}

// LimitError reports that all rules together have reached the limit of matches.
type LimitError struct {
	Rule  string // that has the most
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the rules have more than %d matches together, most of them of %s: make its joins narrower",
		e.Limit, e.Rule)
}

// Assert adds a fact, with a value for each field of the kind, in their order, and of their types. Run computes its
// consequences. The fact is new even if an equal fact exists, and stays until it is retracted.
func (m *Memory) Assert(kind string, values ...Value) ID {
	s := m.store(kind)
	m.seq++
	return ID{s, ref{m.seq, s.add(m.seq, values)}}
}

// Change gives a fact other values. It keeps its place in the order of facts. Its matches cease, and arise anew if
// their conditions still hold. Values equal to the present ones, bit by bit, have no effect.
func (m *Memory) Change(id ID, values ...Value) {
	s := id.store
	for i := range values {
		if !s.columns[i].value(id.row).same(values[i]) {
			m.detach(s, id.row)
			s.put(id.row, values)
			return
		}
	}
}

// Retract removes a fact.
func (m *Memory) Retract(id ID) {
	m.detach(id.store, id.row)
	id.store.remove(id.row)
}

// detach takes a fact from all matches, while it still has its values.
func (m *Memory) detach(s *store, row int32) {
	for _, x := range s.matches[row] {
		x.end()
	}
	s.matches[row] = nil
	for _, a := range s.alphas {
		a.dismiss(row)
	}
}

// Facts returns the facts of a kind in the order of their assertion. The memory must not change meanwhile.
func (m *Memory) Facts(kind string) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		s := m.store(kind)
		var rows []int32
		for row, seq := range s.seq {
			if seq > 0 {
				rows = append(rows, int32(row))
			}
		}
		slices.SortFunc(rows, func(a, b int32) int { return cmp.Compare(s.seq[a], s.seq[b]) })
		for _, row := range rows {
			if !yield(Fact{s, row}) {
				return
			}
		}
	}
}

// Len returns the number of facts of a kind.
func (m *Memory) Len(kind string) int { return m.store(kind).count }

// settle makes passes until no fact is left without support.
func (m *Memory) settle() error {
	for m.broken == nil && m.unsettled() {
		m.pass()
	}
	return m.broken
}

func (m *Memory) unsettled() bool {
	return len(m.doubted) > 0 ||
		slices.ContainsFunc(m.stores, func(s *store) bool { return len(s.added) > 0 || len(s.retired) > 0 }) ||
		slices.ContainsFunc(m.rules, func(r *rule) bool { return len(r.begun) > 0 })
}

// pass processes the assertions and changes since the last pass, and retracts facts that lost their support.
func (m *Memory) pass() {
	for _, s := range m.stores {
		if len(s.added) == 0 {
			continue
		}
		present := slices.DeleteFunc(slices.Clone(s.added), func(row int32) bool { return s.seq[row] == 0 })
		for _, a := range s.alphas {
			a.admit(present)
		}
	}
	for _, r := range m.rules {
		if r.find(); m.broken != nil {
			return
		}
	}
	for _, r := range m.rules {
		for _, x := range r.begun {
			x.judge()
		}
		r.begun = r.begun[:0]
		for _, c := range r.counts {
			c.judge()
		}
		for _, x := range r.changed {
			x.changed = false
			x.judge()
		}
		r.changed = r.changed[:0]
	}
	for _, s := range m.stores {
		s.settle()
	}
	m.dropUnsupported()
}

// LoopError reports that rules fired as often as they may without an end.
type LoopError struct {
	Bound int
	// Cycle is the repeated sequence of firings, once, in its order. It is empty without such a cycle of at most 128
	// firings.
	Cycle []Fired
	Last  Fired
}

// Fired is a firing in a report.
type Fired struct {
	Rule string
	Text string // with the facts
}

func (e *LoopError) Error() string {
	if len(e.Cycle) == 0 {
		return fmt.Sprintf("%d firings without an end, the last ones of %s: raise the bound, or check the facts "+
			"that this rule asserts", e.Bound, e.Last.Text)
	}
	parts := make([]string, len(e.Cycle))
	for i, f := range e.Cycle {
		parts[i] = f.Text
	}
	return fmt.Sprintf("%d firings without an end, the last ones again and again %s: let the rules' actions "+
		"make one of their conditions false", e.Bound, strings.Join(parts, " -> "))
}

// watched is how many firings at the end are looked at for a cycle.
const watched = 256

// Run fires rules until all matches have fired, and returns how many fired. After bound firings it ends with a
// *LoopError if a match is left; a later Run continues. A *LimitError is final: every later Run returns it.
func (m *Memory) Run(bound int) (fired int, err error) {
	var trail []Fired
	for {
		if err := m.settle(); err != nil {
			return fired, err
		}
		x := m.first()
		if x == nil {
			return fired, nil
		}
		if fired >= bound {
			x.queued, x.rule.head = true, x.rule.head-1
			x.rule.pending[x.rule.head] = x
			return fired, loop(bound, trail)
		}
		if bound-fired <= watched {
			trail = append(trail, Fired{x.rule.Name, x.String()})
		}
		fired++
		x.fired = true
		x.rule.Then(x)
	}
}

// first takes the first match that holds.
func (m *Memory) first() *Match {
	for _, r := range m.rules {
		if !r.ordered {
			slices.SortFunc(
				r.pending[r.head:],
				func(x, y *Match) int { return slices.CompareFunc(x.refs, y.refs, ref.compare) },
			)
			r.ordered = true
		}
		for r.head < len(r.pending) {
			x := r.pending[r.head]
			r.pending[r.head] = nil
			r.head++
			if x.queued = false; x.holds {
				return x
			}
		}
	}
	return nil
}

// loop makes the report of the last firings: the shortest sequence of rules that fills the second half of them.
func loop(bound int, trail []Fired) error {
	e := &LoopError{Bound: bound}
	n := len(trail)
	if n > 0 {
		e.Last = trail[n-1]
	}
	for period := 1; period <= n/2; period++ {
		repeats := true
		for i := n - 1; i >= n/2 && repeats; i-- {
			repeats = i >= period && trail[i].Rule == trail[i-period].Rule
		}
		if repeats {
			e.Cycle = trail[n-period:]
			break
		}
	}
	return e
}

// Explanation reports how far the present facts satisfy a rule.
type Explanation struct {
	Patterns []PatternCount
	Matches  int // with all conditions, fired or not
}

// PatternCount reports how many facts a pattern selects.
type PatternCount struct {
	Facts  int // of the kind
	Left   int // of these, with its conditions on one fact
	Joined int // matches of the patterns up to this one, with their joins
}

// Explain computes the consequences of the facts, without firing a rule, and counts the matches of the first rule of a
// name. It costs as much as a new search for all matches of the rule.
func (m *Memory) Explain(name string) (e Explanation, err error) {
	if err := m.settle(); err != nil {
		return e, err
	}
	r := m.rules[slices.IndexFunc(m.rules, func(r *rule) bool { return r.Name == name })]
	e.Matches = r.holding
	depth := make([]int, len(r.Patterns))
	if len(depth) > 0 {
		none := func([]ref) bool { return true }
		r.join(joiner{plan: r.plans[0], first: -1, found: none, depth: depth}, r.alphas[0].each)
	}
	for i := range depth {
		e.Patterns = append(e.Patterns, PatternCount{r.stores[i].count, r.alphas[i].size, depth[i]})
	}
	return e, nil
}
