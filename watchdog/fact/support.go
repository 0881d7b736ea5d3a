package fact

// Logical support: what a rule asserts lasts as long as a match that asserted it. (Doyle, Artificial Intelligence 12,
// 1979; a fact that holds itself up through others has none.)

import (
	"cmp"
	"slices"
)

// support is what one firing asserted.
type support struct {
	premises []place
	facts    []place
	ended    bool
}

// place is a fact in its store.
type place struct {
	store *store
	ref
}

func (p place) present() bool { return p.store.seq[p.row] == p.seq }

// derivation says why a fact is there that a rule asserted.
type derivation struct {
	held     bool // kept, or asserted from outside
	supports []*support
}

// back makes a fact's presence depend on a firing.
func (m *Memory) back(s *support, s2 *store, row int32) {
	d := s2.derived[row]
	if slices.Contains(d.supports, s) {
		return
	}
	p := place{s2, ref{s2.seq[row], row}}
	s.facts = append(s.facts, p)
	if s.ended {
		m.doubted = append(m.doubted, p)
		return
	}
	d.supports = append(d.supports, s)
}

// support makes the support of a match, which ends with it.
func (m *Memory) support(r *rule, x *match) *support {
	s := &support{ended: !r.valid(x)}
	for i, f := range x.refs {
		s.premises = append(s.premises, place{r.stores[i], f})
	}
	if s.ended {
		return s
	}
	if x.token != nil {
		x.token.backs = s
	}
	for _, p := range s.premises {
		list := p.store.supports[p.row]
		if len(list) == cap(list) {
			list = slices.DeleteFunc(list, func(s *support) bool { return s.ended })
		}
		p.store.supports[p.row] = append(list, s)
	}
	return s
}

// end ends a support; nil is none.
func (m *Memory) end(s *support) {
	if s == nil || s.ended {
		return
	}
	s.ended = true
	for _, p := range s.facts {
		if !p.present() {
			continue
		}
		d := p.store.derived[p.row]
		d.supports = slices.DeleteFunc(d.supports, func(other *support) bool { return other == s })
		m.doubted = append(m.doubted, p)
	}
}

// dropUnsupported retracts the facts that lost a support and have none left.
func (m *Memory) dropUnsupported() {
	var gone []place
	for _, p := range m.doubted {
		if p.present() && !grounded(p) {
			gone = append(gone, p)
		}
	}
	m.doubted = m.doubted[:0]
	slices.SortFunc(gone, func(a, b place) int { return cmp.Compare(a.seq, b.seq) })
	for _, p := range gone {
		if p.present() { // it may have been doubted twice
			m.drop(p.store, p.row)
		}
	}
}

// grounded reports whether a fact follows from facts that need no support: it is the least fixpoint over all facts that
// it may follow from.
func grounded(p place) bool {
	d := p.store.derived[p.row]
	if d == nil || d.held {
		return true
	}
	if len(d.supports) == 0 {
		return false
	}
	all := []*derivation{d}
	known := map[*derivation]bool{d: false}
	for i := 0; i < len(all); i++ {
		for _, s := range all[i].supports {
			for _, p := range s.premises {
				e := p.store.derived[p.row]
				if e == nil {
					continue
				}
				if _, has := known[e]; !has {
					known[e] = e.held
					all = append(all, e)
				}
			}
		}
	}
	for changed := true; changed && !known[d]; {
		changed = false
		for _, e := range all {
			if !known[e] && slices.ContainsFunc(e.supports, func(s *support) bool { return stands(s, known) }) {
				known[e], changed = true, true
			}
		}
	}
	return known[d]
}

// stands reports whether all premises of a support are known to be grounded.
func stands(s *support, known map[*derivation]bool) bool {
	return !slices.ContainsFunc(s.premises, func(p place) bool {
		e := p.store.derived[p.row]
		return e != nil && !known[e]
	})
}
