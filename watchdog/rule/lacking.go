package rule

// Rules that are never judged, as a value that they name is missing: a slip of the pen, or a value that the runs or
// results at hand do not have. Such a rule is silent, which looks as if all were well.

import (
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// Unoffered reports, as joined *language.Errors, the user's rules on runs each condition of which names a value that no
// run so far has reported. value("x") may name any value. Before the first iteration of the first run it reports none.
func (m *Monitor) Unoffered() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	offered, begun := map[string]bool{}, false
	for _, r := range m.runs {
		begun = begun || r.facts.iterations > 0
		for name, v := range r.values {
			offered[name] = offered[name] || v.has || v.object != nil
		}
	}
	if !begun {
		return nil
	}
	var names []string
	for name, yes := range offered {
		if yes {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var errs []error
	for _, rule := range m.set.rules {
		if !rule.userDefined || rule.scope != runScope {
			continue
		}
		missing, at := "", (*condition)(nil)
		for _, c := range rule.when {
			i := slices.IndexFunc(c.slots, func(slot int) bool {
				name := m.set.named[slot].name
				return !offered[name] && !slices.Contains(c.refs.quoted, name)
			})
			if i < 0 {
				missing = ""
				break
			}
			missing, at = m.set.named[c.slots[i]].name, c
		}
		if missing != "" {
			errs = append(errs, &language.Error{Rule: rule.name, Pos: at.pos, Text: at.text, Reason: fmt.Sprintf(
				"no run reports %s%s; if other runs do, write value(%q)", missing, spell.Hint(missing, names),
				missing)})
		}
	}
	return errors.Join(errs...)
}

// Lacking returns, by name, the user's rules on cases no condition of which can be judged by the result of an engine,
// as Case takes it, and the path that the result lacks.
func (m *Monitor) Lacking(env map[string]any) map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	values, lacking := results(normalize(env)), map[string]string{}
	for _, rule := range m.set.rules {
		if !rule.userDefined || rule.scope != caseScope {
			continue
		}
		for _, c := range rule.when {
			lacks := values.lacks(c)
			if lacks == "" {
				delete(lacking, rule.name)
				break
			}
			lacking[rule.name] = lacks
		}
	}
	return lacking
}
