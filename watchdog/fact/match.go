package fact

// Matches of rules, from the facts that they are found with to the end of one of these.

import "slices"

// Match is one fact for each pattern of a rule. It may be kept; its facts may be read as long as it holds.
type Match struct {
	Tag any // of the rule's Then, for its Gone

	rule     *rule
	refs     []ref
	counts   []int // members that the counts select, where these are not whole groups
	groups   []*group
	alive    bool // its facts are as they were
	holds    bool // and so does When
	fired    bool // since it holds
	queued   bool
	asserted []place
}

// Fact returns the fact of a pattern, by its place in Rule.Patterns.
func (x *Match) Fact(pattern int) Fact { return Fact{x.rule.stores[pattern], x.refs[pattern].row} }

// Holds reports whether all conditions still hold.
func (x *Match) Holds() bool { return x.holds }

func (x *Match) String() string {
	text := x.rule.Name + " ["
	for i := range x.refs {
		if i > 0 {
			text += ", "
		}
		text += x.Fact(i).String()
	}
	return text + "]"
}

// before reports whether a match fires before another one of its rule: by its facts in the order of patterns.
func (x *Match) before(y *Match) bool { return slices.CompareFunc(x.refs, y.refs, ref.compare) < 0 }

func (r ref) compare(s ref) int {
	switch {
	case r.seq < s.seq:
		return -1
	case r.seq > s.seq:
		return 1
	}
	return 0
}

// add makes a match of facts. Whether it holds is judged at the end of the pass. False: there are too many.
func (r *rule) add(refs []ref) bool {
	if r.m.matches >= r.m.limit {
		r.m.broken = &LimitError{Rule: r.Name, Limit: r.m.limit}
		return false
	}
	x := &Match{rule: r, refs: slices.Clone(refs), alive: true}
	r.m.matches++
	r.alive++
	if len(r.counts) > 0 {
		x.counts = make([]int, len(r.counts))
	}
	for _, c := range r.counts {
		c.join(x)
	}
	for i, f := range x.refs {
		s := r.stores[i]
		list := s.matches[f.row]
		if len(list) == cap(list) {
			list = slices.DeleteFunc(list, func(y *Match) bool { return !y.alive })
		}
		s.matches[f.row] = append(list, x)
	}
	r.begun = append(r.begun, x)
	return true
}

// judge queues a match that begins to hold, and ends one that ceases to.
func (x *Match) judge() {
	r := x.rule
	holds := x.alive && (r.When == nil || r.When(x))
	switch {
	case holds == x.holds:
		return
	case !holds:
		x.cease()
		return
	}
	x.holds = true
	r.holding++
	if x.queued {
		return
	}
	x.queued = true
	if r.head == len(r.pending) {
		r.pending, r.head, r.ordered = r.pending[:0], 0, true
	}
	n := len(r.pending)
	r.ordered = r.ordered && (n == r.head || r.pending[n-1].before(x))
	r.pending = append(r.pending, x)
}

// cease takes back what a match that does not hold any more has asserted.
func (x *Match) cease() {
	if !x.holds {
		return
	}
	x.holds = false
	x.rule.holding--
	if x.fired && x.rule.Gone != nil {
		x.rule.Gone(x)
	}
	x.fired = false
	for _, p := range x.asserted {
		if p.present() {
			s := p.store
			s.supports[p.row] = slices.DeleteFunc(s.supports[p.row], func(y *Match) bool { return y == x })
			x.rule.m.doubted = append(x.rule.m.doubted, p)
		}
	}
	x.asserted = nil
}

// end ends a match of which a fact changes or leaves.
func (x *Match) end() {
	if !x.alive {
		return
	}
	x.cease()
	x.alive = false
	x.rule.alive--
	x.rule.m.matches--
}
