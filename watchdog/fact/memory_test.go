package fact_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// number1 is a kind of facts of one number x.
func number1(name string, limit int) fact.Kind {
	return fact.Kind{Name: name, Fields: []fact.Field{{Name: "x", Type: fact.Number}}, Limit: limit}
}

func create(t *testing.T, kinds []fact.Kind, o fact.Options, rules ...fact.Rule) *fact.Memory {
	t.Helper()
	return must.Value(fact.New(kinds, rules, o))(t)
}

func assert(t *testing.T, m *fact.Memory, kind string, values ...fact.Value) fact.ID {
	t.Helper()
	return must.Value(m.Assert(kind, values...))(t)
}

func run(t *testing.T, m *fact.Memory) int {
	t.Helper()
	return must.Value(m.Run(t.Context(), 1000))(t)
}

// flip is a rule that gives an x the other value.
func flip(name string, from, to float64) fact.Rule {
	return fact.Rule{
		Name: name, Patterns: []fact.Pattern{
			{Kind: "switch", Where: []fact.Test{fact.Is("x", fact.Equal, fact.Num(from))}},
		},
		Then: func(f *fact.Firing) error { return f.Change(f.ID(0), fact.Set{Field: "x", Value: fact.Num(to)}) },
	}
}

func TestLoopIsReported(t *testing.T) {
	start := fact.Rule{Name: "start", Patterns: []fact.Pattern{{Kind: "begin"}}, Then: func(f *fact.Firing) error {
		_, err := f.Keep("switch", fact.Num(0))
		return err
	}}
	m := create(t, []fact.Kind{number1("begin", 0), number1("switch", 0)}, fact.Options{}, start, flip("up", 0, 1),
		flip("down", 1, 0))
	assert(t, m, "begin", fact.Num(7))
	fired, err := m.Run(t.Context(), 500)
	var loop *fact.LoopError
	if !errors.As(err, &loop) || fired != 500 {
		t.Fatalf("%d fired, %v", fired, err)
	}
	want := "500 firings without an end, at last over and over down [#2 switch(x: 1)] -> up [#2 switch(x: 0)]: let " +
		"what the rules do make a condition of theirs false"
	if err.Error() != want {
		t.Errorf("got %s, want %s", err, want)
	}
	if fired, err := m.Run(t.Context(), 3); fired != 3 || !errors.As(err, &loop) {
		t.Errorf("it does not go on: %d, %v", fired, err)
	}
	count := fact.Rule{Name: "count", Patterns: []fact.Pattern{{Kind: "switch"}}, Then: func(f *fact.Firing) error {
		_, err := f.Keep("switch", fact.Num(f.Fact(0).Number(0)+1))
		return err
	}}
	m = create(t, []fact.Kind{number1("switch", 50)}, fact.Options{}, count)
	assert(t, m, "switch", fact.Num(0))
	_, err = m.Run(t.Context(), 1000)
	var limit *fact.LimitError
	if !errors.As(err, &limit) ||
		err.Error() != "rule count: kind switch has 50 facts, its limit: retract some, or raise Kind.Limit" {
		t.Errorf("got %v", err)
	}
}

func TestLimitNamesTheKind(t *testing.T) {
	nothing := func(*fact.Firing) error { return nil }
	m := create(t, []fact.Kind{number1("a", 3), number1("b", 0)}, fact.Options{Matches: 5},
		fact.Rule{Name: "pairs", Patterns: []fact.Pattern{{Kind: "a"}, {Kind: "b"}}, Then: nothing})
	var first fact.ID
	for i := range 3 {
		first = assert(t, m, "a", fact.Num(float64(i)))
	}
	_, err := m.Assert("a", fact.Num(9))
	var limit *fact.LimitError
	if !errors.As(err, &limit) || limit.Kind != "a" || limit.Limit != 3 {
		t.Fatalf("got %v", err)
	}
	must.OK(t, m.Retract(first))
	assert(t, m, "a", fact.Num(9))
	assert(t, m, "b", fact.Num(0))
	run(t, m)
	assert(t, m, "b", fact.Num(1))
	assert(t, m, "b", fact.Num(2))
	for range 2 {
		_, err = m.Run(t.Context(), 100)
		if !errors.As(err, &limit) || limit.Rule != "pairs" || limit.Limit != 5 {
			t.Fatalf("got %v", err)
		}
	}
}

