package fact

// Joins of the facts that are new with those that are there: of each rule, once for each pattern with new facts. Of
// the patterns before it only older facts are taken, so that every match is found once. (Semi-naive evaluation:
// Bancilhon and Ramakrishnan, SIGMOD 1986; without beta memories: Miranker's TREAT, AAAI 1987.)

import (
	"slices"
	"sort"
)

// plan is the order in which patterns are bound, beginning with the one that has new facts.
type plan []step

// step binds a pattern's fact.
type step struct {
	pattern int
	hash    *hash // candidates by equality with by's other side
	by      link
	sorted  *sorted // candidates by inequalities
	bounds  []link
	checks  []link // what the index leaves
	asks    []int  // patterns whose IfMatch can be evaluated now
}

// plan makes the rule's plans and their indexes.
func (r *rule) plan() {
	for first := range r.Patterns {
		order := []int{first}
		for i := range r.Patterns {
			if i != first {
				order = append(order, i)
			}
		}
		bound, leading := map[int]bool{}, 0
		var p plan
		for _, i := range order {
			s := r.step(i, bound)
			bound[i] = true
			for leading < len(r.Patterns) && bound[leading] {
				if r.Patterns[leading].IfMatch != nil {
					s.asks = append(s.asks, leading)
				}
				leading++
			}
			p = append(p, s)
		}
		r.plans = append(r.plans, p)
	}
}

// step chooses how candidates for pattern i are found: by an equality, else by inequalities of one field of numbers,
// else all.
func (r *rule) step(i int, bound map[int]bool) step {
	s := step{pattern: i}
	for _, l := range r.links {
		if !(l.a == i && bound[l.b] || l.b == i && bound[l.a]) {
			continue
		}
		s.checks = append(s.checks, l)
		turned := l
		if l.b == i {
			if l.plus != 0 {
				continue // x == y + c and y == x - c differ by rounding
			}
			turned = link{l.b, l.a, l.bField, l.aField, l.op.flip(), 0}
		}
		number := r.stores[i].columns[turned.aField].typ == Number
		switch {
		case turned.op == Equal && s.hash == nil:
			s.hash, s.by = r.alphas[i].hash(turned.aField), turned
			s.checks = s.checks[:len(s.checks)-1]
		case turned.op >= Less && turned.op <= AtLeast && number &&
			(s.bounds == nil || s.bounds[0].aField == turned.aField):
			s.bounds = append(s.bounds, turned)
		}
	}
	if s.hash != nil {
		s.bounds = nil
	}
	if s.bounds != nil {
		s.sorted = r.alphas[i].sorted(s.bounds[0].aField)
		s.sorted.stale = true
	}
	return s
}

// joiner walks a plan.
type joiner struct {
	m     *Memory
	rule  *rule
	plan  plan
	first int // the pattern with new facts
	refs  []ref
	use   []bool // of each step, whether the sorted index may be used
	found func([]ref) bool
	depth []int // if not nil: how many partial matches each step had
}

// join calls found for every match in which pattern first has a fresh fact, and earlier patterns have none, until it
// returns false.
func (m *Memory) join(r *rule, first int, found func([]ref) bool) bool {
	j := joiner{m: m, rule: r, plan: r.plans[first], first: first, refs: make([]ref, len(r.Patterns)), found: found}
	fresh := r.alphas[first].fresh
	j.prepare(len(fresh))
	for _, row := range fresh {
		if !j.try(0, row) {
			return false
		}
	}
	return true
}

// prepare decides which indexes are worth it for a number of facts of the first pattern.
func (j *joiner) prepare(rows int) {
	j.use = make([]bool, len(j.plan))
	for i, s := range j.plan {
		if s.sorted != nil {
			j.use[i] = s.sorted.ready(rows)
		}
	}
}

