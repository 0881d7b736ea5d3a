package fact

// The memory: facts come, change and go; a pass works out what follows for all rules at once.

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// DefaultMatches is how many matches a memory holds at most unless Options.Matches says otherwise.
const DefaultMatches = 1 << 24

// Options bound what a memory holds.
type Options struct {
	Matches int // most matches that wait to be fired or that conditions on whole kinds keep; 0: DefaultMatches
}

// Memory holds facts and rules. It is not safe for concurrent use.
type Memory struct {
	stores []*store
	kinds  map[string]*store
	rules  []*rule
	agenda []*rule // by priority
	next   int     // no rule before it on the agenda has matches

	seq, stamp     uint64 // of the last fact; of the last pass
	waiting, limit int
	newTokens      []*token
	doubted        []place
	batch          []match
	broken         error // why it cannot go on
	firing         bool
}

// New makes a memory without facts. Its error joins one for each fault of a kind or rule.
func New(kinds []Kind, rules []Rule, o Options) (*Memory, error) {
	m := &Memory{kinds: map[string]*store{}, limit: o.Matches}
	if m.limit == 0 {
		m.limit = DefaultMatches
	}
	c := compiler{m: m}
	for i, k := range kinds {
		s, err := newStore(k, i)
		if err == nil && m.kinds[k.Name] != nil {
			err = fmt.Errorf("there are two kinds %s", k.Name)
		}
		if err != nil {
			c.errs = append(c.errs, err)
			continue
		}
		m.stores, m.kinds[k.Name] = append(m.stores, s), s
	}
	for i, spec := range rules {
		m.rules = append(m.rules, c.compile(spec, i))
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	m.agenda = slices.Clone(m.rules)
	slices.SortStableFunc(m.agenda, func(a, b *rule) int { return cmp.Compare(b.Priority, a.Priority) })
	for i, r := range m.agenda {
		r.place = i
		if len(r.Patterns) == 0 {
			m.addToken(r, nil)
		}
	}
	return m, nil
}

func (m *Memory) rule(name string) *rule {
	for _, r := range m.rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// LimitError reports that a kind has as many facts, or a rule as many matches, as it may.
type LimitError struct {
	Kind  string // of the facts; empty if it is about matches
	Rule  string // whose matches were one too many
	Limit int
}

func (e *LimitError) Error() string {
	if e.Kind != "" {
		return fmt.Sprintf("kind %s has %d facts, its limit: retract some, or raise Kind.Limit", e.Kind, e.Limit)
	}
	return fmt.Sprintf("rule %s: more than %d matches: make its joins narrower, or raise Options.Matches", e.Rule,
		e.Limit)
}

// Assert adds a fact, with a value for each field of the kind, in their order. What follows from it is worked out by
// Run. The fact is a new one even if an equal one is there, and stays until it is retracted.
func (m *Memory) Assert(kind string, values ...Value) (ID, error) {
	s := m.kinds[kind]
	if s == nil {
		return ID{}, fmt.Errorf("there is no kind %q", kind)
	}
	if err := s.check(values); err != nil {
		return ID{}, err
	}
	return m.put(s, values)
}

func (m *Memory) put(s *store, values []Value) (ID, error) {
	if s.count >= s.Limit {
		return ID{}, &LimitError{Kind: s.Name, Limit: s.Limit}
	}
	m.seq++
	row := s.add(m.seq, m.stamp+1, values)
	s.list(row)
	return ID{m.seq, s.index, row}, nil
}

// Set is a field and its new value.
type Set struct {
	Field string
	Value Value
}

// Change gives a fact other values. It keeps its ID and its place in the order of facts; matches that it is in cease,
// and arise anew if their conditions hold still. Values that the fact has already, bit by bit, change nothing.
func (m *Memory) Change(id ID, sets ...Set) error {
	s, err := m.locate(id)
	if err != nil {
		return err
	}
	values := s.values(id.row)
	before := encode(values)
	for _, set := range sets {
		i := s.field(set.Field)
		if i < 0 {
			return fmt.Errorf("kind %s has no field %q", s.Name, set.Field)
		}
		values[i] = set.Value
	}
	if err := s.check(values); err != nil {
		return err
	}
	if encode(values) == before {
		return nil
	}
	m.detach(s, id.row)
	for i := range values {
		s.columns[i].set(id.row, values[i])
	}
	s.list(id.row)
	if s.state[id.row] == live {
		s.added = append(s.added, id.row)
	}
	s.state[id.row], s.stamp[id.row] = fresh, m.stamp+1
	return nil
}

// Retract removes a fact, whatever supports it.
func (m *Memory) Retract(id ID) error {
	s, err := m.locate(id)
	if err != nil {
		return err
	}
	m.drop(s, id.row)
	return nil
}

func (m *Memory) locate(id ID) (*store, error) {
	if id.seq == 0 || int(id.kind) >= len(m.stores) || int(id.row) >= len(m.stores[id.kind].seq) ||
		m.stores[id.kind].seq[id.row] != id.seq {
		return nil, fmt.Errorf("there is no fact %s: it was retracted, or what supported it went", id)
	}
	return m.stores[id.kind], nil
}

// detach takes a fact from all matches, while it still has its values.
func (m *Memory) detach(s *store, row int32) {
	m.killTokens(s, row)
	for _, a := range s.alphas {
		a.dismiss(m, row)
	}
	for _, x := range s.supports[row] {
		m.end(x)
	}
	delete(s.supports, row)
	s.unlist(row)
}

func (m *Memory) drop(s *store, row int32) {
	if s.Gone != nil {
		s.Gone(Fact{s, row})
	}
	m.detach(s, row)
	delete(s.derived, row)
	s.remove(row)
}

// Fact returns a fact, and whether it is there.
func (m *Memory) Fact(id ID) (Fact, bool) {
	s, err := m.locate(id)
	return Fact{s, id.row}, err == nil
}

// Has reports whether a kind has a fact with these values. Their types are those of its fields.
func (m *Memory) Has(kind string, values ...Value) bool {
	s := m.kinds[kind]
	return s != nil && s.find(values) >= 0
}

// Facts returns the facts of a kind in the order of their assertion; none of an unknown kind. The memory must not
// change meanwhile.
func (m *Memory) Facts(kind string) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		s := m.kinds[kind]
		if s == nil {
			return
		}
		var rows []int32
		for row, state := range s.state {
			if state != dead {
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

// Len returns the number of facts of a kind; 0 of an unknown kind.
func (m *Memory) Len(kind string) int {
	if s := m.kinds[kind]; s != nil {
		return s.count
	}
	return 0
}

// settle makes passes until no fact goes for want of support.
func (m *Memory) settle() error {
	for m.broken == nil && m.unsettled() {
		m.pass()
	}
	return m.broken
}

func (m *Memory) unsettled() bool {
	if len(m.newTokens) > 0 || len(m.doubted) > 0 {
		return true
	}
	for _, s := range m.stores {
		if len(s.added) > 0 || len(s.retired) > 0 {
			return true
		}
	}
	return false
}

// pass takes in what was asserted and changed since the last one, and retracts what lost its support.
func (m *Memory) pass() {
	m.stamp++
	for _, s := range m.stores {
		m.takeIn(s)
	}
	for _, r := range m.rules {
		m.matches(r)
		if m.broken != nil {
			return
		}
	}
	m.judgeAll()
	for _, s := range m.stores {
		for _, a := range s.alphas {
			a.fresh = a.fresh[:0]
		}
		s.settle()
	}
	m.dropUnsupported()
}

// takeIn enters the fresh facts of a kind in its alpha memories, and what counts their members.
func (m *Memory) takeIn(s *store) {
	if len(s.added) == 0 {
		return
	}
	s.added = slices.DeleteFunc(s.added, func(row int32) bool { return s.state[row] == dead })
	for _, a := range s.alphas {
		a.admit(s.added)
		for _, g := range a.folds {
			for _, row := range a.fresh {
				g.add(row)
			}
		}
	}
}

// judgeAll puts the tokens that begin to hold on the agenda.
func (m *Memory) judgeAll() {
	begun := map[*rule][]match{}
	for _, t := range m.newTokens {
		begun[t.rule] = m.judgeToken(t, begun[t.rule])
	}
	clear(m.newTokens)
	m.newTokens = m.newTokens[:0]
	for _, r := range m.rules {
		if len(r.folds) == 0 {
			continue
		}
		if batch := m.judge(r, begun[r]); len(batch) > 0 {
			slices.SortFunc(batch, func(a, b match) int {
				if before(a.refs, b.refs) {
					return -1
				}
				return 1
			})
			m.schedule(r, batch)
		}
	}
}

var errFiring = errors.New("a rule's Then must not call Run or Explain")
