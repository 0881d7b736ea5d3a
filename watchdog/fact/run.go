package fact

// Running: the first match of the agenda fires, what it does is worked out, and so on until no match is left. The
// agenda holds the matches that have not fired, in the order of priority, then of rules, then of facts. Nothing else
// has a say in it, so that the same facts and rules fire in the same order on every machine.

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Match is one fact for each pattern of a rule, for reading. It must not be kept.
type Match struct {
	rule *rule
	refs []ref
}

// Fact returns the fact of a pattern, by its place in Rule.Patterns.
func (x Match) Fact(pattern int) Fact { return Fact{x.rule.stores[pattern], x.refs[pattern].row} }

// ID returns the name of a pattern's fact, also when it is retracted meanwhile.
func (x Match) ID(pattern int) ID {
	return ID{x.refs[pattern].seq, x.rule.stores[pattern].index, x.refs[pattern].row}
}

// Firing is a match whose rule fires. Its facts read as the memory has them now.
type Firing struct {
	Match
	m     *Memory
	match match
	backs *support
}

// Assert adds a fact that goes when this match ceases, unless another match supports it still. If an equal fact is
// there, no other is added: the match supports that one. What the match does to its own facts ends it at once, and
// what it asserts goes with it; Keep asserts what is to stay.
func (f *Firing) Assert(kind string, values ...Value) (ID, error) {
	s, row, err := f.equal(kind, values)
	if err != nil {
		return ID{}, err
	}
	if row < 0 {
		id, err := f.m.put(s, values)
		if err != nil {
			return ID{}, err
		}
		row = id.row
		s.derived[row] = &derivation{}
	} else if s.derived[row] == nil {
		s.derived[row] = &derivation{held: true}
	}
	if f.backs == nil || f.backs.ended {
		f.backs = f.m.support(f.rule, &f.match)
	}
	f.m.back(f.backs, s, row)
	return ID{s.seq[row], s.index, row}, nil
}

// Keep adds a fact that stays until it is retracted. If an equal one is there, that one stays.
func (f *Firing) Keep(kind string, values ...Value) (ID, error) {
	s, row, err := f.equal(kind, values)
	if err != nil {
		return ID{}, err
	}
	if row < 0 {
		return f.m.put(s, values)
	}
	if d := s.derived[row]; d != nil {
		d.held = true
	}
	return ID{s.seq[row], s.index, row}, nil
}

// equal looks for the first fact with these values.
func (f *Firing) equal(kind string, values []Value) (*store, int32, error) {
	s := f.m.kinds[kind]
	if s == nil {
		return nil, 0, fmt.Errorf("there is no kind %q", kind)
	}
	if err := s.check(values); err != nil {
		return nil, 0, err
	}
	return s, s.find(values), nil
}

// Change is Memory.Change.
func (f *Firing) Change(id ID, sets ...Set) error { return f.m.Change(id, sets...) }

// Retract is Memory.Retract.
func (f *Firing) Retract(id ID) error { return f.m.Retract(id) }

// Given returns what Rule.Given[i] makes of its kind, without what this firing asserted or changed, and whether there
// is such a value: Least and Most have none without facts. Of Not, Any and Count it is the number of facts, of All
// that of those which are not as they should be.
func (f *Firing) Given(i int) (float64, bool) { return f.rule.folds[i].value(f.match.token, i) }

// Past is a match that has fired, for reading when Run has returned.
type Past struct {
	Match
	match match
}

// Past returns the match of the firing.
func (f *Firing) Past() Past { return Past{f.Match, f.match} }

// Stands reports whether the match still holds, as it did when it fired. Its facts, and what is given of kinds, may
// be read only if it does.
func (p Past) Stands() bool { return p.rule.valid(&p.match) }

// Given is Firing.Given, of what the memory has now.
func (p Past) Given(i int) (float64, bool) { return p.rule.folds[i].value(p.match.token, i) }

// Fired is a firing in a report.
type Fired struct {
	Rule  string
	IDs   []ID     // of its facts, by pattern
	Facts []string // their values when it fired
}

func (f Fired) String() string {
	parts := make([]string, len(f.IDs))
	for i := range f.IDs {
		parts[i] = f.IDs[i].String() + " " + f.Facts[i]
	}
	return f.Rule + " [" + strings.Join(parts, ", ") + "]"
}

// LoopError reports that rules fired as often as they may without an end.
type LoopError struct {
	Bound int
	// Cycle is what fired over and over, once, in its order. Without such a cycle of at most 128 firings it is empty.
	Cycle []Fired
	Last  Fired
}

func (e *LoopError) Error() string {
	if len(e.Cycle) == 0 {
		return fmt.Sprintf("%d firings without an end, at last of %s: raise the bound, or look at what this rule "+
			"asserts", e.Bound, e.Last)
	}
	parts := make([]string, len(e.Cycle))
	for i, f := range e.Cycle {
		parts[i] = f.String()
	}
	return fmt.Sprintf("%d firings without an end, at last over and over %s: let what the rules do make a condition "+
		"of theirs false",
		e.Bound, strings.Join(parts, " -> "))
}

// watched is how many firings at the end are looked at for a cycle.
const watched = 256

// Run fires rules until none has a match that has not fired, and returns how many fired. After bound firings it ends
// with a *LoopError if there is still a match. It ends as well with an error of a rule's Then, whose match has fired
// then, and when the context is done; a later Run goes on. A *LimitError of matches is final: every later Run returns
// it.
func (m *Memory) Run(ctx context.Context, bound int) (fired int, err error) {
	if m.firing {
		return 0, errFiring
	}
	m.firing = true
	defer func() { m.firing = false }()
	var trail []Fired
	f := Firing{m: m}
	for {
		if err := m.settle(); err != nil {
			return fired, err
		}
		if fired&255 == 0 && ctx.Err() != nil {
			return fired, context.Cause(ctx)
		}
		r, x := m.first()
		if r == nil {
			return fired, nil
		}
		if fired >= bound {
			m.schedule(r, []match{x})
			return fired, loop(bound, trail)
		}
		f.Match, f.match, f.backs = Match{r, x.refs}, x, nil
		if bound-fired <= watched {
			trail = append(trail, m.fired(f.Match))
		}
		fired++
		if err := r.Then(&f); err != nil {
			return fired, fmt.Errorf("rule %s: %w", r.Name, err)
		}
	}
}

func (m *Memory) fired(x Match) Fired {
	f := Fired{Rule: x.rule.Name}
	for i := range x.refs {
		f.IDs, f.Facts = append(f.IDs, x.ID(i)), append(f.Facts, x.Fact(i).String())
	}
	return f
}

// loop makes the report of the last firings: the shortest sequence of rules that fills the second half of them.
func loop(bound int, trail []Fired) error {
	e := &LoopError{Bound: bound}
	n := len(trail)
	if n > 0 {
		e.Last = trail[n-1]
	}
	for period := 1; period <= n/2; period++ {
		repeats := true
		for i := n - 1; i >= n/2 && repeats; i-- {
			repeats = i >= period && trail[i].Rule == trail[i-period].Rule
		}
		if repeats {
			e.Cycle = trail[n-period:]
			break
		}
	}
	return e
}

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