// try binds a row in a step, and goes on with the next if it fits.
func (j *joiner) try(at int, row int32) bool {
	s := &j.plan[at]
	store := j.rule.stores[s.pattern]
	if s.pattern < j.first && store.state[row] == fresh {
		return true
	}
	for i := range s.checks {
		l := &s.checks[i]
		a, b := row, row
		if l.a == s.pattern {
			b = j.refs[l.b].row
		} else {
			a = j.refs[l.a].row
		}
		if !j.rule.linked(l, a, b) {
			return true
		}
	}
	j.refs[s.pattern] = ref{store.seq[row], row}
	if j.rule.Distinct && !j.distinct(at) {
		return true
	}
	for _, p := range s.asks {
		if !j.rule.Patterns[p].IfMatch(Match{j.rule, j.refs}) {
			return true
		}
	}
	if j.depth != nil {
		j.depth[at]++
	}
	if at++; at == len(j.plan) {
		return j.found(j.refs)
	}
	return j.candidates(at)
}

// linked reports whether a link holds between a row of its pattern a and one of b.
func (r *rule) linked(l *link, a, b int32) bool {
	x, y := &r.stores[l.a].columns[l.aField], &r.stores[l.b].columns[l.bField]
	if x.typ == Number {
		return ordered(l.op, x.nums[a], y.nums[b]+l.plus)
	}
	return compare(l.op, x.value(a), y.value(b))
}

// distinct reports whether the fact of a step is of no step before it.
func (j *joiner) distinct(at int) bool {
	last := j.refs[j.plan[at].pattern]
	for _, s := range j.plan[:at] {
		if j.refs[s.pattern].seq == last.seq {
			return false
		}
	}
	return true
}

// candidates tries all facts that the index of a step leaves.
func (j *joiner) candidates(at int) bool {
	s := &j.plan[at]
	if s.hash != nil {
		v := s.by.side(j.rule.stores[s.by.b], j.refs[s.by.b].row)
		for row := s.hash.find(v); row >= 0; row = s.hash.next[row] {
			if !j.try(at, row) {
				return false
			}
		}
		return true
	}
	if j.use[at] {
		from, to := 0, len(s.sorted.entries)
		for i := range s.bounds {
			l := &s.bounds[i]
			from, to = s.sorted.clip(l.op, l.side(j.rule.stores[l.b], j.refs[l.b].row).num, from, to)
		}
		for ; from < to; from++ {
			if !j.try(at, s.sorted.entries[from].row) {
				return false
			}
		}
		return true
	}
	return j.rule.alphas[s.pattern].each(func(row int32) bool { return j.try(at, row) })
}

// matches finds the new matches of a rule, in the order of their facts, and puts them on the agenda, or makes tokens of
// them if the rule has conditions on whole kinds.
func (m *Memory) matches(r *rule) {
	batch := m.batch[:0]
	for i, a := range r.alphas {
		if len(a.fresh) == 0 {
			continue
		}
		batch = slices.Grow(batch, len(a.fresh))
		if !m.join(r, i, func(refs []ref) bool {
			if m.waiting+len(batch) >= m.limit {
				m.broken = &LimitError{Rule: r.Name, Limit: m.limit}
				return false
			}
			batch = append(batch, match{refs: r.keep(refs), stamp: m.stamp})
			return true
		}) {
			return
		}
	}
	m.batch = batch
	if len(batch) == 0 {
		return
	}
	inOrder := func(i, j int) bool { return before(batch[i].refs, batch[j].refs) }
	if !sort.SliceIsSorted(batch, inOrder) {
		sort.Slice(batch, inOrder)
	}
	if len(r.folds) == 0 {
		m.schedule(r, batch)
	} else {
		for i := range batch {
			m.addToken(r, batch[i].refs)
		}
	}
	clear(batch)
}

// keep copies the facts of a match; many matches share one piece of memory.
func (r *rule) keep(refs []ref) []ref {
	n := len(refs)
	if cap(r.pool)-len(r.pool) < n {
		r.pool = make([]ref, 0, n*min(1024, max(16, 2*cap(r.pool)/max(1, n))))
	}
	from := len(r.pool)
	r.pool = append(r.pool, refs...)
	return r.pool[from:len(r.pool):len(r.pool)]
}
