package fact

// Kinds of facts. A kind keeps its facts in columns, a field a column and a fact a row: a condition on one field then
// reads memory in order, and a fact costs no allocation. The facts that meet the conditions of a pattern on a single
// fact are an alpha memory, with the indexes by which joins find them (Forgy, Artificial Intelligence 19, 1982).

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// Kind describes facts with the same fields.
type Kind struct {
	Name   string
	Fields []Field
}

// Field is a named value of every fact of a kind.
type Field struct {
	Name string
	Type Type
}

// ref is a row of a known kind, with the sequence number of its fact, which orders matches.
type ref struct {
	seq uint64 // order of assertion over all kinds, from 1
	row int32
}

// store holds the facts of a kind.
type store struct {
	Kind
	memory  *Memory
	columns []column
	seq     []uint64   // by row; 0: no fact; row 0 is always empty
	fresh   []bool     // by row: asserted or changed since the last pass
	matches [][]*Match // by row: the matches with this fact, and some that ceased
	added   []int32    // fresh rows; some may have no fact any more
	retired []int32    // rows to reuse after the next pass
	free    []int32    // rows to reuse
	count   int
	alphas  []*alpha

	supports map[int32][]*Match // by row of a kind that rules assert: its supporting matches
	content  map[string]int32   // rows of such a kind by their values; nil: no rule asserts it
}

type column struct {
	typ   Type
	nums  []float64
	texts []string
}

func (c *column) value(row int32) Value {
	if c.typ == Text {
		return Value{typ: Text, text: c.texts[row]}
	}
	return Value{typ: c.typ, num: c.nums[row]}
}

func (c *column) set(row int32, v Value) {
	if c.typ == Text {
		c.texts[row] = v.text
	} else {
		c.nums[row] = v.num
	}
}

func newStore(m *Memory, k Kind) *store {
	s := &store{Kind: k, memory: m, supports: map[int32][]*Match{}}
	for _, f := range k.Fields {
		s.columns = append(s.columns, column{typ: f.Type})
	}
	s.extend()
	return s
}

// add stores a fact and returns its row.
func (s *store) add(seq uint64, values []Value) int32 {
	row := int32(len(s.seq))
	if n := len(s.free); n > 0 {
		row, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.extend()
	}
	s.count++
	s.seq[row] = seq
	s.put(row, values)
	return row
}

// extend adds a row.
func (s *store) extend() {
	if len(s.seq) == cap(s.seq) {
		s.grow()
	}
	s.seq, s.fresh, s.matches = append(s.seq, 0), append(s.fresh, false), append(s.matches, nil)
	for i := range s.columns {
		if c := &s.columns[i]; c.typ == Text {
			c.texts = append(c.texts, "")
		} else {
			c.nums = append(c.nums, 0)
		}
	}
}

// grow doubles the room for facts: append would copy large columns four times as often.
func (s *store) grow() {
	n := max(64, len(s.seq))
	s.seq, s.fresh = slices.Grow(s.seq, n), slices.Grow(s.fresh, n)
	s.matches = slices.Grow(s.matches, n)
	for i := range s.columns {
		if c := &s.columns[i]; c.typ == Text {
			c.texts = slices.Grow(c.texts, n)
		} else {
			c.nums = slices.Grow(c.nums, n)
		}
	}
}

// put gives a row values and makes it fresh.
func (s *store) put(row int32, values []Value) {
	for i := range s.columns {
		s.columns[i].set(row, values[i])
	}
	if !s.fresh[row] {
		s.fresh[row] = true
		s.added = append(s.added, row)
	}
}

// remove forgets a fact whose matches have ceased. Its row is free after the next pass, its texts are given up.
func (s *store) remove(row int32) {
	s.count--
	s.seq[row] = 0
	delete(s.supports, row)
	for i := range s.columns {
		if s.columns[i].typ == Text {
			s.columns[i].texts[row] = ""
		}
	}
	s.retired = append(s.retired, row)
}

// settle ends a pass.
func (s *store) settle() {
	for _, row := range s.added {
		s.fresh[row] = false
	}
	s.added = s.added[:0]
	s.free = append(s.free, s.retired...)
	s.retired = s.retired[:0]
	for _, a := range s.alphas {
		a.fresh = a.fresh[:0]
	}
}

// Fact is a fact, for reading. It must not be kept: it reads the present contents of the memory.
type Fact struct {
	store *store
	row   int32
}

// Owner returns the owner of the fact's memory.
func (f Fact) Owner() any { return f.store.memory.Owner }

// Number returns a field that holds a number, by its place in Kind.Fields.
func (f Fact) Number(field int) float64 { return f.store.columns[field].nums[f.row] }

// Text returns a field that holds a text, as Number does.
func (f Fact) Text(field int) string { return f.store.columns[field].texts[f.row] }

// Bool returns a field that holds a bool, as Number does.
func (f Fact) Bool(field int) bool { return f.store.columns[field].nums[f.row] != 0 }

// Value returns any field, by its place in Kind.Fields.
func (f Fact) Value(field int) Value { return f.store.columns[field].value(f.row) }

