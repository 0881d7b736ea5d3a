package fact

// Joins of the facts that are new with those that are there: of each rule, once for each pattern with new facts. Of
// the patterns before it only older facts are taken, so that every match is found once. (Semi-naive evaluation:
// Bancilhon and Ramakrishnan, SIGMOD 1986; without beta memories: Miranker's TREAT, AAAI 1987.)

import "slices"

// step binds a pattern's fact. The steps of a plan begin with the pattern that has new facts.
type step struct {
	pattern int
	hash    *hash // candidates by equality with by's other side; nil: all members
	by      link
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
		var plan []step
		for _, i := range order {
			s := r.step(i, bound)
			bound[i] = true
			for ; bound[leading]; leading++ {
				if r.Patterns[leading].IfMatch != nil {
					s.asks = append(s.asks, leading)
				}
			}
			plan = append(plan, s)
		}
		r.plans = append(r.plans, plan)
	}
}

// step looks for an equality by which candidates for pattern i are found.
func (r *rule) step(i int, bound map[int]bool) step {
	s := step{pattern: i}
	for _, l := range r.links {
		turned := l
		switch {
		case l.a == i && bound[l.b]:
		case l.b == i && bound[l.a]:
			turned = link{l.b, l.a, l.bField, l.aField, l.op.Flip(), 0}
		default:
			continue
		}
		if turned.op == Equal && s.hash == nil && (l.a == i || l.plus == 0) { // x == y + c and y == x - c differ by rounding
			s.hash, s.by = r.alphas[i].hash(turned.aField), turned
		} else {
			s.checks = append(s.checks, l)
		}
	}
	return s
}

// joiner walks a plan.
type joiner struct {
	rule  *rule
	plan  []step
	first int // the pattern with new facts; below 0: new facts are as all others
	match Match
	found func([]ref) bool
	depth []int // how many partial matches each step had; nil: nobody asks
}

// join calls found for every match in which pattern first has one of some rows, until it returns false.
func (r *rule) join(j joiner, rows func(func(row int32) bool) bool) bool {
	j.rule, j.match = r, Match{rule: r, refs: make([]ref, len(r.Patterns))}
	return rows(func(row int32) bool { return j.try(0, row) })
}

// try binds a row in a step, and continues with the next if it fits.
func (j *joiner) try(at int, row int32) bool {
	s, refs := &j.plan[at], j.match.refs
	store := j.rule.stores[s.pattern]
	if s.pattern < j.first && store.fresh[row] {
		return true
	}
	for i := range s.checks {
		l := &s.checks[i]
		a, b := row, row
		if l.a == s.pattern {
			b = refs[l.b].row
		} else {
			a = refs[l.a].row
		}
		if !l.linked(j.rule.stores[l.a], a, l.other(j.rule.stores[l.b], b)) {
			return true
		}
	}
	refs[s.pattern] = ref{store.seq[row], row}
	if j.rule.Distinct && slices.ContainsFunc(j.plan[:at], func(t step) bool { return refs[t.pattern] == refs[s.pattern] }) {
		return true
	}
	for _, p := range s.asks {
		if !j.rule.Patterns[p].IfMatch(&j.match) {
			return true
		}
	}
	if j.depth != nil {
		j.depth[at]++
	}
	if at++; at == len(j.plan) {
		return j.found(refs)
	}
	return j.candidates(at)
}

// candidates tries all facts that the index of a step leaves.
func (j *joiner) candidates(at int) bool {
	s := &j.plan[at]
	if s.hash == nil {
		return j.rule.alphas[s.pattern].each(func(row int32) bool { return j.try(at, row) })
	}
	for _, row := range s.hash.rows[s.by.other(j.rule.stores[s.by.b], j.match.refs[s.by.b].row)] {
		if !j.try(at, row) {
			return false
		}
	}
	return true
}

// find makes the matches with fresh facts.
func (r *rule) find() {
	for i, a := range r.alphas {
		if len(a.fresh) == 0 {
			continue
		}
		fresh := func(try func(row int32) bool) bool {
			return !slices.ContainsFunc(a.fresh, func(row int32) bool { return !try(row) })
		}
		if !r.join(joiner{plan: r.plans[i], first: i, found: r.add}, fresh) {
			return
		}
	}
}
