package fact

// An alpha memory is the set of facts of a kind that meet the conditions of a pattern on one fact, with the indexes
// by which joins find them. Patterns with the same conditions share one. (Forgy, Artificial Intelligence 19, 1982.)

import (
	"math/bits"
	"slices"
)

type alpha struct {
	store *store
	where []test
	not   []test // all: facts that meet these are left out
	pred  func(Fact) bool
	key   string // by which it is shared; empty: it is not

	in     []uint64 // a bit a row
	size   int
	fresh  []int32 // members that came with this pass
	hashes []*hash
	sorts  []*sorted
	folds  []*aggregate // what counts its members
}

// test is a Test with its field resolved.
type test struct {
	Test
	field int
}

func (t test) holds(s *store, row int32) bool {
	v := s.columns[t.field].value(row)
	switch t.Op {
	case In:
		return slices.ContainsFunc(t.Values, func(w Value) bool { return compare(Equal, v, w) })
	case Between:
		return compare(AtLeast, v, t.Values[0]) && compare(AtMost, v, t.Values[1])
	}
	return compare(t.Op, v, t.Values[0])
}

// filter moves the rows that meet the test to the front, and returns them.
func (t test) filter(s *store, rows []int32) []int32 {
	if c := &s.columns[t.field]; c.typ == Number && t.Op != In {
		return filterNumbers(t, c.nums, rows)
	}
	return slices.DeleteFunc(rows, func(row int32) bool { return !t.holds(s, row) })
}

// filterNumbers is filter for comparisons of numbers: a loop for each, as there are many facts and few conditions.
func filterNumbers(t test, x []float64, rows []int32) []int32 {
	n, c := 0, t.Values[0].num
	switch t.Op {
	case Equal:
		for _, r := range rows {
			if x[r] == c {
				rows[n] = r
				n++
			}
		}
	case NotEqual:
		for _, r := range rows {
			if x[r] != c {
				rows[n] = r
				n++
			}
		}
	case Less:
		for _, r := range rows {
			if x[r] < c {
				rows[n] = r
				n++
			}
		}
	case AtMost:
		for _, r := range rows {
			if x[r] <= c {
				rows[n] = r
				n++
			}
		}
	case Greater:
		for _, r := range rows {
			if x[r] > c {
				rows[n] = r
				n++
			}
		}
	case AtLeast:
		for _, r := range rows {
			if x[r] >= c {
				rows[n] = r
				n++
			}
		}
	case Between:
		high := t.Values[1].num
		for _, r := range rows {
			if x[r] >= c && x[r] <= high {
				rows[n] = r
				n++
			}
		}
	}
	return rows[:n]
}

// admit takes those of the rows that meet the conditions.
func (a *alpha) admit(rows []int32) {
	a.fresh = append(a.fresh[:0], rows...)
	for _, t := range a.where {
		a.fresh = t.filter(a.store, a.fresh)
	}
	if a.not != nil || a.pred != nil {
		a.fresh = slices.DeleteFunc(a.fresh, func(row int32) bool { return !a.rest(row) })
	}
	if n := (len(a.store.seq) + 63) / 64; n > len(a.in) {
		a.in = append(a.in, make([]uint64, n-len(a.in))...)
	}
	a.size += len(a.fresh)
	for _, row := range a.fresh {
		a.in[row>>6] |= 1 << (row & 63)
	}
	for _, h := range a.hashes {
		h.grow(a.store)
		for _, row := range a.fresh {
			h.add(row)
		}
	}
	if len(a.fresh) > 0 {
		for _, s := range a.sorts {
			s.stale = true
		}
	}
}

// rest reports what the tests of where leave open.
func (a *alpha) rest(row int32) bool {
	if a.not != nil && !slices.ContainsFunc(a.not, func(t test) bool { return !t.holds(a.store, row) }) {
		return false
	}
	return a.pred == nil || a.pred(Fact{a.store, row})
}

func (a *alpha) has(row int32) bool {
	return int(row>>6) < len(a.in) && a.in[row>>6]&(1<<(row&63)) != 0
}

// dismiss takes a row out, while it still has the values with which it came.
func (a *alpha) dismiss(m *Memory, row int32) {
	if !a.has(row) {
		return
	}
	for _, g := range a.folds {
		g.remove(m, row)
	}
	a.in[row>>6] &^= 1 << (row & 63)
	a.size--
	for _, h := range a.hashes {
		h.remove(row)
	}
	for _, s := range a.sorts {
		s.stale = true
	}
}

// each calls f for the members until it returns false.
func (a *alpha) each(f func(row int32) bool) bool {
	for i, word := range a.in {
		for word != 0 {
			row := int32(i<<6 + bits.TrailingZeros64(word))
			word &= word - 1
			if !f(row) {
				return false
			}
		}
	}
	return true
}