// What is asserted and retracted over and over leaves nothing behind, nor do changes, with every kind of condition.
func TestMemoryDoesNotGrow(t *testing.T) {
	kinds := []fact.Kind{
		{Name: "run", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text}}},
		number1("seen", 0), number1("fixed", 0),
	}
	same := []fact.Join{{Field: "s", Op: fact.Equal, Of: "a", Other: "s"}}
	rules := []fact.Rule{
		{Name: "pair", Patterns: []fact.Pattern{{Name: "a", Kind: "run"}, {Kind: "run", Join: same}}},
		{
			Name: "above",
			Patterns: []fact.Pattern{
				{Name: "a", Kind: "fixed"},
				{Kind: "run", Join: []fact.Join{{Field: "x", Op: fact.Greater, Of: "a", Other: "x"}}},
			},
		},
		{
			Name: "alone", Patterns: []fact.Pattern{{Name: "a", Kind: "run"}},
			Given: []fact.Given{{Fold: fact.Count, Kind: "run", Join: same, Op: fact.Equal, Value: 1}},
		},
		{
			Name: "least", Patterns: []fact.Pattern{{Name: "a", Kind: "fixed"}},
			Given: []fact.Given{{Fold: fact.Least, Kind: "run", Field: "x", Op: fact.Less, Of: "a", Other: "x"}},
		},
		{Name: "mixed", Patterns: []fact.Pattern{{Name: "a", Kind: "fixed"}, {Name: "b", Kind: "run"}},
			Given: []fact.Given{
				{Fold: fact.Not, Kind: "seen", Where: []fact.Test{fact.Is("x", fact.Less, fact.Num(-1))}},
			}},
	}
	for i := range rules {
		rules[i].Then = func(f *fact.Firing) error {
			_, err := f.Assert("seen", f.Fact(0).Value(0))
			return err
		}
	}
	m := create(t, kinds, fact.Options{Matches: 100}, rules...)
	assert(t, m, "fixed", fact.Num(1e9))
	assert(t, m, "fixed", fact.Num(-1))
	n := 0.0
	round := func() {
		var ids []fact.ID
		for range 5 {
			n++
			ids = append(ids, assert(t, m, "run", fact.Num(n), fact.Str(fmt.Sprint("s", n))))
		}
		run(t, m)
		for _, id := range ids {
			n++
			must.OK(t,
				m.Change(id, fact.Set{Field: "x", Value: fact.Num(n)},
					fact.Set{Field: "s", Value: fact.Str(fmt.Sprint("s", n))}))
		}
		run(t, m)
		for _, id := range ids {
			must.OK(t, m.Retract(id))
		}
		run(t, m)
		if m.Len("run") != 0 || m.Len("seen") != 0 {
			t.Fatalf("%d runs and %d seen are left", m.Len("run"), m.Len("seen"))
		}
	}
	for range 500 { // until all has the room that it needs
		round()
	}
	before := heap()
	for range 1000 {
		round()
	}
	if growth := int64(heap()) - int64(before); growth > 64<<10 {
		t.Errorf("it grew by %d bytes", growth)
	}
	runtime.KeepAlive(m)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// A fact goes with the last match that asserted it, and two that follow from each other do not hold each other up.
func TestSupport(t *testing.T) {
	derive := func(from, to string) fact.Rule {
		return fact.Rule{Name: from + to, Patterns: []fact.Pattern{{Kind: from}}, Then: func(f *fact.Firing) error {
			_, err := f.Assert(to, f.Fact(0).Value(0))
			return err
		}}
	}
	m := create(t, []fact.Kind{number1("p", 0), number1("q", 0), number1("a", 0), number1("b", 0)}, fact.Options{},
		derive("p", "a"), derive("q", "a"), derive("a", "b"), derive("b", "a"))
	p, q := assert(t, m, "p", fact.Num(1)), assert(t, m, "q", fact.Num(1))
	for _, step := range []struct {
		gone fact.ID
		want int
	}{{fact.ID{}, 1}, {p, 1}, {q, 0}} {
		if step.gone != (fact.ID{}) {
			must.OK(t, m.Retract(step.gone))
		}
		run(t, m)
		if m.Len("a") != step.want || m.Len("b") != step.want {
			t.Errorf("without %s: %d a and %d b, want %d", step.gone, m.Len("a"), m.Len("b"), step.want)
		}
	}
	if err := m.Retract(q); err == nil ||
		err.Error() != "there is no fact #2: it was retracted, or what supported it went" {
		t.Errorf("got %v", err)
	}
}

