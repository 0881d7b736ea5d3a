package fact_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// What rules are made of, for the memory and for the model.
type (
	testSpec struct {
		field  string
		op     fact.Op
		values []any
	}
	joinSpec struct {
		field, other string
		op           fact.Op
		of           int
		plus         float64
	}
	patternSpec struct {
		kind      string
		where     []testSpec
		joins     []joinSpec
		even, sum bool // If: x is 2; IfMatch: the sum with the first pattern's x is small
	}
	givenSpec struct {
		fold       fact.Fold
		kind       string
		where, are []testSpec
		joins      []joinSpec
		op         fact.Op
		value      float64
		than       int
		sum        bool
	}
	actionSpec struct {
		what    int
		kind    string
		values  []any
		copies  bool // the first value is that of the first pattern's fact
		pattern int
	}
	ruleSpec struct {
		name     string
		priority int
		distinct bool
		patterns []patternSpec
		givens   []givenSpec
		few      bool // When: what the givens make is little
		then     []actionSpec
	}
)

const (
	doNothing = iota
	doAssert
	doKeep
	doRetract
	doChange
)

// All kinds begin with a number x; with few values, many facts are alike.
var kinds = []fact.Kind{
	{
		Name: "a", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text},
			{Name: "b", Type: fact.Bool}},
	},
	{Name: "c", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text}}},
	{Name: "d", Fields: []fact.Field{{Name: "x", Type: fact.Number}}},
}

var (
	numbers = rapid.SampledFrom([]float64{0, 1, 2, 3, 1, 2, math.Copysign(0, -1), math.NaN()})
	texts   = rapid.SampledFrom([]string{"p", "q", ""})
	orders  = rapid.SampledFrom([]fact.Op{fact.Equal, fact.NotEqual, fact.Less, fact.AtMost, fact.Greater,
		fact.AtLeast})
)

func drawValue(t *rapid.T, typ fact.Type) any {
	switch typ {
	case fact.Number:
		return numbers.Draw(t, "number")
	case fact.Text:
		return texts.Draw(t, "text")
	}
	return rapid.Bool().Draw(t, "bool")
}

func drawValues(t *rapid.T, k fact.Kind) (values []any) {
	for _, f := range k.Fields {
		values = append(values, drawValue(t, f.Type))
	}
	return values
}

func drawTest(t *rapid.T, k fact.Kind) testSpec {
	f := rapid.SampledFrom(k.Fields).Draw(t, "field")
	op := rapid.SampledFrom([]fact.Op{fact.Equal, fact.NotEqual, fact.In, fact.Less, fact.AtMost, fact.Greater,
		fact.AtLeast, fact.Between}).Draw(t, "op")
	if f.Type == fact.Bool {
		op = rapid.SampledFrom([]fact.Op{fact.Equal, fact.NotEqual, fact.In}).Draw(t, "op")
	}
	spec := testSpec{field: f.Name, op: op, values: []any{drawValue(t, f.Type)}}
	if op == fact.In && rapid.Bool().Draw(t, "more") || op == fact.Between {
		spec.values = append(spec.values, drawValue(t, f.Type))
	}
	return spec
}

func drawTests(t *rapid.T, k fact.Kind, least int) (tests []testSpec) {
	for range rapid.IntRange(least, 2).Draw(t, "tests") {
		tests = append(tests, drawTest(t, k))
	}
	return tests
}

func drawJoins(t *rapid.T, k fact.Kind, patterns []patternSpec) (joins []joinSpec) {
	if len(patterns) == 0 {
		return nil
	}
	for range rapid.IntRange(0, 2).Draw(t, "joins") {
		j := joinSpec{field: "x", other: "x", of: rapid.IntRange(0, len(patterns)-1).Draw(t, "of"),
			op: orders.Draw(t, "op")}
		j.plus = rapid.SampledFrom([]float64{0, 0, 1, -1}).Draw(t, "plus")
		if k.Name != "d" && patterns[j.of].kind != "d" && rapid.Bool().Draw(t, "texts") {
			j.field, j.other, j.plus = "s", "s", 0
		}
		joins = append(joins, j)
	}
	return joins
}

func drawGiven(t *rapid.T, patterns []patternSpec) givenSpec {
	k := rapid.SampledFrom(kinds).Draw(t, "kind")
	g := givenSpec{fold: fact.Fold(rapid.IntRange(int(fact.Count), int(fact.Most)).Draw(t, "fold")), kind: k.Name,
		than: -1}
	g.where, g.joins = drawTests(t, k, 0), drawJoins(t, k, patterns)
	g.sum = len(patterns) > 0 && rapid.IntRange(0, 3).Draw(t, "sum") == 0
	switch g.fold {
	case fact.All:
		g.are = drawTests(t, k, 1)
	case fact.Count, fact.Least, fact.Most:
		g.op, g.value = orders.Draw(t, "op"), float64(rapid.IntRange(0, 3).Draw(t, "value"))
		if len(patterns) > 0 && rapid.Bool().Draw(t, "fields") {
			g.than = rapid.IntRange(0, len(patterns)-1).Draw(t, "than")
		}
	}
	return g
}

