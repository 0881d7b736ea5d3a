package rules

// A rule of the engine's file that cannot be judged is silent, which looks as if all were well. So a warning names the
// rule, the value that it lacks, and how to get that.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// lack is a rule with the path that results lack.
type lack struct{ rule, path string }

// lackingIn are the cases whose results lack a path, and the place of the warning.
type lackingIn struct {
	cases   []string
	warning int
}

// unjudged warns of the rules that cannot be judged in a case. Further cases extend the warning.
func (j *Judge) unjudged(name string, env map[string]any) {
	lacks := j.monitor.Lacking(env)
	for _, of := range slices.Sorted(maps.Keys(lacks)) {
		l := lack{of, lacks[of]}
		in := j.lacking[l]
		if in == nil {
			in = &lackingIn{warning: len(j.warnings)}
			j.lacking[l] = in
			j.warn(result.Warning{Severity: rule.Warning, Rule: of, Case: name, Message: j.lackText(l, name),
				Evidence: []string{}}, nil)
		} else if !slices.Contains(in.cases, name) {
			w := &j.warnings[in.warning]
			w.Case, w.Message = "", j.lackText(l, append(slices.Clone(in.cases), name)...)
		}
		if !slices.Contains(in.cases, name) {
			in.cases = append(in.cases, name)
		}
	}
}

// lackText says what a rule lacks, and how to get it.
func (j *Judge) lackText(l lack, cases ...string) string {
	text := fmt.Sprintf("the rule was not judged in %s: %s has no value there", spell.List(cases, "and"), l.path)
	component, value, _ := strings.Cut(l.path, ".")
	if value != "SMN" && value != "SMW" && value != "SMN_held" {
		return text
	}
	if slices.ContainsFunc(j.cfg.Zooms, func(z config.Zoom) bool { return z.Component == component }) {
		return text + ", as its map has no stall line; ends: true, or to:, in zoom." + component + " seeks one"
	}
	return text + ", as its map has no stall line; give " + component + " a map that has one"
}

// Unoffered warns of rules that name values which no run has reported.
func (j *Judge) Unoffered() {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []error
	if joined, ok := j.monitor.Unoffered().(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all {
		var e *language.Error
		if errors.As(err, &e) {
			j.warn(result.Warning{Severity: rule.Severe, Rule: e.Rule, Message: "the rule was not judged: " + e.Reason,
				Evidence: []string{e.Text}}, nil)
		}
	}
}
