package expression_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

var known = []string{"a", "a.b", "a.b.c", "list", "word", "Tt"}

// grammar has the names that are known, and a function.
func grammar() *expression.Grammar {
	return &expression.Grammar{
		Names: func(name string) (expression.Shape, error) {
			switch {
			case name == "list":
				return expression.List, nil
			case name == "word":
				return expression.Text, nil
			case slices.Contains(known, name):
				return expression.Number, nil
			}
			return expression.Any, fmt.Errorf("no %s%s", name, spell.Hint(name, known))
		},
		Known:     map[string]any{"twice": func(x float64) float64 { return 2 * x }, "g": 9.81},
		Builtins:  []string{"abs", "map", "sum"},
		Dimension: func([]string) (unit.Dimension, bool) { return unit.None, false },
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"a + a.b * a.b.c":            "7 [a a.b a.b.c] number",
		"twice(a.b) + g - 9.81":      "4 [a.b] number",
		"sum(list) / list[1]":        "1.5 [list] number",
		"map(list, # * 10)":          "[10 20] [list] list",
		`word + "s"`:                 "words [word] text",
		"a < 2 ? a.b : list[0]":      "2 [a a.b list] number",
		"let x = a.b; x * x":         "4 [a.b] number",
		"Tt > 20 degC and Tt < 30 K": "false [Tt] truth",
		"Tt - 10 K == 278.15":        "true [Tt] truth",
	} {
		g := grammar()
		e, err := g.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		env := g.Environment()
		for name, x := range map[string]any{
			"a": 1.0, "a.b": 2.0, "a.b.c": 3.0, "list": []float64{1, 2}, "word": "word", "Tt": 288.15,
		} {
			env[name] = x
		}
		x, err := e.Value(&expression.Machine{}, env)
		if got := fmt.Sprint(x, " ", e.Names, " ", e.Shape); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}

// Every fault has its place; of a path the whole is named, and nothing of the arguments of an unknown function.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a + bb": "no bb, want a, a.b, a.b.c, list, word or Tt, at column 5",
		"worrd == lisst": "no worrd, did you mean word?, at column 1; no lisst, did you mean list?, at " +
			"column 10",
		"1 + nothing.of.this":     "no nothing.of.this, want a, a.b, a.b.c, list, word or Tt, at column 5",
		"twise(a) + a":            "twise: unknown function, did you mean twice?, at column 1",
		"a + filter(of, # > 1)":   "filter: unknown function, want twice, abs, map or sum, at column 5",
		"a +":                     "unexpected token EOF, at column 3",
		"word * 2":                "the sides of * do not match: a text and a number, at column 6",
		"Tt > 3 kg":               "3 kg: a mass, want a temperature such as 288.15 K or 15 degC, at column 6",
		"a > 1 and word.x == 3":   "type string has no field x, at column 16",
		"a in [1, 2] and unknown": "no unknown, want a, a.b, a.b.c, list, word or Tt, at column 17",
		"a > 1 and\n µ":           "no µ, want a, a.b, a.b.c, list, word or Tt, at line 2, column 2",
		"a > 1 and\nTt >\n 3 kg":  "3 kg: a mass, want a temperature such as 288.15 K or 15 degC, at line 3, column 2",
		"a = 3":                   "unexpected =, did you mean ==?, at column 3",
		"a > 1 & a < 3":           "unexpected &, did you mean and?, at column 7",
		"a >\n 1 +":               "unexpected token EOF, at line 2, column 4",
	} {
		if _, err := grammar().Compile(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What is wrong with a name, and what a function says, is found behind the fault with its place.
func TestFaultsUnwrap(t *testing.T) {
	reason := errors.New("no such name")
	g := &expression.Grammar{
		Names: func(string) (expression.Shape, error) { return expression.Any, reason },
		Known: map[string]any{"fails": func() (float64, error) { return 0, reason }},
	}
	_, err := g.Compile("2 * nothing")
	e, valid := g.Compile("1 +\n fails()")
	must.OK(t, valid)
	_, late := e.Value(&expression.Machine{}, g.Environment())
	for _, err := range []error{err, late} {
		if one := new(expression.Error); !errors.Is(err, reason) || !errors.As(err, &one) || one.At < 4 {
			t.Errorf("got %v", err)
		}
	}
}
