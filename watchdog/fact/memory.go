package fact

// The memory: facts come, change and leave; a pass works out what follows for all rules at once.

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// DefaultMatches is how many matches a memory holds at most unless it is told otherwise.
const DefaultMatches = 1 << 24

// Memory holds facts and rules. It is not safe for concurrent use.
type Memory struct {
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

// New makes a memory without facts. Matches is how many there may be at a time, 0 for DefaultMatches.
func New(kinds []Kind, rules []Rule, matches int) *Memory {
	m := &Memory{kinds: map[string]*store{}, limit: cmp.Or(matches, DefaultMatches)}
	for _, k := range kinds {
		s := newStore(k)
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

// LimitError reports that there are as many matches as there may be.
type LimitError struct {
	Rule  string // whose matches were one too many
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("rule %s: more than %d matches: make its joins narrower, or raise the limit", e.Rule, e.Limit)
}

// Assert adds a fact, with a value for each field of the kind, in their order, and of their types. What follows from it
// is worked out by Run. The fact is a new one even if an equal one is there, and stays until it is retracted.
func (m *Memory) Assert(kind string, values ...Value) ID {
	s := m.store(kind)
	m.seq++
	return ID{s, ref{m.seq, s.add(m.seq, values)}}
}

// Change gives a fact other values. It keeps its place in the order of facts; matches that it is in cease, and arise
// anew if their conditions hold still. Values that the fact has already, bit by bit, change nothing.
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

// pass takes in what was asserted and changed since the last one, and retracts what lost its support.
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
	}
	for _, s := range m.stores {
		s.settle()
	}
	m.dropUnsupported()
}