func TestExplain(t *testing.T) {
	m := create(t, []fact.Kind{number1("a", 0), number1("c", 0)}, fact.Options{}, fact.Rule{
		Name: "r", Patterns: []fact.Pattern{
			{
				Name: "low", Kind: "a",
				Where: []fact.Test{fact.Is("x", fact.Less, fact.Num(5)), fact.Is("x", fact.NotEqual, fact.Num(2))},
			},
			{
				Kind: "a", If: func(f fact.Fact) bool { return f.Number(0) > 6 },
				Join: []fact.Join{{Field: "x", Op: fact.Equal, Of: "low", Other: "x", Plus: 6}},
			},
		},
		Given: []fact.Given{
			{Fold: fact.Not, Kind: "c", Join: []fact.Join{{Field: "x", Op: fact.Equal, Of: "low", Other: "x"}}},
		},
		Then: func(*fact.Firing) error { t.Error("it fired"); return nil },
	})
	ids := []fact.ID{}
	for i := range 10 {
		ids = append(ids, assert(t, m, "a", fact.Num(float64(i))))
	}
	assert(t, m, "c", fact.Num(3))
	e := must.Value(m.Explain("r"))(t)
	want := "{Rule:r Patterns:[{Pattern:low Kind:a Facts:10 Left:[5 4] Joined:4} {Pattern:2 Kind:a Facts:10 Left:[3] " +
		"Joined:2}] Given:[{Text:not of c Facts:1 Holds:1}] Matches:1}"
	must.Equal(t, want, fmt.Sprintf("%+v", e))
	for i, want := range map[int]string{
		1: "[{low } {2 If is false}]", 2: "[{low x is 2, not != [2]} {2 If is false}]",
		7: "[{low x is 7, not < [5]} {2 }]",
		8: "[{low x is 8, not < [5]} {2 no facts of the patterns before it join with it}]",
	} {
		why, err := m.Why("r", ids[i])
		if got := fmt.Sprint(why); err != nil || got != want {
			t.Errorf("%d: got %s, want %s (%v)", i, got, want, err)
		}
	}
}

