package fact

// An alpha memory is the set of facts of a kind that meet the conditions of a pattern on one fact, with the indexes
// by which joins find them. (Forgy, Artificial Intelligence 19, 1982.)

import (
	"math/bits"
	"slices"
)

type alpha struct {
	store *store
	where []Test
	pred  func(Fact) bool

	in     []uint64 // a bit a row
	size   int
	fresh  []int32 // members that came with this pass
	hashes []*hash
	counts []*count // what counts its members
}

func (s *store) alpha(where []Test, pred func(Fact) bool) *alpha {
	a := &alpha{store: s, where: where, pred: pred}
	s.alphas = append(s.alphas, a)
	return a
}

// admit takes those of the rows that meet the conditions.
func (a *alpha) admit(rows []int32) {
	a.fresh = append(a.fresh[:0], rows...)
	for i := range a.where {
		t := &a.where[i]
		c := &a.store.columns[t.Field]
		a.fresh = slices.DeleteFunc(a.fresh, func(row int32) bool { return !t.holds(c, row) })
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
		for _, row := range a.fresh {
			if v := h.column.value(row); v == v { // NaN would never be found
				h.rows[v] = append(h.rows[v], row)
			}
		}
	}
	for _, c := range a.counts {
		for _, row := range a.fresh {
			c.tally(row, 1)
		}
	}
}

// dismiss takes a row out, while it still has the values with which it came.
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

// hash finds members by a field that equals a value. As a key of the map NaN equals nothing, and -0 equals 0.
type hash struct {
	column *column
	rows   map[Value][]int32
}

// hash returns the index of a field, which it makes if there is none.
func (a *alpha) hash(field int) *hash {
	c := &a.store.columns[field]
	for _, h := range a.hashes {
		if h.column == c {
			return h
		}
	}
	h := &hash{column: c, rows: map[Value][]int32{}}
	a.hashes = append(a.hashes, h)
	return h
}

func (h *hash) remove(row int32) {
	v := h.column.value(row)
	rows := h.rows[v]
	i := slices.Index(rows, row)
	if i < 0 {
		return
	}
	last := len(rows) - 1
	rows[i] = rows[last]
	if h.rows[v] = rows[:last]; last == 0 {
		delete(h.rows, v)
	}
}
