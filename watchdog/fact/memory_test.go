package fact_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// number1 is a kind of facts of one number x.
func number1(name string) fact.Kind {
	return fact.Kind{Name: name, Fields: []fact.Field{{Name: "x", Type: fact.Number}}}
}

func run(t *testing.T, m *fact.Memory) int {
	t.Helper()
	return must.Value(m.Run(1000))(t)
}

func nothing(*fact.Match) {}

// A loop is reported with the rules that fire over and over; a later Run continues.
func TestLoopIsReported(t *testing.T) {
	count := func(from, to string) fact.Rule {
		return fact.Rule{Name: to, Patterns: []fact.Pattern{{Kind: from}}, Then: func(x *fact.Match) {
			x.Assert(to, fact.Num(x.Fact(0).Number(0)+1))
		}}
	}
	m := fact.New(
		[]fact.Kind{number1("begin"), number1("odd"), number1("even")},
		[]fact.Rule{count("begin", "odd"), count("odd", "even"), count("even", "odd")},
		0,
	)
	m.Assert("begin", fact.Num(0))
	fired, err := m.Run(501)
	var loop *fact.LoopError
	if !errors.As(err, &loop) || fired != 501 {
		t.Fatalf("%d fired, %v", fired, err)
	}
	want := "501 firings without an end, the last ones again and again even [odd(x: 499)] -> odd [even(x: 500)]: let " +
		"the rules' actions make one of their conditions false"
	must.Equal(t, want, err.Error())
	if fired, err := m.Run(3); fired != 3 || !errors.As(err, &loop) {
		t.Errorf("it does not continue: %d, %v", fired, err)
	}
}

func TestMatchesAreLimited(t *testing.T) {
	m := fact.New(
		[]fact.Kind{number1("a"), number1("b")},
		[]fact.Rule{
			{Name: "one", Patterns: []fact.Pattern{{Kind: "b"}}, Then: nothing},
			{Name: "pairs", Patterns: []fact.Pattern{{Kind: "a"}, {Kind: "b"}}, Then: nothing},
			{Name: "last", Patterns: []fact.Pattern{{Kind: "b"}}, Then: nothing},
		},
		5,
	)
	for i := range 3 {
		m.Assert("a", fact.Num(float64(i)))
	}
	m.Assert("b", fact.Num(0))
	must.Equal(t, 5, run(t, m))
	m.Assert("b", fact.Num(1))
	for range 2 {
		var limit *fact.LimitError
		if _, err := m.Run(100); !errors.As(err, &limit) || limit.Rule != "pairs" || limit.Limit != 5 {
			t.Fatalf("got %v", err)
		}
	}
}