func TestFaultsOfRules(t *testing.T) {
	nothing := func(*fact.Firing) error { return nil }
	a := []fact.Kind{
		{
			Name: "a", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "b", Type: fact.Bool},
				{Name: "s", Type: fact.Text}},
		},
	}
	rule := func(p ...fact.Pattern) fact.Rule { return fact.Rule{Name: "r", Patterns: p, Then: nothing} }
	given := func(g fact.Given) fact.Rule { return fact.Rule{Name: "r", Given: []fact.Given{g}, Then: nothing} }
	for _, c := range []struct {
		rule fact.Rule
		want string
	}{
		{fact.Rule{Name: "r", Then: nothing}, "rule r: it has no conditions"},
		{fact.Rule{Name: "r", Patterns: []fact.Pattern{{Kind: "a"}}}, "rule r: it does nothing: Then is nil"},
		{rule(fact.Pattern{Kind: "z"}), `rule r, pattern 1: there is no kind "z"`},
		{rule(fact.Pattern{Kind: "a", Where: []fact.Test{fact.Is("y", fact.Equal, fact.Num(1))}}),
			`rule r, pattern 1: kind a has no field "y"`},
		{rule(fact.Pattern{Kind: "a", Where: []fact.Test{fact.Is("x", fact.Equal, fact.Str("1"))}}),
			`rule r, pattern 1: x ==: the field is a number, not all values ["1"] are`},
		{rule(fact.Pattern{Kind: "a", Where: []fact.Test{fact.Is("b", fact.Less, fact.Flag(true))}}),
			"rule r, pattern 1: b: a bool is equal or not, it has no order for <"},
		{rule(fact.Pattern{Kind: "a", Where: []fact.Test{fact.Is("x", fact.Between, fact.Num(1))}}),
			"rule r, pattern 1: x between: it has 1 values"},
		{rule(fact.Pattern{Name: "p", Kind: "a", Join: []fact.Join{{Field: "x", Op: fact.Less, Of: "p", Other: "x"}}}),
			`rule r, pattern p: there is no earlier pattern "p"`},
		{
			rule(fact.Pattern{Name: "p", Kind: "a"},
				fact.Pattern{Kind: "a", Join: []fact.Join{{Field: "x", Op: fact.Less, Of: "p", Other: "s"}}}),
			"rule r, pattern 2: x < p.s: a number and a text",
		},
		{
			given(fact.Given{Fold: fact.Count, Kind: "a"}),
			"rule r, given 1 (count of a): count needs a comparison, not Op(0)",
		},
		{
			given(fact.Given{Fold: fact.Least, Kind: "a", Field: "s", Op: fact.Less}),
			`rule r, given 1 (least of a): kind a has no number "s"`,
		},
		{
			given(fact.Given{Fold: fact.All, Kind: "a"}),
			"rule r, given 1 (all of a): Are goes with all, and all with Are",
		},
	} {
		if _, err := fact.New(a, []fact.Rule{c.rule}, fact.Options{}); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	m := create(t, a, fact.Options{})
	for want, values := range map[string][]fact.Value{
		"kind a: 1 values for 3 fields":                       {fact.Num(1)},
		"kind a: field b is a bool, the value 1 is not":       {fact.Num(1), fact.Num(1), fact.Str("")},
		"kind a: field s is a text, the value nothing is not": {fact.Num(1), fact.Flag(true), {}},
	} {
		if _, err := m.Assert("a", values...); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// An error of a rule ends the run; the next one goes on behind it. A context that is done ends it as well.
func TestRunEnds(t *testing.T) {
	bad := errors.New("no paper")
	m := create(t, []fact.Kind{number1("a", 0)}, fact.Options{},
		fact.Rule{Name: "print", Patterns: []fact.Pattern{{Kind: "a"}}, Then: func(f *fact.Firing) error {
			if f.Fact(0).Number(0) == 1 {
				return bad
			}
			return nil
		}})
	for i := range 3 {
		assert(t, m, "a", fact.Num(float64(i)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if fired, err := m.Run(ctx, 10); fired != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d fired, %v", fired, err)
	}
	if fired, err := m.Run(t.Context(), 10); fired != 2 || !errors.Is(err, bad) ||
		!strings.HasPrefix(err.Error(), "rule print: ") {
		t.Errorf("%d fired, %v", fired, err)
	}
	if fired := run(t, m); fired != 1 {
		t.Errorf("%d fired", fired)
	}
}

// A match that has fired stands as long as its facts do, and says what is counted now; who asks is given each fact
// that goes.
func TestPast(t *testing.T) {
	var gone []string
	var past []fact.Past
	kinds := []fact.Kind{
		{Name: "run", Fields: []fact.Field{{Name: "name", Type: fact.Text}}},
		{
			Name: "seen", Fields: []fact.Field{{Name: "name", Type: fact.Text}},
			Gone: func(f fact.Fact) { gone = append(gone, f.Text(0)) },
		},
	}
	m, err := fact.New(kinds, []fact.Rule{{
		Name: "see", Patterns: []fact.Pattern{{Kind: "run"}},
		Given: []fact.Given{{Kind: "run", Fold: fact.Count, Op: fact.AtLeast, Value: 1}},
		Then: func(f *fact.Firing) error {
			past = append(past, f.Past())
			_, err := f.Assert("seen", fact.Str(f.Fact(0).Text(0)))
			return err
		},
	}}, fact.Options{})
	must.OK(t, err)
	run := func() {
		t.Helper()
		must.Value(m.Run(t.Context(), 100))(t)
	}
	a := must.Value(m.Assert("run", fact.Str("a")))(t)
	run()
	must.Value(m.Assert("run", fact.Str("b")))(t)
	run()
	if n, _ := past[0].Given(0); len(past) != 2 || !past[0].Stands() || n != 2 || !m.Has("seen", fact.Str("a")) ||
		len(gone) > 0 {
		t.Fatalf("%d firings, %v, %g, gone %q", len(past), past[0].Stands(), n, gone)
	}
	must.OK(t, m.Retract(a))
	run()
	if past[0].Stands() || !past[1].Stands() || m.Has("seen", fact.Str("a")) || len(gone) != 1 || gone[0] != "a" {
		t.Errorf("%v, %v, gone %q", past[0].Stands(), past[1].Stands(), gone)
	}
}
