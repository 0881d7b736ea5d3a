package fact_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
	countSpec struct { // the count op value
		kind  string
		where []testSpec
		joins []joinSpec
		op    fact.Op
		value float64
		sum   bool
		any   bool // only zero or more is asked
	}
	actionSpec struct {
		kind   string
		values []any
		copies bool // the first value is that of the first pattern's fact
	}
	ruleSpec struct {
		name     string
		priority int
		distinct bool
		patterns []patternSpec
		counts   []countSpec
		then     []actionSpec
	}
)

// All kinds begin with a number x; with few values, many facts are alike.
var kinds = []fact.Kind{
	{
		Name: "a", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text},
			{Name: "b", Type: fact.Bool}},
	},
	{Name: "c", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text}}},
	{Name: "d", Fields: []fact.Field{{Name: "x", Type: fact.Number}}},
	{Name: "e", Fields: []fact.Field{{Name: "x", Type: fact.Number}, {Name: "s", Type: fact.Text}}},
}

// The first two come from outside, the others from rules.
var given, asserted = kinds[:2], kinds[2:]

// place is that of a field of a kind.
func place(kind, field string) int {
	i := slices.IndexFunc(kinds, func(k fact.Kind) bool { return k.Name == kind })
	fields := sceneKind.Fields
	if i >= 0 {
		fields = kinds[i].Fields
	}
	return slices.IndexFunc(fields, func(f fact.Field) bool { return f.Name == field })
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
		fact.AtLeast}).
		Draw(t, "op")
	if f.Type == fact.Bool {
		op = rapid.SampledFrom([]fact.Op{fact.Equal, fact.NotEqual, fact.In}).Draw(t, "op")
	}
	spec := testSpec{field: f.Name, op: op, values: []any{drawValue(t, f.Type)}}
	if op == fact.In && rapid.Bool().Draw(t, "more") {
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

func drawCount(t *rapid.T, patterns []patternSpec) countSpec {
	k := rapid.SampledFrom(kinds).Draw(t, "kind")
	c := countSpec{kind: k.Name, where: drawTests(t, k, 0), joins: drawJoins(t, k, patterns)}
	c.sum = len(patterns) > 0 && rapid.IntRange(0, 3).Draw(t, "sum") == 0
	c.op, c.value = orders.Draw(t, "op"), float64(rapid.IntRange(0, 3).Draw(t, "value"))
	if c.any = rapid.Bool().Draw(t, "any"); c.any {
		c.op, c.value = rapid.SampledFrom([]fact.Op{fact.Equal, fact.Greater}).Draw(t, "op"), 0
	}
	return c
}

func drawAction(t *rapid.T) actionSpec {
	k := rapid.SampledFrom(asserted).Draw(t, "kind")
	return actionSpec{k.Name, drawValues(t, k), rapid.Bool().Draw(t, "copies")}
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
	for range rapid.IntRange(0, 2).Draw(t, "counts") {
		r.counts = append(r.counts, drawCount(t, r.patterns))
	}
	for range rapid.IntRange(0, 2).Draw(t, "actions") {
		r.then = append(r.then, drawAction(t))
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

func compileTests(kind string, specs []testSpec) (tests []fact.Test) {
	for _, s := range specs {
		tests = append(tests, fact.Is(place(kind, s.field), s.op, values(s.values)...))
	}
	return tests
}

func (r ruleSpec) joins(kind string, specs []joinSpec) (joins []fact.Join) {
	for _, s := range specs {
		joins = append(
			joins,
			fact.Join{
				Field: place(kind, s.field),
				Op:    s.op,
				Of:    s.of,
				Other: place(r.patterns[s.of].kind, s.other),
				Plus:  s.plus,
			},
		)
	}
	return joins
}

// compile makes the memory's rule, which writes what fires into the log.
func (r ruleSpec) compile(log *[]string) fact.Rule {
	rule := fact.Rule{Name: r.name, Priority: r.priority, Distinct: r.distinct}
	small := func(x *fact.Match, f fact.Fact) bool { return sumIsSmall(x.Fact(0).Number(0), f.Number(0)) }
	for _, p := range r.patterns {
		pattern := fact.Pattern{Kind: p.kind, Where: compileTests(p.kind, p.where), Join: r.joins(p.kind, p.joins)}
		if p.even {
			pattern.If = func(f fact.Fact) bool { return f.Number(0) == 2 }
		}
		if p.sum {
			pattern.IfMatch = small
		}
		rule.Patterns = append(rule.Patterns, pattern)
	}
	for _, c := range r.counts {
		count := fact.Pattern{Kind: c.kind, Where: compileTests(c.kind, c.where), Join: r.joins(c.kind, c.joins),
			Any: c.any}
		if c.sum {
			count.IfMatch = small
		}
		rule.Counts = append(rule.Counts, count)
	}
	if len(r.counts) > 0 {
		rule.When = func(x *fact.Match) bool {
			for i, c := range r.counts {
				n := x.Count(i)
				if c.any {
					n = map[bool]int{true: 1}[x.Any(i)]
				}
				if !holds(c.op, float64(n), c.value) {
					return false
				}
			}
			return true
		}
	}
	rule.Then = func(x *fact.Match) {
		line := x.String()
		for i := range r.counts {
			line += fmt.Sprint(" ", x.Count(i))
		}
		*log = append(*log, line)
		for _, do := range r.then {
			values := values(do.values)
			if do.copies && len(r.patterns) > 0 {
				values[0] = x.Fact(0).Value(0)
			}
			x.Assert(do.kind, values...)
		}
	}
	return rule
}

// The memory holds the same facts and fires the same rules in the same order as a model that works everything out
// anew after each step. The rules are random, or one whose matches look for a single fact, mostly found and often lost.
func TestMemoryDoesAsTheModel(t *testing.T) {
	greatest := ruleSpec{name: "greatest", patterns: []patternSpec{{kind: "a"}}, counts: []countSpec{{kind: "c",
		joins: []joinSpec{{field: "s", other: "s", op: fact.Equal}, {field: "x", other: "x", op: fact.Greater}},
		op:    fact.Equal, any: true}}}
	for name, rules := range map[string]func(*rapid.T) []ruleSpec{
		"random": func(t *rapid.T) (list []ruleSpec) {
			for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
				list = append(list, drawRule(t, fmt.Sprint("r", i)))
			}
			return list
		},
		"one": func(*rapid.T) []ruleSpec { return []ruleSpec{greatest} },
	} {
		t.Run(name, func(t *testing.T) {
			fired, looped := 0, 0
			testenv.Check(t, func(t *rapid.T) {
				n, loops := doesAsTheModel(t, rules(t))
				fired, looped = fired+n, looped+loops
			})
			if t.Logf("%d firings, %d loops", fired, looped); fired == 0 {
				t.Error("nothing fired")
			}
		})
	}
}

// doesAsTheModel compares the memory with the model in random steps. It returns the numbers of firings and of loops.
func doesAsTheModel(t *rapid.T, specs []ruleSpec) (fired, looped int) {
	var log []string
	var rules []fact.Rule
	for _, r := range specs {
		rules = append(rules, r.compile(&log))
	}
	naive, m := &model{kinds: kinds, rules: specs}, fact.New(kinds, rules, 0)
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
	return len(log), looped
}

// step changes both alike.
func step(t *rapid.T, m *fact.Memory, naive *model, ids map[int]fact.ID) {
	outside := slices.DeleteFunc(slices.Clone(naive.facts), func(f *modelFact) bool { return !f.held })
	if len(outside) == 0 || rapid.IntRange(0, 2).Draw(t, "step") > 0 {
		k := rapid.SampledFrom(given).Draw(t, "kind")
		all := drawValues(t, k)
		ids[naive.assert(k.Name, all...).seq] = m.Assert(k.Name, values(all)...)
		return
	}
	f := rapid.SampledFrom(outside).Draw(t, "fact")
	if rapid.Bool().Draw(t, "change") {
		naive.change(f, numbers.Draw(t, "x"))
		m.Change(ids[f.seq], values(f.values)...)
	} else {
		naive.retract(f)
		m.Retract(ids[f.seq])
	}
}

// runBoth runs both, compares them, and reports whether they came to an end.
func runBoth(t *rapid.T, m *fact.Memory, naive *model, log *[]string) bool {
	const bound = 40
	ended := naive.run(bound)
	_, err := m.Run(bound)
	if loop, ok := errors.AsType[*fact.LoopError](err); ok == ended || err != nil && loop == nil {
		t.Fatalf("the model ends: %v; the memory: %v", ended, err)
	}
	must.Equal(t, *log, naive.log)
	got := ""
	for _, k := range kinds {
		for f := range m.Facts(k.Name) {
			got += f.String() + "\n"
		}
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
