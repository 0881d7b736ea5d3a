package fact

// The agenda: matches that have not fired, in the order of priority, then of rules, then of facts. Nothing else has a
// say in it, so that the same facts and rules fire in the same order on every machine.

import "slices"

// match is a match that waits to be fired, or did until one of its facts went.
type match struct {
	refs  []ref
	stamp uint64 // its pass; of a token's match, the token's turn
	token *token // nil if the rule has no conditions on whole kinds
}

// before compares facts in the order of patterns.
func before(a, b []ref) bool {
	for i := range a {
		if a[i].seq != b[i].seq {
			return a[i].seq < b[i].seq
		}
	}
	return false
}

// valid reports whether a match still holds.
func (r *rule) valid(x *match) bool {
	if x.token != nil {
		return x.token.alive && x.token.holds && x.token.turn == x.stamp
	}
	for i, f := range x.refs {
		if s := r.stores[i]; s.seq[f.row] != f.seq || s.stamp[f.row] > x.stamp {
			return false
		}
	}
	return true
}

// queue holds the matches of a rule: a sorted list from head on, and a heap of those that came out of order. A match
// that ceased to hold leaves when it is met, or when they are half of the queue.
type queue struct {
	n     int
	list  []match
	head  int
	heap  []match
	check int // length at which to look for those that do not hold
}

func (q *queue) len() int { return len(q.list) - q.head + len(q.heap) }

// push adds matches, which are sorted.
func (q *queue) push(batch []match) {
	if q.head == len(q.list) {
		q.list, q.head = slices.Grow(q.list[:0], len(batch)), 0
	}
	for _, x := range batch {
		if n := len(q.list); n == q.head || before(q.list[n-1].refs, x.refs) {
			q.list = append(q.list, x)
		} else {
			q.heap = append(q.heap, x)
			q.up(len(q.heap) - 1)
		}
	}
}

// pop takes the first match.
func (q *queue) pop() match {
	if len(q.heap) == 0 || q.head < len(q.list) && before(q.list[q.head].refs, q.heap[0].refs) {
		x := q.list[q.head]
		q.list[q.head] = match{}
		q.head++
		return x
	}
	x, n := q.heap[0], len(q.heap)-1
	q.heap[0], q.heap[n] = q.heap[n], match{}
	q.heap = q.heap[:n]
	q.down(0)
	return x
}

func (q *queue) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !before(q.heap[i].refs, q.heap[p].refs) {
			return
		}
		q.heap[i], q.heap[p] = q.heap[p], q.heap[i]
		i = p
	}
}

func (q *queue) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(q.heap) {
			return
		}
		if c+1 < len(q.heap) && before(q.heap[c+1].refs, q.heap[c].refs) {
			c++
		}
		if !before(q.heap[c].refs, q.heap[i].refs) {
			return
		}
		q.heap[i], q.heap[c] = q.heap[c], q.heap[i]
		i = c
	}
}

// sweep drops the matches that do not hold.
func (q *queue) sweep(r *rule) {
	gone := func(x match) bool { return !r.valid(&x) }
	q.list = slices.DeleteFunc(q.list[q.head:], gone)
	q.head = 0
	q.heap = slices.DeleteFunc(q.heap, gone)
	for i := len(q.heap)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
	q.check = 2*q.len() + 64
}

// schedule puts matches of a rule on the agenda.
func (m *Memory) schedule(r *rule, batch []match) {
	before := r.queue.len()
	r.queue.push(batch)
	if r.queue.len() > max(r.queue.check, 64) {
		r.queue.sweep(r)
	}
	m.waiting += r.queue.len() - before
	m.next = min(m.next, r.place)
}

// first takes the first match of the agenda that holds.
func (m *Memory) first() (*rule, match) {
	for ; m.next < len(m.agenda); m.next++ {
		r := m.agenda[m.next]
		for r.queue.len() > 0 {
			x := r.queue.pop()
			m.waiting--
			if r.valid(&x) {
				return r, x
			}
		}
	}
	return nil, match{}
}
