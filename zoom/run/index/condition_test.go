package index_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// filled opens an index of runs without folders.
func filled(t testing.TB, samples []index.Sample) *index.Index {
	t.Helper()
	work := t.TempDir()
	must.OK(t, os.Mkdir(filepath.Join(work, "s"), 0o755))
	from, _ := source(work)
	from.Known = []plugin.Description{{Name: "throughflow", Inputs: []plugin.Quantity{
		{Name: "T", Dim: unit.Temperature, Shape: plugin.Scalar, Doc: "temperature"},
		{Name: "P", Dim: unit.Pressure, Shape: plugin.Scalar, Doc: "pressure"},
	}}}
	x := open(t, from)
	must.OK(t, x.Fill(t.Context(), "s", samples))
	return x
}

func TestConditions(t *testing.T) {
	x := filled(t, []index.Sample{
		{
			Run: "a", Solver: "throughflow", Class: "diverged", Wall: 130,
			Inputs: map[string]float64{"cfl": 200, "PR": 1, "T": 300}, Outputs: map[string]float64{"PR": 1.5},
		},
		{
			Run: "b", Solver: "throughflow", Class: "converged", Wall: 10,
			Inputs: map[string]float64{"cfl": 5, "T": 288.15}, Outputs: map[string]float64{"PR": 2},
		},
		{Run: "c", Solver: "bladerow", Class: "diverged", Wall: 5000, Orphan: true, Message: "naïve %_ text",
			Texts: map[string]string{"mode": "cold"}},
	})
	for _, c := range []struct {
		where, runs string
		queried     int
		rest        bool
	}{
		{`solver == "throughflow" and class == "diverged" and cfl > 100`, "a", 3, false},
		{`class == "diverged"`, "a c", 1, false},
		{`not (class == "diverged")`, "b", 1, false},
		{`class in ["stalled", "converged"] or wall > 1 h`, "b c", 1, false},
		{`wall > 2 min`, "a c", 1, false},
		{`T > 15 degC`, "a", 1, false},
		{`T >= 15 degC`, "a b", 1, false},
		{`cfl < 100 || class == "diverged"`, "a b", 1, false}, // c has no cfl
		{`input.PR == 1`, "a", 1, false},
		{`output.PR > 1.6`, "b", 1, false},
		{`input.PR < output.PR`, "a", 1, false},
		{`orphan`, "c", 1, false},
		{`!orphan and run != "b"`, "a", 2, false},
		{`orphan == false`, "a b", 1, false},
		{`mode == "cold"`, "c", 1, false},
		{`message contains "%_"`, "c", 1, false},
		{`message startsWith "naï"`, "c", 1, false},
		{`message endsWith "text"`, "c", 0, true},
		{`run matches "[ab]" and cfl > 100`, "a", 1, true},
		{`cfl * 2 > 100`, "a", 0, true},
		{`1 / (wall - 10) > 0 and solver == "throughflow"`, "a b", 1, true}, // 1/0 is infinite
		{`bytes > 100 kB`, "a b c", 1, false},
		{`let x = wall; x > 100 and x < 200`, "a", 0, true},
		{`P > 1 bar`, "", 1, false}, // of a known solver, though no run has it
		{`true`, "a b c", 1, false},
		{`false`, "", 1, false},
	} {
		where, err := x.Fields().Condition(c.where)
		if err != nil {
			t.Errorf("%s: %v", c.where, err)
			continue
		}
		if parts, rest := where.Queried(); parts != c.queried || rest != c.rest {
			t.Errorf("%s: %d parts are queried, others: %t; want %d, %t", c.where, parts, rest, c.queried, c.rest)
		}
		var list []string
		for _, name := range names(t, x, c.where) {
			list = append(list, strings.TrimPrefix(name, "s/"))
		}
		if got := strings.Join(list, " "); got != c.runs {
			t.Errorf("%s: runs %q, want %q", c.where, got, c.runs)
		}
	}
}

