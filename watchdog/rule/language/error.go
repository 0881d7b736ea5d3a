package language

// Faults of rules, and suggestions for a wrong name.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// An Error reports a fault in a rule, or in a function that rules use.
type Error struct {
	Rule     string
	Function bool         // Rule is the name of a function
	Pos      document.Pos // in the engine file; zero for built-in rules
	Text     string       // condition or message at fault
	Reason   string
}

func (e *Error) Error() string {
	at := "built-in "
	if e.Pos != (document.Pos{}) {
		at = e.Pos.String() + ": "
	}
	what := "rule"
	if e.Function {
		what = "function"
	}
	return fmt.Sprintf("%s%s %s: %q: %s", at, what, e.Rule, e.Text, e.Reason)
}

// Fault returns an [*Error] of a rule. A zero position becomes the position of the rule.
func Fault(r *config.Rule, at document.Pos, text string, err error) error {
	if at == (document.Pos{}) {
		at = r.Pos
	}
	return &Error{Rule: r.Name, Pos: at, Text: text, Reason: err.Error()}
}

// Meant returns a question that suggests the nearest of some names; empty if none is near.
func Meant[V any](name string, names map[string]V) string {
	if near := spell.Nearest(name, slices.Values(slices.Sorted(maps.Keys(names)))); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// List renders names for a message, at most ten of them.
func List[V any](names map[string]V) string {
	sorted := slices.Sorted(maps.Keys(names))
	if len(sorted) > 10 {
		return strings.Join(sorted[:10], ", ") + " ..."
	}
	return strings.Join(sorted, ", ")
}
