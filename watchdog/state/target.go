package state

// Targets of residuals, from the run's files or the user.

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// pattern is a target of all equations whose names match.
type pattern struct {
	re     *regexp.Regexp
	target float64
}

// targets are the targets of residuals, by name.
type targets struct {
	exact map[string]float64
	match []pattern // names that are regular expressions
}

// note notes a residual's target. The part of its name after "target_" or "residual_" is an equation, a regular
// expression, or a vector whose components are equations.
func (t *targets) note(name string, x float64) {
	for _, prefix := range []string{"target_", "residual_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.Trim(name, `"`)
	t.exact[name] = x
	if re, err := regexp.Compile("^(?:" + name + ")$"); err == nil && regexp.QuoteMeta(name) != name {
		t.match = append(t.match, pattern{re, x})
	}
}

// of returns log10 of a residual's target, NaN if none is known.
func (t *targets) of(name string) float64 {
	_, equation, _ := strings.Cut(name, "_")
	keys := []string{equation, name}
	if n := len(equation) - 1; n > 0 && strings.Contains("xyz", equation[n:]) {
		keys = append(keys, equation[:n])
	}
	for _, key := range keys {
		if x, ok := t.exact[key]; ok {
			return math.Log10(x)
		}
	}
	for _, p := range t.match {
		if slices.ContainsFunc(keys, p.re.MatchString) {
			return math.Log10(p.target)
		}
	}
	return math.NaN()
}