// What is asserted and retracted over and over leaves nothing behind, nor do changes, with every kind of condition.
func TestMemoryDoesNotGrow(t *testing.T) {
	kinds := []fact.Kind{
		{
			Name:   "run",
			Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text}},
		}, number1("seen"), number1("fixed"),
	}
	same := []fact.Join{{Field: 1, Op: fact.Equal, Of: 0, Other: 1}}
	above := []fact.Join{{Field: 0, Op: fact.Greater, Of: 0, Other: 0}}
	rules := []fact.Rule{
		{Name: "pair", Patterns: []fact.Pattern{{Kind: "run"}, {Kind: "run", Join: same}}},
		{Name: "above", Patterns: []fact.Pattern{{Kind: "fixed"}, {Kind: "run", Join: above}}},
		{
			Name:     "alone",
			Patterns: []fact.Pattern{{Kind: "run"}},
			Counts:   []fact.Pattern{{Kind: "run", Join: same}},
			When:     func(x *fact.Match) bool { return x.Count(0) == 1 },
		},
		{
			Name:     "highest",
			Patterns: []fact.Pattern{{Kind: "run"}},
			Counts:   []fact.Pattern{{Kind: "run", Join: above}, {Kind: "run", Join: above, Any: true}},
			When:     func(x *fact.Match) bool { return x.Count(0) == 0 && !x.Any(1) },
		},
		{Name: "mixed", Patterns: []fact.Pattern{{Kind: "fixed"}, {Kind: "run"}},
			Counts: []fact.Pattern{{Kind: "seen"}}},
	}
	for i := range rules {
		rules[i].Then = func(x *fact.Match) { x.Assert("seen", x.Fact(0).Value(0)) }
	}
	m := fact.New(kinds, rules, 100)
	m.Assert("fixed", fact.Num(1e9))
	m.Assert("fixed", fact.Num(-1))
	n := 0.0
	values := func() []fact.Value {
		n++
		return []fact.Value{fact.Num(n), fact.Str(fmt.Sprint("s", n))}
	}
	round := func() {
		var ids []fact.ID
		for range 5 {
			ids = append(ids, m.Assert("run", values()...))
		}
		run(t, m)
		for _, id := range ids {
			m.Change(id, values()...)
		}
		run(t, m)
		for _, id := range ids {
			m.Retract(id)
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

// A fact leaves with the last match that asserted it, and two that follow from each other do not hold each other up.
func TestSupport(t *testing.T) {
	derive := func(from, to string) fact.Rule {
		return fact.Rule{
			Name:     from + to,
			Patterns: []fact.Pattern{{Kind: from}},
			Then:     func(x *fact.Match) { x.Assert(to, x.Fact(0).Value(0)) },
		}
	}
	m := fact.New([]fact.Kind{number1("p"), number1("q"), number1("a"), number1("b")},
		[]fact.Rule{derive("p", "a"), derive("q", "a"), derive("a", "b"), derive("b", "a")}, 0)
	p, q := m.Assert("p", fact.Num(1)), m.Assert("q", fact.Num(1))
	for i, retract := range []func(){func() {}, func() { m.Retract(p) }, func() { m.Retract(q) }} {
		retract()
		run(t, m)
		if want := []int{1, 1, 0}[i]; m.Len("a") != want || m.Len("b") != want {
			t.Errorf("step %d: %d a and %d b, want %d", i, m.Len("a"), m.Len("b"), want)
		}
	}
}

func TestExplain(t *testing.T) {
	m := fact.New([]fact.Kind{number1("a"), number1("c")}, []fact.Rule{{
		Name: "r", Patterns: []fact.Pattern{
			{Kind: "a", Where: []fact.Test{fact.Is(0, fact.Less, fact.Num(5)), fact.Is(0, fact.NotEqual, fact.Num(2))}},
			{
				Kind: "a",
				If:   func(f fact.Fact) bool { return f.Number(0) > 6 },
				Join: []fact.Join{{Field: 0, Op: fact.Equal, Of: 0, Other: 0, Plus: 6}},
			},
		},
		Counts: []fact.Pattern{{Kind: "c", Join: []fact.Join{{Field: 0, Op: fact.Equal, Of: 0, Other: 0}}}},
		When:   func(x *fact.Match) bool { return x.Count(0) == 0 },
		Then:   func(*fact.Match) { t.Error("it fired") },
	}}, 0)
	for i := range 10 {
		m.Assert("a", fact.Num(float64(i)))
	}
	m.Assert("c", fact.Num(3))
	must.Equal(
		t,
		"{Patterns:[{Facts:10 Left:4 Joined:4} {Facts:10 Left:3 Joined:2}] Matches:1}",
		fmt.Sprintf("%+v", must.Value(m.Explain("r"))(t)),
	)
}

// A match that has fired holds as long as its facts do, and says what is counted now; its rule is given each that
// ceases.
func TestMatchesCease(t *testing.T) {
	var gone []string
	var past []*fact.Match
	m := fact.New([]fact.Kind{{Name: "run", Fields: []fact.Field{{Name: "name", Type: fact.Text}}}}, []fact.Rule{{
		Name: "see", Patterns: []fact.Pattern{{Kind: "run"}}, Counts: []fact.Pattern{{Kind: "run"}},
		Then: func(x *fact.Match) { x.Tag, past = x.Fact(0).Text(0), append(past, x) },
		Gone: func(x *fact.Match) { gone = append(gone, x.Tag.(string)) },
	}}, 0)
	a := m.Assert("run", fact.Str("a"))
	run(t, m)
	m.Assert("run", fact.Str("b"))
	run(t, m)
	if len(past) != 2 || !past[0].Holds() || past[0].Count(0) != 2 || len(gone) > 0 {
		t.Fatalf("%d firings, gone %q", len(past), gone)
	}
	m.Retract(a)
	run(t, m)
	if past[0].Holds() || !past[1].Holds() || fmt.Sprint(gone) != "[a]" {
		t.Errorf("%v, %v, gone %q", past[0].Holds(), past[1].Holds(), gone)
	}
}

// A fact that comes is compared with the matches that it may change, and these are judged, not all the others.
func TestCountsAreKept(t *testing.T) {
	compared, judged := 0, 0
	m := fact.New([]fact.Kind{number1("a"), number1("b")}, []fact.Rule{{
		Name: "none", Patterns: []fact.Pattern{{Kind: "a"}}, Then: nothing,
		Counts: []fact.Pattern{{Kind: "b", Any: true,
			IfMatch: func(*fact.Match, fact.Fact) bool { compared++; return true }}},
		When: func(x *fact.Match) bool { judged++; return !x.Any(0) },
	}}, 0)
	for _, kind := range []string{"a", "b"} {
		for range 100 {
			m.Assert(kind, fact.Num(1))
			run(t, m)
		}
	}
	must.Equal(t, "100 compared, 200 judged", fmt.Sprintf("%d compared, %d judged", compared, judged))
}
