package live

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// ParseAdded reads a run that is to be added, such as "fan n=95 % throttle=1.15", or with "alpha=6" where vanes turn.
func ParseAdded(text string) (a Added, err error) {
	parts := strings.Split(text, "=")
	words := strings.Fields(parts[0])
	if len(words) == 0 {
		return a, fmt.Errorf("%q: want a component, a speed and a throttle, as %q", text, addedForm)
	}
	a.Component = words[0]
	at := map[string]*float64{"n": &a.Speed, "throttle": &a.Throttle, "alpha": &a.Alpha}
	given := map[string]bool{}
	name := words[1:]
	for i, part := range parts[1:] {
		fields := strings.Fields(part)
		next := fields[len(fields):]
		if i < len(parts)-2 && len(fields) > 0 { // the last word names the next value
			fields, next = fields[:len(fields)-1], fields[len(fields)-1:]
		}
		if len(name) != 1 || at[name[0]] == nil {
			word := strings.Join(name, " ")
			return a, fmt.Errorf("%q: there is no %q%s", text, word,
				spell.Hint(word, []string{"n", "throttle", "alpha"}))
		}
		if *at[name[0]], err = unit.Parse(strings.Join(fields, " "), unit.None); err != nil {
			return a, fmt.Errorf("%q: %s: %w", text, name[0], err)
		}
		given[name[0]], name = true, next
	}
	if !given["n"] || !given["throttle"] || len(name) > 0 {
		return a, fmt.Errorf("%q: want a component, a speed and a throttle, as %q", text, addedForm)
	}
	return a, nil
}

const addedForm = "fan n=95 % throttle=1.15"