// hash finds members by a field that equals a value. Members with equal values are a list through next and last.
type hash struct {
	column     *column
	nums       map[uint64]ends
	texts      map[string]ends
	next, prev []int32 // by row; -1: none
}

type ends struct{ first, last int32 }

// hash returns the index of a field, which it makes if there is none.
func (a *alpha) hash(field int) *hash {
	c := &a.store.columns[field]
	for _, h := range a.hashes {
		if h.column == c {
			return h
		}
	}
	h := &hash{column: c, nums: map[uint64]ends{}, texts: map[string]ends{}}
	a.hashes = append(a.hashes, h)
	return h
}

func (h *hash) grow(s *store) {
	if n := len(s.seq) - len(h.next); n > 0 {
		h.next = append(h.next, make([]int32, n)...)
		h.prev = append(h.prev, make([]int32, n)...)
	}
}

// find returns the first member whose field equals the value, or -1.
func (h *hash) find(v Value) int32 {
	if v.typ == Text {
		if e, ok := h.texts[v.text]; ok {
			return e.first
		}
		return -1
	}
	if k, ok := key(v); ok {
		if e, ok := h.nums[k]; ok {
			return e.first
		}
	}
	return -1
}

func (h *hash) add(row int32) {
	v := h.column.value(row)
	if v.typ == Text {
		e, ok := h.texts[v.text]
		h.texts[v.text] = h.link(e, ok, row)
		return
	}
	if k, ok := key(v); ok {
		e, ok := h.nums[k]
		h.nums[k] = h.link(e, ok, row)
	}
}

func (h *hash) link(e ends, has bool, row int32) ends {
	h.next[row], h.prev[row] = -1, -1
	if !has {
		return ends{row, row}
	}
	h.next[e.last], h.prev[row] = row, e.last
	e.last = row
	return e
}

func (h *hash) remove(row int32) {
	v := h.column.value(row)
	if v.typ == Text {
		if e := h.unlink(h.texts[v.text], row); e.first < 0 {
			delete(h.texts, v.text)
		} else {
			h.texts[v.text] = e
		}
		return
	}
	if k, ok := key(v); ok {
		if e := h.unlink(h.nums[k], row); e.first < 0 {
			delete(h.nums, k)
		} else {
			h.nums[k] = e
		}
	}
}

func (h *hash) unlink(e ends, row int32) ends {
	next, prev := h.next[row], h.prev[row]
	if prev < 0 {
		e.first = next
	} else {
		h.next[prev] = next
	}
	if next < 0 {
		e.last = prev
	} else {
		h.prev[next] = prev
	}
	return e
}

// sorted finds members by an inequality of a number. It is sorted when it is used after a change, if that pays.
type sorted struct {
	alpha   *alpha
	column  *column
	entries []sortedEntry
	stale   bool
}

type sortedEntry struct {
	x   float64
	row int32
}

// sorted returns the index of a field, which it makes if there is none.
func (a *alpha) sorted(field int) *sorted {
	c := &a.store.columns[field]
	for _, s := range a.sorts {
		if s.column == c {
			return s
		}
	}
	s := &sorted{alpha: a, column: c}
	a.sorts = append(a.sorts, s)
	return s
}

// ready sorts anew if lookups searches pay for it, and reports whether the index may be used.
func (s *sorted) ready(lookups int) bool {
	if !s.stale {
		return true
	}
	if lookups < 2*bits.Len(uint(s.alpha.size)) { // reading all members costs about a part of sorting them
		return false
	}
	s.entries = s.entries[:0]
	s.alpha.each(func(row int32) bool {
		if x := s.column.nums[row]; x == x {
			s.entries = append(s.entries, sortedEntry{x, row})
		}
		return true
	})
	slices.SortFunc(s.entries, func(a, b sortedEntry) int {
		switch {
		case a.x < b.x:
			return -1
		case a.x > b.x:
			return 1
		}
		return int(a.row - b.row)
	})
	s.stale = false
	return true
}

// clip narrows the range [from, to) of entries to those with x op c.
func (s *sorted) clip(op Op, c float64, from, to int) (int, int) {
	if c != c {
		return 0, 0
	}
	first, _ := slices.BinarySearchFunc(s.entries, c, func(e sortedEntry, c float64) int { // first not below c
		if e.x < c {
			return -1
		}
		return 1
	})
	behind, _ := slices.BinarySearchFunc(s.entries, c, func(e sortedEntry, c float64) int { // first above c
		if e.x <= c {
			return -1
		}
		return 1
	})
	switch op {
	case Less:
		return from, min(to, first)
	case AtMost:
		return from, min(to, behind)
	case Greater:
		return max(from, behind), to
	case AtLeast:
		return max(from, first), to
	}
	return from, to
}
