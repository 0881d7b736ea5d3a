package condition_test

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
)

var numbers = map[string]float64{"residual": 1e-4, "iteration": 500, "limits.steady": 1e-6, "limits.k4[2]": 0.02,
	"k": 1}

func get(name string) (float64, bool) {
	x, ok := numbers[name]
	return x, ok
}

func TestCompile(t *testing.T) {
	for text, want := range map[string]bool{
		"residual < 1e-3":                           true,
		"residual < 1e-3 and iteration >= 501":      false,
		"floor(iteration / 100) * 100 != iteration": false,
		"limits.k4[2] == 0.02":                      true,
		"limits.k4[2] > 2 * limits.steady":          true,
		"max(residual, limits.steady) == residual":  true,
		"not (k == 1)":                              false,
		"k == 1 ? residual < 1 : false":             true,
	} {
		p, err := condition.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := p(get); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		"residual":                        "bool",
		"residual <":                      "unexpected token",
		"sum(1..1000000000) > 1":          "sum: unknown function",
		"sqrt(k) > 1":                     "sqrt: unknown function, want abs, ceil",
		"all([k, 2], # > 0)":              "all: unknown function",
		"iteration in 1..1000000000":      "has no place",
		"len([k]) > 0":                    "len: unknown function",
		"limits[residual] > 1":            "whole number",
		"let x = 1; x > 0":                "has no place in a condition",
		strings.Repeat("k+", 600) + "k>0": "bytes",
		strings.Repeat("k+", 400) + "k>0": "",
	} {
		must.Refuse(condition.Compile(text))(t, want)
	}
	p := must.Value(condition.Compile("nothing.such > 1"))(t)
	must.Refuse(p(get))(t, `no number "nothing.such"`)
}

// Whatever the text, it is compiled or refused, and evaluated without a panic.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{"residual < 1e-3", "a.b[2] > 0 and not (c == 1)", "x ?? y", "a?.b > 1", "1..9", "#",
		"{}", "[1][5] > 0", "k[9223372036854775807] > 1"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if p, err := condition.Compile(text); err == nil {
			_, _ = p(get)
		}
	})
}