func TestWrongConditions(t *testing.T) {
	x := filled(t, []index.Sample{
		{Run: "a", Solver: "throughflow", Class: "diverged", Inputs: map[string]float64{"cfl": 200, "PR": 1, "T": 1},
			Outputs: map[string]float64{"PR": 1.5}},
	})
	for where, want := range map[string]string{
		`clas == "diverged"`:     `runs have no "clas"; did you mean class?`,
		`Cfl > 3`:                `runs have no "Cfl"; did you mean cfl?`,
		`entirelyunknown > 3`:    `runs have no "entirelyunknown"; they have study, run, class`,
		`PR > 3`:                 "PR is the name of several values: write input.PR or output.PR",
		`input.cfll > 3`:         `runs have no "input.cfll"; did you mean input.cfl?`,
		`nothing.PX > 3`:         `runs have no "nothing`,
		`class > 3`:              "the sides of > do not match: a text and a number",
		`class == "divergd"`:     `no class is "divergd", did you mean diverged?`,
		`class in ["Converged"]`: `no class is "Converged", did you mean converged?`,
		`started > "yesterday"`:  `"yesterday" is no time; want one such as`,
		`ended < "23.11.2026"`:   `"23.11.2026" is no time`,
		`class`:                  "expected bool, but got string",
		`class == `:              "unexpected token EOF",
		`wall > 3 K`:             "3 K",
		`wall > 3 kg`:            "3 kg",
		`T > 5 bar`:              "5 bar",
		`drop(residual) > 3`:     "drop: unknown function",
		`class == "diverged" an`: "unexpected an",
	} {
		_, err := x.Fields().Condition(where)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), where[:3]) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", where, err, want)
		}
	}
}

func TestSortAndLimit(t *testing.T) {
	x := filled(t, []index.Sample{
		{Run: "a", Class: "x", Inputs: map[string]float64{"cfl": 2}},
		{Run: "b", Class: "x", Inputs: map[string]float64{"cfl": 3}},
		{Run: "c", Class: "y"}, {Run: "d", Class: "y", Inputs: map[string]float64{"cfl": 1}},
	})
	for _, c := range []struct {
		sort  string
		limit int
		where string
		want  string
	}{
		{"", 0, "", "a b c d"}, {"cfl", 0, "", "d a b c"}, {"-cfl", 0, "", "b a d c"},
		{"-class cfl", 0, "", "d c a b"}, {"-class", 2, "", "c d"},
		{"-cfl", 1, "cfl + 0 < 3", "a"},
	} {
		q := index.Query{Limit: c.limit}
		var err error
		for _, name := range strings.Fields(c.sort) {
			field := must.Value(x.Fields().Find(strings.TrimPrefix(name, "-")))(t)
			q.Sort = append(q.Sort, index.Sorting{Field: field, Descending: name[0] == '-'})
		}
		if c.where != "" {
			q.Where = must.Value(x.Fields().Condition(c.where))(t)
		}
		q.Fields = must.Value(x.Fields().Choose([]string{"run"}))(t)
		rows, err := x.Find(t.Context(), q)
		if got := strings.Trim(fmt.Sprint(rows), "[]"); err != nil || strings.ReplaceAll(got, "] [", " ") != c.want {
			t.Errorf("%+v: %v, %v", c, rows, err)
		}
	}
}

// What the database says of a condition is what the language says, for random conditions on random runs.
func TestQueryAgreesWithLanguage(t *testing.T) {
	texts := []string{"", "a", "A", "ab", "ä", "b%", "_", "日本", "\"", "\\", "converged", "diverged"}
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e300, -1e300, 5e-324, 1.7976931348623157e308, 100,
		100.00000000000001, 9007199254740993, 3}
	testenv.Check(t, func(r *rapid.T) {
		text, number := rapid.SampledFrom(texts), rapid.OneOf(rapid.SampledFrom(numbers), rapid.Float64())
		var samples []index.Sample
		for i := range rapid.IntRange(1, 12).Draw(r, "runs") {
			s := index.Sample{
				Run: fmt.Sprint("r", i), Solver: text.Draw(r, "solver"), Class: text.Draw(r, "class"),
				Message: text.Draw(r, "message"),
				Wall:    number.Draw(r, "wall"), Orphan: rapid.Bool().Draw(r, "orphan"), Inputs: map[string]float64{},
				Outputs: map[string]float64{}, Texts: map[string]string{},
			}
			for _, name := range []string{"x", "y"} {
				if rapid.Bool().Draw(r, "has") {
					s.Inputs[name] = number.Draw(r, name)
				}
				if rapid.Bool().Draw(r, "has") {
					s.Outputs[name] = number.Draw(r, "output."+name)
				}
			}
			if rapid.Bool().Draw(r, "has") {
				s.Texts["mode"] = text.Draw(r, "mode")
			}
			samples = append(samples, s)
		}
		x := filled(t, samples)
		defer x.Close()
		known := x.Fields()
		where := drawn(r, 3, text, number)
		queried, err := known.Condition(where)
		if err != nil { // no run has such a value
			if strings.Contains(err.Error(), "runs have no") || strings.Contains(err.Error(), "no class is") {
				r.Skip(err)
			}
			r.Fatal(err)
		}
		direct := must.Value(known.Direct(where))(r)
		run := must.Value(known.Choose([]string{"run"}))(r)
		a := must.Value(x.Find(t.Context(), index.Query{Where: queried, Fields: run}))(r)
		b := must.Value(x.Find(t.Context(), index.Query{Where: direct, Fields: run}))(r)
		if !slices.EqualFunc(a, b, func(a, b index.Row) bool { return a[0] == b[0] }) {
			r.Errorf("%s: the database says %v, the language %v", where, a, b)
		}
	})
}