func drawAction(t *rapid.T, patterns int) actionSpec {
	k := rapid.SampledFrom(kinds).Draw(t, "kind")
	a := actionSpec{
		what: rapid.SampledFrom([]int{doAssert, doAssert, doAssert, doNothing, doKeep, doRetract, doChange}).Draw(t,
			"action"), kind: k.Name,
	}
	a.values, a.copies = drawValues(t, k), rapid.Bool().Draw(t, "copies")
	if a.what >= doRetract {
		if patterns == 0 {
			a.what = doNothing
			return a
		}
		a.pattern = rapid.IntRange(0, patterns-1).Draw(t, "pattern")
	}
	return a
}

func drawRule(t *rapid.T, name string) ruleSpec {
	r := ruleSpec{
		name: name, priority: rapid.IntRange(-1, 1).Draw(t, "priority"), distinct: rapid.Bool().Draw(t, "distinct"),
	}
	for i := range rapid.SampledFrom([]int{1, 2, 2, 3, 0}).Draw(t, "patterns") {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		p := patternSpec{kind: k.Name, where: drawTests(t, k, 0), joins: drawJoins(t, k, r.patterns)}
		p.even, p.sum = rapid.IntRange(0, 5).Draw(t, "even") == 0, i > 0 && rapid.IntRange(0, 3).Draw(t, "sum") == 0
		r.patterns = append(r.patterns, p)
	}
	least := 0
	if len(r.patterns) == 0 {
		least = 1
	}
	for range rapid.IntRange(least, 2).Draw(t, "givens") {
		r.givens = append(r.givens, drawGiven(t, r.patterns))
	}
	r.few = len(r.givens) > 0 && rapid.Bool().Draw(t, "few")
	for range rapid.IntRange(0, 2).Draw(t, "actions") {
		r.then = append(r.then, drawAction(t, len(r.patterns)))
	}
	return r
}

func value(v any) fact.Value {
	switch v := v.(type) {
	case float64:
		return fact.Num(v)
	case string:
		return fact.Str(v)
	}
	return fact.Flag(v.(bool))
}

func values(all []any) (values []fact.Value) {
	for _, v := range all {
		values = append(values, value(v))
	}
	return values
}

func compileTests(specs []testSpec) (tests []fact.Test) {
	for _, s := range specs {
		tests = append(tests, fact.Is(s.field, s.op, values(s.values)...))
	}
	return tests
}

func compileJoins(specs []joinSpec) (joins []fact.Join) {
	for _, s := range specs {
		joins = append(joins, fact.Join{Field: s.field, Op: s.op, Of: fmt.Sprint("p", s.of), Other: s.other,
			Plus: s.plus})
	}
	return joins
}

// compile makes the memory's rule, which writes what fires into the log.
func (r ruleSpec) compile(log *[]string) fact.Rule {
	rule := fact.Rule{Name: r.name, Priority: r.priority, Distinct: r.distinct}
	for i, p := range r.patterns {
		pattern := fact.Pattern{Name: fmt.Sprint("p", i), Kind: p.kind, Where: compileTests(p.where),
			Join: compileJoins(p.joins)}
		if p.even {
			pattern.If = func(f fact.Fact) bool { return f.Number(0) == 2 }
		}
		if p.sum {
			pattern.IfMatch = func(x fact.Match) bool { return sumIsSmall(x.Fact(0).Number(0), x.Fact(i).Number(0)) }
		}
		rule.Patterns = append(rule.Patterns, pattern)
	}
	for _, g := range r.givens {
		given := fact.Given{Fold: g.fold, Kind: g.kind, Where: compileTests(g.where), Are: compileTests(g.are),
			Join: compileJoins(g.joins), Op: g.op, Value: g.value}
		if g.fold >= fact.Least {
			given.Field = "x"
		}
		if g.than >= 0 {
			given.Of, given.Other = fmt.Sprint("p", g.than), "x"
		}
		if g.sum {
			given.IfMatch = func(x fact.Match, f fact.Fact) bool { return sumIsSmall(x.Fact(0).Number(0), f.Number(0)) }
		}
		rule.Given = append(rule.Given, given)
	}
	if r.few {
		rule.When = func(_ fact.Match, given []float64) bool { return few(given) }
	}
	rule.Then = func(f *fact.Firing) error {
		ids := []string{}
		for i := range r.patterns {
			ids = append(ids, strings.TrimPrefix(f.ID(i).String(), "#"))
		}
		*log = append(*log, fmt.Sprint(r.name, ids))
		for _, do := range r.then {
			if err := do.act(f, len(r.patterns)); err != nil {
				return err
			}
		}
		return nil
	}
	return rule
}