// String returns the fact as KIND(FIELD: VALUE, ...).
func (f Fact) String() string {
	parts := make([]string, len(f.store.Fields))
	for i, field := range f.store.Fields {
		parts[i] = field.Name + ": " + f.Value(i).String()
	}
	return f.store.Name + "(" + strings.Join(parts, ", ") + ")"
}

type alpha struct {
	store *store
	where []Test
	pred  func(Fact) bool

	in     []uint64 // a bit a row
	size   int
	fresh  []int32 // members that came with this pass
	hashes []*hash
	counts []*count // counts of its members
}

func (s *store) alpha(where []Test, pred func(Fact) bool) *alpha {
	a := &alpha{store: s, where: where, pred: pred}
	s.alphas = append(s.alphas, a)
	return a
}

// admit adds the rows that meet the conditions.
func (a *alpha) admit(rows []int32) {
	a.fresh = append(a.fresh[:0], rows...)
	for i := range a.where {
		t := &a.where[i]
		a.fresh = t.filter(&a.store.columns[t.Field], a.fresh)
	}
	if a.pred != nil {
		a.fresh = slices.DeleteFunc(a.fresh, func(row int32) bool { return !a.pred(Fact{a.store, row}) })
	}
	if n := (len(a.store.seq) + 63) / 64; n > len(a.in) {
		a.in = append(a.in, make([]uint64, n-len(a.in))...)
	}
	a.size += len(a.fresh)
	for _, row := range a.fresh {
		a.in[row>>6] |= 1 << (row & 63)
	}
	for _, h := range a.hashes {
		n := len(a.store.seq) - len(h.next)
		h.next, h.prev = append(h.next, make([]int32, n)...), append(h.prev, make([]int32, n)...)
		for _, row := range a.fresh {
			h.add(row)
		}
	}
	for _, c := range a.counts {
		for _, row := range a.fresh {
			c.tally(row, 1)
		}
	}
}

// dismiss removes a row, while it still has the values with which it was added.
func (a *alpha) dismiss(row int32) {
	if int(row>>6) >= len(a.in) || a.in[row>>6]&(1<<(row&63)) == 0 {
		return
	}
	for _, c := range a.counts {
		c.tally(row, -1)
	}
	a.in[row>>6] &^= 1 << (row & 63)
	a.size--
	for _, h := range a.hashes {
		h.remove(row)
	}
}

// each calls f for the members until it returns false.
func (a *alpha) each(f func(row int32) bool) bool {
	for i, word := range a.in {
		for ; word != 0; word &= word - 1 {
			if !f(int32(i<<6 + bits.TrailingZeros64(word))) {
				return false
			}
		}
	}
	return true
}

// hash finds members by a field that equals a value. As a key of the map NaN equals no value, and -0 equals 0.
type hash struct {
	column     *column
	texts      map[string]int32 // a first member
	nums       map[float64]int32
	next, prev []int32 // by row: the other members with its value; 0: none
}

// find returns the first member with a value, 0 if it has none.
func (h *hash) find(v Value) int32 {
	if v.typ == Text {
		return h.texts[v.text]
	}
	return h.nums[v.num]
}

func (h *hash) add(row int32) {
	v := h.column.value(row)
	first := h.find(v)
	if first == 0 {
		h.set(v, row)
		return
	}
	h.link(row, h.next[first])
	h.link(first, row)
}

// set makes a row, or none, the first with a value.
func (h *hash) set(v Value, row int32) {
	switch {
	case row == 0:
		delete(h.texts, v.text)
		delete(h.nums, v.num)
	case v.typ == Text:
		h.texts[v.text] = row
	case v.num == v.num: // NaN would never be found
		h.nums[v.num] = row
	}
}

func (h *hash) link(row, next int32) { h.next[row], h.prev[next] = next, row }

// hash returns the index of a field, and makes it if it is missing.
func (a *alpha) hash(field int) *hash {
	c := &a.store.columns[field]
	for _, h := range a.hashes {
		if h.column == c {
			return h
		}
	}
	h := &hash{column: c, texts: map[string]int32{}, nums: map[float64]int32{}}
	a.hashes = append(a.hashes, h)
	return h
}

func (h *hash) remove(row int32) {
	if v := h.column.value(row); h.find(v) == row {
		h.set(v, h.next[row])
	}
	h.link(h.prev[row], h.next[row])
	h.next[row], h.prev[row] = 0, 0
}

// Test is a condition on a field of a fact: its place in Kind.Fields, and the value for the comparison; for In any
// number of values.
type Test struct {
	Field  int
	Op     Op
	Values []Value
}

// Is returns a Test.
func Is(field int, op Op, values ...Value) Test { return Test{field, op, values} }

// filter returns the rows of the field's column that meet the test.
func (t *Test) filter(c *column, rows []int32) []int32 {
	switch {
	case t.Op == In:
		return slices.DeleteFunc(rows, func(row int32) bool { return !slices.Contains(t.Values, c.value(row)) })
	case c.typ == Text:
		return filter(rows, c.texts, t.Op, t.Values[0].text)
	}
	return filter(rows, c.nums, t.Op, t.Values[0].num)
}

func filter[T cmp.Ordered](rows []int32, column []T, op Op, v T) []int32 {
	n := 0
	for _, row := range rows {
		if ordered(op, column[row], v) {
			rows[n] = row
			n++
		}
	}
	return rows[:n]
}
