package fact

// Running: the first match of the agenda fires, what it does is worked out, and so on until no match is left.

import (
	"context"
	"fmt"
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

// Given returns what Rule.Given[i] makes of its kind, without what this firing asserted or changed, and whether there is
// such a value: Least and Most have none without facts. Of Not, Any and Count it is the number of facts, of All that of
// those which are not as they should be.
func (f *Firing) Given(i int) (float64, bool) { return f.rule.folds[i].value(f.match.token, i) }

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
		return fmt.Sprintf("%d firings without an end, at last of %s: raise the bound, or look at what this rule asserts", e.Bound, e.Last)
	}
	parts := make([]string, len(e.Cycle))
	for i, f := range e.Cycle {
		parts[i] = f.String()
	}
	return fmt.Sprintf("%d firings without an end, at last over and over %s: let what the rules do make a condition of theirs false",
		e.Bound, strings.Join(parts, " -> "))
}

// watched is how many firings at the end are looked at for a cycle.
const watched = 256

// Run fires rules until none has a match that has not fired, and returns how many fired. After bound firings it ends
// with a *LoopError if there is still a match. It ends as well with an error of a rule's Then, whose match has fired
// then, and when the context is done; a later Run goes on. A *LimitError of matches is final: every later Run returns it.
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
