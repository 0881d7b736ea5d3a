package state

// What residuals shall come down to, as the run's files or the user say.

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

// target notes a residual's target. The part of its name after "target_" or "residual_" is an equation, a regular
// expression, or a vector whose components are equations.
func (m *Machine) target(name string, x float64) {
	for _, prefix := range []string{"target_", "residual_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.Trim(name, `"`)
	m.targets[name] = x
	if re, err := regexp.Compile("^(?:" + name + ")$"); err == nil && regexp.QuoteMeta(name) != name {
		m.match = append(m.match, pattern{re, x})
	}
}

// targetOf returns log10 of a residual's target, NaN if none is known.
func (m *Machine) targetOf(name string) float64 {
	_, equation, _ := strings.Cut(name, "_")
	keys := []string{equation, name}
	if n := len(equation) - 1; n > 0 && strings.Contains("xyz", equation[n:]) {
		keys = append(keys, equation[:n])
	}
	for _, key := range keys {
		if x, ok := m.targets[key]; ok {
			return math.Log10(x)
		}
	}
	for _, p := range m.match {
		if slices.ContainsFunc(keys, p.re.MatchString) {
			return math.Log10(p.target)
		}
	}
	return math.NaN()
}