// drawn is a random condition.
func drawn(r *rapid.T, depth int, text *rapid.Generator[string], number *rapid.Generator[float64]) string {
	kind := rapid.IntRange(0, 9).Draw(r, "kind")
	if depth == 0 {
		kind = rapid.IntRange(3, 9).Draw(r, "leaf")
	}
	quoted := func() string { return fmt.Sprintf("%q", text.Draw(r, "text")) }
	field := func(of ...string) string { return rapid.SampledFrom(of).Draw(r, "field") }
	texts, values := []string{"solver", "class", "message", "mode", "run"}, []string{"wall", "input.x", "input.y",
		"output.x", "output.y", "files"}
	compare := func() string { return field("==", "!=", "<", "<=", ">", ">=") }
	switch kind {
	case 0, 1:
		return "(" + drawn(r, depth-1, text, number) + field(" and ", " or ", " && ", " || ") + drawn(r, depth-1, text,
			number) + ")"
	case 2:
		return field("not ", "!") + "(" + drawn(r, depth-1, text, number) + ")"
	case 3:
		return field(texts...) + " " + compare() + " " + quoted()
	case 4:
		x := number.Draw(r, "number")
		return field(values...) + " " + compare() + " " + strings.ReplaceAll(fmt.Sprintf("%v", x), "+", "")
	case 5:
		return field(values...) + " " + compare() + " " + field(values...)
	case 6:
		return field(texts...) + field(" contains ", " startsWith ", " endsWith ") + quoted()
	case 7:
		return field(texts...) + " in [" + quoted() + ", " + quoted() + "]"
	case 8:
		return field(texts...) + " " + compare() + " " + field(texts...)
	}
	return field("orphan", "orphan == true", "true", "follows != orphan", "abs(wall) > 1", "input.x * 2 < wall")
}

// Times are compared as times, whatever form and zone they are given in.
func TestTimes(t *testing.T) {
	work := t.TempDir()
	ended(t, work, "s", "r", event.Diverged, 200)
	from, _ := source(work)
	x := open(t, from)
	at := time.Now().Add(-time.Hour) // about when the run began
	for _, form := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", time.RFC3339} {
		for _, zone := range []*time.Location{time.Local, time.UTC, time.FixedZone("", 5*3600)} {
			if zone != time.Local && form != time.RFC3339 {
				continue // such a text is local
			}
			for _, c := range []struct {
				off  time.Duration
				want int
			}{{-2 * time.Minute, 1}, {2 * time.Minute, 0}} {
				where := fmt.Sprintf("started > %q", at.Add(c.off).In(zone).Format(form))
				if got := names(t, x, where); len(got) != c.want {
					t.Errorf("%s: %q, want %d runs", where, got, c.want)
				}
			}
		}
	}
}

// A value has the dimension that all solvers say whose runs have it; where one of them is not known, any unit will do.
func TestDimensionsOfSolvers(t *testing.T) {
	sample := func(solver string, value float64) index.Sample {
		return index.Sample{Run: solver, Solver: solver, Class: "converged", Inputs: map[string]float64{"T": value}}
	}
	x := filled(t, []index.Sample{sample("throughflow", 300)})
	if _, err := x.Fields().Condition("T > 5 m"); err == nil {
		t.Error("a temperature in m")
	}
	x = filled(t, []index.Sample{sample("throughflow", 300), sample("mine", 20)})
	if got := names(t, x, "T > 10 m and T < 30 m"); !slices.Equal(got, []string{"s/mine"}) {
		t.Errorf("a length of a solver that is not known: %q", got)
	}
}
