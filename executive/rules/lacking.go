package rules

// A rule of the engine's file that cannot be judged is silent, which looks as if all were well. So a warning names the
// rule, the value that it lacks, and how to get that.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// lacks are the rules that cannot be judged in some case, in the order in which that was found.
type lacks []*lack

// lack is a rule, the path that results lack, and the cases of these.
type lack struct {
	rule, path string
	cases      []string
	warning    int // its index among the warnings; below 0: none yet
}

// note adds the paths, by rule, that a case lacks, and returns what has changed.
func (all *lacks) note(name string, paths map[string]string) (changed []*lack) {
	for _, of := range slices.Sorted(maps.Keys(paths)) {
		i := slices.IndexFunc(*all, func(l *lack) bool { return l.rule == of && l.path == paths[of] })
		if i < 0 {
			i = len(*all)
			*all = append(*all, &lack{rule: of, path: paths[of], warning: -1})
		}
		if l := (*all)[i]; !slices.Contains(l.cases, name) {
			l.cases = append(l.cases, name)
			changed = append(changed, l)
		}
	}
	return changed
}

// warn says what the rule lacks, and how to get it.
func (l *lack) warn(cfg *config.Engine) result.Warning {
	w := result.Warning{Severity: rule.Warning, Rule: l.rule, Evidence: []string{}, Message: fmt.Sprintf(
		"the rule was not judged in %s: %s has no value there", spell.List(l.cases, "and"), l.path)}
	if len(l.cases) == 1 {
		w.Case = l.cases[0]
	}
	component, value, _ := strings.Cut(l.path, ".")
	zoomed := slices.ContainsFunc(cfg.Zooms, func(z config.Zoom) bool { return z.Component == component })
	switch {
	case value != "SMN" && value != "SMW":
	case zoomed:
		w.Message += ", as its map has no stall line; ends: true, or to:, in zoom." + component + " seeks one"
	default:
		w.Message += ", as its map has no stall line; give " + component + " a map that has one"
	}
	return w
}
