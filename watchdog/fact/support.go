package fact

// Logical support: what a rule asserts lasts as long as a match that asserted it. (Doyle, Artificial Intelligence 12,
// 1979; a fact that holds itself up through others has none.)

import (
	"encoding/binary"
	"math"
	"slices"
)

// place is a fact in its store.
type place struct {
	store *store
	ref
}

func (p place) present() bool { return p.store.seq[p.row] == p.seq }

// Assert adds a fact that leaves when this match ceases, unless another match supports it still. If an equal fact is
// there, no other is added: the match supports that one. Facts of such a kind come from rules alone.
func (x *Match) Assert(kind string, values ...Value) {
	m := x.rule.m
	s := m.store(kind)
	if s.content == nil {
		s.content = map[string]int32{}
	}
	key := encode(values)
	row, has := s.content[key]
	if !has {
		row = m.Assert(kind, values...).row
		s.content[key] = row
	}
	if !slices.Contains(s.supports[row], x) {
		s.supports[row] = append(s.supports[row], x)
		x.asserted = append(x.asserted, place{s, ref{s.seq[row], row}})
	}
}

// encode returns a text that is the same for the same values, bit by bit.
func encode(values []Value) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.num))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(v.text)))
		b = append(b, v.text...)
	}
	return string(b)
}

// dropUnsupported retracts the facts that lost a support and have none left.
func (m *Memory) dropUnsupported() {
	gone := slices.DeleteFunc(m.doubted, func(p place) bool { return !p.present() || grounded(p) })
	m.doubted = nil
	for _, p := range gone {
		if !p.present() { // it was doubted twice
			continue
		}
		var values []Value
		for i := range p.store.columns {
			values = append(values, p.store.columns[i].value(p.row))
		}
		delete(p.store.content, encode(values))
		m.Retract(ID{p.store, p.ref})
	}
}

// grounded reports whether a fact follows from facts that need no support: it is the least fixpoint over all facts that
// it may follow from.
func grounded(p place) bool {
	if len(p.store.supports[p.row]) == 0 {
		return false
	}
	all, known := []place{p}, map[place]bool{p: false}
	for i := 0; i < len(all); i++ {
		for _, x := range all[i].store.supports[all[i].row] {
			for k, f := range x.refs {
				q := place{x.rule.stores[k], f}
				if _, met := known[q]; !met {
					known[q] = q.store.content == nil
					all = append(all, q)
				}
			}
		}
	}
	follows := func(x *Match) bool {
		for k, f := range x.refs {
			if !known[place{x.rule.stores[k], f}] {
				return false
			}
		}
		return true
	}
	for changed := true; changed && !known[p]; {
		changed = false
		for _, q := range all {
			if !known[q] && slices.ContainsFunc(q.store.supports[q.row], follows) {
				known[q], changed = true, true
			}
		}
	}
	return known[p]
}
