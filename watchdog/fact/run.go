package fact

// Running: the first match fires, what it does is worked out, and so on until no match is left. The first is that of the
// highest priority, then of the first rule, then with the first facts. Nothing else has a say in it, so that the same
// facts and rules fire in the same order on every machine.

import (
	"fmt"
	"slices"
	"strings"
)

// LoopError reports that rules fired as often as they may without an end.
type LoopError struct {
	Bound int
	// Cycle is what fired over and over, once, in its order. Without such a cycle of at most 128 firings it is empty.
	Cycle []Fired
	Last  Fired
}

// Fired is a firing in a report.
type Fired struct {
	Rule string
	Text string // with the facts
}

func (e *LoopError) Error() string {
	if len(e.Cycle) == 0 {
		return fmt.Sprintf("%d firings without an end, at last of %s: raise the bound, or look at what this rule asserts",
			e.Bound, e.Last.Text)
	}
	parts := make([]string, len(e.Cycle))
	for i, f := range e.Cycle {
		parts[i] = f.Text
	}
	return fmt.Sprintf("%d firings without an end, at last over and over %s: let what the rules do make a condition "+
		"of theirs false",
		e.Bound, strings.Join(parts, " -> "))
}

// watched is how many firings at the end are looked at for a cycle.
const watched = 256

// Run fires rules until none has a match that has not fired, and returns how many fired. After bound firings it ends
// with a *LoopError if there is still a match; a later Run continues. A *LimitError is final: every later Run returns it.
func (m *Memory) Run(bound int) (fired int, err error) {
	var trail []Fired
	for {
		if err := m.settle(); err != nil {
			return fired, err
		}
		x := m.first()
		if x == nil {
			return fired, nil
		}
		if fired >= bound {
			x.queued, x.rule.head = true, x.rule.head-1
			x.rule.pending[x.rule.head] = x
			return fired, loop(bound, trail)
		}
		if bound-fired <= watched {
			trail = append(trail, Fired{x.rule.Name, x.String()})
		}
		fired++
		x.fired = true
		x.rule.Then(x)
	}
}

// first takes the first match that holds.
func (m *Memory) first() *Match {
	for _, r := range m.rules {
		if !r.ordered {
			slices.SortFunc(r.pending[r.head:], func(x, y *Match) int { return slices.CompareFunc(x.refs, y.refs, ref.compare) })
			r.ordered = true
		}
		for r.head < len(r.pending) {
			x := r.pending[r.head]
			r.pending[r.head] = nil
			r.head++
			if x.queued = false; x.holds {
				return x
			}
		}
	}
	return nil
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

// Explanation says how far the facts of now carry a rule.
type Explanation struct {
	Patterns []PatternCount
	Matches  int // for which all conditions hold, fired or not
}

// PatternCount says what a pattern leaves.
type PatternCount struct {
	Facts  int // of the kind
	Left   int // of them, after its conditions on one fact
	Joined int // matches of the patterns up to this one, with their joins
}

// Explain works out what follows from the facts, without firing a rule, and counts the matches of the first rule of a
// name. It costs as much as finding all matches of the rule anew.
func (m *Memory) Explain(name string) (e Explanation, err error) {
	if err := m.settle(); err != nil {
		return e, err
	}
	r := m.rules[slices.IndexFunc(m.rules, func(r *rule) bool { return r.Name == name })]
	e.Matches = r.holding
	depth := make([]int, len(r.Patterns))
	if len(depth) > 0 {
		none := func([]ref) bool { return true }
		r.join(joiner{plan: r.plans[0], first: -1, found: none, depth: depth}, r.alphas[0].each)
	}
	for i := range depth {
		e.Patterns = append(e.Patterns, PatternCount{r.stores[i].count, r.alphas[i].size, depth[i]})
	}
	return e, nil
}