func (a actionSpec) act(f *fact.Firing, patterns int) (err error) {
	values := values(a.values)
	if a.copies && patterns > 0 {
		values[0] = f.Fact(0).Value(0)
	}
	switch a.what {
	case doAssert:
		_, err = f.Assert(a.kind, values...)
	case doKeep:
		_, err = f.Keep(a.kind, values...)
	case doRetract:
		_ = f.Retract(f.ID(a.pattern)) // it may be gone
	case doChange:
		_ = f.Change(f.ID(a.pattern), fact.Set{Field: "x", Value: values[0]})
	}
	return err
}

// The memory holds the same facts and fires the same rules in the same order as a model that works everything out
// anew after each step.
func TestMemoryDoesAsTheModel(t *testing.T) {
	fired, looped := 0, 0
	testenv.Check(t, func(t *rapid.T) {
		var log []string
		var rules []fact.Rule
		naive := &model{kinds: kinds}
		for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
			r := drawRule(t, fmt.Sprint("r", i))
			naive.rules = append(naive.rules, r)
			rules = append(rules, r.compile(&log))
		}
		m := must.Value(fact.New(kinds, rules, fact.Options{}))(t)
		ids := map[int]fact.ID{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			// many facts are joined in another way than few
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 3, 20}).Draw(t, "at once") {
				step(t, m, naive, ids)
			}
			if rapid.Bool().Draw(t, "run") {
				if !runBoth(t, m, naive, &log) {
					looped++
				}
			}
		}
		runBoth(t, m, naive, &log)
		explained(t, m, naive)
		fired += len(log)
	})
	if t.Logf("%d firings, %d loops", fired, looped); fired == 0 {
		t.Error("nothing fired")
	}
}

// step changes both alike.
func step(t *rapid.T, m *fact.Memory, naive *model, ids map[int]fact.ID) {
	if len(naive.facts) == 0 || rapid.IntRange(0, 2).Draw(t, "step") > 0 {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		all := drawValues(t, k)
		f := naive.assert(k.Name, all...)
		id := must.Value(m.Assert(k.Name, values(all)...))(t)
		ids[f.seq] = id
		return
	}
	f := rapid.SampledFrom(naive.facts).Draw(t, "fact")
	for g := range m.Facts(f.kind) {
		if g.ID().String() == fmt.Sprint("#", f.seq) {
			ids[f.seq] = g.ID()
		}
	}
	var err error
	if rapid.Bool().Draw(t, "change") {
		x := numbers.Draw(t, "x")
		naive.change(f, x)
		err = m.Change(ids[f.seq], fact.Set{Field: "x", Value: fact.Num(x)})
	} else {
		naive.retract(f)
		err = m.Retract(ids[f.seq])
	}
	must.OK(t, err)
}

// runBoth runs both, compares them, and reports whether they came to an end.
func runBoth(t *rapid.T, m *fact.Memory, naive *model, log *[]string) bool {
	const bound = 40
	ended := naive.run(bound)
	_, err := m.Run(t.Context(), bound)
	var loop *fact.LoopError
	if errors.As(err, &loop) == ended || err != nil && loop == nil {
		t.Fatalf("the model ends: %v; the memory: %v", ended, err)
	}
	if !slices.Equal(naive.log, *log) {
		t.Fatalf("fired\n%v, want\n%v", *log, naive.log)
	}
	var all []fact.Fact
	for _, k := range kinds {
		all = slices.AppendSeq(all, m.Facts(k.Name))
	}
	slices.SortFunc(all, func(a, b fact.Fact) int {
		if a.ID().Before(b.ID()) {
			return -1
		}
		return 1
	})
	got := ""
	for _, f := range all {
		v := []any{f.Number(0)}
		if f.Kind() != "d" {
			v = append(v, f.Text(1))
		}
		if f.Kind() == "a" {
			v = append(v, f.Bool(2))
		}
		got += fmt.Sprintf("%s %s%v\n", f.ID(), f.Kind(), v)
	}
	if want := naive.text(); got != want {
		t.Fatalf("has\n%s, want\n%s", got, want)
	}
	return ended
}

// explained compares the numbers of matches.
func explained(t *rapid.T, m *fact.Memory, naive *model) {
	naive.settle()
	for i, r := range naive.rules {
		e := must.Value(m.Explain(r.name))(t)
		want := 0
		for _, x := range naive.holding {
			if x.rule == i {
				want++
			}
		}
		if e.Matches != want {
			t.Fatalf("rule %s: explained %d matches, want %d", r.name, e.Matches, want)
		}
		if n := len(r.patterns); n > 0 && e.Patterns[n-1].Joined != len(naive.all(&naive.rules[i], nil)) {
			t.Fatalf("rule %s: explained %+v", r.name, e)
		}
	}
}
