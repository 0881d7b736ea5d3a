package rules

// A rule of the engine's file that cannot be judged gives no findings, which looks like a good result. Therefore a
// warning names the rule, the missing value, and the way to get the value.

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

// lacks lists the rules that cannot be judged in some case, in the order of their discovery.
type lacks []*lack

// lack is a rule, the path that results lack, and the cases of these.
type lack struct {
	rule, path string
	cases      []string
	warning    int // its index among the warnings; below 0: none yet
}

// note adds the missing paths of a case, by rule, and returns the changed entries.
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

// warn returns a warning with the missing value of the rule and the way to get it.
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
		w.Message += ", as its map has no stall line; give " + component + " a map with a stall line"
	}
	return w
}
